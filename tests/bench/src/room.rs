//! Memory that kernels and the host share.

use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_hal::{Error, ErrorKind, Result};
use oxshmem_nic_kernels::table::SinkQueue;
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::state::WorldState;
use oxshmem_transport_ibgda::state::{ExtentKeys, NicState, QueueState};

/// A type whose values are adjacent numbers.
///
/// # Safety
///
/// - **plain**: it has no gaps, and any bits are a value of it.
pub(crate) unsafe trait Plain {}

macro_rules! plain {
    ($($t:ty)*) => { $(
        // SAFETY: **plain**: numbers; the sizes of the structs are asserted to be those of their fields.
        unsafe impl Plain for $t {}
    )* };
}
plain!(u32 u64 SinkQueue ExtentKeys NicState QueueState WorldState);

/// Zeroed bytes, assigned from the start on.
#[derive(Debug)]
pub(crate) struct Room {
    chunk: Chunk,
    used: usize,
}

/// A part of a room on the host, with both sides' addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// For kernels.
    pub(crate) kernel: u64,
    /// For this process.
    pub(crate) host: u64,
    words: usize,
}

impl Room {
    /// Alignment of each part: no two parts share a cache line.
    pub(crate) const ALIGNMENT: usize = 256;

    /// Allocates `bytes` bytes in the memory of the machine that runs the kernels.
    pub(crate) fn beside(memory: &Memory, bytes: usize) -> Result<Self> {
        Ok(Self { chunk: Chunk::beside(memory, bytes)?, used: 0 })
    }

    /// Allocates `bytes` bytes on the host.
    pub(crate) fn on_host(memory: &Memory, bytes: usize) -> Result<Self> {
        Ok(Self { chunk: Chunk::on_host(memory, bytes)?, used: 0 })
    }

    /// Takes the next bytes. Returns their offset.
    fn next(&mut self, bytes: usize) -> Result<usize> {
        let start = self.used.next_multiple_of(Self::ALIGNMENT);
        let left = self.chunk.bytes().saturating_sub(start);
        if bytes > left {
            let error = Error::new(ErrorKind::Exhausted, "lay out what kernels and the host share");
            return Err(error.amount(bytes as u64, left as u64, "bytes"));
        }
        self.used = start + bytes;
        Ok(start)
    }

    /// Takes the next bytes. Returns their address for kernels.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<u64> {
        Ok(self.next(bytes)? as u64 + self.chunk.kernel())
    }

    /// Takes the next bytes of a room on the host.
    pub(crate) fn part(&mut self, bytes: usize) -> Result<Part> {
        let start = self.next(bytes)? as u64;
        let host = self.chunk.host().unwrap_or(0);
        Ok(Part { kernel: self.chunk.kernel() + start, host: host + start, words: bytes / 8 })
    }

    /// Returns the offset of an address for kernels; one outside of the room if the address is.
    fn offset(&self, at: u64) -> usize {
        at.wrapping_sub(self.chunk.kernel()) as usize
    }

    /// Writes values from `at` on.
    pub(crate) fn write<T: Plain>(&self, at: u64, values: &[T]) -> Result<()> {
        // SAFETY: `values` is live; **plain**.
        let raw = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        self.chunk.write(self.offset(at), raw)
    }

    /// Reads values from `at` on.
    pub(crate) fn read<T: Plain + Copy + Default>(&self, at: u64, count: usize) -> Result<Vec<T>> {
        let mut values = vec![T::default(); count];
        let bytes = size_of_val(&values[..]);
        // SAFETY: `values` is live and exclusive; **plain**.
        let raw = unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast::<u8>(), bytes) };
        self.chunk.read(self.offset(at), raw)?;
        Ok(values)
    }

    /// Sets bytes from `at` on to `value`.
    pub(crate) fn fill(&self, at: u64, value: u8, bytes: usize) -> Result<()> {
        self.chunk.fill(self.offset(at), value, bytes)
    }
}

impl Part {
    /// Returns word `index`. The room outlives the caller.
    pub(crate) fn word<'a>(&self, index: usize) -> &'a AtomicU64 {
        assert!(index < self.words, "word {index} of {}", self.words);
        // SAFETY: inside the room, which the part's holder keeps, and which is accessed in whole words only.
        unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut((self.host + 8 * index as u64) as usize)) }
    }

    /// Returns the first words.
    pub(crate) fn read(&self, count: usize) -> Vec<u64> {
        (0..count).map(|index| self.word(index).load(Ordering::Acquire)).collect()
    }
}
