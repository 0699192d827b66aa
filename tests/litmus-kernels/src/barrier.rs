//! Barriers over all PEs: earlier puts have arrived after one, and data that was read before it may be overwritten.

use oxshmem_device::prelude::*;

use crate::draw::{Draw, bits};
use crate::place::{At, PAD, check, fill, key, lending, put_parts};

/// The parameters of rounds of barriers, equal on every thread.
#[derive(Clone, Copy)]
struct Barriers {
    most: usize,
    /// Two slots of `most + PAD` bytes for each sending PE, and one for each target.
    inbox: SymPtr<u8>,
    outbox: SymPtr<u8>,
    first: u64,
    rounds: u64,
    seed: u64,
    record: SymPtr<u64>,
}

/// In each round every PE puts to every PE; after a barrier all of it has arrived.
#[inline(always)]
fn all_to_all<G: Group>(shmem: &Shmem, by: G, b: Barriers) -> Result<(), Fault> {
    let (n, me, room) = (shmem.n_pes() as usize, shmem.my_pe(), b.most + PAD);
    // The pair of sender and receiver is the group of the draw.
    let pair = |from: usize, to: usize| from * n + to;
    // After a second barrier both areas are free: the next round uses either.
    let mut area = 0;
    let mut round = b.first;
    while round < b.first + b.rounds {
        let mut to = 0;
        while to < n {
            let draw = Draw::of(b.seed, pair(me.index(), to), me, round, b.most);
            let at = At { round, group: pair(me.index(), to), size: draw.size };
            let source = b.outbox.add(to * room + draw.from);
            fill(shmem, by, source, at, draw.to, key(b.seed, at.group, me));
            by.sync();
            let dest = b.inbox.add((area * n + me.index()) * room + draw.to);
            let pe = Pe::new(to as u32);
            if draw.choice & 1 == 0 {
                shmem.put(by, dest, source, at.size, pe)?;
            } else {
                let late = if draw.choice & 6 == 0 { (draw.choice >> 3) & 15 } else { 0 };
                put_parts(shmem, by, dest, source, at.size, pe, (b.record, late))?;
            }
            to += 1;
        }
        shmem.barrier_all(by)?;
        let mut from = 0;
        while from < n {
            let sender = Pe::new(from as u32);
            let draw = Draw::of(b.seed, pair(from, me.index()), sender, round, b.most);
            let at = At { round, group: pair(from, me.index()), size: draw.size };
            let seen = b.inbox.add((area * n + from) * room + draw.to);
            check(shmem, by, seen, at, draw.to, key(b.seed, at.group, sender), b.record)?;
            from += 1;
        }
        match bits(b.seed ^ round) & 3 {
            // Uses the same area again after a second or third barrier, when all reads are done.
            0 => shmem.barrier_all(by)?,
            1 => {
                shmem.barrier_all(by)?;
                shmem.sync_all(by)?;
            }
            // Uses the other area: a PE one round ahead writes beside the data that another still reads.
            _ => area = 1 - area,
        }
        round += 1;
    }
    Ok(())
}

macro_rules! barriers {
    ($($(#[$doc:meta])* $name:ident: $world:expr, $by:expr;)+) => {
        kernel! { $(
            $(#[$doc])*
            pub fn $name(
                shmem: Shmem, most: usize, inbox: SymPtr<u8>, outbox: SymPtr<u8>, first: u64, rounds: u64, seed: u64,
                record: SymPtr<u64>,
            ) -> Result<(), Fault> {
                all_to_all(&$world(shmem), $by, Barriers { most, inbox, outbox, first, rounds, seed, record })
            }
        )+ }
        $( oxshmem_device::launch_bounds!($name, threads = 512); )+
    };
}
/// Returns the world of a kernel that lends no shared memory.
#[inline(always)]
fn plain(shmem: Shmem) -> Shmem {
    shmem
}

/// Returns the world of a kernel that is one group.
#[inline(always)]
fn lent(shmem: Shmem) -> Shmem {
    // SAFETY: **alone**: puts of single threads (`put_parts`) are too small to go through shared memory.
    unsafe { lending(shmem) }
}

barriers! {
    /// By one thread.
    barrier_thread: plain, Thread;
    /// By one warp.
    barrier_warp: plain, Warp;
    /// By one block.
    barrier_block: plain, Block;
    /// By one warp, which puts through shared memory.
    barrier_lent_warp: lent, Warp;
}
