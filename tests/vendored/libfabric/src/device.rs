//! A device: one interface of libfabric, as the proxy transport uses it.
//!
//! libfabric completes operations of an endpoint in any order, and an endpoint reaches every peer. The transport
//! requires completions in the order of its posts on each of its own endpoints, and each of those reaches one peer.
//! Each of them is therefore a list of operations ([`Connection`]) on the one channel of the device; completed
//! operations leave the list from its front.
//!
//! One lock guards all of it. One progress thread serves a device, so that the lock is usually free. The lock also
//! makes all atomics that reach this PE's memory execute one after another, in [`FabricDevice::poll`].

mod atomics;
mod connection;
mod failure;
mod mailbox;
mod message;
mod operation;
mod regions;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::fabric::{
    Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, Handle, INLINE_BYTES, MemoryRegion,
    MemoryRequest, PeerAddress, PostError, PostErrorKind, Region, WorkRequest,
};

use crate::libfabric::channel::{Channel, Ended};
use crate::libfabric::domain::{Atomics, Domain};
pub(crate) use atomics::native;
use connection::{Connection, Queues};
use mailbox::{Arrived, Context, Mailbox};
use message::Answer;
use operation::Operations;
use regions::Regions;

/// Bytes of one message at most: larger ones gain nothing, and the lock is held while libfabric copies one.
const MAX_MESSAGE_BYTES: u64 = 1 << 20;
/// Operations that the transport may have outstanding on a connection.
const MAX_DEPTH: u32 = 1024;
/// Bytes of a key on the wire.
const KEY_BYTES: usize = 8;

/// An opened interface.
#[derive(Debug)]
pub(crate) struct Device {
    name: String,
    domain: Arc<Domain>,
    atomics: Atomics,
    address: Vec<u8>,
    state: Mutex<State>,
}

/// The state that changes, under the lock.
pub(crate) struct State {
    // The channel is dropped first, so that no operation is in flight when the memory that it names is freed.
    channel: Channel,
    /// The mailbox of atomics that are messages.
    mailbox: Option<Mailbox>,
    operations: Operations,
    connections: HashMap<u64, Connection>,
    queues: Queues,
    regions: Regions,
    last_handle: u64,
    ended: Vec<Ended>,
    limit: Duration,
    /// libfabric's provider.
    provider: String,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} connections, {} regions", self.connections.len(), self.regions.len())
    }
}

impl Device {
    /// Opens a channel on the domain. `atomics` is their way; `limit` is the longest time of an operation.
    ///
    /// # Errors
    /// The provider refuses.
    pub(crate) fn open(domain: Arc<Domain>, atomics: Atomics, limit: Duration) -> Result<Self> {
        let facts = &domain.facts;
        let channel = Channel::open(domain.clone(), facts.depth.max(MAX_DEPTH as usize) + mailbox::RECEIVES)?;
        let own = channel.address()?;
        let address = [&form_of(facts.address_format, atomics)[..], &own].concat();
        let mut mailbox = (atomics == Atomics::Messages).then(|| Mailbox::new(own));
        if let Some(mailbox) = &mut mailbox {
            mailbox.progress(&channel, limit);
            if !mailbox.is_receiving() {
                return Err(Error::new(ErrorKind::System, format!("receive messages on {}", facts.domain))
                    .because("libfabric's provider takes no receive"));
            }
        }
        Ok(Self {
            name: format!("{};{}", facts.provider, facts.domain),
            address,
            state: Mutex::new(State {
                channel,
                mailbox,
                operations: Operations::default(),
                connections: HashMap::new(),
                queues: Queues::default(),
                regions: Regions::default(),
                last_handle: 0,
                ended: Vec::new(),
                limit,
                provider: facts.provider.clone(),
            }),
            atomics,
            domain,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic leaves the state consistent: each of its changes is one call.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next_handle(&mut self) -> Handle {
        self.last_handle += 1;
        Handle(self.last_handle)
    }

    fn connection(&mut self, endpoint: Handle) -> Result<&mut Connection> {
        self.connections.get_mut(&endpoint.0).ok_or_else(|| no_such("endpoint", endpoint))
    }

    /// Handles the end of an operation of libfabric's. Returns the endpoint whose operation has ended by it.
    fn ended(&mut self, context: usize, error: Option<(i32, i32, String)>) -> Option<u64> {
        let Self { channel, mailbox, operations, regions, provider, .. } = self;
        let failure = error.map(|(errno, own, text)| {
            operations.note(text);
            (failure::completion_status(provider, errno, own), errno as u32)
        });
        match Context::of(context)? {
            Context::Operation(number) => operations.ended(number, failure),
            Context::Letter(number) => {
                let (ticket, failure) = mailbox.as_mut()?.sent(number, failure)?;
                operations.not_asked(ticket, failure)
            }
            Context::Receive(number) => {
                let mailbox = mailbox.as_mut()?;
                match mailbox.received(channel, number, failure.is_some())? {
                    Arrived::Answer(answer) => operations.answered(&answer, regions),
                    Arrived::Order(order, peer) => {
                        let outcome = regions.change(order.key, order.remote, &order.atomic);
                        mailbox.answer(channel, peer, &Answer { ticket: order.ticket, outcome });
                        None
                    }
                }
            }
        }
    }

    /// Takes completed operations, posts waiting ones, fails late ones, and reports in order.
    fn progress(&mut self) -> Result<()> {
        let mut ended = std::mem::take(&mut self.ended);
        let polled = self.channel.poll(&mut ended);
        for Ended { context, error } in ended.drain(..) {
            if let Some(endpoint) = self.ended(context, error)
                && let Some(connection) = self.connections.get_mut(&endpoint)
            {
                connection.report(&mut self.operations, &mut self.queues);
            }
        }
        self.ended = ended;
        polled?;
        if let Some(mailbox) = &mut self.mailbox {
            mailbox.progress(&self.channel, self.limit);
        }
        for connection in self.connections.values_mut().filter(|connection| connection.is_busy()) {
            connection.post_waiting(&self.channel, self.mailbox.as_mut(), &mut self.operations);
            connection.fail_late(&mut self.operations, self.limit);
            connection.report(&mut self.operations, &mut self.queues);
        }
        Ok(())
    }
}

/// Returns the form of a device's address, which precedes it: devices of different forms can't serve each other.
/// Interfaces of other address formats do not reach each other, and atomics of both ways on one word would not be
/// atomic.
fn form_of(address_format: u32, atomics: Atomics) -> [u8; 5] {
    let [a, b, c, d] = address_format.to_le_bytes();
    [a, b, c, d, u8::from(atomics == Atomics::Messages)]
}

fn no_such(thing: &str, handle: Handle) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("use {thing} {}", handle.0)).because("there is none of this handle")
}

// SAFETY:
// - **named**: libfabric checks the keys and ranges of requests; messages are checked against the registered ranges.
// - **until**, **once**: libfabric accesses memory until the completion of an operation, and completions are passed on in the order of posting.
unsafe impl FabricDevice for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let atomics = match self.atomics {
            Atomics::Native => "atomics of libfabric",
            Atomics::Messages => "atomics as messages that the target's poll executes",
        };
        format!("{}: reliable endpoints with remote memory access; {atomics}", self.name)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_endpoints: u32::MAX,
            max_depth: MAX_DEPTH,
            max_completions: u32::MAX,
            max_message_bytes: (self.domain.facts.max_message as u64).min(MAX_MESSAGE_BYTES),
            atomics: match self.atomics {
                Atomics::Native => atomics::native(&self.domain),
                Atomics::Messages => atomics::by_messages(),
            },
            // libfabric orders writes with writes and atomics with atomics, but not atomics with writes.
            ordered: false,
            needs_progress: self.domain.facts.manual_progress || self.atomics == Atomics::Messages,
            dma_buf: false,
            empty_fetches: false,
        }
    }

    fn address(&self) -> Vec<u8> {
        self.address.clone()
    }

    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion> {
        let Region::Address(address) = request.region else {
            return Err(Error::new(ErrorKind::InvalidArgument, "register a DMA buffer with libfabric")
                .because("this device takes addresses of the host alone"));
        };
        let mut state = self.state();
        let handle = state.next_handle();
        // SAFETY: **mapped**: the transport ends a registration before it unmaps the memory. **first**: the
        // registrations are in the state, which is dropped before the domain.
        let registered = unsafe { self.domain.register(address, request.bytes, handle.0, request.remote)? };
        let region = MemoryRegion {
            handle,
            local_key: handle.0,
            local_base: address,
            remote_key: if request.remote { registered.key().to_le_bytes().into() } else { Vec::new() },
            remote_base: address - registered.base,
        };
        state.regions.insert(handle.0, registered, request.remote);
        Ok(region)
    }

    fn deregister(&self, region: Handle) -> Result<()> {
        if self.state().regions.remove(region.0) { Ok(()) } else { Err(no_such("registration", region)) }
    }

    fn import_key(&self, peer: Pe, key: &[u8]) -> Result<u64> {
        key.try_into().map(u64::from_le_bytes).map_err(|_| {
            Error::new(ErrorKind::Malformed, format!("take a memory key of {peer}"))
                .amount(key.len() as u64, KEY_BYTES as u64, "bytes")
                .about(peer)
        })
    }

    fn create_completion_queue(&self, _: u32) -> Result<Handle> {
        let mut state = self.state();
        let handle = state.next_handle();
        state.queues.create(handle);
        Ok(handle)
    }

    fn destroy_completion_queue(&self, queue: Handle) -> Result<()> {
        let mut state = self.state();
        if state.connections.values().any(|connection| connection.queue() == queue) {
            return Err(
                Error::new(ErrorKind::InvalidArgument, "destroy a completion queue").because("it has endpoints")
            );
        }
        if state.queues.destroy(queue) { Ok(()) } else { Err(no_such("completion queue", queue)) }
    }

    fn create_endpoint(&self, queue: Handle, request: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)> {
        let mut state = self.state();
        if !state.queues.exists(queue) {
            return Err(no_such("completion queue", queue));
        }
        let (handle, depth) = (state.next_handle(), request.depth.clamp(1, MAX_DEPTH));
        state.connections.insert(handle.0, Connection::new(handle, queue, depth));
        let inline_bytes = request.inline_bytes.min(INLINE_BYTES as u32);
        Ok((Endpoint { handle, depth, inline_bytes }, Vec::new()))
    }

    fn connect(&self, endpoint: Handle, to: &PeerAddress<'_>) -> Result<()> {
        let fail = |why: &str| {
            Err(Error::new(ErrorKind::Malformed, format!("connect an endpoint with {}", to.pe))
                .because(why.to_string())
                .about(to.pe))
        };
        let Some((form, address)) = to.device.split_first_chunk::<5>() else { return fail("its address has no form") };
        let [format @ .., way] = *form;
        let [own_format @ .., own_way] = form_of(self.domain.facts.address_format, self.atomics);
        if format != own_format {
            return fail("its interface has another form of address: choose interfaces of one network");
        }
        if way != own_way {
            return fail(
                "one of the two carries atomics as messages, and the other does not: set \
                         OXSHMEM_LIBFABRIC_ATOMICS alike on all PEs",
            );
        }
        let mut state = self.state();
        let peer = state.channel.insert(address)?;
        state.connection(endpoint)?.lead_to(peer);
        Ok(())
    }

    fn stop(&self, endpoint: Handle) -> Result<()> {
        let State { connections, operations, queues, .. } = &mut *self.state();
        let connection = connections.get_mut(&endpoint.0).ok_or_else(|| no_such("endpoint", endpoint))?;
        connection.stop(operations);
        connection.report(operations, queues);
        Ok(())
    }

    fn destroy_endpoint(&self, endpoint: Handle) -> Result<()> {
        let State { connections, operations, .. } = &mut *self.state();
        let mut gone = connections.remove(&endpoint.0).ok_or_else(|| no_such("endpoint", endpoint))?;
        gone.abandon(operations);
        Ok(())
    }

    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        let State { connections, operations, channel, mailbox, regions, .. } = &mut *self.state();
        let refuse = |posted, kind, code: i32| Err(PostError { posted, kind, code: code.into(), call: "post" });
        let Some(connection) = connections.get_mut(&endpoint.0) else {
            return refuse(0, PostErrorKind::Failed, libc::EINVAL);
        };
        for (posted, request) in list.iter().enumerate() {
            if !connection.has_room() {
                return refuse(posted, PostErrorKind::Full, libc::ENOMEM);
            }
            connection.take(operations, request, regions);
        }
        connection.post_waiting(channel, mailbox.as_mut(), operations);
        Ok(())
    }

    fn poll(&self, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let mut state = self.state();
        if !state.queues.exists(queue) {
            return Err(no_such("completion queue", queue));
        }
        state.progress()?;
        Ok(state.queues.take(queue, out))
    }

    fn explain(&self, completion: &Completion) -> String {
        let text = self.state().operations.last_error().map(str::to_string).unwrap_or_default();
        format!("{} (libfabric: {} {text})", completion.status.text(), completion.code)
    }
}
