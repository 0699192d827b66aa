//! Memory for the engine: near its kernel, or accessible from both sides.

use std::ptr::with_exposed_provenance;
use std::sync::atomic::AtomicU64;

use oxshmem_raw::memory::{Chunk, Memory};

/// Zeroed bytes.
#[derive(Debug)]
pub(super) struct Room(Chunk);

fn words(error: oxshmem_hal::Error) -> String {
    error.to_string()
}

impl Room {
    /// Allocates memory near the kernel.
    pub(super) fn near(memory: &Memory, bytes: usize) -> Result<Self, String> {
        Chunk::beside(memory, bytes).map(Self).map_err(words)
    }

    /// Allocates memory that both sides reach.
    pub(super) fn shared(memory: &Memory, bytes: usize) -> Result<Self, String> {
        Chunk::on_host(memory, bytes).map(Self).map_err(words)
    }

    /// Returns its first address for kernels.
    pub(super) fn at(&self) -> u64 {
        self.0.kernel()
    }

    /// Returns the words of a shared room.
    pub(super) fn words(&self) -> &[AtomicU64] {
        let Some(at) = self.0.host() else { return &[] };
        // SAFETY: zeroed, aligned to a page, alive with `self`, and accessed as atomics by both sides.
        unsafe { std::slice::from_raw_parts(with_exposed_provenance(at as usize), self.0.bytes() / 8) }
    }

    /// Writes bytes at an offset, while no slice runs.
    pub(super) fn write(&self, offset: usize, from: &[u8]) -> Result<(), String> {
        self.0.write(offset, from).map_err(words)
    }

    /// Reads bytes at an offset, while no slice runs.
    pub(super) fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), String> {
        self.0.read(offset, to).map_err(words)
    }
}

/// Returns the bytes of a value that consists of adjacent numbers.
pub(super) trait Plain: Copy {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the trait is implemented only for types without padding, so each of these bytes is initialised.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Self>()) }
    }
}

impl Plain for oxshmem_nic_kernels::resident::table::Row {}
impl Plain for oxshmem_nic_kernels::resident::table::State {}
impl Plain for oxshmem_nic_kernels::resident::table::KeySlot {}
