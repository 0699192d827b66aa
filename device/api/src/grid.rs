//! Where a thread is in its grid.

use oxshmem_raw::gpu::ptx;

/// This thread's place in its block.
#[inline(always)]
pub fn thread_idx() -> [u32; 3] {
    ptx::tid()
}

/// This block's place in the grid.
#[inline(always)]
pub fn block_idx() -> [u32; 3] {
    ptx::ctaid()
}

/// Threads of a block, in each direction.
#[inline(always)]
pub fn block_dim() -> [u32; 3] {
    ptx::ntid()
}

/// Blocks of the grid, in each direction.
#[inline(always)]
pub fn grid_dim() -> [u32; 3] {
    ptx::nctaid()
}

/// This thread's number in its block, x fastest.
#[inline(always)]
pub fn thread_in_block() -> usize {
    ptx::linear_tid() as usize
}

/// This thread's number in the grid: blocks in order, x fastest, and threads in order within them.
#[inline(always)]
pub fn thread_in_grid() -> usize {
    let ([x, y, z], [nx, ny, _]) = (ptx::ctaid(), ptx::nctaid());
    (x + nx * (y + ny * z)) as usize * ptx::block_threads() as usize + thread_in_block()
}

/// Threads of the grid.
#[inline(always)]
pub fn threads_in_grid() -> usize {
    blocks_in_grid() as usize * ptx::block_threads() as usize
}

/// Blocks of the grid.
#[inline(always)]
pub(crate) fn blocks_in_grid() -> u32 {
    let [x, y, z] = ptx::nctaid();
    x * y * z
}
