//! A device that completes posted requests at once. It moves nothing, or copies everything to one place.

use std::collections::VecDeque;
use std::ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::fabric::{
    AtomicSet, Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, FabricProvider, Handle, Local,
    MemoryRegion, MemoryRequest, OpenDevices, OpenRequest, Operation, PeerAddress, PostError, PostErrorKind, Status,
    WorkRequest,
};

/// Number of completion queues.
const CQS: usize = 256;
/// Bytes of the copies' destination.
pub(super) const HOLE_BYTES: u64 = 16 << 20;

/// The device.
#[derive(Debug)]
pub(super) struct Sink {
    cqs: Box<[OnceLock<Cq>]>,
    numbers: AtomicU64,
    /// Address of a word that receives the number of work requests at each post; 0: none.
    tell: AtomicU64,
    copies: AtomicBool,
    /// Time spent in copies.
    copied_ns: AtomicU64,
    /// Number of posted lists until one makes its thread panic.
    panics: AtomicU64,
    /// The endpoint whose lists fail, numbered in the order of creation. 0: none.
    fails: AtomicU64,
    hole: Box<[AtomicU64]>,
}

/// A completion queue with all its queue pairs: one thread posts to them and polls it.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Cq {
    ready: Mutex<VecDeque<Completion>>,
    qps: AtomicU64,
    posted: AtomicU64,
    lists: AtomicU64,
}

impl Sink {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            cqs: (0..CQS).map(|_| OnceLock::new()).collect(),
            numbers: AtomicU64::new(1),
            tell: AtomicU64::new(0),
            copies: AtomicBool::new(false),
            copied_ns: AtomicU64::new(0),
            panics: AtomicU64::new(u64::MAX),
            fails: AtomicU64::new(0),
            hole: (0..HOLE_BYTES / 8).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// Returns the number of posted work requests, and of lists.
    pub(super) fn posted(&self) -> (u64, u64) {
        self.cqs.iter().filter_map(OnceLock::get).fold((0, 0), |(posted, lists), cq| {
            (posted + cq.posted.load(Ordering::Relaxed), lists + cq.lists.load(Ordering::Relaxed))
        })
    }

    /// Sets the address of a word of this process that is written at each post. It must stay valid until it is 0 again.
    pub(super) fn tell(&self, at: u64) {
        self.tell.store(at, Ordering::SeqCst);
    }

    /// Sets whether writes are copied.
    pub(super) fn copy(&self, yes: bool) {
        self.copies.store(yes, Ordering::SeqCst);
    }

    /// Returns the time spent in copies so far.
    pub(super) fn copied(&self) -> Duration {
        Duration::from_nanos(self.copied_ns.load(Ordering::SeqCst))
    }

    /// Makes a posting thread panic after `after` posted lists.
    #[cfg(test)]
    pub(super) fn panic_after(&self, after: u64) {
        self.panics.store(after, Ordering::SeqCst);
    }

    /// Makes the lists of endpoint `number` (in the order of creation, from 0) fail because the peer's memory is not
    /// registered.
    #[cfg(test)]
    pub(super) fn fail(&self, number: u32) {
        self.fails.store(u64::from(number + 1), Ordering::SeqCst);
    }

    /// Copies this many bytes from this address, as for a write.
    fn swallow(&self, from: u64, bytes: u64) {
        let hole = self.hole.as_ptr().expose_provenance();
        // SAFETY: the poster promises that the source is mapped. The destination is as long, and nothing reads it; two
        // concurrent copies leave bytes of either there.
        unsafe {
            copy_nonoverlapping(
                with_exposed_provenance::<u8>(from as usize),
                with_exposed_provenance_mut::<u8>(hole),
                bytes.min(HOLE_BYTES) as usize,
            );
        }
    }

    fn cq(&self, handle: Handle) -> Result<&Cq> {
        let cq =
            (handle.0 as u32 as usize).checked_sub(1).and_then(|index| self.cqs.get(index)).and_then(OnceLock::get);
        cq.ok_or_else(|| Error::new(ErrorKind::InvalidArgument, "use the sink").because("it has no such queue"))
    }
}

// SAFETY:
// - **named**: it reads the sources of writes, as its poster names them, and nothing else.
// - **until**, **once**: a request is complete when `post` returns, and `poll` reports each once.
unsafe impl FabricDevice for Sink {
    fn name(&self) -> &str {
        "sink"
    }

    fn describe(&self) -> String {
        "sink".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_endpoints: 1 << 16,
            max_depth: 1 << 14,
            max_completions: 1 << 22,
            max_message_bytes: 1 << 30,
            atomics: AtomicSet::VERBS,
            ordered: true,
            needs_progress: false,
            dma_buf: false,
            empty_fetches: false,
        }
    }

    fn address(&self) -> Vec<u8> {
        Vec::new()
    }

    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion> {
        let key = self.numbers.fetch_add(1, Ordering::Relaxed);
        Ok(MemoryRegion {
            handle: Handle(key),
            local_key: key,
            local_base: request.wanted_base,
            remote_key: key.to_le_bytes().to_vec(),
            remote_base: request.wanted_base,
        })
    }

    fn deregister(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn import_key(&self, _: Pe, key: &[u8]) -> Result<u64> {
        let key = key.try_into().map(u64::from_le_bytes);
        key.map_err(|_| Error::new(ErrorKind::Malformed, "use a key of the sink"))
    }

    fn create_completion_queue(&self, _: u32) -> Result<Handle> {
        let free = self.cqs.iter().position(|cq| cq.set(Cq::default()).is_ok());
        let index = free.ok_or_else(|| Error::new(ErrorKind::Exhausted, "make a completion queue of the sink"))?;
        Ok(Handle(index as u64 + 1))
    }

    fn destroy_completion_queue(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    /// Creates an endpoint, whose handle is that of its completion queue, with its own number in the upper bits.
    fn create_endpoint(&self, queue: Handle, request: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)> {
        let number = self.cq(queue)?.qps.fetch_add(1, Ordering::Relaxed);
        let handle = Handle(number << 32 | queue.0);
        Ok((Endpoint { handle, depth: request.depth, inline_bytes: request.inline_bytes }, Vec::new()))
    }

    fn connect(&self, _: Handle, _: &PeerAddress<'_>) -> Result<()> {
        Ok(())
    }

    fn stop(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn destroy_endpoint(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        let Ok(cq) = self.cq(endpoint) else {
            return Err(PostError { posted: 0, kind: PostErrorKind::Failed, code: 0, call: "post" });
        };
        // Only one thread posts here.
        let posted = cq.posted.load(Ordering::Relaxed) + list.len() as u64;
        cq.posted.store(posted, Ordering::Relaxed);
        cq.lists.store(cq.lists.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if self.panics.load(Ordering::Relaxed) < cq.lists.load(Ordering::Relaxed) {
            panic!("the sink was told to");
        }
        let tell = self.tell.load(Ordering::Relaxed);
        if tell != 0 {
            // SAFETY: the word is live, as its setter promises.
            unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(tell as usize)).store(posted, Ordering::Release) }
        }
        if self.copies.load(Ordering::Relaxed) {
            for wr in list {
                if let (Operation::Write, Local::Memory { address, bytes, .. }) = (wr.op, wr.local) {
                    let begun = Instant::now();
                    self.swallow(address, bytes.into());
                    self.copied_ns.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
                }
            }
        }
        let mut ready = cq.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let fails = self.fails.load(Ordering::Relaxed) == (endpoint.0 >> 32) + 1;
        let status = if fails { Status::RemoteAccess } else { Status::Success };
        let signalled = list.iter().filter(|wr| wr.signalled);
        ready.extend(signalled.map(|wr| Completion { id: wr.id, status, code: 0 }));
        Ok(())
    }

    fn poll(&self, cq: Handle, out: &mut [Completion]) -> Result<usize> {
        let mut ready = self.cq(cq)?.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let count = out.len().min(ready.len());
        out.iter_mut().zip(ready.drain(..count)).for_each(|(to, wc)| *to = wc);
        Ok(count)
    }
}

/// Provides the sink.
#[derive(Debug)]
pub(super) struct Provider(pub(super) Arc<Sink>);

impl FabricProvider for Provider {
    fn name(&self) -> &str {
        "sink"
    }

    fn describe(&self) -> String {
        "a sink".into()
    }

    fn open(&self, _: &OpenRequest<'_>) -> Result<OpenDevices> {
        Ok(OpenDevices { devices: vec![self.0.clone()], left_out: Vec::new(), warnings: Vec::new() })
    }
}
