//! Host memory that kernels reach.

use std::fmt;
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::PinnedBytes;
use oxshmem_raw::memory::Memory;

/// Zeroed bytes, assigned from the start on.
pub(super) struct Room {
    kind: Kind,
    bytes: usize,
    used: usize,
}

enum Kind {
    Host(Box<[AtomicU64]>),
    Pinned(PinnedBytes),
}

/// A part of it, with both sides' addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// For kernels.
    pub(super) kernel: u64,
    /// For this process.
    pub(super) host: u64,
    words: usize,
}

impl Room {
    /// Alignment of each part.
    const ALIGNMENT: usize = 4096;

    pub(super) fn new(memory: &Memory, bytes: usize) -> Result<Self> {
        let bytes = bytes.next_multiple_of(Self::ALIGNMENT) + Self::ALIGNMENT;
        let kind = match memory {
            Memory::Host => Kind::Host((0..bytes / 8).map(|_| AtomicU64::new(0)).collect()),
            Memory::Gpu(context) => Kind::Pinned(PinnedBytes::zeroed(context, bytes)?),
        };
        Ok(Self { kind, bytes, used: 0 })
    }

    /// Takes the next bytes, from the start of a page on.
    pub(super) fn take(&mut self, bytes: usize) -> Result<Part> {
        let (host, kernel) = match &self.kind {
            Kind::Host(words) => (words.as_ptr().expose_provenance() as u64, words.as_ptr() as u64),
            Kind::Pinned(pinned) => (pinned.host().as_ptr().expose_provenance() as u64, pinned.device()),
        };
        let start = (host as usize + self.used).next_multiple_of(Self::ALIGNMENT) - host as usize;
        if start + bytes > self.bytes {
            return Err(Error::new(ErrorKind::Exhausted, "lay out what kernels and the host share").amount(
                bytes as u64,
                (self.bytes - start.min(self.bytes)) as u64,
                "bytes",
            ));
        }
        self.used = start + bytes;
        Ok(Part { kernel: kernel + start as u64, host: host + start as u64, words: bytes / 8 })
    }
}

impl Part {
    /// Returns word `index`. The room outlives the caller.
    pub(super) fn word<'a>(&self, index: usize) -> &'a AtomicU64 {
        assert!(index < self.words, "word {index} of {}", self.words);
        // SAFETY: inside the room, which the part's holder keeps, and which is accessed in whole words only.
        unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut((self.host + 8 * index as u64) as usize)) }
    }

    /// Returns the first words.
    pub(super) fn read(&self, count: usize) -> Vec<u64> {
        (0..count).map(|index| self.word(index).load(Ordering::Acquire)).collect()
    }
}

impl fmt::Debug for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Room({} of {} bytes)", self.used, self.bytes)
    }
}
