//! A thread's position in its grid.

use oxshmem_raw::gpu::ptx;

/// Returns this thread's position in its block.
#[inline(always)]
pub fn thread_idx() -> [u32; 3] {
    ptx::tid()
}

/// Returns this block's position in the grid.
#[inline(always)]
pub fn block_idx() -> [u32; 3] {
    ptx::ctaid()
}

/// Returns the number of threads of a block in each direction.
#[inline(always)]
pub fn block_dim() -> [u32; 3] {
    ptx::ntid()
}

/// Returns the number of blocks of the grid in each direction.
#[inline(always)]
pub fn grid_dim() -> [u32; 3] {
    ptx::nctaid()
}

/// Returns this thread's number in its block, x fastest.
#[inline(always)]
pub fn thread_in_block() -> usize {
    ptx::linear_tid() as usize
}

/// Returns this thread's number in the grid: blocks in order, x fastest, and threads in order within them.
#[inline(always)]
pub fn thread_in_grid() -> usize {
    let ([x, y, z], [nx, ny, _]) = (ptx::ctaid(), ptx::nctaid());
    (x + nx * (y + ny * z)) as usize * ptx::block_threads() as usize + thread_in_block()
}

/// Returns the number of threads of the grid.
#[inline(always)]
pub fn threads_in_grid() -> usize {
    blocks_in_grid() as usize * ptx::block_threads() as usize
}

/// Returns the first element and the number of elements of the share of block `block` of `blocks` in `count` elements
/// of `width` bytes: equal shares, but for the last ones, in multiples of a cache line.
#[inline(always)]
pub fn block_share(count: usize, width: usize, block: usize, blocks: usize) -> (usize, usize) {
    let share = count.div_ceil(if blocks == 0 { 1 } else { blocks }).next_multiple_of(128 / width);
    let start = (share * block).min(count);
    (start, share.min(count - start))
}

/// Returns this block's number in the grid, x fastest.
#[inline(always)]
pub(crate) fn block_in_grid() -> u32 {
    let ([x, y, z], [nx, ny, _]) = (ptx::ctaid(), ptx::nctaid());
    x + nx * (y + ny * z)
}

/// Returns the number of blocks of the grid.
#[inline(always)]
pub(crate) fn blocks_in_grid() -> u32 {
    let [x, y, z] = ptx::nctaid();
    x * y * z
}
