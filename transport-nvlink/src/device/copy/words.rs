//! Copies by words of 8 or 4 bytes, for ends that differ modulo the unit and are multiples of the word. Nothing is loaded
//! a second time, and nothing is shifted.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::ptx;

use super::From;
use super::edge::Piece;
use super::unit::each;

/// Words that a thread has in flight.
const IN_FLIGHT: usize = 4;

/// Maximum bytes for each thread of a copy by words from a peer. Shifted units take longer to begin, and less for each
/// byte.
const FEW_BYTES: usize = 16;

/// Copies if there is at most one word for each thread of one warp, and returns whether it did. A word has 8 bytes, or for
/// a thread alone also 4.
///
/// # Safety
/// As [`copy`](super::copy).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn one_each<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) -> bool {
    let threads = (ptx::WARP_SIZE as usize).min(group.size() as usize);
    if bytes > size_of::<u64>() * threads {
        return false;
    }
    let grain = to as usize | from as usize | bytes;
    // SAFETY: **readable**, **writable**: the caller's; both ends and `bytes` are multiples of the word.
    unsafe {
        if grain & 7 == 0 {
            word::<u64, G>(group, to, from, bytes, whose);
        } else if G::SCOPE == Scope::Thread && grain & 3 == 0 && bytes == size_of::<u32>() {
            word::<u32, G>(group, to, from, bytes, whose);
        } else {
            return false;
        }
    }
    true
}

/// Copies this thread's word, if there is one.
///
/// # Safety
/// As [`copy`](super::copy); both ends and `bytes` are multiples of the word.
#[inline(always)]
unsafe fn word<W: Piece, G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let at = group.rank() as usize * size_of::<W>();
    if at < bytes {
        // SAFETY: **readable**, **writable**: the word begins before `bytes`, of which its size is a divisor, so it lies
        // in both ranges; it is aligned as both ends are, which is **mapped**.
        unsafe { W::store(to.add(at).cast(), W::load(from.add(at).cast(), whose)) }
    }
}

/// Copies by words of 8 or of 4 bytes if that is faster than by shifted units, and returns whether it did: from a peer,
/// where each byte crosses the link once.
///
/// # Safety
/// As [`copy`](super::copy).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn copied<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) -> bool {
    let grain = to as usize | from as usize | bytes;
    let serves = grain & 3 == 0 && bytes <= group.size() as usize * FEW_BYTES;
    if G::SCOPE == Scope::Thread || whose == From::Own || !serves {
        return false;
    }
    // SAFETY: **readable**, **writable**, **apart**: the caller's; both ends and `bytes` are multiples of the word.
    unsafe {
        if grain & 7 == 0 {
            rounds::<u64, G>(group, to, from, bytes, whose)
        } else {
            rounds::<u32, G>(group, to, from, bytes, whose)
        }
    }
    true
}

/// Copies by words, up to four in flight; neighbouring threads take neighbouring words.
///
/// # Safety
/// As [`copy`](super::copy); both ends and `bytes` are multiples of the word.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn rounds<W: Piece, G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let word = size_of::<W>() as u32;
    let mut at = ptx::opaque_u32(group.rank() * word) as usize;
    while at < bytes {
        // Opaque in each round: otherwise its multiples occupy registers throughout the loop.
        let step = ptx::opaque_u32(group.size() * word) as usize;
        // SAFETY: **readable**, **writable**: each word begins before `bytes`, of which its size is a divisor, so it lies in
        // both ranges; it is aligned as both ends are, which is **mapped**.
        unsafe {
            let load = |k: usize| W::load(from.add(at + k * step).cast(), whose);
            let store = |k: usize, held: W| W::store(to.add(at + k * step).cast(), held);
            if at + (IN_FLIGHT - 1) * step < bytes {
                let mut held = [W::default(); IN_FLIGHT];
                each!(K < IN_FLIGHT, { held[K] = load(K) });
                each!(K < IN_FLIGHT, { store(K, held[K]) });
                at += IN_FLIGHT * step;
                continue;
            }
            let first = load(0);
            if at + step < bytes {
                let second = load(1);
                if at + 2 * step < bytes {
                    store(2, load(2));
                }
                store(1, second);
            }
            store(0, first);
            return;
        }
    }
}
