//! Values that the threads of a block share.

use crate::kernel;
use oxshmem_device::Element;
use oxshmem_device::prelude::*;

use crate::place::{WARP, block_in_grid, expect, value, wrong};

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
    let elements = shmem.shared::<T>(from, count);
    let start = (from as usize).div_ceil(width) * width;
    let (bytes, end) = (shmem.shared::<u8>(0, start + count * width + 8), start + count * width);
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

/// Returns the value of a thread of the grid in a round.
#[inline(always)]
fn drawn<T: Element>(round: usize, thread: usize) -> T {
    value(((round as u64) << 40) ^ thread as u64)
}

/// The leader's values reach each thread of its group, in some rounds. Each leader also writes a word that its group reads
/// after the call.
#[inline(always)]
fn broadcasts<T: Element, Gr: Group>(
    shmem: &Shmem,
    by: Gr,
    words: SymPtr<u64>,
    rounds: usize,
    record: SymPtr<u64>,
) -> Result<(), Fault> {
    let (me, leader) = (thread_in_grid(), thread_in_grid() - by.rank() as usize);
    let word = shmem.local(words.add(leader), 1);
    for round in span(0, rounds) {
        if by.leads() {
            word.write(0, round as u64);
        }
        // One call at once after the other.
        let seen: [T; 2] = [by.broadcast(drawn(2 * round, me)), by.broadcast(drawn(2 * round + 1, me))];
        let (told, step) = (word.read(0), ((round as u64) << 32) | me as u64);
        for i in span(0, 2) {
            let right: T = drawn(2 * round + i, leader);
            expect(shmem, record, step, right.to_bits64(), seen[i].to_bits64())?;
        }
        expect(shmem, record, step, round as u64, told)?;
        // A vote, of which one thread makes the difference, if the group has that many.
        let (which, size) = (round % 40, by.size() as usize);
        let (any, all) = (by.any(by.rank() as usize == which), by.all(by.rank() as usize != which));
        if any != (which < size) || all != (which >= size) {
            wrong(shmem, record, step, (which < size) as u64, any as u64)?;
        }
    }
    Ok(())
}

macro_rules! broadcasts {
    ($($name:ident $t:ty;)+) => { kernel! { $(
        /// Broadcasts values of this type, and votes, in each warp or block. `words`: one for each thread of the grid.
        pub fn $name(
            shmem: Shmem, scope: u32, words: SymPtr<u64>, rounds: usize, record: SymPtr<u64>,
        ) -> Result<(), Fault> {
            match scope {
                WARP => broadcasts::<$t, Warp>(&shmem, Warp, words, rounds, record),
                _ => broadcasts::<$t, Block>(&shmem, Block, words, rounds, record),
            }
        }
    )+ } };
}
broadcasts! { block_broadcast_u8 u8; block_broadcast_u32 u32; block_broadcast_i64 i64; block_broadcast_f64 f64; }
