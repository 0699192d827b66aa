//! Registered memory of a proxy's own: a slot for each work request, and chunks for data of memory that is not
//! registered.

use std::sync::Arc;

use oxshmem_core::host::Result;
use oxshmem_raw::fabric::{FabricDevice, Local, MemoryRegion, MemoryRequest, Region};
use oxshmem_raw::memory::{Chunk, Memory};

/// Bytes of a slot: what a fetch brings, or data that a queue pair can't take along.
pub(in crate::host) const SLOT_BYTES: u64 = 32;

/// Bytes of a chunk.
pub(in crate::host) const CHUNK_BYTES: u64 = 64 << 10;

/// A registered range of the host.
#[derive(Debug)]
pub(in crate::host) struct ScratchMemory {
    device: Arc<dyn FabricDevice>,
    region: MemoryRegion,
    at: u64,
    _chunk: Chunk,
}

impl ScratchMemory {
    pub(in crate::host) fn new(device: &Arc<dyn FabricDevice>, bytes: u64) -> Result<Self> {
        Self::beside(&Memory::Host, device, bytes)
    }

    /// From where memory of these kernels can be copied to and fro by the driver at once: pinned, if they are a GPU's.
    fn beside(memory: &Memory, device: &Arc<dyn FabricDevice>, bytes: u64) -> Result<Self> {
        let chunk = Chunk::on_host(memory, bytes as usize)?;
        // A chunk on the host is there for the host.
        let at = chunk.host().unwrap_or_default();
        let request = MemoryRequest {
            region: Region::Address(at),
            bytes: chunk.bytes() as u64,
            address: at,
            wanted_base: at,
            remote: false,
        };
        let region = device.register(&request)?;
        Ok(Self { device: device.clone(), region, at, _chunk: chunk })
    }

    /// Its first address in this process.
    pub(in crate::host) fn at(&self) -> u64 {
        self.at
    }

    /// The address by which work requests name the byte at `at`.
    pub(in crate::host) fn local_address(&self, at: u64) -> u64 {
        self.region.local_base + (at - self.at)
    }

    /// The key by which work requests name it.
    pub(in crate::host) fn key(&self) -> u64 {
        self.region.local_key
    }
}

impl Drop for ScratchMemory {
    fn drop(&mut self) {
        // Nobody could do anything about it; the device takes it back when it is closed.
        let _ = self.device.deregister(self.region.handle);
    }
}

/// Chunks that are free.
#[derive(Debug)]
pub(in crate::host) struct BouncePool {
    scratch: ScratchMemory,
    free: Vec<u64>,
}

impl BouncePool {
    pub(in crate::host) fn new(memory: &Memory, device: &Arc<dyn FabricDevice>, count: u64) -> Result<Self> {
        let scratch = ScratchMemory::beside(memory, device, count * CHUNK_BYTES)?;
        let free = (0..count).map(|number| scratch.at() + number * CHUNK_BYTES).collect();
        Ok(Self { scratch, free })
    }

    /// The address of one, if there is one.
    pub(in crate::host) fn take(&mut self) -> Option<u64> {
        self.free.pop()
    }

    pub(in crate::host) fn give_back(&mut self, chunk: u64) {
        self.free.push(chunk);
    }

    /// The first `bytes` bytes of a chunk, as work requests name them.
    pub(in crate::host) fn local(&self, chunk: u64, bytes: u32) -> Local {
        Local::Memory { address: self.scratch.local_address(chunk), bytes, key: self.scratch.key() }
    }
}
