//! Moves bytes by all lanes of a warp together, with relaxed accesses at system scope.
//!
//! The target is written in pieces of 8 bytes, and at its ends in the largest aligned pieces, so that no element is
//! seen in part. The source is read in whole aligned words, which may include bytes before its start and after its end;
//! an aligned word never crosses a page.

use oxshmem_raw::gpu::ptx;

use super::slice::Lanes;

/// Stores the low `bytes` (1, 2, 4 or 8) bytes of `value`.
///
/// # Safety
///
/// - **live**: `to` is mapped for `bytes` bytes, and aligned to them.
#[inline(always)]
unsafe fn store(to: u64, bytes: u64, value: u64) {
    match bytes {
        // SAFETY: **live**: mapped and aligned, by the caller.
        1 => unsafe { ptx::st_relaxed_sys_u8(to as *mut u8, value as u8) },
        // SAFETY: **live**: mapped and aligned, by the caller.
        2 => unsafe { ptx::st_relaxed_sys_u16(to as *mut u16, value as u16) },
        // SAFETY: **live**: mapped and aligned, by the caller.
        4 => unsafe { ptx::st_relaxed_sys_u32(to as *mut u32, value as u32) },
        // SAFETY: **live**: mapped and aligned, by the caller.
        _ => unsafe { ptx::st_relaxed_sys_u64(to as *mut u64, value) },
    }
}

/// Stores 8 bytes.
///
/// # Safety
///
/// - **live**: `to` is mapped for 8 bytes, and aligned to them.
#[inline(always)]
unsafe fn store_whole(to: u64, value: u64) {
    // SAFETY: **live**: mapped and aligned, by the caller.
    unsafe { ptx::st_relaxed_sys_u64(to as *mut u64, value) }
}

/// Stores up to 8 bytes, in the largest aligned pieces.
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
        // SAFETY: **live**: the piece is in the caller's range, and its size divides its address.
        unsafe { store(at, piece, value) }
        value = if piece == 8 { 0 } else { value >> (8 * piece) };
        at += piece;
        left -= piece;
    }
}

/// Source bytes: those from `at` on, in the aligned range at `base`, wrapping at its end. The range's length is a power
/// of two, and `mask` is the length minus one; all ones stand for all memory.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    pub(super) base: u64,
    pub(super) at: u64,
    pub(super) mask: u64,
}

impl Bytes {
    /// Returns the bytes at an address.
    #[inline(always)]
    pub(super) fn at(address: u64) -> Self {
        Self { base: 0, at: address, mask: u64::MAX }
    }

    /// Loads the aligned word that contains the byte at `offset`.
    ///
    /// # Safety
    ///
    /// - **live**: this word is mapped.
    #[inline(always)]
    unsafe fn word(self, offset: u64) -> u64 {
        let place = self.base + (self.at.wrapping_add(offset) & self.mask & !7);
        // SAFETY: **live**: the mask has cleared the low bits, so that the address is aligned.
        unsafe { ptx::ld_relaxed_sys_u64(place as *const u64) }
    }

    /// Returns `bytes` bytes, at most 8, from `offset` on. Reads no word without one of them.
    ///
    /// # Safety
    ///
    /// - **live**: those bytes are mapped.
    #[inline(always)]
    unsafe fn few(self, offset: u64, bytes: u64) -> u64 {
        let skew = self.at.wrapping_add(offset) & 7;
        // SAFETY: **live**: the word contains a requested byte, and an aligned word does not cross a page.
        let low = unsafe { self.word(offset) } >> (8 * skew);
        if skew + bytes > 8 {
            // SAFETY: **live**: this word contains a requested byte too.
            let high = unsafe { self.word(offset + 8) };
            low | high << (64 - 8 * skew)
        } else {
            low
        }
    }
}

/// Copies bytes, by all lanes together.
///
/// # Safety
///
/// - **live**: both ranges are mapped for `bytes` bytes.
#[inline(always)]
pub(super) unsafe fn copy(lanes: Lanes, to: u64, from: Bytes, bytes: u64) {
    let before = (8 - (to & 7)) & 7;
    let head = if before < bytes { before } else { bytes };
    let whole = (bytes - head) / 8;
    let tail = bytes - head - 8 * whole;
    if lanes.leads() {
        // Copies both ends by one piece of code.
        let (mut at, mut left) = (0, head);
        let mut end = 0;
        while end < 2 {
            if left != 0 {
                // SAFETY: **live**: these bytes are inside both of the caller's ranges.
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
            // Loads four words before it stores the first.
            let (second, third, fourth) = (at + 8 * step, at + 16 * step, at + 24 * step);
            // SAFETY: **live**: each word contains a byte of the caller's source.
            let (a, b) = unsafe { (from.word(at), from.word(second)) };
            // SAFETY: **live**: each word contains a byte of the caller's source.
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
