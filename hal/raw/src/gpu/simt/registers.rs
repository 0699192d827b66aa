//! The special registers of the running GPU thread.

use std::sync::atomic::AtomicU64;

use super::running_thread;
use super::thread_index::WARP_SIZE;

/// Reports whether the caller is a GPU thread of a grid that [`run`](super::run) runs.
pub fn inside_grid() -> bool {
    running_thread::with(|running| running.is_some())
}

/// `%tid`: returns the thread's index in its block.
pub fn thread_idx() -> [u32; 3] {
    running_thread::with(|running| running.map_or([0; 3], |running| running.index.thread))
}

/// `%ctaid`: returns the block's index in the grid.
pub fn block_idx() -> [u32; 3] {
    running_thread::with(|running| running.map_or([0; 3], |running| running.index.block))
}

/// `%ntid`: returns the number of threads in a block.
pub fn block_dim() -> [u32; 3] {
    running_thread::with(|running| running.map_or([1; 3], |running| running.index.block_dim))
}

/// `%nctaid`: returns the number of blocks in the grid.
pub fn grid_dim() -> [u32; 3] {
    running_thread::with(|running| running.map_or([1; 3], |running| running.index.grid_dim))
}

/// Returns whether all blocks of the thread's grid are resident at once.
pub fn is_collective() -> bool {
    running_thread::with(|running| running.is_none_or(|running| running.index.collective))
}

/// Returns the number of the thread's launch ([`Schedule::launch`](super::Schedule::launch)).
pub fn launch() -> u64 {
    running_thread::with(|running| running.map_or(0, |running| running.index.launch))
}

/// `%laneid`: returns the thread's lane in its warp. A warp consists of 32 consecutive threads, x fastest.
pub fn lane() -> u32 {
    running_thread::with(|running| running.map_or(0, |running| running.index.linear % WARP_SIZE))
}

/// Returns the block's dynamic shared memory: 128-byte aligned, [`Grid::dynamic_shared_bytes`](super::Grid) long. It is
/// filled with `0xa5` when a block begins; the hardware does not clear it either.
pub fn shared_base() -> *mut u8 {
    running_thread::with(|running| {
        running.map_or(std::ptr::without_provenance_mut(128), |running| running.index.shared.wrapping_add(128))
    })
}

/// Returns the word in the block's static shared memory.
pub fn block_word() -> *mut u64 {
    thread_local! {
        static OUTSIDE: AtomicU64 = const { AtomicU64::new(0) };
    }
    running_thread::with(|running| {
        running.map_or_else(|| OUTSIDE.with(AtomicU64::as_ptr), |running| running.index.shared.cast())
    })
}

/// Returns the size of the block's dynamic shared memory in bytes.
pub fn shared_bytes() -> usize {
    running_thread::with(|running| running.map_or(0, |running| running.index.shared_bytes))
}
