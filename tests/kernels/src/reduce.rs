//! Sums over the threads of a block.

use oxshmem_device::prelude::*;

/// Returns the sum of `mine` over the threads of the calling block, for its leader; the other threads get a partial
/// sum.
///
/// `scratch` has a word for each thread of the grid. The block's words are in its own cache, so that the tree costs
/// little besides its barriers. All threads of the block call, once in a kernel.
#[inline(always)]
pub fn block_sum(shmem: &Shmem, scratch: SymPtr<f64>, mine: f64) -> f64 {
    let (rank, size) = (Block.rank() as usize, Block.size() as usize);
    let words = shmem.local(scratch.add(thread_in_grid() - rank), size);
    let mut sum = mine;
    let mut half = size.next_power_of_two() / 2;
    words.write(rank, sum);
    while half > 0 {
        Block.sync();
        if rank < half && rank + half < size {
            sum += words.read(rank + half);
            words.write(rank, sum);
        }
        half /= 2;
    }
    sum
}
