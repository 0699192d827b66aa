//! Copies by a group of threads, at any alignment, by the widest accesses that it allows.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::ptx;

/// Whose memory the source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The calling PE's: what this thread may read is what it has.
    Own,
    /// A peer's: a load must not be served by a line that this GPU cached before the peer wrote.
    Peer,
}

/// Loads in flight before the first store. Four cover the latency of NVLink for a block of a thousand
/// threads, and of memory for a warp, without costing registers that a kernel needs.
const UNROLL: usize = 4;

/// Copies `bytes` from `from` to `to` with the threads of `group`. Does not synchronise them.
///
/// No element is ever seen in part: where both ends and the length are multiples of 2, 4 or 8 bytes, each
/// such piece is written by one store.
///
/// # Safety
///
/// - **readable**, **writable**: `bytes` bytes at `from` and at `to` are mapped so.
/// - **apart**: the two don't overlap.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    // How far the two are apart in alignment decides the widest access that fits both.
    let skew = to as usize ^ from as usize;
    // SAFETY: **readable**, **writable** and **apart** are handed on as they are.
    unsafe {
        if bytes < 16 {
            edge(group, to, from, bytes, whose)
        } else if skew & 1 != 0 {
            body::<u8, G>(group, to, from, bytes, whose)
        } else if skew & 15 == 0 {
            aligned::<ptx::V2, G>(group, to, from, bytes, whose)
        } else if skew & 7 == 0 {
            aligned::<u64, G>(group, to, from, bytes, whose)
        } else if skew & 3 == 0 {
            aligned::<u32, G>(group, to, from, bytes, whose)
        } else {
            aligned::<u16, G>(group, to, from, bytes, whose)
        }
    }
}

/// A unit of copying: what one load and one store move.
trait Unit: Copy + Default {
    /// # Safety
    /// `at` is mapped for reading and aligned to the unit.
    unsafe fn load(at: *const Self, whose: From) -> Self;
    /// # Safety
    /// `at` is mapped for writing and aligned to the unit.
    unsafe fn store(at: *mut Self, value: Self);
}

macro_rules! unit {
    ($t:ty, $weak:ident, $relaxed:ident, $store:ident) => {
        impl Unit for $t {
            #[inline(always)]
            unsafe fn load(at: *const Self, whose: From) -> Self {
                // SAFETY: the caller's promise, in the words of the instruction.
                unsafe {
                    match whose {
                        From::Own => ptx::$weak(at),
                        From::Peer => ptx::$relaxed(at),
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
unit!(u8, ld_weak_u8, ld_relaxed_sys_u8, st_weak_u8);
unit!(u16, ld_weak_u16, ld_relaxed_sys_u16, st_weak_u16);
unit!(u32, ld_weak_u32, ld_relaxed_sys_u32, st_weak_u32);
unit!(u64, ld_weak_u64, ld_relaxed_sys_u64, st_weak_u64);
unit!(ptx::V2, ld_weak_v2, ld_relaxed_sys_v2, st_weak_v2);

/// Bytes up to the first whole unit, whole units, bytes behind the last.
///
/// # Safety
/// As [`copy`]; and `to` and `from` are alike modulo the unit's size.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn aligned<U: Unit, G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let unit = size_of::<U>();
    // `bytes` is at least 16, so the head is never longer than the whole.
    let head = (to as usize).wrapping_neg() & (unit - 1);
    let units = (bytes - head) / unit;
    let tail = head + units * unit;
    // SAFETY: the three ranges lie inside `bytes`, and the middle one begins on a unit's boundary.
    unsafe {
        if head != 0 {
            edge(group, to, from, head, whose);
        }
        body::<U, G>(group, to.add(head), from.add(head), units, whose);
        if tail != bytes {
            edge(group, to.add(tail), from.add(tail), bytes - tail, whose);
        }
    }
}

/// Less than 16 bytes, in pieces as large as both ends and the length allow.
///
/// # Safety
/// As [`copy`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn edge<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let grain = to as usize | from as usize | bytes;
    // SAFETY: both ends are aligned to the unit chosen, and `bytes` is a multiple of it.
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

/// This thread's number in the group, and how many threads that has.
#[inline(always)]
fn place<G: Group>(group: G) -> (usize, usize) {
    match G::SCOPE {
        Scope::Thread => (0, 1),
        // A copy in a kernel's loop must not have the multiples of these, for each width, in registers all along.
        Scope::Warp | Scope::Block => (ptx::opaque_u32(group.rank()) as usize, ptx::opaque_u32(group.size()) as usize),
    }
}

/// `bytes / size_of::<U>()` units, one after the other.
///
/// # Safety
/// As [`copy`], and both ends are aligned to the unit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn few<U: Unit, G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let (rank, size) = place(group);
    let (mut at, step) = (rank * size_of::<U>(), size * size_of::<U>());
    while at < bytes {
        // SAFETY: `at` is a multiple of the unit and less than `bytes`, which is one too.
        unsafe { U::store(to.add(at).cast(), U::load(from.add(at).cast(), whose)) }
        at += step;
    }
}

/// `count` units; neighbours in the group take neighbours in memory.
///
/// # Safety
/// As [`copy`], for `count` units, and both ends are aligned to the unit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn body<U: Unit, G: Group>(group: G, to: *mut u8, from: *const u8, count: usize, whose: From) {
    let (to, from) = (to.cast::<U>(), from.cast::<U>());
    let (rank, size) = place(group);
    let mut at = rank;
    // SAFETY: every index below is less than `count`.
    unsafe {
        while at + (UNROLL - 1) * size < count {
            let mut held = [U::default(); UNROLL];
            let mut k = 0;
            while k < UNROLL {
                held[k] = U::load(from.add(at + k * size), whose);
                k += 1;
            }
            let mut k = 0;
            while k < UNROLL {
                U::store(to.add(at + k * size), held[k]);
                k += 1;
            }
            at += UNROLL * size;
        }
        while at < count {
            U::store(to.add(at), U::load(from.add(at), whose));
            at += size;
        }
    }
}
