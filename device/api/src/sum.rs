//! Sums over the threads of a block.

use oxshmem_core::{Fault, Group};
use oxshmem_raw::gpu::group::{Block, Warp};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;

use crate::{Shmem, span};

/// The dynamic shared memory that [`Shmem::block_sum`] uses: a word for each warp.
pub const BLOCK_SUM_BYTES: u32 = 4 * ptx::WARP_SIZE;

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
        self.has_shared::<f32>(0, ptx::WARP_SIZE as usize)?;
        // SAFETY: **provided**: as checked.
        let sums = unsafe { self.shared_unchecked::<f32>(0, ptx::WARP_SIZE as usize) };
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
        let mut total = 0.0;
        // No thread reads the words of an earlier sum any more.
        Block.sync();
        if lane == 0 {
            // SAFETY: **inside**: a block has no more warps than a warp has lanes.
            unsafe { sums.write_inside((Block.rank() / ptx::WARP_SIZE) as usize, sum) }
        }
        Block.sync();
        for warp in span(0, Block.size().div_ceil(ptx::WARP_SIZE)) {
            // SAFETY: **inside**: a warp of the block.
            total += unsafe { sums.read_inside(warp as usize) };
        }
        Ok(total)
    }
}
