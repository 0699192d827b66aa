//! The stand-in for a library: memory, endpoints and completion queues of all PEs, by number.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxshmem_core::AmoOp;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::fabric::{Completion, Local, Operation, PostErrorKind, Status, WorkRequest};

static NET: Mutex<Net> = Mutex::new(Net {
    devices: BTreeSet::new(),
    regions: BTreeMap::new(),
    queues: BTreeMap::new(),
    endpoints: BTreeMap::new(),
});

/// Returns the tables, for one short call.
pub(crate) fn lock() -> MutexGuard<'static, Net> {
    NET.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a number that nothing else has.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[derive(Debug)]
pub(crate) struct Net {
    devices: BTreeSet<u64>,
    regions: BTreeMap<u64, Memory>,
    queues: BTreeMap<u64, Queue>,
    endpoints: BTreeMap<u64, End>,
}

/// Registered memory.
#[derive(Clone, Copy, Debug)]
struct Memory {
    device: u64,
    address: u64,
    bytes: u64,
    is_remote: bool,
}

/// A completion queue.
#[derive(Debug)]
struct Queue {
    device: u64,
    /// Completions with their endpoints.
    ready: VecDeque<(u64, Completion)>,
}

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct End {
    device: u64,
    queue: u64,
    depth: u32,
    /// Requests whose completion was not polled.
    outstanding: u32,
    /// The number of the peer's device, once connected.
    pub(crate) peer: Option<u64>,
    pub(crate) is_stopped: bool,
}

fn unknown(what: &'static str) -> Error {
    Error::new(ErrorKind::NotFound, format!("use {what} of mynet")).because("the device has none of this number")
}

impl Net {
    /// Adds a device and returns its number.
    pub(crate) fn open(&mut self) -> u64 {
        let device = number();
        self.devices.insert(device);
        device
    }

    /// Removes everything of a device.
    pub(crate) fn forget(&mut self, device: u64) {
        self.devices.remove(&device);
        self.regions.retain(|_, one| one.device != device);
        self.endpoints.retain(|_, one| one.device != device);
        self.queues.retain(|_, one| one.device != device);
    }

    pub(crate) fn register(&mut self, device: u64, address: u64, bytes: u64, is_remote: bool) -> u64 {
        let key = number();
        self.regions.insert(key, Memory { device, address, bytes, is_remote });
        key
    }

    pub(crate) fn deregister(&mut self, device: u64, key: u64) -> Result<()> {
        self.regions.get(&key).filter(|one| one.device == device).ok_or_else(|| unknown("memory"))?;
        self.regions.remove(&key);
        Ok(())
    }

    pub(crate) fn create_queue(&mut self, device: u64, entries: u32) -> u64 {
        let queue = number();
        self.queues.insert(queue, Queue { device, ready: VecDeque::with_capacity(entries as usize) });
        queue
    }

    fn queue(&mut self, device: u64, queue: u64) -> Result<&mut Queue> {
        self.queues.get_mut(&queue).filter(|one| one.device == device).ok_or_else(|| unknown("a completion queue"))
    }

    pub(crate) fn destroy_queue(&mut self, device: u64, queue: u64) -> Result<()> {
        self.queue(device, queue)?;
        if self.endpoints.values().any(|one| one.queue == queue) {
            let error = Error::new(ErrorKind::InvalidArgument, "destroy a completion queue");
            return Err(error.because("it has endpoints"));
        }
        self.queues.remove(&queue);
        Ok(())
    }

    pub(crate) fn create_endpoint(&mut self, device: u64, queue: u64, depth: u32) -> Result<u64> {
        self.queue(device, queue)?;
        let end = End { device, queue, depth, outstanding: 0, peer: None, is_stopped: false };
        let endpoint = number();
        self.endpoints.insert(endpoint, end);
        Ok(endpoint)
    }

    pub(crate) fn endpoint(&mut self, device: u64, endpoint: u64) -> Result<&mut End> {
        self.endpoints.get_mut(&endpoint).filter(|one| one.device == device).ok_or_else(|| unknown("an endpoint"))
    }

    pub(crate) fn destroy_endpoint(&mut self, device: u64, endpoint: u64) -> Result<()> {
        let queue = self.endpoint(device, endpoint)?.queue;
        self.queue(device, queue)?.ready.retain(|(of, _)| *of != endpoint);
        self.endpoints.remove(&endpoint);
        Ok(())
    }

    /// Executes a request, and adds its completion to the endpoint's queue.
    pub(crate) fn post(
        &mut self,
        device: u64,
        endpoint: u64,
        request: &WorkRequest,
    ) -> std::result::Result<(), PostErrorKind> {
        let end = self.endpoints.get(&endpoint).filter(|one| one.device == device);
        let Some((end, peer)) = end.and_then(|end| Some((end, end.peer?))) else { return Err(PostErrorKind::Failed) };
        if end.outstanding == end.depth {
            return Err(PostErrorKind::Full);
        }
        let status = match end.is_stopped {
            true => Status::Flushed,
            false => self.execute(device, peer, request),
        };
        let Some(end) = self.endpoints.get_mut(&endpoint) else { return Err(PostErrorKind::Failed) };
        // The request that fails is reported even if it is not signalled; those after it take no effect.
        let fails_first = status != Status::Success && !end.is_stopped;
        end.is_stopped |= fails_first;
        if request.signalled || fails_first {
            end.outstanding += 1;
            let completion = Completion { id: request.id, status, code: 0 };
            self.queues.get_mut(&end.queue).ok_or(PostErrorKind::Failed)?.ready.push_back((endpoint, completion));
        }
        Ok(())
    }

    pub(crate) fn poll(&mut self, device: u64, queue: u64, out: &mut [Completion]) -> Result<usize> {
        let Self { queues, endpoints, .. } = self;
        let ready =
            &mut queues.get_mut(&queue).filter(|one| one.device == device).ok_or_else(|| unknown("a queue"))?.ready;
        let count = out.len().min(ready.len());
        for (to, (endpoint, completion)) in out.iter_mut().zip(ready.drain(..count)) {
            *to = completion;
            if let Some(end) = endpoints.get_mut(&endpoint) {
                end.outstanding -= 1;
            }
        }
        Ok(count)
    }

    /// Returns whether a device has memory of this key at these addresses.
    fn has(&self, device: u64, key: u64, address: u64, bytes: u64, is_remote: bool) -> bool {
        self.regions.get(&key).is_some_and(|one| {
            let offset = address.wrapping_sub(one.address);
            let fits = offset <= one.bytes && bytes <= one.bytes - offset.min(one.bytes);
            one.device == device && (one.is_remote || !is_remote) && fits
        })
    }

    fn execute(&self, device: u64, peer: u64, request: &WorkRequest) -> Status {
        if !self.devices.contains(&peer) {
            return Status::PeerGone;
        }
        let mut inline;
        let (local, bytes) = match request.local {
            Local::Memory { address, bytes, key } => {
                if !self.has(device, key, address, bytes.into(), false) {
                    return Status::LocalProtection;
                }
                (address, bytes.into())
            }
            Local::Inline { data, bytes } => {
                inline = data;
                (inline.as_mut_ptr().expose_provenance() as u64, u64::from(bytes))
            }
        };
        if !self.has(peer, request.remote_key, request.remote, bytes, true) {
            return Status::RemoteAccess;
        }
        match request.op {
            // SAFETY: **mapped**: both ranges are registered, and their owners keep registered memory mapped; the bytes
            // of a request are mapped in this call.
            Operation::Write => unsafe { copy(request.remote, local, bytes) },
            // SAFETY: **mapped**: as above.
            Operation::Read => unsafe { copy(local, request.remote, bytes) },
            Operation::Atomic(_) if bytes != 8 || request.remote % 8 != 0 => return Status::RemoteRequest,
            Operation::Atomic(atomic) => {
                // SAFETY: the word is aligned and in registered memory, which its owner keeps mapped.
                let word = unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(request.remote as usize)) };
                let found = match atomic.op {
                    AmoOp::Add => word.fetch_add(atomic.operand, Ordering::SeqCst),
                    AmoOp::CompareSwap => {
                        let (from, to) = (atomic.compare, atomic.operand);
                        word.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst)
                            .unwrap_or_else(|found| found)
                    }
                    _ => return Status::RemoteRequest,
                };
                let mut found = found.to_ne_bytes();
                // SAFETY: **mapped**: the destination is registered; the source is in this call.
                unsafe { copy(local, found.as_mut_ptr().expose_provenance() as u64, 8) }
            }
        }
        Status::Success
    }
}

/// Copies in pieces that are as large as the alignment of both ends allows, so that no aligned word is seen in part.
///
/// # Safety
///
/// - **mapped**: both ranges are mapped; other threads access them by atomics.
unsafe fn copy(to: u64, from: u64, bytes: u64) {
    macro_rules! piece {
        ($atomic:ty, $at:expr) => {{
            // SAFETY: **mapped**, and the alignment was chosen for this piece.
            let from = unsafe { <$atomic>::from_ptr(with_exposed_provenance_mut((from + $at) as usize)) };
            // SAFETY: as above.
            let to = unsafe { <$atomic>::from_ptr(with_exposed_provenance_mut((to + $at) as usize)) };
            to.store(from.load(Ordering::Acquire), Ordering::Release);
        }};
    }
    let mut at = 0;
    while at < bytes {
        let fits = |size: u64| ((to + at) | (from + at)) % size == 0 && bytes - at >= size;
        let size = [8, 4, 2].into_iter().find(|size| fits(*size)).unwrap_or(1);
        match size {
            8 => piece!(AtomicU64, at),
            4 => piece!(AtomicU32, at),
            2 => piece!(AtomicU16, at),
            _ => piece!(AtomicU8, at),
        }
        at += size;
    }
}
