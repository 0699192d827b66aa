//! Time stamps of posting kernels.

use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

/// Records the start of this block, when all its threads have arrived. `slots` has two words for each block.
#[inline(always)]
pub(crate) fn begin(slots: u64) {
    Block.sync();
    stamp(slots, 0);
}

/// Records the end of this block, when all its threads are done.
#[inline(always)]
pub(crate) fn end(slots: u64) {
    Block.sync();
    stamp(slots, 1);
}

#[inline(always)]
fn stamp(slots: u64, which: usize) {
    if Block.leads() {
        let slot = (slots as *mut u64).wrapping_add(2 * block_idx()[0] as usize + which);
        // SAFETY: the launching host provides two words for each block, and this block's leader alone writes its own.
        unsafe { slot.write(ptx::global_timer_ns()) }
    }
}
