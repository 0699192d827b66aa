//! Barriers over PEs and over a grid.

use crate::kernel;
use oxshmem_device::prelude::*;

use crate::place::{THREAD, WARP, bits, block_in_grid, blocks, expect, threads_in_block};

/// The parameters of rounds of barriers, equal on every thread.
#[derive(Clone, Copy)]
struct Rounds {
    /// Uses `sync_all` after a quiet of each thread; otherwise `barrier_all`.
    sync_only: bool,
    /// Two areas of `n_pes * len` elements, used in alternate rounds.
    areas: SymPtr<u64>,
    len: usize,
    rounds: usize,
    record: SymPtr<u64>,
}

/// In each round every PE writes to every PE, each thread of the group a part. After one barrier all of it has arrived.
/// There are two areas, so that a PE one round ahead does not overwrite data that another PE still reads.
#[inline(always)]
fn all_to_all<Gr: Group>(shmem: &Shmem, by: Gr, r: Rounds) -> Result<(), Fault> {
    let (n, me) = (shmem.n_pes(), shmem.my_pe());
    let element = |from: u32, to: u32, round: usize, i: usize| {
        bits(((from as u64) << 52) ^ ((to as u64) << 40) ^ ((round as u64) << 16) ^ i as u64)
    };
    for round in span(1, r.rounds + 1) {
        let area = r.areas.add((round & 1) * n as usize * r.len);
        for to in span(0, n) {
            for i in group_stride(by, r.len) {
                shmem.p(area.add(me.index() * r.len + i), element(me.number(), to, round, i), Pe::new(to))?;
            }
        }
        if r.sync_only {
            shmem.quiet()?;
            shmem.sync_all(by)?;
        } else {
            shmem.barrier_all(by)?;
        }
        let here = shmem.local(area, n as usize * r.len);
        for from in span(0, n) {
            for i in group_stride(by, r.len) {
                // Each thread reads elements that other threads of the sender's group wrote.
                let at = r.len - 1 - i;
                expect(
                    shmem,
                    r.record,
                    round as u64,
                    element(from, me.number(), round, at),
                    here.read(from as usize * r.len + at),
                )?;
            }
        }
    }
    Ok(())
}

/// In each round every thread of the group stores elements in its PE's own memory. After one sync the next PE reads
/// them. There are two areas, as in [`all_to_all`].
#[inline(always)]
fn own_stores<Gr: Group>(shmem: &Shmem, by: Gr, r: Rounds) -> Result<(), Fault> {
    let element = |pe: u32, round: usize, i: usize| bits(((pe as u64) << 40) ^ ((round as u64) << 16) ^ i as u64);
    let me = shmem.my_pe().number();
    let after = if me + 1 < shmem.n_pes() { me + 1 } else { 0 };
    for round in span(1, r.rounds + 1) {
        let area = r.areas.add((round & 1) * r.len);
        let own = shmem.local(area, r.len);
        for i in group_stride(by, r.len) {
            own.write(i, element(me, round, i));
        }
        shmem.sync_all(by)?;
        for i in group_stride(by, r.len) {
            // Each thread reads elements that other threads of the next PE's group stored.
            let at = r.len - 1 - i;
            let seen = shmem.g(area.add(at), Pe::new(after))?;
            expect(shmem, r.record, round as u64, element(after, round, at), seen)?;
        }
    }
    Ok(())
}

kernel! {
    /// Stores in own memory, syncs, and checks the next PE's elements, for many rounds: by a thread, a warp, or a block.
    pub fn sync_rounds(
        shmem: Shmem, scope: u32, areas: SymPtr<u64>, len: usize, rounds: usize, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let r = Rounds { sync_only: true, areas, len, rounds, record };
        match scope {
            THREAD => own_stores(&shmem, Thread, r),
            WARP => own_stores(&shmem, Warp, r),
            _ => own_stores(&shmem, Block, r),
        }
    }

    /// Exchanges data all to all, meets, and checks all data, for many rounds: by a thread, a warp, or a block.
    pub fn barrier_rounds(
        shmem: Shmem, scope: u32, sync_only: u32, areas: SymPtr<u64>, len: usize, rounds: usize, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let r = Rounds { sync_only: sync_only != 0, areas, len, rounds, record };
        match scope {
            THREAD => all_to_all(&shmem, Thread, r),
            WARP => all_to_all(&shmem, Warp, r),
            _ => all_to_all(&shmem, Block, r),
        }
    }

    /// Makes barriers alone: each PE counts its rounds, and no PE is ever two rounds away from another.
    pub fn barrier_in_step(shmem: Shmem, scope: u32, counters: SymPtr<u64>, rounds: usize, record: SymPtr<u64>) -> Result<(), Fault> {
        let (n, me) = (shmem.n_pes(), shmem.my_pe());
        let leads = thread_in_block() == 0;
        for round in span(1, rounds as u64 + 1) {
            if leads {
                for pe in span(0, n) {
                    shmem.p(counters.add(me.index()), round, Pe::new(pe))?;
                }
            }
            match scope {
                THREAD => shmem.barrier_all(Thread)?,
                WARP => shmem.barrier_all(Warp)?,
                _ => shmem.barrier_all(Block)?,
            }
            for pe in span(0, n) {
                let theirs = shmem.g(counters.add(pe as usize), me)?;
                if theirs != round && theirs != round + 1 {
                    expect(&shmem, record, round, round, theirs)?;
                }
            }
        }
        Ok(())
    }

    /// Blocks of one grid pass numbers on: after each grid barrier every block sees the earlier writes of all others.
    pub fn barrier_grid(shmem: Shmem, slots: SymPtr<u64>, rounds: usize, record: SymPtr<u64>) -> Result<(), Fault> {
        let (block, all) = (block_in_grid(), blocks());
        for round in span(1, rounds + 1) {
            let area = shmem.local(slots.add((round & 1) * all), all);
            // The last thread of the block writes, so that the barrier must carry more than its leader's stores.
            if thread_in_block() + 1 == threads_in_block() {
                area.write(block, bits(((round as u64) << 20) ^ block as u64));
            }
            shmem.sync_grid()?;
            for other in stride(thread_in_block(), all, threads_in_block()) {
                expect(&shmem, record, round as u64, bits(((round as u64) << 20) ^ other as u64), area.read(other))?;
            }
        }
        Ok(())
    }

    /// Each thread adds its `p` to the right neighbour's slot. A barrier on the stream follows this kernel.
    pub fn barrier_write_right(shmem: Shmem, slots: SymPtr<u64>, round: u64) -> Result<(), Fault> {
        let i = thread_in_grid();
        shmem.p(slots.add(i), bits((round << 32) ^ ((shmem.my_pe().number() as u64) << 20) ^ i as u64), shmem.pe_after(1))
    }

    /// Checks that the writes of the left neighbour's [`barrier_write_right`](fn@barrier_write_right) have arrived.
    pub fn barrier_read_left(shmem: Shmem, slots: SymPtr<u64>, round: u64, record: SymPtr<u64>) -> Result<(), Fault> {
        let i = thread_in_grid();
        let left = shmem.pe_before(1).number() as u64;
        let seen = shmem.local(slots, i + 1).read(i);
        expect(&shmem, record, round, bits((round << 32) ^ (left << 20) ^ i as u64), seen)
    }
}
