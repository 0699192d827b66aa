//! How a kernel that posts tells its time.

use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

/// This block starts: its threads are all there. `slots` has two words for each block.
#[inline(always)]
pub(crate) fn begin(slots: u64) {
    Block.sync();
    stamp(slots, 0);
}

/// Every thread of the block is done; then its end is recorded.
#[inline(always)]
pub(crate) fn end(slots: u64) {
    Block.sync();
    stamp(slots, 1);
}

#[inline(always)]
fn stamp(slots: u64, which: usize) {
    if Block.leads() {
        let slot = (slots as *mut u64).wrapping_add(2 * block_idx()[0] as usize + which);
        // SAFETY: whoever launches the kernel gives two words for each block; this block's leader alone writes these.
        unsafe { slot.write(ptx::global_timer_ns()) }
    }
}
