//! A CPU-posted transport to be copied. PEs are threads of one process, and a request is executed when it is posted.
//!
//! A program links it by `use my_transport as _;`, and `OXSHMEM_REMOTE_TRANSPORT=mynet` chooses it. To carry requests by
//! a library, replace the parts of `net`, which stands for the library: its tables of memory, endpoints and completion
//! queues, and the execution of a request.

mod net;

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::fabric::{
    AtomicSet, Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, FabricProvider, Handle, INLINE_BYTES,
    MemoryRegion, MemoryRequest, OpenDevices, OpenRequest, PeerAddress, PostError, PostErrorKind, ProviderContext,
    Region, WorkRequest,
};

oxshmem_rdma::register_provider! {
    name: "mynet",
    variables: &[],
    create: create,
}

fn create(_: &ProviderContext<'_>) -> Result<Arc<dyn FabricProvider>> {
    Ok(Arc::new(MyNet))
}

/// The provider. A library would be opened in `create`.
#[derive(Debug)]
struct MyNet;

impl FabricProvider for MyNet {
    fn name(&self) -> &str {
        "mynet"
    }

    fn describe(&self) -> String {
        "memory of this process".into()
    }

    fn open(&self, _: &OpenRequest<'_>) -> Result<OpenDevices> {
        let device = Arc::new(Device { number: net::lock().open() });
        Ok(OpenDevices { devices: vec![device], left_out: Vec::new(), warnings: Vec::new() })
    }
}

/// A PE's device.
#[derive(Debug)]
struct Device {
    number: u64,
}

impl Drop for Device {
    fn drop(&mut self) {
        // Peers must not reach the memory of a PE that has gone.
        net::lock().forget(self.number);
    }
}

/// Reads a number that a peer's device has announced.
fn announced(bytes: &[u8], what: &'static str) -> Result<u64> {
    let number = bytes.try_into().map(u64::from_le_bytes);
    number.map_err(|_| Error::new(ErrorKind::Malformed, format!("read {what}")).because("it is not of 8 bytes"))
}

// SAFETY:
// - **named**: each request is checked against the registered range of its key, at both ends.
// - **until**, **once**: a request is executed by `post`, before its one completion is made.
unsafe impl FabricDevice for Device {
    fn name(&self) -> &str {
        "mynet"
    }

    fn describe(&self) -> String {
        "mynet: memory of this process".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_endpoints: 1 << 16,
            max_depth: 1 << 14,
            max_completions: 1 << 20,
            max_message_bytes: 1 << 30,
            atomics: AtomicSet::VERBS,
            ordered: true,
            needs_progress: false,
            dma_buf: false,
            empty_fetches: false,
        }
    }

    fn address(&self) -> Vec<u8> {
        self.number.to_le_bytes().to_vec()
    }

    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion> {
        let Region::Address(address) = request.region else {
            return Err(Error::new(ErrorKind::Incompatible, "register memory").because("it is named by a dma-buf"));
        };
        let key = net::lock().register(self.number, address, request.bytes, request.remote);
        let remote_key = if request.remote { key.to_le_bytes().to_vec() } else { Vec::new() };
        // Work requests count from the memory's own address.
        Ok(MemoryRegion { handle: Handle(key), local_key: key, local_base: address, remote_key, remote_base: address })
    }

    fn deregister(&self, region: Handle) -> Result<()> {
        net::lock().deregister(self.number, region.0)
    }

    fn import_key(&self, _: Pe, key: &[u8]) -> Result<u64> {
        announced(key, "a peer's key")
    }

    fn create_completion_queue(&self, entries: u32) -> Result<Handle> {
        Ok(Handle(net::lock().create_queue(self.number, entries)))
    }

    fn destroy_completion_queue(&self, queue: Handle) -> Result<()> {
        net::lock().destroy_queue(self.number, queue.0)
    }

    fn create_endpoint(&self, queue: Handle, request: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)> {
        let handle = Handle(net::lock().create_endpoint(self.number, queue.0, request.depth)?);
        let endpoint = Endpoint { handle, depth: request.depth, inline_bytes: INLINE_BYTES as u32 };
        Ok((endpoint, handle.0.to_le_bytes().to_vec()))
    }

    fn connect(&self, endpoint: Handle, to: &PeerAddress<'_>) -> Result<()> {
        let (peer, _) = (announced(to.device, "a peer's address")?, announced(to.endpoint, "an endpoint's address")?);
        net::lock().endpoint(self.number, endpoint.0)?.peer = Some(peer);
        Ok(())
    }

    fn stop(&self, endpoint: Handle) -> Result<()> {
        net::lock().endpoint(self.number, endpoint.0)?.is_stopped = true;
        Ok(())
    }

    fn destroy_endpoint(&self, endpoint: Handle) -> Result<()> {
        net::lock().destroy_endpoint(self.number, endpoint.0)
    }

    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError> {
        let mut net = net::lock();
        for (posted, request) in list.iter().enumerate() {
            net.post(self.number, endpoint.0, request).map_err(|kind: PostErrorKind| PostError {
                posted,
                kind,
                code: 0,
                call: "post",
            })?;
        }
        Ok(())
    }

    fn poll(&self, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        net::lock().poll(self.number, queue.0, out)
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_kit::fabric::{CountingAllocator, Options, check};

    use super::*;

    /// Counts allocations, so that `post` and `poll` can be checked to make none.
    #[global_allocator]
    static ALLOCATOR: CountingAllocator = CountingAllocator;

    #[test]
    fn the_provider_keeps_its_promises() {
        let report = check(|_| Arc::new(MyNet), &Options::default());
        assert_eq!(report.failed, [""; 0]);
    }
}
