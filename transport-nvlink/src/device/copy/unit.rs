//! A unit of 16 bytes, and statements for each of a few.

use oxshmem_raw::gpu::ptx::{self, V2};

use super::From;

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
