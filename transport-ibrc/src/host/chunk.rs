//! Memory that the host, kernels and a NIC use together.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::cuda::{Context, DeviceMemory, PinnedBytes};
use oxshmem_raw::memory::Memory;

/// What a chunk is aligned to, in bytes.
const PAGE: usize = 64 << 10;

/// Zeroed memory.
pub(super) struct Chunk {
    backing: Backing,
    bytes: usize,
}

enum Backing {
    Host(Pages),
    Pinned(PinnedBytes),
    Device(Context, DeviceMemory),
}

/// Zeroed pages of this process.
struct Pages {
    at: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns plain memory, which is reached as atomics alone, or by one thread at a time.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    fn zeroed(bytes: usize) -> Result<Self> {
        let error = || {
            Error::new(ErrorKind::Exhausted, format!("allocate {bytes} bytes of the host for the rings of proxies"))
                .hint("ask for fewer or shallower queue pairs, or fewer spare ones (OXSHMEM_IBGDA_SPARE_ROWS)")
        };
        let layout = Layout::from_size_align(bytes, PAGE).map_err(|_| error())?;
        // SAFETY: the size is not 0: chunks are not empty.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(error)?;
        Ok(Self { at, layout })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and this alone owns it.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }
}

impl Chunk {
    /// Where kernels of this memory have their own.
    pub(super) fn beside(memory: &Memory, bytes: usize) -> Result<Self> {
        match memory {
            Memory::Host => Self::on_host(memory, bytes),
            Memory::Gpu(context) => {
                let bytes = bytes.max(1).next_multiple_of(PAGE);
                let device = DeviceMemory::alloc(context, bytes)?;
                // SAFETY: **mapped**: all of what was just allocated.
                unsafe { memory.fill(device.address(), 0, bytes)? };
                Ok(Self { backing: Backing::Device(context.clone(), device), bytes })
            }
        }
    }

    /// On the host, where kernels of this memory reach it too.
    pub(super) fn on_host(memory: &Memory, bytes: usize) -> Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        let backing = match memory {
            Memory::Host => Backing::Host(Pages::zeroed(bytes)?),
            Memory::Gpu(context) => Backing::Pinned(PinnedBytes::zeroed(context, bytes)?),
        };
        Ok(Self { backing, bytes })
    }

    /// Its size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its first address for kernels.
    pub(super) fn kernel(&self) -> u64 {
        match &self.backing {
            Backing::Host(pages) => pages.at.as_ptr() as u64,
            Backing::Pinned(pinned) => pinned.device(),
            Backing::Device(_, memory) => memory.address(),
        }
    }

    /// Its first address for the host; 0 if it is not there.
    pub(super) fn host(&self) -> u64 {
        match &self.backing {
            Backing::Host(pages) => pages.at.as_ptr() as u64,
            Backing::Pinned(pinned) => pinned.host().as_ptr() as u64,
            Backing::Device(..) => 0,
        }
    }

    /// Copies bytes to offset `at`, whole words as such; done when it returns, whatever kernels run.
    pub(super) fn write(&self, at: usize, from: &[u8]) -> Result<()> {
        let (memory, address) = self.reach(at, from.len())?;
        // SAFETY: **mapped**: the range is in this chunk.
        unsafe { memory.write(address, from) }
    }

    /// Copies bytes from offset `at`.
    pub(super) fn read(&self, at: usize, to: &mut [u8]) -> Result<()> {
        let (memory, address) = self.reach(at, to.len())?;
        // SAFETY: **mapped**: the range is in this chunk.
        unsafe { memory.read(to, address) }
    }

    /// Through what, and at which address, the host copies.
    fn reach(&self, at: usize, bytes: usize) -> Result<(Memory, u64)> {
        if at.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            return Err(Error::new(ErrorKind::OutOfRange, format!("copy {bytes} bytes at {at:#x} of {self:?}"))
                .amount(bytes as u64, self.bytes.saturating_sub(at) as u64, "bytes"));
        }
        Ok(match &self.backing {
            Backing::Device(context, memory) => (Memory::Gpu(context.clone()), memory.address() + at as u64),
            _ => (Memory::Host, self.host() + at as u64),
        })
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.backing {
            Backing::Host(_) => "of the host",
            Backing::Pinned(_) => "pinned on the host",
            Backing::Device(..) => "of the GPU",
        };
        write!(f, "Chunk({} bytes {what})", self.bytes)
    }
}
