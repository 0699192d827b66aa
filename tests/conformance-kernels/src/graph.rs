//! Kernels of rounds that a graph repeats: the number of the round is in memory, because a graph's arguments stay.

use crate::kernel;
use oxshmem_device::prelude::*;

use crate::place::{bits, expect};

/// Returns element `i` of a PE's message in a round.
#[inline(always)]
pub fn element(pe: Pe, round: u64, i: usize) -> u64 {
    bits(((pe.number() as u64) << 48) ^ (round << 24) ^ i as u64)
}

kernel! {
    /// Begins the next round, by one block: adds `step` to the word `round`, and fills the outbox.
    pub fn graph_fill(
        shmem: Shmem, round: SymPtr<u64>, step: u64, outbox: SymPtr<u64>, count: usize,
    ) -> Result<(), Fault> {
        let (word, out) = (shmem.local(round, 1), shmem.local(outbox, count));
        let now = word.read(0) + step;
        Block.sync();
        if Block.leads() {
            word.write(0, now);
        }
        for i in group_stride(Block, count) {
            out.write(i, element(shmem.my_pe(), now, i));
        }
        Ok(())
    }

    /// Compares the inbox with the message of `from` in this round, by one block, and clears the word `clear`.
    pub fn graph_check(
        shmem: Shmem, round: SymPtr<u64>, inbox: SymPtr<u64>, count: usize, from: Pe, clear: SymPtr<u64>,
        record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (now, here) = (shmem.local(round, 1).read(0), shmem.local(inbox, count));
        for i in group_stride(Block, count) {
            expect(&shmem, record, (now << 32) | i as u64, element(from, now, i), here.read(i))?;
        }
        if Block.leads() {
            shmem.local(clear, 1).write(0, 0);
        }
        Ok(())
    }
}
