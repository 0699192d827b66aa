//! The index of a GPU thread.

/// Number of lanes in a warp.
pub const WARP_SIZE: u32 = 32;

/// The special registers of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadIndex {
    pub(super) thread: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) block_dim: [u32; 3],
    pub(super) grid_dim: [u32; 3],
    /// Index in the block, x fastest.
    pub(super) linear: u32,
    /// The slot of its resident block.
    pub(super) slot: u32,
    /// The coroutine that runs it.
    pub(super) coroutine: u32,
    /// The block's static shared memory, 128 bytes, and after it the dynamic one.
    pub(super) shared: *mut u8,
    pub(super) shared_bytes: usize,
    /// Whether all blocks of its grid are resident.
    pub(super) collective: bool,
    /// The number of its grid's launch.
    pub(super) launch: u64,
}

/// Returns the 3-D index of the `linear`-th element of `dim`, x fastest.
pub(super) fn unflatten(linear: u64, dim: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(dim[0]), u64::from(dim[1]));
    if linear < x {
        return [linear as u32, 0, 0];
    }
    let row = linear / x;
    [(linear % x) as u32, (row % y) as u32, (row / y) as u32]
}
