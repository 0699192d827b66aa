//! The few bytes at the ends of a copy, and copies that are no more than that.

use oxshmem_core::Group;
use oxshmem_raw::gpu::ptx;

use super::{From, place};

/// A piece of copying: what one load and one store move.
trait Piece: Copy {
    /// # Safety
    /// `at` is mapped for reading and aligned to the piece.
    unsafe fn load(at: *const Self, whose: From) -> Self;
    /// # Safety
    /// `at` is mapped for writing and aligned to the piece.
    unsafe fn store(at: *mut Self, value: Self);
}

macro_rules! piece {
    ($t:ty, $weak:ident, $relaxed:ident, $store:ident) => {
        impl Piece for $t {
            #[inline(always)]
            unsafe fn load(at: *const Self, whose: From) -> Self {
                // SAFETY: the caller's promise, in the words of the instruction.
                unsafe {
                    match whose {
                        From::Own => ptx::$weak(at),
                        From::Peer(_) => ptx::$relaxed(at),
                    }
                }
            }
            #[inline(always)]
            unsafe fn store(at: *mut Self, value: Self) {
                // SAFETY: the caller's promise, in the words of the instruction.
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
    // SAFETY: both ends are aligned to the piece chosen, and `bytes` is a multiple of it.
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

/// `bytes / size_of::<P>()` pieces, one after the other.
///
/// # Safety
/// As [`copy`](super::copy), and both ends are aligned to the piece.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn few<P: Piece, G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let (rank, size) = place(group);
    let (mut at, step) = (rank * size_of::<P>(), size * size_of::<P>());
    while at < bytes {
        // SAFETY: `at` is a multiple of the piece and less than `bytes`, which is one too.
        unsafe { P::store(to.add(at).cast(), P::load(from.add(at).cast(), whose)) }
        at += step;
    }
}
