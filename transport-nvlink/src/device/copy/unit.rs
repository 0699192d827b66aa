//! A unit of 16 bytes, and statements for each of a few.

use oxshmem_core::Group;
use oxshmem_raw::gpu::ptx::{self, V2};

use super::{From, UNIT};

/// Repeats statements for each number of a list, or for each number below a constant of at most 16. Where the compiler
/// does not unroll a loop, the array that the loop indexes goes to the stack.
macro_rules! each {
    ($k:ident in $($at:literal)*, $body:block) => { $({
        const $k: usize = $at;
        $body
    })* };
    ($k:ident < $n:expr, $body:block) => {
        each!($k in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, {
            #[allow(clippy::out_of_bounds_indexing, reason = "an index beyond the array is never executed")]
            if $k < $n {
                $body
            }
        })
    };
}
pub(super) use each;

/// Loads a unit of 16 bytes.
///
/// # Safety
/// - **mapped**: `at` is mapped for reading and aligned to the unit.
#[inline(always)]
pub(super) unsafe fn load(at: *const u8, whose: From) -> V2 {
    // SAFETY: **mapped** is the condition of the instruction.
    unsafe {
        match whose {
            From::Own => ptx::ld_weak_v2(at.cast()),
            From::Peer => ptx::ld_relaxed_sys_v2(at.cast()),
        }
    }
}

/// Copies if there is at most one whole unit for each thread, at aligned ends, and returns whether it did.
///
/// # Safety
/// As [`copy`](super::copy).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn one_each<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) -> bool {
    let grain = to as usize | from as usize | bytes;
    if grain & (UNIT - 1) != 0 || bytes > UNIT * group.size() as usize {
        return false;
    }
    let at = group.rank() as usize * UNIT;
    if at < bytes {
        // SAFETY: **readable**, **writable**: the unit begins before `bytes`, a multiple of units, so it lies in both ranges;
        // it is aligned as both ends are, which is **mapped**.
        unsafe { ptx::st_weak_v2(to.add(at).cast(), load(from.add(at), whose)) }
    }
    true
}
