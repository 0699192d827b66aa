//! The parts that the suite's kernels share: a thread's group, queues, and records of errors.

use oxshmem_device::Element;
use oxshmem_device::prelude::*;

/// Every thread calls for itself.
pub const THREAD: u32 = 0;
/// The threads of a warp call together.
pub const WARP: u32 = 1;
/// The threads of a block call together.
pub const BLOCK: u32 = 2;

/// `Qp::Default`: the queues that a call names.
pub const DEFAULT: u32 = 0;
/// `Qp::Any`.
pub const ANY: u32 = 1;
/// `Qp::Custom`, with the handle given beside it.
pub const CUSTOM: u32 = 2;

/// `u64` words of an error record: the number of errors, then the step, expected and seen value of the first.
pub const RECORD: usize = 4;

/// Returns the queue that `view` and `handle` name.
#[inline(always)]
pub fn queue(view: u32, handle: QpHandle) -> Qp {
    match view {
        ANY => Qp::Any,
        CUSTOM => Qp::Custom(handle),
        _ => Qp::Default,
    }
}

/// Returns this block's number in the grid; x varies fastest.
#[inline(always)]
pub fn block_in_grid() -> usize {
    let ([x, y, z], [nx, ny, _]) = (block_idx(), grid_dim());
    (x + nx * (y + ny * z)) as usize
}

/// Returns the number of blocks of the grid.
#[inline(always)]
pub fn blocks() -> usize {
    let [x, y, z] = grid_dim();
    (x * y * z) as usize
}

/// Returns the number of threads of a block.
#[inline(always)]
pub fn threads_in_block() -> usize {
    let [x, y, z] = block_dim();
    (x * y * z) as usize
}

/// Returns the number of this thread's group in the grid, and the number of groups of this scope.
#[inline(always)]
pub fn group(scope: u32) -> (usize, usize) {
    match scope {
        THREAD => (thread_in_grid(), threads_in_grid()),
        WARP => {
            let warps = threads_in_block().div_ceil(32);
            (block_in_grid() * warps + thread_in_block() / 32, blocks() * warps)
        }
        _ => (block_in_grid(), blocks()),
    }
}

/// Records an error; the facts of the first are kept.
#[inline(always)]
pub fn wrong(shmem: &Shmem, record: SymPtr<u64>, step: u64, expected: u64, seen: u64) -> Result<(), Fault> {
    if shmem.atomic_fetch_inc(record, shmem.my_pe())? == 0 {
        let record = shmem.local(record, RECORD);
        record.write(1, step);
        record.write(2, expected);
        record.write(3, seen);
    }
    Ok(())
}

/// Records an error unless the two are equal.
#[inline(always)]
pub fn expect(shmem: &Shmem, record: SymPtr<u64>, step: u64, expected: u64, seen: u64) -> Result<(), Fault> {
    if expected == seen { Ok(()) } else { wrong(shmem, record, step, expected, seen) }
}

/// Returns a value of any type, derived from a number.
#[inline(always)]
pub fn value<T: Element>(of: u64) -> T {
    T::from_bits64(bits(of))
}

/// Returns 64 well-mixed bits of a number; the host computes the same.
#[inline(always)]
pub fn bits(of: u64) -> u64 {
    let mut z = of.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
