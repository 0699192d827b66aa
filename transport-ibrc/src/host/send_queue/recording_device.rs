//! A device for tests of posting: it takes work requests, all of them unless a test refuses some, and does nothing.

use std::sync::{Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::fabric::{
    AtomicSet, Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, Handle, Local, MemoryRegion,
    MemoryRequest, PeerAddress, PostError, PostErrorKind, WorkRequest,
};

/// The work requests that were posted, and the contents of the memory that each named at that time.
#[derive(Debug, Default)]
pub(in crate::host) struct RecordingDevice {
    pub(in crate::host) posted: Mutex<Vec<(WorkRequest, u64)>>,
    /// The next list is refused after this many work requests.
    pub(in crate::host) refuses: Mutex<Option<(usize, PostErrorKind)>>,
}

impl RecordingDevice {
    /// Takes the work requests that were posted since the last call, each with the first 8 bytes that it named.
    pub(in crate::host) fn take(&self) -> Vec<(WorkRequest, u64)> {
        std::mem::take(&mut *self.posted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn none<T>(what: &str) -> Result<T> {
    Err(Error::new(ErrorKind::InvalidArgument, what.to_string()).because("this device is for tests of posting"))
}

// SAFETY:
// - **named**: it reads the first bytes that a write names, and nothing else.
// - **until**, **once**: requests are recorded when they are posted, and have the completions that a test makes.
unsafe impl FabricDevice for RecordingDevice {
    fn name(&self) -> &str {
        "dry"
    }

    fn describe(&self) -> String {
        "dry".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_endpoints: 1,
            max_depth: 64,
            max_completions: 64,
            max_message_bytes: 1 << 20,
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
        let (local_base, remote_base) = (request.address, request.wanted_base);
        Ok(MemoryRegion { handle: Handle(1), local_key: 1, local_base, remote_key: vec![1], remote_base })
    }

    fn deregister(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn import_key(&self, _: Pe, _: &[u8]) -> Result<u64> {
        none("import a key")
    }

    fn create_completion_queue(&self, _: u32) -> Result<Handle> {
        none("create a completion queue")
    }

    fn destroy_completion_queue(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn create_endpoint(&self, _: Handle, _: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)> {
        none("create an endpoint")
    }

    fn connect(&self, _: Handle, _: &PeerAddress<'_>) -> Result<()> {
        none("connect")
    }

    fn stop(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn destroy_endpoint(&self, _: Handle) -> Result<()> {
        Ok(())
    }

    fn post(&self, _: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        let refused = self.refuses.lock().unwrap_or_else(PoisonError::into_inner).take();
        let taken = refused.map_or(list.len(), |(taken, _)| taken);
        let seen = list[..taken].iter().map(|wr| {
            let Local::Memory { address, bytes: 8.., .. } = wr.local else { return (*wr, 0) };
            // SAFETY: tests name 8 bytes of memory that outlives the call, and no thread writes them now.
            let word = unsafe { std::ptr::with_exposed_provenance::<u64>(address as usize).read_unaligned() };
            (*wr, word)
        });
        self.posted.lock().unwrap_or_else(PoisonError::into_inner).extend(seen);
        refused.map_or(Ok(()), |(posted, kind)| Err(PostError { posted, kind, code: 0, call: "post" }))
    }

    fn poll(&self, _: Handle, _: &mut [Completion]) -> Result<usize> {
        Ok(0)
    }
}
