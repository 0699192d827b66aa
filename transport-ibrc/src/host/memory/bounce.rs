//! Registered memory of a progress thread: a slot for each work request, and bounce buffers for data of unregistered
//! memory.

use std::sync::Arc;

use oxshmem_core::host::Result;
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_rdma::fabric::{FabricDevice, Local, MemoryRegion, MemoryRequest, Region};

/// Bytes of a slot: the destination of a fetch, or data that an endpoint can't take inline.
pub(in crate::host) const SLOT_BYTES: u64 = 32;

/// Bytes of a bounce buffer.
pub(in crate::host) const CHUNK_BYTES: u64 = 64 << 10;

/// A registered range of host memory, given back when it is dropped.
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

    /// Allocates and registers host staging memory, pinned if kernels run on a GPU.
    fn beside(memory: &Memory, device: &Arc<dyn FabricDevice>, bytes: u64) -> Result<Self> {
        let chunk = Chunk::on_host(memory, bytes as usize)?;
        // A chunk on the host has a host address.
        let at = chunk.host().unwrap_or_default();
        let request = MemoryRequest {
            region: Region::Address(at),
            bytes: chunk.bytes() as u64,
            address: at,
            wanted_base: at,
            remote: false,
            of_gpu: false,
        };
        let region = device.register(&request)?;
        Ok(Self { device: device.clone(), region, at, _chunk: chunk })
    }

    /// Returns its first address in this process.
    pub(in crate::host) fn at(&self) -> u64 {
        self.at
    }

    /// Returns the address by which work requests name the byte at `at`.
    pub(in crate::host) fn local_address(&self, at: u64) -> u64 {
        self.region.local_base + (at - self.at)
    }

    /// Returns the key by which work requests name it.
    pub(in crate::host) fn key(&self) -> u64 {
        self.region.local_key
    }
}

impl Drop for ScratchMemory {
    fn drop(&mut self) {
        // The device releases a registration that can't be given back here.
        let _ = self.device.deregister(self.region.handle);
    }
}

/// The pool of free bounce buffers.
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

    /// Takes a bounce buffer, if one is free. Returns its address.
    pub(in crate::host) fn take(&mut self) -> Option<u64> {
        self.free.pop()
    }

    pub(in crate::host) fn give_back(&mut self, chunk: u64) {
        self.free.push(chunk);
    }

    /// Returns the first `bytes` bytes of a bounce buffer, as work requests name them.
    pub(in crate::host) fn local(&self, chunk: u64, bytes: u32) -> Local {
        Local::Memory { address: self.scratch.local_address(chunk), bytes, key: self.scratch.key() }
    }
}

/// Copies between a bounce buffer and other memory of this process.
pub(in crate::host) fn copy(to: u64, from: u64, bytes: u64) {
    use std::ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut};
    // SAFETY: one range is a bounce buffer of this thread, which the device does not use at this time. The other is a
    // landing, which its requester reads after the answer; or memory of the host's own call, which stays allocated until
    // the operation is reported complete, which is later, and for ever if the call fails.
    unsafe {
        copy_nonoverlapping(
            with_exposed_provenance::<u8>(from as usize),
            with_exposed_provenance_mut::<u8>(to as usize),
            bytes as usize,
        )
    }
}
