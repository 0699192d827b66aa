//! A device: a worker of UCX, as the proxy transport uses it.
//!
//! The worker has one endpoint to each peer's device ([`Peer`]), which all of the transport's endpoints to that device
//! share. Each of those is a list of operations ([`Connection`]): UCX completes operations in any order, and completed
//! ones leave the list from its front. One lock guards all of it. One progress thread serves a device, so that the lock
//! is usually free.
//!
//! A write is complete when a flush that began after it has ended. The end of UCX's own operation says only that the
//! source may be reused.

mod connection;
mod envelope;
mod failure;
mod operation;
mod peer;
mod regions;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::fabric::{
    Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, Handle, INLINE_BYTES, MemoryRegion,
    MemoryRequest, PeerAddress, PostError, PostErrorKind, Region, Status, WorkRequest,
};

use crate::ucp::endpoint;
use crate::ucp::ffi::ucs_status_t;
use crate::ucp::library::Library;
use crate::ucp::memory::Registered;
use crate::ucp::worker::{Context, Worker};
use connection::{Connection, Queues};
use envelope::{Kind, PeerKey};
use operation::{Operations, atomics};
use peer::Peer;
use regions::Regions;

/// Bytes of one request at most. The lock is held while UCX copies one to shared memory.
const MAX_MESSAGE_BYTES: u64 = 4 << 20;
/// Operations that the transport may have outstanding on a connection.
const MAX_DEPTH: u32 = 1024;
/// Time for the operations of an endpoint that is destroyed. After it the peer is given up, which ends them.
const GRACE: Duration = Duration::from_secs(1);
/// Rounds of UCX's progress in a poll: one operation takes several.
const ROUNDS: usize = 4;

/// An opened worker.
#[derive(Debug)]
pub(crate) struct Device {
    name: String,
    context: Arc<Context>,
    address: Vec<u8>,
    state: Mutex<State>,
}

/// The state that changes, under the lock.
struct State {
    connections: HashMap<u64, Connection>,
    queues: Queues,
    /// By number. One that has failed keeps its number, and the next connection to its device has a new one.
    peers: Vec<Peer>,
    /// Numbers of peers, by the addresses of their workers.
    numbers: HashMap<Box<[u8]>, usize>,
    regions: Regions,
    // Dropped after the endpoints and keys of the peers, and before the operations whose memory UCX may use.
    worker: Worker,
    operations: Operations,
    last_handle: u64,
    limit: Duration,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} connections, {} regions", self.connections.len(), self.regions.len())
    }
}

impl Device {
    /// Opens UCX with these settings. `limit` is the longest time of an operation.
    ///
    /// # Errors
    /// UCX refuses.
    pub(crate) fn open(settings: &[(&str, &str)], limit: Duration) -> Result<Self> {
        let context = Arc::new(Context::open(settings)?);
        let worker = Worker::new(context.clone())?;
        let address = Kind::Address.wrap(&worker.address()?);
        let name = settings.iter().fold("ucx".to_string(), |name, (_, value)| format!("{name};{value}"));
        let state = State {
            connections: HashMap::new(),
            queues: Queues::default(),
            peers: Vec::new(),
            numbers: HashMap::new(),
            regions: Regions::default(),
            worker,
            operations: Operations::default(),
            last_handle: 0,
            limit,
        };
        Ok(Self { name, context, address, state: Mutex::new(state) })
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

    /// Returns the number of the peer whose worker has this address.
    fn peer(&mut self, address: &[u8]) -> Result<usize> {
        if let Some(number) = self.numbers.get(address)
            && self.peers[*number].failure().is_none()
        {
            return Ok(*number);
        }
        // SAFETY: **whole**: the envelope of the address had all of its bytes. **nested**: peers are dropped before the
        // worker.
        let endpoint = unsafe { endpoint::Endpoint::new(&mut self.worker, address)? };
        self.peers.push(Peer::new(endpoint));
        let number = self.peers.len() - 1;
        self.numbers.insert(address.into(), number);
        Ok(number)
    }

    /// Makes progress, fails operations that are late, and reports completions in order.
    fn progress(&mut self) {
        let Self { connections, queues, peers, regions, worker, operations, limit, .. } = self;
        for _ in 0..ROUNDS {
            if !worker.progress() {
                break;
            }
        }
        peers.iter_mut().for_each(Peer::progress);
        for connection in connections.values_mut().filter(|connection| connection.is_busy()) {
            let late = connection.late(operations, *limit);
            if let Some(peer) = connection.peer.map(|number| &mut peers[number]) {
                if let Some(failure) = late {
                    peer.fail(failure);
                }
                connection.progress(operations, peer, regions);
            } else if let Some(failure) = late {
                connection.stop_for(operations, failure);
            }
            connection.report(operations, queues);
        }
    }
}

impl Drop for State {
    /// Ends all operations, so that UCX uses no memory of them when it is freed.
    fn drop(&mut self) {
        self.peers.iter_mut().for_each(|peer| peer.fail((Status::Flushed, 0)));
        let begun = Instant::now();
        while !self.peers.iter().all(Peer::is_closed) && begun.elapsed() < GRACE {
            self.worker.progress();
            self.peers.iter_mut().for_each(Peer::progress);
        }
        self.operations.release();
        self.peers.clear();
    }
}

fn no_such(thing: &str, handle: Handle) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("use {thing} {}", handle.0)).because("there is none of this handle")
}

// SAFETY:
// - **named**: the range of each request is checked against the registration, of this side and as the peer announced
//   it. That the peer has not ended it since is checked by NICs only: where the peer's poll executes requests, the peer
//   keeps memory mapped until no PE uses it, as the transport's collective calls do.
// - **until**, **once**: UCX uses memory until an operation has ended. Completions are passed on in the order of their
//   posts, and an endpoint with operations in flight is destroyed after they have ended.
unsafe impl FabricDevice for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let (major, minor, release) = self.context.version();
        format!("{}: a worker of UCX {major}.{minor}.{release} with remote memory access and atomics", self.name)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_endpoints: u32::MAX,
            max_depth: MAX_DEPTH,
            max_completions: u32::MAX,
            max_message_bytes: MAX_MESSAGE_BYTES,
            atomics: atomics(),
            // A fence of UCX orders nothing between the transports of one endpoint: over shared memory a large write is
            // a copy of this process, and a small one or an atomic is a message that the peer executes later.
            ordered: false,
            // Endpoints are connected by the peer's progress, also those over NICs.
            needs_progress: true,
            dma_buf: false,
            empty_fetches: false,
        }
    }

    fn address(&self) -> Vec<u8> {
        self.address.clone()
    }

    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion> {
        let Region::Address(base) = request.region else {
            return Err(Error::new(ErrorKind::InvalidArgument, "register a DMA buffer with UCX")
                .because("this device takes addresses of the host alone"));
        };
        let mut state = self.state();
        // SAFETY: **mapped**: the transport ends a registration before it unmaps the memory.
        let registered = unsafe { Registered::new(self.context.clone(), base, request.bytes, request.remote)? };
        let remote_key = match request.remote {
            true => PeerKey { base, bytes: request.bytes, packed: registered.key()? }.wrap(),
            false => Vec::new(),
        };
        let handle = state.next_handle();
        state.regions.insert(handle.0, registered);
        Ok(MemoryRegion { handle, local_key: handle.0, local_base: base, remote_key, remote_base: base })
    }

    fn deregister(&self, region: Handle) -> Result<()> {
        if self.state().regions.remove(region.0) { Ok(()) } else { Err(no_such("registration", region)) }
    }

    fn import_key(&self, peer: Pe, key: &[u8]) -> Result<u64> {
        let key = PeerKey::unwrap(key).ok_or_else(|| {
            Error::new(ErrorKind::Malformed, format!("take a memory key of {peer}"))
                .because(format!("its {} bytes are not those of a key", key.len()))
                .about(peer)
        })?;
        Ok(self.state().regions.import(key))
    }

    fn create_completion_queue(&self, _: u32) -> Result<Handle> {
        let mut state = self.state();
        let handle = state.next_handle();
        state.queues.create(handle);
        Ok(handle)
    }

    fn destroy_completion_queue(&self, queue: Handle) -> Result<()> {
        let mut state = self.state();
        if state.connections.values().any(|connection| connection.queue == queue) {
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
        state.connections.insert(handle.0, Connection::new(queue, depth));
        let inline_bytes = request.inline_bytes.min(INLINE_BYTES as u32);
        Ok((Endpoint { handle, depth, inline_bytes }, Vec::new()))
    }

    fn connect(&self, endpoint: Handle, to: &PeerAddress<'_>) -> Result<()> {
        let action = || format!("connect an endpoint with {}", to.pe);
        let address = Kind::Address.unwrap(to.device).ok_or_else(|| {
            let error = Error::new(ErrorKind::Malformed, action()).about(to.pe);
            error.because("its device's address is not one of UCX's")
        })?;
        let mut state = self.state();
        state.connection(endpoint)?;
        let peer = state.peer(address).map_err(|error| {
            let hint = "let the PEs use transports and networks in common (OXSHMEM_UCX_TLS, OXSHMEM_UCX_NET_DEVICES)";
            Error::new(error.kind(), action()).because(error.to_string()).hint(hint).about(to.pe)
        })?;
        state.connection(endpoint)?.peer = Some(peer);
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
        let mut state = self.state();
        let begun = Instant::now();
        loop {
            let State { connections, operations, peers, .. } = &mut *state;
            let connection = connections.get(&endpoint.0).ok_or_else(|| no_such("endpoint", endpoint))?;
            // The slots of operations that have not ended even then are kept.
            if !connection.is_in_flight(operations) || begun.elapsed() > 2 * GRACE {
                break;
            }
            if let (true, Some(peer)) = (begun.elapsed() > GRACE, connection.peer) {
                peers[peer].fail((Status::PeerGone, 0));
            }
            state.progress();
        }
        let State { connections, operations, .. } = &mut *state;
        if let Some(mut gone) = connections.remove(&endpoint.0) {
            gone.abandon(operations);
        }
        Ok(())
    }

    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        let State { connections, operations, peers, regions, .. } = &mut *self.state();
        let refused = |posted, kind, code: i32| Err(PostError { posted, kind, code: code.into(), call: "post" });
        let Some(connection) = connections.get_mut(&endpoint.0) else {
            return refused(0, PostErrorKind::Failed, libc::EINVAL);
        };
        let room = connection.room().min(list.len());
        list[..room].iter().for_each(|request| connection.take(operations, request));
        if let Some(peer) = connection.peer.map(|number| &mut peers[number]) {
            connection.post_waiting(operations, peer, regions);
            peer.flush();
        }
        if room < list.len() { refused(room, PostErrorKind::Full, libc::ENOMEM) } else { Ok(()) }
    }

    fn poll(&self, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        let mut state = self.state();
        if !state.queues.exists(queue) {
            return Err(no_such("completion queue", queue));
        }
        state.progress();
        Ok(state.queues.take(queue, out))
    }

    fn explain(&self, completion: &Completion) -> String {
        let status = completion.status.text();
        // Statuses of UCX are negative numbers, which completions carry without their sign.
        match (completion.code, Library::get()) {
            (code @ 1..=100, Ok(library)) => format!("{status} (UCX: {})", library.text(-(code as ucs_status_t))),
            _ => status.into(),
        }
    }
}
