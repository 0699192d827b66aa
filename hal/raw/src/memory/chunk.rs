//! Memory that the host, kernels and a NIC share.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;

use super::Memory;
use crate::gpu::cuda::{self, Context, DeviceMemory, PinnedBytes};
use oxshmem_core::host::{Error, ErrorKind, Result};

/// Alignment of a chunk, in bytes: the page size of GPU mappings, and a multiple of every host's page size.
const PAGE: usize = 64 << 10;

/// The start of a range that a NIC is to reach, and the owner of the address.
#[derive(Clone, Debug)]
pub enum MemoryAddress {
    /// An address of this process.
    Host(u64),
    /// An address of a GPU.
    Device(Context, u64),
}

/// Zeroed memory.
pub struct Chunk {
    backing: Backing,
    bytes: usize,
}

enum Backing {
    Host(Pages),
    Pinned(PinnedBytes),
    /// The last field is the number of bytes before the first aligned byte.
    Device(Context, DeviceMemory, u64),
}

/// Zeroed pages of this process.
struct Pages {
    at: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns plain memory. Several threads access it by atomics only; any other access is by one thread at a time.
unsafe impl Send for Pages {}
// SAFETY: shared access is by atomics only, as argued for `Send`.
unsafe impl Sync for Pages {}

impl Pages {
    fn zeroed(bytes: usize) -> Result<Self> {
        let error =
            || Error::new(ErrorKind::Exhausted, format!("allocate {bytes} bytes of the host for queues and rings"));
        let layout = Layout::from_size_align(bytes, PAGE).map_err(|_| error())?;
        // SAFETY: the size is not 0, because every chunk is rounded up to a whole page.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(|| {
            error().hint("ask for fewer or shallower queue pairs, or fewer spare ones (OXSHMEM_SPARE_QPS)")
        })?;
        Ok(Self { at, layout })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: `zeroed` allocated it with this layout, and only this value owns it.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }
}

impl Chunk {
    /// Allocates at least `bytes` bytes in the memory of the machine that runs the kernels: the GPU's, or the host's
    /// for host PEs.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn beside(memory: &Memory, bytes: usize) -> Result<Self> {
        match memory {
            Memory::Host => Self::on_host(memory, bytes),
            Memory::Gpu(context) => {
                let bytes = bytes.max(1).next_multiple_of(PAGE);
                let memory = DeviceMemory::alloc(context, bytes + PAGE)?;
                let skip = memory.address().next_multiple_of(PAGE as u64) - memory.address();
                // A driver that does not know this attribute waits for its copies in any case.
                let _ = cuda::synchronize_copies(context, memory.address());
                let chunk = Self { backing: Backing::Device(context.clone(), memory, skip), bytes };
                chunk.fill(0, 0, bytes)?;
                Ok(chunk)
            }
        }
    }

    /// Allocates at least `bytes` bytes on the host, where kernels of this memory reach them too.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn on_host(memory: &Memory, bytes: usize) -> Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        let backing = match memory {
            Memory::Host => Backing::Host(Pages::zeroed(bytes)?),
            Memory::Gpu(context) => Backing::Pinned(PinnedBytes::zeroed(context, bytes)?),
        };
        Ok(Self { backing, bytes })
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the address of the first byte for kernels.
    pub fn kernel(&self) -> u64 {
        match &self.backing {
            Backing::Host(pages) => pages.at.as_ptr() as u64,
            Backing::Pinned(pinned) => pinned.device(),
            Backing::Device(_, memory, skip) => memory.address() + skip,
        }
    }

    /// Returns the address of the first byte for a NIC.
    pub fn address(&self) -> MemoryAddress {
        match &self.backing {
            Backing::Host(pages) => MemoryAddress::Host(pages.at.as_ptr() as u64),
            Backing::Pinned(pinned) => MemoryAddress::Host(pinned.host().as_ptr() as u64),
            Backing::Device(context, memory, skip) => MemoryAddress::Device(context.clone(), memory.address() + skip),
        }
    }

    /// Returns whether it is on the host, which a GPU's kernels reach across the bus.
    pub fn is_on_host(&self) -> bool {
        !matches!(self.backing, Backing::Device(..))
    }

    /// Returns the address of the first byte for the host, if it is on the host.
    pub fn host(&self) -> Option<u64> {
        match self.address() {
            MemoryAddress::Host(at) => Some(at),
            MemoryAddress::Device(..) => None,
        }
    }

    /// Copies bytes to offset `at`, aligned words as a whole. The copy is complete when the call returns, whether or
    /// not kernels run.
    ///
    /// # Errors
    /// `OutOfRange` if the range leaves the chunk, or the device refuses.
    pub fn write(&self, at: usize, from: &[u8]) -> Result<()> {
        let (memory, address) = self.reach(at, from.len())?;
        // SAFETY: **mapped**: `reach` checked that the range is in this chunk.
        unsafe { memory.write(address, from) }
    }

    /// Copies bytes from offset `at`.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn read(&self, at: usize, to: &mut [u8]) -> Result<()> {
        let (memory, address) = self.reach(at, to.len())?;
        // SAFETY: **mapped**: `reach` checked that the range is in this chunk.
        unsafe { memory.read(to, address) }
    }

    /// Fills `bytes` bytes from offset `at` with `value`.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn fill(&self, at: usize, value: u8, bytes: usize) -> Result<()> {
        let (memory, address) = self.reach(at, bytes)?;
        // SAFETY: **mapped**: `reach` checked that the range is in this chunk.
        unsafe { memory.fill(address, value, bytes) }
    }

    /// Checks a range, and returns the memory and the address by which the host copies it.
    fn reach(&self, at: usize, bytes: usize) -> Result<(Memory, u64)> {
        if at.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            return Err(Error::new(ErrorKind::OutOfRange, format!("copy {bytes} bytes at {at:#x} of {self:?}"))
                .amount(bytes as u64, self.bytes.saturating_sub(at) as u64, "bytes"));
        }
        Ok(match self.address() {
            MemoryAddress::Host(base) => (Memory::Host, base + at as u64),
            MemoryAddress::Device(context, base) => (Memory::Gpu(context), base + at as u64),
        })
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, what) = match &self.backing {
            Backing::Host(_) => (self.bytes, "of the host"),
            Backing::Pinned(_) => (self.bytes, "pinned on the host"),
            Backing::Device(..) => (self.bytes, "of the GPU"),
        };
        write!(f, "Chunk({bytes} bytes {what})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_zeroed_whole_pages_and_refuses_what_is_outside() {
        let chunk = Chunk::beside(&Memory::Host, 100).unwrap();
        assert!(chunk.bytes() == PAGE && chunk.kernel().is_multiple_of(PAGE as u64) && chunk.is_on_host());
        let mut back = vec![1; PAGE];
        chunk.read(0, &mut back).unwrap();
        assert!(back.iter().all(|&b| b == 0));
        chunk.write(PAGE - 3, &[1, 2, 3]).unwrap();
        chunk.fill(8, 0xff, 8).unwrap();
        chunk.read(0, &mut back).unwrap();
        assert_eq!(
            (&back[PAGE - 4..], &back[7..17]),
            (&[0, 1, 2, 3][..], &[0, 255, 255, 255, 255, 255, 255, 255, 255, 0][..])
        );
        assert_eq!(Chunk::beside(&Memory::Host, 1 << 60).unwrap_err().kind(), ErrorKind::Exhausted);
        for (at, bytes) in [(PAGE - 2, 3), (PAGE, 1), (usize::MAX, 2)] {
            assert_eq!(chunk.write(at, &vec![0; bytes]).unwrap_err().kind(), ErrorKind::OutOfRange);
        }
    }
}
