//! Host memory that kernels and this process's threads share.

use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use crate::host::ring::reader::SharedWords;

/// Access to shared words of this process by address.
///
/// Its creator is responsible for every address that it is used with. These are the addresses of a world's own rings,
/// answers and words, which are allocated once and outlive the threads that use them.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct HostWords(());

impl HostWords {
    /// Returns access to the memory of this process.
    ///
    /// # Safety
    ///
    /// - **live**: every address that it, or a copy, is used with is one of 8 bytes at a multiple of 8, mapped for as
    ///   long as it is used, and written and read by whole words alone.
    pub(in crate::host) const unsafe fn new() -> Self {
        Self(())
    }

    #[inline]
    fn word<'a>(self, at: u64) -> &'a AtomicU64 {
        // SAFETY: **live** holds for every address by the promise of `new`: mapped, aligned, and used by whole words.
        unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(at as usize)) }
    }
}

impl SharedWords for HostWords {
    #[inline]
    fn load(&self, at: u64) -> u64 {
        self.word(at).load(Ordering::Relaxed)
    }

    #[inline]
    fn acquired(&self) {
        fence(Ordering::Acquire)
    }

    #[inline]
    fn store_release(&self, at: u64, value: u64) {
        self.word(at).store(value, Ordering::Release)
    }

    #[inline]
    fn store(&self, at: u64, value: u64) {
        self.word(at).store(value, Ordering::Relaxed)
    }
}
