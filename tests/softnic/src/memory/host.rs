//! The memory of this process.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::{Memory, MemoryFailed, Place};

/// The memory of this process.
#[derive(Clone, Copy, Debug)]
pub struct HostMemory;

/// Returns the largest power of two up to 8 that divides `at` and is at most `left`.
#[inline]
fn piece(at: u64, left: usize) -> usize {
    let fits = 1 << left.min(8).ilog2();
    let aligned = 1 << at.trailing_zeros().min(3);
    fits.min(aligned)
}

/// Copies the bytes at `from` to `to`, in the largest aligned pieces.
///
/// # Safety
/// `from` is mapped for `to.len()` bytes.
#[inline]
pub(super) unsafe fn copy_out(to: &mut [u8], from: u64) {
    let (mut done, bytes) = (0, to.len());
    while done < bytes {
        let at = from + done as u64;
        if at.is_multiple_of(8) && bytes - done >= 8 {
            for word in to[done..].as_chunks_mut::<8>().0 {
                // SAFETY: within the mapped range, and aligned.
                *word = unsafe { AtomicU64::from_ptr((from + done as u64) as *mut u64) }
                    .load(Ordering::Relaxed)
                    .to_ne_bytes();
                done += 8;
            }
            continue;
        }
        let size = piece(at, bytes - done);
        // SAFETY: within the mapped range, and aligned to the piece's size.
        let word = unsafe { load_piece(at, size) };
        to[done..done + size].copy_from_slice(&word.to_le_bytes()[..size]);
        done += size;
    }
}

/// Copies `from` to the bytes at `to`, in the largest aligned pieces.
///
/// # Safety
/// `to` is mapped for `from.len()` bytes.
#[inline]
pub(super) unsafe fn copy_in(to: u64, from: &[u8]) {
    let (mut done, bytes) = (0, from.len());
    while done < bytes {
        let at = to + done as u64;
        if at.is_multiple_of(8) && bytes - done >= 8 {
            for word in from[done..].as_chunks::<8>().0 {
                // SAFETY: within the mapped range, and aligned.
                unsafe { AtomicU64::from_ptr((to + done as u64) as *mut u64) }
                    .store(u64::from_ne_bytes(*word), Ordering::Relaxed);
                done += 8;
            }
            continue;
        }
        let size = piece(at, bytes - done);
        let mut word = [0; 8];
        word[..size].copy_from_slice(&from[done..done + size]);
        // SAFETY: within the mapped range, and aligned to the piece's size.
        unsafe { store_piece(at, size, u64::from_le_bytes(word)) };
        done += size;
    }
}

/// Loads `size` bytes as the low bytes of a word.
///
/// # Safety
/// `at` is mapped for `size` bytes (1, 2, 4 or 8) and aligned to them.
unsafe fn load_piece(at: u64, size: usize) -> u64 {
    match size {
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        1 => unsafe { AtomicU8::from_ptr(at as *mut u8) }.load(Ordering::Relaxed).into(),
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        2 => unsafe { AtomicU16::from_ptr(at as *mut u16) }.load(Ordering::Relaxed).to_le().into(),
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        4 => unsafe { AtomicU32::from_ptr(at as *mut u32) }.load(Ordering::Relaxed).to_le().into(),
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        _ => unsafe { AtomicU64::from_ptr(at as *mut u64) }.load(Ordering::Relaxed).to_le(),
    }
}

/// Stores the low `size` bytes of `word`.
///
/// # Safety
/// `at` is mapped for `size` bytes (1, 2, 4 or 8) and aligned to them.
unsafe fn store_piece(at: u64, size: usize, word: u64) {
    match size {
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        1 => unsafe { AtomicU8::from_ptr(at as *mut u8) }.store(word as u8, Ordering::Relaxed),
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        2 => unsafe { AtomicU16::from_ptr(at as *mut u16) }.store((word as u16).to_le(), Ordering::Relaxed),
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        4 => unsafe { AtomicU32::from_ptr(at as *mut u32) }.store((word as u32).to_le(), Ordering::Relaxed),
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        _ => unsafe { AtomicU64::from_ptr(at as *mut u64) }.store(word.to_le(), Ordering::Relaxed),
    }
}

/// Loads a word, with acquire order.
///
/// # Safety
/// `from` is mapped for 8 bytes and aligned to them.
#[inline]
pub(super) unsafe fn load(from: u64) -> u64 {
    // SAFETY: the caller promises mapped bytes of this size, aligned to it.
    unsafe { AtomicU64::from_ptr(from as *mut u64) }.load(Ordering::Acquire)
}

/// Stores a word after all earlier writes.
///
/// # Safety
/// `to` is mapped for 4 bytes and aligned to them.
#[inline]
pub(super) unsafe fn store_last(to: u64, word: u32) {
    // SAFETY: the caller promises mapped bytes of this size, aligned to it.
    unsafe { AtomicU32::from_ptr(to as *mut u32) }.store(word, Ordering::Release);
}

/// Changes a word atomically, unless `change` returns `None`. Returns the earlier word.
///
/// # Safety
/// `at` is mapped for `bytes` bytes (4 or 8) and aligned to them.
pub(super) unsafe fn update(at: u64, bytes: usize, change: &mut dyn FnMut(u64) -> Option<u64>) -> u64 {
    let order = (Ordering::AcqRel, Ordering::Acquire);
    if bytes == 4 {
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        let word = unsafe { AtomicU32::from_ptr(at as *mut u32) };
        let was = word.fetch_update(order.0, order.1, |was| change(was.into()).map(|word| word as u32));
        was.unwrap_or_else(|was| was).into()
    } else {
        // SAFETY: the caller promises mapped bytes of this size, aligned to it.
        let word = unsafe { AtomicU64::from_ptr(at as *mut u64) };
        word.fetch_update(order.0, order.1, change).unwrap_or_else(|was| was)
    }
}

impl Memory for HostMemory {
    fn place(&self, at: u64, bytes: u64) -> Result<Place, MemoryFailed> {
        const PAGE: u64 = 4096;
        let Some(end) = at.checked_add(bytes) else {
            return Err(MemoryFailed(format!("{bytes} bytes at {at:#x} run over the end of the address space")));
        };
        // One mebibyte of pages at a time: mincore returns one byte for each page, and fails where nothing is mapped.
        let (mut page, mut answer) = (at & !(PAGE - 1), [0_u8; 256]);
        while page < end {
            let length = (end - page).min(PAGE * answer.len() as u64);
            // SAFETY: the call reads the mappings only, and `answer` has a byte for each page.
            if unsafe { libc::mincore(page as *mut libc::c_void, length as usize, answer.as_mut_ptr()) } != 0 {
                return Err(MemoryFailed(format!("nothing is mapped within {length} bytes at {page:#x}")));
            }
            page += PAGE * answer.len() as u64;
        }
        Ok(Place::Host)
    }

    unsafe fn read(&self, to: &mut [u8], from: u64) -> Result<(), MemoryFailed> {
        // SAFETY: **mapped**: the caller's promise.
        unsafe { copy_out(to, from) };
        Ok(())
    }

    unsafe fn write(&self, to: u64, from: &[u8]) -> Result<(), MemoryFailed> {
        // SAFETY: **mapped**: the caller's promise.
        unsafe { copy_in(to, from) };
        Ok(())
    }

    unsafe fn load(&self, from: u64) -> Result<u64, MemoryFailed> {
        // SAFETY: **mapped** and aligned, by the caller.
        Ok(unsafe { load(from) })
    }

    unsafe fn store_last(&self, to: u64, word: u32) -> Result<(), MemoryFailed> {
        // SAFETY: **mapped** and aligned, by the caller.
        unsafe { store_last(to, word) };
        Ok(())
    }

    unsafe fn update(
        &self,
        at: u64,
        bytes: usize,
        change: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, MemoryFailed> {
        // SAFETY: **mapped** and aligned, by the caller.
        Ok(unsafe { update(at, bytes, change) })
    }
}
