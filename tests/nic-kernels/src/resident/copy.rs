//! Moves bytes: a warp's lanes together, by relaxed accesses at system scope.
//!
//! The target is written in pieces of 8 bytes, and at its ends in the largest that are aligned there, so that no element
//! is seen in part. The source is read in whole words, which may begin before it and end behind it: a word never leaves
//! its page.

use oxshmem_raw::ptx;

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

/// The 8 bytes at offset `at` of words of which `word` gives each by its offset; what needs no second word reads none.
#[inline(always)]
fn gathered(at: u64, bytes: u64, word: impl Fn(u64) -> u64) -> u64 {
    let (start, skew) = (at & !7, at & 7);
    let low = word(start) >> (8 * skew);
    if skew + bytes > 8 { low | word(start + 8) << (64 - 8 * skew) } else { low }
}

/// Writes `bytes` bytes to `to`; the byte at offset 0 is that at offset `skew` of the words.
///
/// # Safety
///
/// - **live**: `to` is mapped for `bytes` bytes, and `word` may be called for every offset, a multiple of 8, of a word
///   that has one of the bytes.
#[inline(always)]
pub(super) unsafe fn spread(lanes: Lanes, to: u64, bytes: u64, skew: u64, word: impl Fn(u64) -> u64 + Copy) {
    let before = (8 - (to & 7)) & 7;
    let head = if before < bytes { before } else { bytes };
    let whole = (bytes - head) / 8;
    let tail = bytes - head - 8 * whole;
    if lanes.leads() {
        if head != 0 {
            // SAFETY: **live**.
            unsafe { store_few(to, head, gathered(skew, head, word)) }
        }
        if tail != 0 {
            let from = head + 8 * whole;
            // SAFETY: **live**.
            unsafe { store_few(to + from, tail, gathered(skew + from, tail, word)) }
        }
    }
    let (mut i, step) = (lanes.lane as u64, lanes.lanes as u64);
    let (to, skew) = (to + head, skew + head);
    while i + 3 * step < whole {
        // Four on their way before the first is stored.
        let at = [8 * i, 8 * (i + step), 8 * (i + 2 * step), 8 * (i + 3 * step)];
        let a = gathered(skew + at[0], 8, word);
        let b = gathered(skew + at[1], 8, word);
        let c = gathered(skew + at[2], 8, word);
        let d = gathered(skew + at[3], 8, word);
        // SAFETY: **live**.
        unsafe { store(to + at[0], 8, a) }
        // SAFETY: **live**.
        unsafe { store(to + at[1], 8, b) }
        // SAFETY: **live**.
        unsafe { store(to + at[2], 8, c) }
        // SAFETY: **live**.
        unsafe { store(to + at[3], 8, d) }
        i += 4 * step;
    }
    while i < whole {
        // SAFETY: **live**.
        unsafe { store(to + 8 * i, 8, gathered(skew + 8 * i, 8, word)) }
        i += step;
    }
}

/// Copies bytes.
///
/// # Safety
///
/// - **live**: both are mapped for `bytes` bytes.
#[inline(always)]
pub(super) unsafe fn copy(lanes: Lanes, to: u64, from: u64, bytes: u64) {
    let start = from & !7;
    // SAFETY: **live**: an aligned word that has one of the bytes lies in their page.
    let word = |at: u64| unsafe { ptx::ld_relaxed_sys_u64((start + at) as *const u64) };
    // SAFETY: **live**.
    unsafe { spread(lanes, to, bytes, from & 7, word) }
}
