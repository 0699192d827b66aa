//! Memory for the engine: near its kernel, or accessible from both sides.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::AtomicU64;

use oxshmem_raw::gpu::cuda::{DeviceMemory, PinnedBytes};
use oxshmem_raw::memory::Memory;

/// Zeroed bytes.
#[derive(Debug)]
pub(super) struct Room {
    memory: Memory,
    bytes: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Host(*mut u8, Layout),
    Pinned(PinnedBytes),
    Device(DeviceMemory),
}

// SAFETY: the room owns plain memory, which is accessed as atomics, or through `Memory`.
unsafe impl Send for Room {}
// SAFETY: shared access to the memory is by atomics, or by `Memory` while no slice runs.
unsafe impl Sync for Room {}

fn words(error: oxshmem_hal::Error) -> String {
    error.to_string()
}

impl Room {
    /// Allocates memory near the kernel.
    pub(super) fn near(memory: &Memory, bytes: usize) -> Result<Self, String> {
        let kind = match memory {
            Memory::Host => Self::host(bytes)?,
            Memory::Gpu(context) => Kind::Device(DeviceMemory::alloc(context, bytes).map_err(words)?),
        };
        let room = Self { memory: memory.clone(), bytes, kind };
        // SAFETY: **mapped**: the room owns these `bytes` bytes, which stay mapped while it lives.
        unsafe { memory.fill(room.at(), 0, bytes) }.map_err(words)?;
        Ok(room)
    }

    /// Allocates memory that both sides reach.
    pub(super) fn shared(memory: &Memory, bytes: usize) -> Result<Self, String> {
        let kind = match memory {
            Memory::Host => Self::host(bytes)?,
            Memory::Gpu(context) => Kind::Pinned(PinnedBytes::zeroed(context, bytes).map_err(words)?),
        };
        Ok(Self { memory: memory.clone(), bytes, kind })
    }

    fn host(bytes: usize) -> Result<Kind, String> {
        let layout = Layout::from_size_align(bytes.max(64), 4096).map_err(|why| why.to_string())?;
        // SAFETY: the layout has at least one byte.
        let at = unsafe { alloc_zeroed(layout) };
        if at.is_null() { Err(format!("there are no {bytes} bytes")) } else { Ok(Kind::Host(at, layout)) }
    }

    /// Returns its first address for kernels.
    pub(super) fn at(&self) -> u64 {
        match &self.kind {
            Kind::Host(at, _) => *at as u64,
            Kind::Pinned(pinned) => pinned.device(),
            Kind::Device(device) => device.address(),
        }
    }

    /// Returns the words of a shared room.
    pub(super) fn words(&self) -> &[AtomicU64] {
        match &self.kind {
            // SAFETY: zeroed, aligned to a page, alive with `self`, and accessed as atomics by both sides.
            Kind::Host(at, _) => unsafe { std::slice::from_raw_parts(at.cast(), self.bytes / 8) },
            Kind::Pinned(pinned) => pinned.words_u64(),
            Kind::Device(_) => &[],
        }
    }

    /// Writes bytes at an offset, while no slice runs.
    pub(super) fn write(&self, offset: usize, from: &[u8]) -> Result<(), String> {
        if offset.checked_add(from.len()).is_none_or(|end| end > self.bytes) {
            return Err(format!("{} bytes at {offset} are not within {}", from.len(), self.bytes));
        }
        // SAFETY: **mapped**: the check above keeps the range inside the room, which is mapped while it lives.
        unsafe { self.memory.write(self.at() + offset as u64, from) }.map_err(words)
    }

    /// Reads bytes at an offset, while no slice runs.
    pub(super) fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), String> {
        if offset.checked_add(to.len()).is_none_or(|end| end > self.bytes) {
            return Err(format!("{} bytes at {offset} are not within {}", to.len(), self.bytes));
        }
        // SAFETY: **mapped**: the check above keeps the range inside the room, which is mapped while it lives.
        unsafe { self.memory.read(to, self.at() + offset as u64) }.map_err(words)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Kind::Host(at, layout) = self.kind {
            // SAFETY: it was allocated with this layout, and this value alone owns it.
            unsafe { dealloc(at, layout) }
        }
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
