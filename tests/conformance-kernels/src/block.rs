//! Values that the threads of a block share.

use crate::kernel;
use oxshmem_device::Element;
use oxshmem_device::prelude::*;

use crate::place::{block_in_grid, expect, value};

/// A byte that no round writes.
const BESIDE: u8 = 0x5a;

/// Returns element `i` of a block in a round.
#[inline(always)]
fn element<T: Element>(round: usize, i: usize) -> T {
    value(((block_in_grid() as u64) << 40) ^ ((round as u64) << 24) ^ i as u64)
}

/// Each thread of a block writes its share of `count` elements, and reads those that the last threads wrote, in each of
/// some rounds; then it checks the bytes beside them.
#[inline(always)]
fn exchange<T: Element>(
    shmem: &Shmem,
    from: u32,
    count: usize,
    rounds: usize,
    record: SymPtr<u64>,
) -> Result<(), Fault> {
    let width = T::WIDTH.bytes();
    let elements = shmem.shared::<T>(from, count)?;
    let start = (from as usize).div_ceil(width) * width;
    let (bytes, end) = (shmem.shared::<u8>(0, start + count * width + 8)?, start + count * width);
    for i in group_stride(Block, bytes.len()) {
        bytes.write(i, BESIDE);
    }
    for round in span(0, rounds) {
        Block.sync();
        for i in group_stride(Block, count) {
            elements.write(i, element(round, i));
        }
        Block.sync();
        for i in group_stride(Block, count) {
            let right: T = element(round, count - 1 - i);
            let seen = elements.read(count - 1 - i);
            expect(shmem, record, ((round as u64) << 32) | i as u64, right.to_bits64(), seen.to_bits64())?;
        }
    }
    for i in group_stride(Block, bytes.len()) {
        if i < start || i >= end {
            expect(shmem, record, u64::MAX, BESIDE as u64, bytes.read(i) as u64)?;
        }
    }
    Ok(())
}

macro_rules! exchanges {
    ($($name:ident $t:ty;)+) => { kernel! { $(
        /// Exchanges elements among the threads of each block. The launch provides 8 bytes after the elements.
        pub fn $name(shmem: Shmem, from: u32, count: usize, rounds: usize, record: SymPtr<u64>) -> Result<(), Fault> {
            exchange::<$t>(&shmem, from, count, rounds, record)
        }
    )+ } };
}
exchanges! { block_shared_u8 u8; block_shared_bf16 Bf16; block_shared_f32 f32; block_shared_i64 i64; }
