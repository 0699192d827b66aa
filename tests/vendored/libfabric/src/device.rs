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
mod operation;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::fabric::{
    Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, Handle, INLINE_BYTES, MemoryRegion,
    MemoryRequest, PeerAddress, PostError, PostErrorKind, Region, WorkRequest,
};

use crate::libfabric::channel::{Channel, Ended};
use crate::libfabric::domain::{Domain, Registered};
use connection::{Connection, Queues};
use operation::Operations;

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
    address: Vec<u8>,
    state: Mutex<State>,
}

/// The state that changes, under the lock.
pub(crate) struct State {
    // The channel is dropped first, so that no operation is in flight when the memory that it names is freed.
    channel: Channel,
    operations: Operations,
    connections: HashMap<u64, Connection>,
    queues: Queues,
    regions: HashMap<u64, Registered>,
    last_handle: u64,
    ended: Vec<Ended>,
    limit: Duration,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} connections, {} regions", self.connections.len(), self.regions.len())
    }
}

impl Device {
    /// Opens a channel on the domain. `limit` is the longest time of an operation.
    ///
    /// # Errors
    /// The provider refuses.
    pub(crate) fn open(domain: Arc<Domain>, limit: Duration) -> Result<Self> {
        let facts = &domain.facts;
        let channel = Channel::open(domain.clone(), facts.depth.max(MAX_DEPTH as usize))?;
        // Interfaces with other address formats can't reach each other, so the format precedes the address.
        let address = [&facts.address_format.to_le_bytes()[..], &channel.address()?].concat();
        Ok(Self {
            name: format!("{};{}", facts.provider, facts.domain),
            address,
            state: Mutex::new(State {
                channel,
                operations: Operations::default(),
                connections: HashMap::new(),
                queues: Queues::default(),
                regions: HashMap::new(),
                last_handle: 0,
                ended: Vec::new(),
                limit,
            }),
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

    /// Takes completed operations, posts waiting ones, fails late ones, and reports in order.
    fn progress(&mut self) -> Result<()> {
        let mut ended = std::mem::take(&mut self.ended);
        let polled = self.channel.poll(&mut ended);
        for Ended { context, error } in ended.drain(..) {
            if let Some(endpoint) = self.operations.ended(context, error)
                && let Some(connection) = self.connections.get_mut(&endpoint)
            {
                connection.report(&mut self.operations, &mut self.queues);
            }
        }
        self.ended = ended;
        polled?;
        for connection in self.connections.values_mut().filter(|connection| connection.is_busy()) {
            connection.post_waiting(&self.channel, &mut self.operations);
            connection.fail_late(&mut self.operations, self.limit);
            connection.report(&mut self.operations, &mut self.queues);
        }
        Ok(())
    }
}

fn no_such(thing: &str, handle: Handle) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("use {thing} {}", handle.0)).because("there is none of this handle")
}

impl FabricDevice for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        format!("{}: reliable endpoints with remote memory access and atomics", self.name)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_endpoints: u32::MAX,
            max_depth: MAX_DEPTH,
            max_completions: u32::MAX,
            max_message_bytes: (self.domain.facts.max_message as u64).min(MAX_MESSAGE_BYTES),
            atomics: atomics::native(&self.domain),
            // libfabric orders writes with writes and atomics with atomics, but not atomics with writes.
            ordered: false,
            needs_progress: self.domain.facts.manual_progress,
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
        state.regions.insert(handle.0, registered);
        Ok(region)
    }

    fn deregister(&self, region: Handle) -> Result<()> {
        self.state().regions.remove(&region.0).map(drop).ok_or_else(|| no_such("registration", region))
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
        let Some((form, address)) = to.device.split_first_chunk() else { return fail("its address has no form") };
        if u32::from_le_bytes(*form) != self.domain.facts.address_format {
            return fail("its interface has another form of address: choose interfaces of one network");
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
        let State { connections, operations, channel, regions, .. } = &mut *self.state();
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
        connection.post_waiting(channel, operations);
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
