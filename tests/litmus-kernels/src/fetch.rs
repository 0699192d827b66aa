//! Get after a signal: the payload stays with its writer, and its reader fetches it after a signal. Each round uses the
//! same addresses, so that a stale cache line would show.

use oxshmem_device::prelude::*;

use crate::draw::{Draw, byte};
use crate::place::{At, PAD, block, check, fill, key, lending, together, warp, wrong};

/// The parameters of fetching, equal on every thread.
#[derive(Clone, Copy)]
struct Fetches {
    most: usize,
    /// One slot of `most + PAD` bytes for each group: the offered payload, and the fetched one.
    offered: SymPtr<u8>,
    fetched: SymPtr<u8>,
    /// Two words for each group: the offer to this PE, and the acknowledgement of this PE's own offer.
    words: SymPtr<u64>,
    first: u64,
    rounds: u64,
    seed: u64,
    record: SymPtr<u64>,
}

/// Each group writes a payload at home and notifies its right neighbour, which gets it.
#[inline(always)]
fn fetch<G: Group>(shmem: &Shmem, who: usize, by: G, f: Fetches) -> Result<(), Fault> {
    let (right, left, me) = (shmem.pe_after(1), shmem.pe_before(1), shmem.my_pe());
    let (told, taken) = (f.words.add(2 * who), f.words.add(2 * who + 1));
    let slot = who * (f.most + PAD);
    let mut round = f.first;
    while round < f.first + f.rounds {
        let mine = Draw::of(f.seed, who, me, round, f.most);
        let at = At { round, group: who, size: mine.size };
        shmem.signal_wait_until(taken, Cmp::Ge, round - 1)?;
        by.sync();
        fill(shmem, by, f.offered.add(slot + mine.to), at, mine.to, key(f.seed, who, me));
        // The group's stores at home are ordered before the signal too.
        shmem.fence_on(by, PeSet::One(right), QpSet::All)?;
        if by.leads() {
            shmem.signal(Signal::set(told, round), right)?;
        }

        let theirs = Draw::of(f.seed, who, left, round, f.most);
        let at = At { round, group: who, size: theirs.size };
        let (source, theirs_key) = (f.offered.add(slot + theirs.to), key(f.seed, who, left));
        let waited = if by.leads() { shmem.signal_wait_until(told, Cmp::Ge, round).map(|_| ()) } else { Ok(()) };
        together(shmem, by, waited)?;
        if theirs.choice & 3 == 0 && at.size <= 32 * by.size() as usize {
            // Single bytes, by each thread: few, since each waits for the peer.
            let (mut i, step) = (by.rank() as usize, by.size() as usize);
            while i < at.size {
                let (expected, seen) = (byte(theirs_key, theirs.to + i, round), shmem.g(source.add(i), left)?);
                if expected != seen {
                    wrong(shmem, f.record, at, i, expected as u64, seen as u64)?;
                }
                i += step;
            }
        } else {
            let dest = f.fetched.add(slot + theirs.from);
            if theirs.choice & 3 == 1 {
                shmem.get_nbi(by, dest, source, at.size, left)?;
                shmem.quiet_on(by, PeSet::All, QpSet::All)?;
            } else {
                shmem.get(by, dest, source, at.size, left)?;
            }
            check(shmem, by, dest, at, theirs.to, theirs_key, f.record)?;
        }
        by.sync();
        if by.leads() {
            shmem.fence()?;
            shmem.p(taken, round, left)?;
        }
        round += 1;
    }
    Ok(())
}

macro_rules! fetches {
    ($($(#[$doc:meta])* $name:ident: $world:expr, $who:expr, $by:expr;)+) => {
        kernel! { $(
            $(#[$doc])*
            pub fn $name(
                shmem: Shmem, most: usize, offered: SymPtr<u8>, fetched: SymPtr<u8>, words: SymPtr<u64>,
                first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
            ) -> Result<(), Fault> {
                fetch(&$world(shmem), $who, $by, Fetches { most, offered, fetched, words, first, rounds, seed, record })
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

/// Returns the world of a kernel whose blocks are one group each.
#[inline(always)]
fn lent(shmem: Shmem) -> Shmem {
    // SAFETY: **alone**: the block has no other group.
    unsafe { lending(shmem) }
}

fetches! {
    /// By each thread for itself.
    fetch_thread: plain, thread_in_grid(), Thread;
    /// By each warp.
    fetch_warp: plain, warp(), Warp;
    /// By each block.
    fetch_block: plain, block(), Block;
    /// By blocks of one thread, through shared memory.
    fetch_lent_thread: lent, block(), Thread;
    /// By blocks of one warp, through shared memory.
    fetch_lent_warp: lent, block(), Warp;
    /// By each block, through shared memory.
    fetch_lent_block: lent, block(), Block;
}
