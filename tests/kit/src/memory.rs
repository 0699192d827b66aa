//! Memory for the checks: devices and threads of this process access it at the same time.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use oxshmem_raw::memory::{Chunk, Memory};

/// Bytes of the memory.
pub(crate) const BYTES: usize = 1 << 20;

/// Memory that devices and this process share. It is accessed by atomics only.
pub(crate) struct Shared(Chunk);

impl Shared {
    pub(crate) fn new() -> Self {
        Self(Chunk::on_host(&Memory::Host, BYTES).expect("there is memory for a check"))
    }

    pub(crate) fn at(&self) -> u64 {
        self.0.kernel()
    }

    pub(crate) fn word(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset < BYTES);
        // SAFETY: the word is aligned and within the memory, which is only ever accessed through atomics.
        unsafe { AtomicU64::from_ptr((self.at() as usize + offset) as *mut u64) }
    }

    fn byte(&self, offset: usize) -> &AtomicU8 {
        assert!(offset < BYTES);
        // SAFETY: the byte is within the memory, which is only ever accessed through atomics.
        unsafe { AtomicU8::from_ptr((self.at() as usize + offset) as *mut u8) }
    }

    pub(crate) fn fill(&self, offset: usize, bytes: usize, seed: u64) {
        (0..bytes).for_each(|at| self.byte(offset + at).store(pattern(at, seed), Ordering::Relaxed));
    }

    /// Returns whether the memory holds the bytes of `fill` with this seed.
    pub(crate) fn has(&self, offset: usize, bytes: usize, seed: u64) -> bool {
        (0..bytes).all(|at| self.byte(offset + at).load(Ordering::Acquire) == pattern(at, seed))
    }
}

fn pattern(at: usize, seed: u64) -> u8 {
    let mixed = (at as u64 ^ (seed << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).to_le_bytes()[7]
}
