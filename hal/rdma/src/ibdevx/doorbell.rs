//! The doorbell register: a plain doorbell, or a whole entry with it (BlueFlame).

use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use oxshmem_raw::os::mmio;

/// A doorbell register. The queues of one thread share it.
#[derive(Debug)]
pub(super) struct PostingRegister {
    register: u64,
    /// Bytes of each half of a register that takes entries; `None`: it takes plain doorbells only, at its beginning.
    half: Option<u32>,
    /// Whether the second half is next. The halves are used in turn, because the CPU may still send the last one.
    is_second: AtomicBool,
}

impl PostingRegister {
    /// Takes the register at `register`.
    ///
    /// # Safety
    ///
    /// - **mapped**: at `register` is a doorbell register that is mapped, and accessed by atomics only, while this value
    ///   exists: 8 bytes aligned to 8, or twice `half` bytes (at least 64 each) aligned to 64.
    pub(super) unsafe fn new(register: u64, half: Option<u32>) -> Self {
        Self { register, half, is_second: AtomicBool::new(false) }
    }

    /// Returns whether the register takes entries.
    pub(super) fn takes_entries(&self) -> bool {
        self.half.is_some()
    }

    /// Rings: stores `value` after all earlier stores.
    #[inline]
    pub(super) fn ring(&self, value: u64) {
        // SAFETY: **mapped**: `new`'s caller keeps the register, whose halves both begin with 8 aligned bytes.
        unsafe { mmio::store_combining(self.next(), value) }
    }

    /// Rings with the entry itself, after all earlier stores. Only for a register that
    /// [takes entries](Self::takes_entries).
    #[inline]
    pub(super) fn ring_with(&self, block: &[u64; 8]) {
        assert!(self.takes_entries(), "the register takes no entries");
        // SAFETY: **mapped**: `new`'s caller keeps the register, each half of which has at least 64 aligned bytes.
        unsafe { mmio::store_block(self.next(), block) }
    }

    /// Returns the address of the half that is next.
    #[inline]
    fn next(&self) -> *mut u64 {
        let offset = self.half.map_or(0, |half| {
            // One thread alone posts on the queues of a register, so that no atomic change is needed. If several did,
            // two would use one half.
            let is_second = self.is_second.load(Ordering::Relaxed);
            self.is_second.store(!is_second, Ordering::Relaxed);
            if is_second { half.into() } else { 0 }
        });
        with_exposed_provenance_mut((self.register + offset) as usize)
    }
}
