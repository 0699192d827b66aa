//! One end of the connections of a check: a PE's device, with memory and a completion queue.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use oxshmem_core::Pe;
use oxshmem_raw::memory::Memory;
use oxshmem_rdma::fabric::{
    Capabilities, Completion, FabricDevice, FabricProvider, Handle, Local, MemoryRegion, MemoryRequest, OpenDevices,
    OpenRequest, Region,
};

use super::Options;
use crate::memory::{BYTES, Shared};
use crate::report::{Fine, ensure};

pub(super) type Make = Arc<dyn Fn(Pe) -> Arc<dyn FabricProvider> + Send + Sync>;

/// The parameters of one check.
pub(super) struct Setup {
    pub(super) make: Make,
    pub(super) options: Options,
    /// The time after which the check has failed.
    pub(super) deadline: Instant,
}

impl Setup {
    pub(super) fn new(make: Make, options: &Options) -> Self {
        Self { make, options: options.clone(), deadline: Instant::now() + options.limit }
    }

    /// Opens the first device of a PE, and registers its memory.
    pub(super) fn end(&self, pe: u32) -> Fine<Arc<End>> {
        let pe = Pe::new(pe);
        let provider = (self.make)(pe);
        let (memory, options) = (Memory::Host, &self.options);
        let (nics, wire) = (&options.nics, &options.wire);
        let opened = provider.open(&OpenRequest {
            me: pe,
            memory: &memory,
            most: 1,
            useful: 1,
            depth: options.depth,
            nics,
            wire,
        });
        let OpenDevices { devices, .. } = opened?;
        ensure(devices.len() == 1, || format!("{} devices were opened, and 1 was requested", devices.len()))?;
        let device = devices.into_iter().next().ok_or("no device")?;
        let memory = Arc::new(Shared::new());
        let region = device.register(&request(pe, &memory, true))?;
        let queue = device.create_completion_queue(8 * options.depth)?;
        let caps = device.capabilities();
        Ok(Arc::new(End { device, provider, pe, caps, queue, region, memory, polling: Mutex::new(()) }))
    }

    /// Opens the devices of PE 0 and PE 1.
    pub(super) fn ends(&self) -> Fine<[Arc<End>; 2]> {
        Ok([self.end(0)?, self.end(1)?])
    }

    /// Fails after the limit.
    pub(super) fn in_time(&self, doing: &str) -> Fine<()> {
        ensure(Instant::now() < self.deadline, || format!("{doing}: not done after {:?}", self.options.limit))
    }
}

/// Returns a request for memory of `pe`, whose base is not its address if the device can choose.
pub(super) fn request(pe: Pe, memory: &Shared, remote: bool) -> MemoryRequest {
    let wanted_base = u64::from(pe.number() + 1) << 33;
    MemoryRequest {
        region: Region::Address(memory.at()),
        bytes: BYTES as u64,
        address: memory.at(),
        wanted_base,
        remote,
        of_gpu: false,
    }
}

/// A PE's device.
pub(super) struct End {
    // The device is dropped before its provider and its memory.
    pub(super) device: Arc<dyn FabricDevice>,
    #[expect(dead_code, reason = "a device may depend on its provider")]
    provider: Arc<dyn FabricProvider>,
    pub(super) pe: Pe,
    pub(super) caps: Capabilities,
    /// The queue of the endpoints on which only the peers post.
    pub(super) queue: Handle,
    pub(super) region: MemoryRegion,
    pub(super) memory: Arc<Shared>,
    /// Held by the thread that polls `queue`.
    polling: Mutex<()>,
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.pe, self.device.name())
    }
}

impl End {
    /// Returns this end's bytes from `offset` on, in its own work requests.
    pub(super) fn local(&self, offset: usize, bytes: usize) -> Local {
        let address = self.region.local_base + offset as u64;
        Local::Memory { address, bytes: bytes as u32, key: self.region.local_key }
    }

    /// Lets the device execute its peers' requests, as the transport does if the device needs it. A device that does
    /// not state so gets no call.
    pub(super) fn serve(&self) -> Fine<()> {
        if !self.caps.needs_progress {
            return Ok(());
        }
        let _polling = self.polling.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.device.poll(self.queue, &mut [Completion::default(); 4])?;
        ensure(taken == 0, || format!("{self:?} has posted nothing and got {taken} completions"))
    }
}
