//! Where a GPU thread is: the special registers.

use super::here;

/// Lanes of a warp.
pub const WARP_SIZE: u32 = 32;

/// The special registers of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) thread: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) block_dim: [u32; 3],
    pub(super) grid_dim: [u32; 3],
    /// Index in the block, x fastest.
    pub(super) linear: u32,
    /// Which of the resident blocks it is in.
    pub(super) slot: u32,
    /// Which coroutine runs it.
    pub(super) worker: u32,
    pub(super) shared: *mut u8,
    pub(super) shared_bytes: usize,
}

/// The 3-D index of the `linear`-th of `dim`, x fastest.
pub(super) fn unflatten(linear: u64, dim: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(dim[0]), u64::from(dim[1]));
    if linear < x {
        return [linear as u32, 0, 0];
    }
    let row = linear / x;
    [(linear % x) as u32, (row % y) as u32, (row / y) as u32]
}

/// Whether the caller is a GPU thread of a grid that [`run`](super::run) runs.
pub fn inside_grid() -> bool {
    here::with(|here| here.is_some())
}

/// `%tid`: the thread's index in its block.
pub fn thread_idx() -> [u32; 3] {
    here::with(|here| here.map_or([0; 3], |here| here.place.thread))
}

/// `%ctaid`: the block's index in the grid.
pub fn block_idx() -> [u32; 3] {
    here::with(|here| here.map_or([0; 3], |here| here.place.block))
}

/// `%ntid`: threads of a block.
pub fn block_dim() -> [u32; 3] {
    here::with(|here| here.map_or([1; 3], |here| here.place.block_dim))
}

/// `%nctaid`: blocks of the grid.
pub fn grid_dim() -> [u32; 3] {
    here::with(|here| here.map_or([1; 3], |here| here.place.grid_dim))
}

/// `%laneid`: the thread's lane in its warp. Warps are runs of 32 threads, x fastest.
pub fn lane() -> u32 {
    here::with(|here| here.map_or(0, |here| here.place.linear % WARP_SIZE))
}

/// The block's dynamic shared memory, 128-byte aligned, [`Grid::dynamic_shared_bytes`](super::Grid)
/// long. A block finds it filled with `0xa5`: the hardware does not clear it either.
pub fn shared_base() -> *mut u8 {
    here::with(|here| here.map_or(std::ptr::without_provenance_mut(128), |here| here.place.shared))
}

/// Its size.
pub fn shared_bytes() -> usize {
    here::with(|here| here.map_or(0, |here| here.place.shared_bytes))
}
