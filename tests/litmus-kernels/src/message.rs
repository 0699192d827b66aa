//! Message passing: a notified reader reads the whole payload.

use oxshmem_device::prelude::*;

use crate::draw::Draw;
use crate::place::{At, PAD, block, check, fill, key, lending, put_parts, together, warp};

/// `put`, `fence`, `p` of the flag.
pub const PUT_FENCE_P: u32 = 0;
/// `put`, `fence`, `signal`.
pub const PUT_FENCE_SIGNAL: u32 = 1;
/// `put_signal` that sets.
pub const PUT_SIGNAL_SET: u32 = 2;
/// `put_signal` that adds.
pub const PUT_SIGNAL_ADD: u32 = 3;
/// `put_nbi`, `fence`, `p` of the flag.
pub const PUT_NBI_FENCE_P: u32 = 4;
/// `put_signal_nbi` that sets.
pub const PUT_SIGNAL_NBI: u32 = 5;
/// `put_nbi` of a part by each thread alone, a fence of the group, `p` of the flag.
pub const PARTS_FENCE_P: u32 = 6;
/// `put`, `quiet`, `signal` that adds.
pub const PUT_QUIET_SIGNAL: u32 = 7;
/// `put`, `fence`, `p` of the flag by the last thread of the group, whose leader fences.
pub const PUT_FENCE_LAST_P: u32 = 8;
/// `put`, `fence`, `signal` by the last thread of the group.
pub const PUT_FENCE_LAST_SIGNAL: u32 = 9;
/// `put`, `quiet`, `signal` that adds by the last thread of the group.
pub const PUT_QUIET_LAST_SIGNAL: u32 = 10;
/// [`PARTS_FENCE_P`] with the `p` by the last thread of the group.
pub const PARTS_FENCE_LAST_P: u32 = 11;

/// The parameters of message passing, equal on every thread.
#[derive(Clone, Copy)]
pub(crate) struct Messages {
    pub(crate) how: u32,
    pub(crate) most: usize,
    /// Payloads of a group that may be in flight at once: a power of two.
    pub(crate) slots: usize,
    /// `slots` slots of `most + PAD` bytes for each group: for arriving payloads, for sent ones, and for gets of
    /// arrived ones.
    pub(crate) inbox: SymPtr<u8>,
    pub(crate) outbox: SymPtr<u8>,
    pub(crate) scratch: SymPtr<u8>,
    /// Two words for each group: the flag, and the number of payloads that its reader has read.
    pub(crate) words: SymPtr<u64>,
    pub(crate) first: u64,
    pub(crate) rounds: u64,
    pub(crate) seed: u64,
    pub(crate) record: SymPtr<u64>,
}

/// Sends to the right neighbour in one way, by the threads of `by`.
#[inline(always)]
fn send<G: Group>(
    shmem: &Shmem,
    by: G,
    m: &Messages,
    dest: SymPtr<u8>,
    source: SymPtr<u8>,
    at: At,
    flag: SymPtr<u64>,
) -> Result<(), Fault> {
    let (right, size, round) = (shmem.pe_after(1), at.size, at.round);
    let late = if round & 3 == 0 { round as u32 >> 2 & 15 } else { 0 };
    match m.how {
        PUT_FENCE_P | PUT_FENCE_SIGNAL | PUT_QUIET_SIGNAL => shmem.put(by, dest, source, size, right)?,
        PUT_FENCE_LAST_P | PUT_FENCE_LAST_SIGNAL | PUT_QUIET_LAST_SIGNAL => shmem.put(by, dest, source, size, right)?,
        PUT_NBI_FENCE_P => shmem.put_nbi(by, dest, source, size, right)?,
        PUT_SIGNAL_SET => return shmem.put_signal(by, dest, source, size, Signal::set(flag, round), right),
        PUT_SIGNAL_ADD => return shmem.put_signal(by, dest, source, size, Signal::add(flag, 1), right),
        PUT_SIGNAL_NBI => return shmem.put_signal_nbi(by, dest, source, size, Signal::set(flag, round), right),
        _ => put_parts(shmem, by, dest, source, size, right, (m.record, late))?,
    }
    if matches!(m.how, PUT_QUIET_SIGNAL | PUT_QUIET_LAST_SIGNAL) {
        shmem.quiet_on(by, PeSet::All, QpSet::All)?;
    } else {
        shmem.fence_on(by, PeSet::One(right), QpSet::All)?;
    }
    // A group's ordering covers each of its threads, not only the one that fences.
    let tells = match m.how {
        PUT_FENCE_LAST_P | PUT_FENCE_LAST_SIGNAL | PUT_QUIET_LAST_SIGNAL | PARTS_FENCE_LAST_P => {
            by.rank() + 1 == by.size()
        }
        _ => by.leads(),
    };
    if tells {
        match m.how {
            PUT_FENCE_SIGNAL | PUT_FENCE_LAST_SIGNAL => shmem.signal(Signal::set(flag, round), right)?,
            PUT_QUIET_SIGNAL | PUT_QUIET_LAST_SIGNAL => shmem.signal(Signal::add(flag, 1), right)?,
            _ => shmem.p(flag, round, right)?,
        }
    }
    Ok(())
}

/// Each group `by` sends payloads around the ring. All of its threads write them; those of `sends` (where `sending`)
/// send them; those of `reads` (where `reading`) read arrived payloads by a get.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "three groups, and who is in them")]
pub(crate) fn pass<G: Group, S: Group, R: Group>(
    shmem: &Shmem,
    who: usize,
    by: G,
    (sends, sending): (S, bool),
    (reads, reading): (R, bool),
    m: Messages,
) -> Result<(), Fault> {
    let (left, me) = (shmem.pe_before(1), shmem.my_pe());
    let (flag, ack) = (m.words.add(2 * who), m.words.add(2 * who + 1));
    let room = m.most + PAD;
    let mut round = m.first;
    while round < m.first + m.rounds {
        let slot = (who * m.slots + (round as usize & (m.slots - 1))) * room;
        let mine = Draw::of(m.seed, who, me, round, m.most);
        let at = At { round, group: who, size: mine.size };
        // The earlier payload of this slot has been read, so that both ends of the slot are free.
        if round > m.slots as u64 {
            shmem.signal_wait_until(ack, Cmp::Ge, round - m.slots as u64)?;
        }
        let source = m.outbox.add(slot + mine.from);
        fill(shmem, by, source, at, mine.to, key(m.seed, who, me));
        by.sync();
        if sending {
            send(shmem, sends, &m, m.inbox.add(slot + mine.to), source, at, flag)?;
        }

        let theirs = Draw::of(m.seed, who, left, round, m.most);
        let at = At { round, group: who, size: theirs.size };
        let arrived = m.inbox.add(slot + theirs.to);
        let theirs_key = key(m.seed, who, left);
        if theirs.choice & 1 == 0 {
            shmem.signal_wait_until(flag, Cmp::Ge, round)?;
        } else {
            // One thread waits for all: after the group meets, the others see the announced data too.
            let waited = if by.leads() { shmem.wait_until(flag, Cmp::Ge, round) } else { Ok(()) };
            together(shmem, by, waited)?;
        }
        if theirs.choice & 6 != 0 {
            check(shmem, by, arrived, at, theirs.to, theirs_key, m.record)?;
        } else if reading {
            let scratch = m.scratch.add(slot + theirs.from);
            shmem.get(reads, scratch, arrived, at.size, me)?;
            check(shmem, reads, scratch, at, theirs.to, theirs_key, m.record)?;
        }
        by.sync();
        if by.leads() {
            shmem.fence()?;
            shmem.p(ack, round, left)?;
        }
        round += 1;
    }
    Ok(())
}

/// Returns whether this thread is in the last warp of its block.
#[inline(always)]
pub(crate) fn in_last_warp() -> bool {
    thread_in_block() / 32 == (block_dim()[0] as usize - 1) / 32
}

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident: $world:expr, $who:expr, $by:expr, $sends:expr, $reads:expr;)+) => {
        kernel! { $(
            $(#[$doc])*
            pub fn $name(
                shmem: Shmem, how: u32, most: usize, slots: usize, inbox: SymPtr<u8>, outbox: SymPtr<u8>,
                scratch: SymPtr<u8>, words: SymPtr<u64>, first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
            ) -> Result<(), Fault> {
                let m = Messages { how, most, slots, inbox, outbox, scratch, words, first, rounds, seed, record };
                pass(&$world(shmem), $who, $by, $sends, $reads, m)
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
    // SAFETY: **alone**: the block's groups meet between a send and a read by a get, in `pass`.
    unsafe { lending(shmem) }
}

messages! {
    /// By each thread for itself.
    message_thread: plain, thread_in_grid(), Thread, (Thread, true), (Thread, true);
    /// By each warp.
    message_warp: plain, warp(), Warp, (Warp, true), (Warp, true);
    /// By each block; its last warp gets.
    message_block: plain, block(), Block, (Block, true), (Warp, in_last_warp());
    /// A block writes, and its last warp sends.
    message_handed_to_warp: plain, block(), Block, (Warp, in_last_warp()), (Warp, thread_in_block() < 32);
    /// A block writes, and one of its threads sends.
    message_handed_to_thread: plain, block(), Block, (Thread, thread_in_block() == 1), (Warp, in_last_warp());
    /// By each block; it lends its shared memory.
    message_lent_block: lent, block(), Block, (Block, true), (Warp, in_last_warp());
    /// A block writes, and its first warp sends through shared memory.
    message_lent_to_warp: lent, block(), Block, (Warp, thread_in_block() < 32), (Warp, thread_in_block() < 32);
    /// A block writes, and one of its threads sends through shared memory; the same one gets.
    message_lent_to_thread: lent, block(), Block, (Thread, thread_in_block() == 1), (Thread, thread_in_block() == 1);
}
