//! The bytes before the first and after the last whole unit of a copy, and copies too small to have units.

use oxshmem_core::Group;
use oxshmem_raw::gpu::ptx;

use super::{From, UNIT, place};

/// The type that one load and one store move.
pub(super) trait Piece: Copy + Default {
    /// Loads a piece of this PE's or a peer's memory.
    ///
    /// # Safety
    /// - **mapped**: `at` is mapped for reading and aligned to the piece.
    unsafe fn load(at: *const Self, whose: From) -> Self;
    /// Stores a piece.
    ///
    /// # Safety
    /// - **mapped**: `at` is mapped for writing and aligned to the piece.
    unsafe fn store(at: *mut Self, value: Self);
}

macro_rules! piece {
    ($t:ty, $weak:ident, $relaxed:ident, $store:ident) => {
        impl Piece for $t {
            #[inline(always)]
            unsafe fn load(at: *const Self, whose: From) -> Self {
                // SAFETY: **mapped** is the condition of the instruction.
                unsafe {
                    match whose {
                        From::Own => ptx::$weak(at),
                        From::Peer => ptx::$relaxed(at),
                    }
                }
            }
            #[inline(always)]
            unsafe fn store(at: *mut Self, value: Self) {
                // SAFETY: **mapped** is the condition of the instruction.
                unsafe { ptx::$store(at, value) }
            }
        }
    };
}
piece!(u8, ld_weak_u8, ld_relaxed_sys_u8, st_weak_u8);
piece!(u16, ld_weak_u16, ld_relaxed_sys_u16, st_weak_u16);
piece!(u32, ld_weak_u32, ld_relaxed_sys_u32, st_weak_u32);
piece!(u64, ld_weak_u64, ld_relaxed_sys_u64, st_weak_u64);

/// Copies the bytes before `head` and those from `tail` on, in pieces as large as both ends and the length allow. In a
/// copy with a unit for each thread the last threads have the first pieces, because the first ones have most units.
///
/// # Safety
/// As [`copy`](super::copy). `head` and `tail` are multiples of each power of two, up to 8, that divides both ends and
/// `bytes`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn edges<G: Group>(
    group: G,
    to: *mut u8,
    from: *const u8,
    [head, tail, bytes]: [usize; 3],
    whose: From,
) {
    let grain = to as usize | from as usize | bytes;
    // SAFETY: **readable**, **writable**, **apart** are the caller's. Both ends are aligned to the chosen piece,
    // because their lowest bits and those of `bytes` are in `grain`.
    unsafe {
        if grain & 7 == 0 {
            few::<u64, G>(group, to, from, [head, tail, bytes], whose)
        } else if grain & 3 == 0 {
            few::<u32, G>(group, to, from, [head, tail, bytes], whose)
        } else if grain & 1 == 0 {
            few::<u16, G>(group, to, from, [head, tail, bytes], whose)
        } else {
            few::<u8, G>(group, to, from, [head, tail, bytes], whose)
        }
    }
}

/// Copies the pieces of the edges; neighbouring threads take neighbouring pieces.
///
/// # Safety
/// As [`edges`]; both ends, `head`, `tail` and `bytes` are multiples of the piece.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn few<P: Piece, G: Group>(
    group: G,
    to: *mut u8,
    from: *const u8,
    [head, tail, bytes]: [usize; 3],
    whose: From,
) {
    let (rank, size) = place(group);
    let turn = if bytes >= size * UNIT { size - 1 - rank } else { rank };
    let (mut at, step) = (turn * size_of::<P>(), size * size_of::<P>());
    let between = tail - head;
    while at < bytes - between {
        let piece = if at < head { at } else { at + between };
        // SAFETY: **readable**, **writable**: the piece begins before `head` or in `tail..bytes`, and all of them are
        // multiples of the piece, so it lies in the range and is aligned, which is **mapped**.
        unsafe { P::store(to.add(piece).cast(), P::load(from.add(piece).cast(), whose)) }
        at += step;
    }
}
