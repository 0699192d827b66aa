//! Sums over the threads of a block.

use oxshmem_core::{Fault, FaultStep, Group};
use oxshmem_raw::gpu::group::{Block, Warp};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;

use crate::{Shmem, check};

/// The dynamic shared memory that [`Shmem::block_sum`] uses: a word for each warp.
pub const BLOCK_SUM_BYTES: u32 = 8 * 32;

impl<P: PathList> Shmem<'_, P> {
    /// Returns the sum of the values of all threads of the block to each of them. All of its threads call.
    ///
    /// Every run gives the same bits: lanes are added in halves (the values of lanes `i` and `i + 16` first), then the
    /// warps in their order. The call uses the first [`BLOCK_SUM_BYTES`] bytes of the block's dynamic shared memory,
    /// which is therefore not lent to other calls at that time.
    ///
    /// # Errors
    /// The launch gives the block less shared memory.
    #[inline(always)]
    pub fn block_sum(&self, value: f32) -> Result<f32, Fault> {
        if ptx::dynamic_shared_bytes() < BLOCK_SUM_BYTES {
            let mut fault = Fault::new(FaultStep::OutOfLocal);
            (fault.asked, fault.seen) = (BLOCK_SUM_BYTES as u64, ptx::dynamic_shared_bytes() as u64);
            return check::fail(&self.state, fault);
        }
        let (lane, lanes, mut sum, mut half) = (Warp.rank(), Warp.size(), value, ptx::WARP_SIZE / 2);
        let mask = u32::MAX >> (ptx::WARP_SIZE - lanes);
        while half > 0 {
            let other = lane ^ half;
            let theirs = ptx::shfl_sync_u32(mask, sum.to_bits(), if other < lanes { other } else { lane });
            if other < lanes {
                sum += f32::from_bits(theirs);
            }
            half /= 2;
        }
        let word = |warp: u32| ptx::in_dynamic_shared(8 * warp).cast::<u64>();
        // No thread reads the words of an earlier sum any more.
        Block.sync();
        if lane == 0 {
            // SAFETY: **lent**: a word for each warp is in the block's shared memory, as checked; a caller of
            // `lend_shared` or `exclusive` has promised that nothing else uses the part that it lent.
            unsafe { ptx::st_relaxed_cta_shared_u64(word(Block.rank() / ptx::WARP_SIZE), sum.to_bits() as u64) }
        }
        Block.sync();
        let (warps, mut warp, mut total) = (Block.size().div_ceil(ptx::WARP_SIZE), 0, 0.0);
        while warp < warps {
            // SAFETY: **lent**: the word of each warp is in the block's shared memory, which nothing else uses; the
            // block has met since the words were stored.
            total += f32::from_bits(unsafe { ptx::ld_relaxed_cta_shared_u64(word(warp)) } as u32);
            warp += 1;
        }
        Ok(total)
    }
}
