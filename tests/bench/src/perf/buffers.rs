//! Symmetric memory that is kept from row to row and grows when a row needs more.

use oxshmem_hal::{Result, SymPtr, World};

/// Bytes before and after the data that must not change.
pub(super) const GUARD: u64 = 256;

/// One piece of symmetric memory.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    at: Option<SymPtr<u8>>,
    bytes: u64,
}

impl Buffer {
    /// Ensures at least this many bytes, from a multiple of 4096 on. Collective, with the same number.
    pub(super) fn ensure(&mut self, world: &World, bytes: u64) -> Result<SymPtr<u8>> {
        match self.at {
            Some(at) if self.bytes >= bytes => Ok(at),
            old => {
                if let Some(old) = old {
                    self.at = None;
                    world.free(old)?;
                }
                self.bytes = bytes.next_power_of_two().max(4096);
                let at = world.align(4096, self.bytes as usize)?;
                self.at = Some(at);
                Ok(at)
            }
        }
    }

    /// Returns its address, if it exists.
    pub(super) fn at(&self) -> Option<SymPtr<u8>> {
        self.at
    }

    /// Frees it. Collective.
    pub(super) fn free(&mut self, world: &World) -> Result<()> {
        self.at.take().map_or(Ok(()), |at| world.free(at))
    }
}

/// The addresses of a row's data, equal on every PE.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The start of the source's buffer, a multiple of 256.
    pub(super) source: SymPtr<u8>,
    /// The start of the destination's, after its guard.
    pub(super) dest: SymPtr<u8>,
    /// Bytes of the source that the row uses, whole words.
    pub(super) source_bytes: u64,
    /// Bytes of the destination, whole words.
    pub(super) dest_bytes: u64,
}

/// Source and destination of every row.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    source: Buffer,
    dest: Buffer,
}

impl Buffers {
    /// Ensures room for this many bytes of each. Collective, with the same numbers.
    pub(super) fn place(&mut self, world: &World, source_bytes: u64, dest_bytes: u64) -> Result<Place> {
        // Data is filled in whole words.
        let (source_bytes, dest_bytes) = (source_bytes.next_multiple_of(8), dest_bytes.next_multiple_of(8));
        let source = self.source.ensure(world, source_bytes)?;
        let dest = self.dest.ensure(world, dest_bytes + 2 * GUARD)?.add(GUARD as usize);
        Ok(Place { source, dest, source_bytes, dest_bytes })
    }

    /// Frees both. Collective.
    pub(super) fn free(&mut self, world: &World) -> Result<()> {
        self.source.free(world)?;
        self.dest.free(world)
    }
}
