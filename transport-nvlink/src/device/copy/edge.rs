//! The bytes before the first and after the last whole unit of a copy, and copies too small to have units.

use oxshmem_core::Group;
use oxshmem_raw::gpu::ptx;

use super::{From, place};

/// The type that one load and one store move.
trait Piece: Copy {
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
                        From::Peer(_) => ptx::$relaxed(at),
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

/// Copies in pieces as large as both ends and the length allow.
///
/// # Safety
/// As [`copy`](super::copy).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn edge<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let grain = to as usize | from as usize | bytes;
    // SAFETY: **readable**, **writable**, **apart** are the caller's. Both ends are aligned to the chosen piece,
    // because their lowest bits and those of `bytes` are in `grain`.
    unsafe {
        if grain & 7 == 0 {
            few::<u64, G>(group, to, from, bytes, whose)
        } else if grain & 3 == 0 {
            few::<u32, G>(group, to, from, bytes, whose)
        } else if grain & 1 == 0 {
            few::<u16, G>(group, to, from, bytes, whose)
        } else {
            few::<u8, G>(group, to, from, bytes, whose)
        }
    }
}

/// Copies `bytes / size_of::<P>()` pieces; neighbouring threads take neighbouring pieces.
///
/// # Safety
/// As [`copy`](super::copy); both ends are aligned to the piece, and `bytes` is a multiple of it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn few<P: Piece, G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let (rank, size) = place(group);
    let (mut at, step) = (rank * size_of::<P>(), size * size_of::<P>());
    while at < bytes {
        // SAFETY: **readable**, **writable**: `at` and `bytes` are multiples of the piece and `at < bytes`, so the
        // piece lies in the range and is aligned, which is **mapped**.
        unsafe { P::store(to.add(at).cast(), P::load(from.add(at).cast(), whose)) }
        at += step;
    }
}
