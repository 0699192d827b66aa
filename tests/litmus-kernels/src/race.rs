//! Two PEs race: each acts and then looks, and at least one sees the other's act.

use oxshmem_device::prelude::*;

use crate::draw::bits;
use crate::place::{At, block, warp, wrong};

/// Words of a group: two for the race, the other PE's outcomes in even and in odd rounds, and the number of readers
/// that have looked.
pub const WORDS: usize = 5;
/// Indices among them of the outcomes, and of the count of readers.
const OUTCOMES: usize = 2;
const LOOKED: usize = 4;

/// Returns the opponent of this PE: 0 races with 1, 2 with 3. The last of an odd number of PEs has none.
#[inline(always)]
fn partner(shmem: &Shmem) -> Option<Pe> {
    let other = shmem.my_pe().number() ^ 1;
    if other < shmem.n_pes() { Some(Pe::new(other)) } else { None }
}

/// Waits for a while that differs in each round, so that the two meet in every way.
#[inline(always)]
fn dawdle(shmem: &Shmem, word: SymPtr<u64>, seed: u64) -> Result<(), Fault> {
    let mut left = bits(seed) & 15;
    while left > 0 {
        shmem.signal_fetch(word)?;
        left -= 1;
    }
    Ok(())
}

/// Reports to the other PE whether this one saw its act, and receives its report. At most one of them may have missed.
#[inline(always)]
fn compare(
    shmem: &Shmem,
    other: Pe,
    outcomes: SymPtr<u64>,
    at: At,
    saw: bool,
    record: SymPtr<u64>,
) -> Result<(), Fault> {
    // A partner may be one round ahead, but not two.
    let outcome = outcomes.add(at.round as usize & 1);
    shmem.signal(Signal::set(outcome, 2 * at.round + u64::from(saw)), other)?;
    let theirs = shmem.signal_wait_until(outcome, Cmp::Ge, 2 * at.round)?;
    if !saw && theirs & 1 == 0 {
        wrong(shmem, record, at, 0, 1, 0)?;
    }
    Ok(())
}

/// Tests store buffering: each of two PEs puts, completes, and reads the other's put. The leader puts, the last thread
/// of the group reads.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "what the launch gives, and whose group it is")]
fn buffer<G: Group>(
    shmem: &Shmem,
    who: usize,
    by: G,
    words: SymPtr<u64>,
    first: u64,
    rounds: u64,
    seed: u64,
    record: SymPtr<u64>,
) -> Result<(), Fault> {
    let Some(other) = partner(shmem) else { return Ok(()) };
    let me = shmem.my_pe();
    let (pair, outcomes) = (words.add(WORDS * who), words.add(WORDS * who + OUTCOMES));
    let (mine, theirs) = (pair.add(me.index() & 1), pair.add(other.index() & 1));
    let mut round = first;
    while round < first + rounds {
        // Each of the two words is at either PE, or both at one.
        let draw = bits(seed ^ bits((round << 16) ^ who as u64));
        let home = |word: u32| if (draw >> (word & 1)) & 1 == 0 { me.number() & !1 } else { me.number() | 1 };
        let (mine_at, theirs_at) = (Pe::new(home(me.number())), Pe::new(home(other.number())));
        if by.leads() {
            dawdle(shmem, outcomes, draw ^ me.number() as u64)?;
            shmem.p(mine, round, mine_at)?;
        }
        shmem.quiet_on(by, PeSet::All, QpSet::All)?;
        let last = by.rank() + 1 == by.size();
        let saw = by.any(last && shmem.g(theirs, theirs_at)? >= round);
        if by.leads() {
            compare(shmem, other, outcomes, At { round, group: who, size: 8 }, saw, record)?;
        }
        by.sync();
        round += 1;
    }
    Ok(())
}

macro_rules! buffers {
    ($($(#[$doc:meta])* $name:ident: $who:expr, $by:expr;)+) => {
        kernel! { $(
            $(#[$doc])*
            pub fn $name(
                shmem: Shmem, words: SymPtr<u64>, first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
            ) -> Result<(), Fault> {
                buffer(&shmem, $who, $by, words, first, rounds, seed, record)
            }
        )+ }
    };
}
buffers! {
    /// Store buffering by each thread.
    buffer_thread: thread_in_grid(), Thread;
    /// Store buffering by each warp.
    buffer_warp: warp(), Warp;
    /// Store buffering by each block.
    buffer_block: block(), Block;
}

kernel! {
    /// Two writers and two readers on two PEs, each a block of one thread. A reader waits for the word at home, and
    /// completes before it reads the word at the other PE. The readers can't both have seen their own first and missed
    /// the other.
    pub fn race_of_readers(
        shmem: Shmem, words: SymPtr<u64>, first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let Some(other) = partner(&shmem) else { return Ok(()) };
        let (me, who) = (shmem.my_pe(), block() / 2);
        let (pair, looked) = (words.add(WORDS * who), words.add(WORDS * who + LOOKED));
        let outcomes = pair.add(OUTCOMES);
        let (here, there) = (pair.add(me.index() & 1), pair.add(other.index() & 1));
        let mut round = first;
        while round < first + rounds {
            let draw = seed ^ (round << 16) ^ ((who as u64) << 8) ^ me.number() as u64;
            if block() & 1 == 0 {
                // The word of the other PE is written from here, after both readers have finished the previous round.
                shmem.signal_wait_until(looked, Cmp::Ge, 2 * (round - 1))?;
                dawdle(&shmem, looked, draw)?;
                shmem.p(there, round, other)?;
            } else {
                shmem.signal_wait_until(here, Cmp::Ge, round)?;
                shmem.quiet()?;
                let saw = shmem.g(there, other)? >= round;
                compare(&shmem, other, outcomes, At { round, group: who, size: 8 }, saw, record)?;
                shmem.signal(Signal::add(looked, 1), other)?;
                shmem.signal(Signal::add(looked, 1), me)?;
            }
            round += 1;
        }
        Ok(())
    }
}
