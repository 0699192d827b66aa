//! Providers whose devices break a promise: software verbs with one change.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_rdma::fabric::{
    Capabilities, Completion, Endpoint, EndpointRequest, FabricDevice, FabricProvider, Handle, MemoryRegion,
    MemoryRequest, OpenDevices, OpenRequest, PeerAddress, PostError, WorkRequest,
};
use oxshmem_softrc::Network;

/// The result of posting.
pub(crate) type Posted = std::result::Result<(), PostError>;

type Post = dyn Fn(&dyn FabricDevice, Handle, &[WorkRequest]) -> Posted + Send + Sync;
type Poll = dyn Fn(&dyn FabricDevice, Handle, &mut [Completion]) -> Result<usize> + Send + Sync;

/// A change of a device: its answers in place of the device's.
pub(crate) struct Fault {
    pub(crate) capabilities: fn(Capabilities) -> Capabilities,
    pub(crate) post: Box<Post>,
    pub(crate) poll: Box<Poll>,
    pub(crate) deregister: fn(&dyn FabricDevice, Handle) -> Result<()>,
}

impl Default for Fault {
    /// Returns no change.
    fn default() -> Self {
        Self {
            capabilities: |caps| caps,
            post: Box::new(|device, endpoint, list| device.post(endpoint, list)),
            poll: Box::new(|device, queue, out| device.poll(queue, out)),
            deregister: |device, region| device.deregister(region),
        }
    }
}

impl Fault {
    pub(crate) fn posts(
        post: impl Fn(&dyn FabricDevice, Handle, &[WorkRequest]) -> Posted + Send + Sync + 'static,
    ) -> Self {
        Self { post: Box::new(post), ..Self::default() }
    }

    pub(crate) fn polls(
        self,
        poll: impl Fn(&dyn FabricDevice, Handle, &mut [Completion]) -> Result<usize> + Send + Sync + 'static,
    ) -> Self {
        Self { poll: Box::new(poll), ..self }
    }
}

impl Debug for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a fault")
    }
}

/// The provider of a PE, with a fault of its own for each device.
#[derive(Debug)]
pub(crate) struct Broken {
    provider: oxshmem_softrc::Provider,
    make: fn() -> Fault,
}

impl Broken {
    pub(crate) fn new(network: &Arc<Network>, pe: Pe, make: fn() -> Fault) -> Self {
        Self { provider: network.provider(pe.number()), make }
    }
}

impl FabricProvider for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn describe(&self) -> String {
        "software verbs with a fault".into()
    }

    fn open(&self, request: &OpenRequest<'_>) -> Result<OpenDevices> {
        let mut opened = self.provider.open(request)?;
        for device in &mut opened.devices {
            *device = Arc::new(BrokenDevice { device: device.clone(), fault: (self.make)() });
        }
        Ok(opened)
    }
}

#[derive(Debug)]
struct BrokenDevice {
    device: Arc<dyn FabricDevice>,
    fault: Fault,
}

// SAFETY:
// - **named**: that of the device inside, which gets the requests.
// - **until**, **once**: a fault may break them. The checks keep the memory that they register until the device is dropped.
unsafe impl FabricDevice for BrokenDevice {
    fn name(&self) -> &str {
        self.device.name()
    }

    fn describe(&self) -> String {
        self.device.describe()
    }

    fn capabilities(&self) -> Capabilities {
        (self.fault.capabilities)(self.device.capabilities())
    }

    fn address(&self) -> Vec<u8> {
        self.device.address()
    }

    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion> {
        self.device.register(request)
    }

    fn deregister(&self, region: Handle) -> Result<()> {
        (self.fault.deregister)(&*self.device, region)
    }

    fn import_key(&self, peer: Pe, key: &[u8]) -> Result<u64> {
        self.device.import_key(peer, key)
    }

    fn create_completion_queue(&self, entries: u32) -> Result<Handle> {
        self.device.create_completion_queue(entries)
    }

    fn destroy_completion_queue(&self, queue: Handle) -> Result<()> {
        self.device.destroy_completion_queue(queue)
    }

    fn create_endpoint(&self, queue: Handle, request: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)> {
        self.device.create_endpoint(queue, request)
    }

    fn connect(&self, endpoint: Handle, to: &PeerAddress<'_>) -> Result<()> {
        self.device.connect(endpoint, to)
    }

    fn stop(&self, endpoint: Handle) -> Result<()> {
        self.device.stop(endpoint)
    }

    fn destroy_endpoint(&self, endpoint: Handle) -> Result<()> {
        self.device.destroy_endpoint(endpoint)
    }

    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> Posted {
        (self.fault.post)(&*self.device, endpoint, list)
    }

    fn poll(&self, queue: Handle, out: &mut [Completion]) -> Result<usize> {
        (self.fault.poll)(&*self.device, queue, out)
    }
}
