//! Memory of the program that becomes a part of the symmetric heap.

use std::fmt;

use oxshmem_core::host::Result;

use super::Memory;
use crate::gpu::cuda::{PhysicalChunk, Reservation};
use crate::os::shm::{HostReservation, ShmChunk};

/// A whole allocation of the program, which other processes can map.
#[derive(Debug)]
pub struct ProgramMemory {
    /// The program's own address of the first byte.
    pub(super) address: u64,
    pub(super) chunk: Chunk,
}

#[derive(Debug)]
pub(super) enum Chunk {
    Host(ShmChunk),
    Gpu(PhysicalChunk),
}

impl ProgramMemory {
    /// Finds the allocation that the program has mapped at `address`, in the address space of kernels of `memory`, with
    /// `bytes` bytes. On a GPU it is memory of `cuMemCreate`; on the host, a memfd that is mapped shared.
    ///
    /// # Errors
    /// The range is not one whole allocation of this kind, or the allocation can't be shared with other processes.
    ///
    /// # Safety
    ///
    /// - **mapped**: the mapping at `address` does not change until this returns.
    pub unsafe fn find(memory: &Memory, address: u64, bytes: usize) -> Result<Self> {
        let chunk = match memory {
            Memory::Host => Chunk::Host(ShmChunk::mapped_at(address, bytes)?),
            // SAFETY: **mapped** by the caller.
            Memory::Gpu(context) => Chunk::Gpu(unsafe { PhysicalChunk::of_program(context, address, bytes) }?),
        };
        Ok(Self { address, chunk })
    }
}

/// Memory that can become symmetric, allocated and mapped by this library for a program that has no allocator of its
/// own for such memory.
pub struct ShareableMemory {
    mapped: Mapped,
    address: u64,
    bytes: usize,
}

/// The mapping, and on the host the descriptor by which [`ProgramMemory::find`] finds the memory.
enum Mapped {
    Host { _space: HostReservation, _chunk: ShmChunk },
    Gpu { _space: Reservation },
}

impl ShareableMemory {
    /// Allocates at least `bytes` bytes in memory of this kind, rounded up to its granularity. The contents are zero on
    /// the host, and any on a GPU.
    ///
    /// # Errors
    /// There is not enough memory, or the GPU has no virtual memory management.
    pub fn allocate(memory: &Memory, bytes: usize) -> Result<Self> {
        let step = memory.granularity()?;
        let bytes = bytes.max(1).checked_next_multiple_of(step).unwrap_or(usize::MAX / step * step);
        let (mapped, address) = match memory {
            Memory::Host => {
                let chunk = ShmChunk::create(bytes)?;
                let mut space = HostReservation::reserve(bytes)?;
                let address = space.map(0, &chunk)?.as_ptr() as u64;
                (Mapped::Host { _space: space, _chunk: chunk }, address)
            }
            Memory::Gpu(context) => {
                let chunk = PhysicalChunk::create(context, bytes)?;
                let mut space = Reservation::reserve(context, bytes, 0)?;
                let address = space.map(0, &chunk)?;
                (Mapped::Gpu { _space: space }, address)
            }
        };
        Ok(Self { mapped, address, bytes })
    }

    /// Returns the address of the first byte, in the address space of this PE's kernels.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl fmt::Debug for ShareableMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.mapped {
            Mapped::Host { .. } => "the host",
            Mapped::Gpu { .. } => "the GPU",
        };
        write!(f, "ShareableMemory({} bytes of {place} at {:#x})", self.bytes, self.address)
    }
}
