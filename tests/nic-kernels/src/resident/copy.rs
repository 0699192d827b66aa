//! Moves bytes: a warp's lanes together, by relaxed accesses at system scope.
//!
//! The target is written in pieces of 8 bytes, and at its ends in the largest that are aligned there, so that no element
//! is seen in part. The source is read in whole words, which may begin before it and end behind it: a word never leaves
//! its page.

use oxshmem_raw::gpu::ptx;

use super::slice::Lanes;

/// Stores `bytes` (1, 2, 4 or 8) low bytes of `value`.
///
/// # Safety
///
/// - **live**: `to` is mapped for so many bytes, and aligned to them.
#[inline(always)]
unsafe fn store(to: u64, bytes: u64, value: u64) {
    match bytes {
        // SAFETY: **live**.
        1 => unsafe { ptx::st_relaxed_sys_u8(to as *mut u8, value as u8) },
        // SAFETY: **live**.
        2 => unsafe { ptx::st_relaxed_sys_u16(to as *mut u16, value as u16) },
        // SAFETY: **live**.
        4 => unsafe { ptx::st_relaxed_sys_u32(to as *mut u32, value as u32) },
        // SAFETY: **live**.
        _ => unsafe { ptx::st_relaxed_sys_u64(to as *mut u64, value) },
    }
}

/// # Safety
///
/// - **live**: `to` is mapped for 8 bytes, and aligned to them.
#[inline(always)]
unsafe fn store_whole(to: u64, value: u64) {
    // SAFETY: **live**.
    unsafe { ptx::st_relaxed_sys_u64(to as *mut u64, value) }
}

/// Stores few bytes (8 at most), in pieces as large as they are aligned.
///
/// # Safety
///
/// - **live**: `to` is mapped for `bytes` bytes.
#[inline(always)]
pub(super) unsafe fn store_few(to: u64, bytes: u64, value: u64) {
    let (mut at, mut left, mut value) = (to, bytes, value);
    while left != 0 {
        let piece = if left >= 8 && at & 7 == 0 {
            8
        } else if left >= 4 && at & 3 == 0 {
            4
        } else if left >= 2 && at & 1 == 0 {
            2
        } else {
            1
        };
        // SAFETY: **live**, and aligned.
        unsafe { store(at, piece, value) }
        value = if piece == 8 { 0 } else { value >> (8 * piece) };
        at += piece;
        left -= piece;
    }
}

/// Bytes that are read: the one at `at`, and those behind it, of the 8-aligned range at `base`, around its end. The length
/// of the range is a power of two, and `mask` that less one; all ones for memory at large.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    pub(super) base: u64,
    pub(super) at: u64,
    pub(super) mask: u64,
}

impl Bytes {
    /// Those at an address.
    #[inline(always)]
    pub(super) fn at(address: u64) -> Self {
        Self { base: 0, at: address, mask: u64::MAX }
    }

    /// # Safety
    ///
    /// - **live**: the word that has the byte `offset` bytes behind the first is mapped.
    #[inline(always)]
    unsafe fn word(self, offset: u64) -> u64 {
        let place = self.base + (self.at.wrapping_add(offset) & self.mask & !7);
        // SAFETY: **live**, and aligned.
        unsafe { ptx::ld_relaxed_sys_u64(place as *const u64) }
    }

    /// `bytes` bytes, 8 at most, from `offset` on. No word is read that has none of them.
    ///
    /// # Safety
    ///
    /// - **live**: those bytes are mapped.
    #[inline(always)]
    unsafe fn few(self, offset: u64, bytes: u64) -> u64 {
        let skew = self.at.wrapping_add(offset) & 7;
        // SAFETY: **live**: a word does not leave its page.
        let low = unsafe { self.word(offset) } >> (8 * skew);
        if skew + bytes > 8 {
            // SAFETY: **live**.
            let high = unsafe { self.word(offset + 8) };
            low | high << (64 - 8 * skew)
        } else {
            low
        }
    }
}

/// Copies bytes: all lanes together.
///
/// # Safety
///
/// - **live**: both are mapped for `bytes` bytes.
#[inline(always)]
pub(super) unsafe fn copy(lanes: Lanes, to: u64, from: Bytes, bytes: u64) {
    let before = (8 - (to & 7)) & 7;
    let head = if before < bytes { before } else { bytes };
    let whole = (bytes - head) / 8;
    let tail = bytes - head - 8 * whole;
    if lanes.leads() {
        // Both ends, in one place of the code.
        let (mut at, mut left) = (0, head);
        let mut end = 0;
        while end < 2 {
            if left != 0 {
                // SAFETY: **live**.
                unsafe { store_few(to + at, left, from.few(at, left)) }
            }
            (at, left) = (head + 8 * whole, tail);
            end += 1;
        }
    }
    let step = lanes.lanes as u64;
    let mut at = head + 8 * lanes.lane as u64;
    let end = head + 8 * whole;
    if from.at.wrapping_add(head) & 7 == 0 {
        while at + 24 * step < end {
            // Four on their way before the first is stored.
            let (second, third, fourth) = (at + 8 * step, at + 16 * step, at + 24 * step);
            // SAFETY: **live**.
            let (a, b) = unsafe { (from.word(at), from.word(second)) };
            // SAFETY: **live**.
            let (c, d) = unsafe { (from.word(third), from.word(fourth)) };
            // SAFETY: **live**, and aligned.
            unsafe { store_whole(to + at, a) }
            // SAFETY: **live**, and aligned.
            unsafe { store_whole(to + second, b) }
            // SAFETY: **live**, and aligned.
            unsafe { store_whole(to + third, c) }
            // SAFETY: **live**, and aligned.
            unsafe { store_whole(to + fourth, d) }
            at += 32 * step;
        }
    }
    while at < end {
        // SAFETY: **live**, and aligned.
        unsafe { store_whole(to + at, from.few(at, 8)) }
        at += 8 * step;
    }
}
