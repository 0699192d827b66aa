//! Fence and quiet: message passing and store buffering, many rounds.

use crate::kernel;
use oxshmem_device::prelude::*;

use crate::place::{BLOCK, THREAD, WARP, bits, expect, group, queue, wrong};

/// The flag follows a `fence`, which orders one thread's own puts.
pub const FENCE: u32 = 0;
/// The flag follows a `quiet`.
pub const QUIET: u32 = 1;
/// The flag follows `fence_on` over the target and the queue.
pub const FENCE_ON_ONE: u32 = 2;
/// The flag follows `quiet_on` over the target and the queue.
pub const QUIET_ON_ONE: u32 = 3;
/// The flag follows `fence_on` over all PEs and all queues.
pub const FENCE_ON_ALL: u32 = 4;
/// The flag follows `quiet_on` over all PEs and the default queues.
pub const QUIET_ON_DEFAULT: u32 = 5;
/// Number of these variants.
pub const WAYS: u32 = 6;

/// Orders the group's earlier puts before its later operations.
#[inline(always)]
fn order<Gr: Group>(shmem: &Shmem, by: Gr, how: u32, pe: Pe, handle: QpHandle) -> Result<(), Fault> {
    match how {
        // A fence covers the calling thread alone, and so serves a group of one.
        FENCE => shmem.fence()?,
        // Complete operations are complete for all threads, once the group has met.
        QUIET => shmem.quiet()?,
        FENCE_ON_ONE => shmem.fence_on(by, PeSet::One(pe), QpSet::Of(&[handle]))?,
        QUIET_ON_ONE => shmem.quiet_on(by, PeSet::One(pe), QpSet::Of(&[handle]))?,
        FENCE_ON_ALL => shmem.fence_on(by, PeSet::All, QpSet::All)?,
        _ => shmem.quiet_on(by, PeSet::All, QpSet::Default)?,
    }
    by.sync();
    Ok(())
}

/// The parameters of message passing, equal on every thread.
#[derive(Clone, Copy)]
struct Passing {
    how: u32,
    view: u32,
    handle: QpHandle,
    /// A message of `len` elements for each group, at the receiver and at the sender.
    inbox: SymPtr<u64>,
    outbox: SymPtr<u64>,
    len: usize,
    flags: SymPtr<u64>,
    acks: SymPtr<u64>,
    rounds: usize,
    record: SymPtr<u64>,
}

/// Each group puts a message to the right neighbour, orders, and raises a flag there by `p`. A reader that sees the
/// flag sees the message.
#[inline(always)]
fn pass<Gr: Group>(shmem: &Shmem, by: Gr, scope: u32, m: Passing) -> Result<(), Fault> {
    let on = shmem.qp(queue(m.view, m.handle));
    let (who, _) = group(scope);
    let (right, left, me) = (shmem.pe_after(1), shmem.pe_before(1), shmem.my_pe());
    let (inbox, outbox) = (m.inbox.add(who * m.len), m.outbox.add(who * m.len));
    let (flag, ack) = (m.flags.add(who), m.acks.add(who));
    let element =
        |pe: Pe, round: usize, i: usize| bits(((pe.number() as u64) << 48) ^ ((round as u64) << 20) ^ i as u64);
    for round in span(1, m.rounds + 1) {
        shmem.wait_until(ack, Cmp::Ge, round as u64 - 1)?;
        by.sync();
        let mine = shmem.local(outbox, m.len);
        for i in group_stride(by, m.len) {
            mine.write(i, element(me, round, i));
        }
        by.sync();
        // Every other round sends by `p` from each thread, which has no help from a copy's own barrier.
        if round & 1 == 0 {
            on.put_nbi(by, inbox, outbox, m.len, right)?;
        } else {
            for i in group_stride(by, m.len) {
                on.p(inbox.add(i), element(me, round, i), right)?;
            }
        }
        order(shmem, by, m.how, right, m.handle)?;
        if by.leads() {
            on.p(flag, round as u64, right)?;
        }
        shmem.wait_until(flag, Cmp::Ge, round as u64)?;
        let theirs = shmem.local(inbox, m.len);
        for i in group_stride(by, m.len) {
            expect(shmem, m.record, round as u64, element(left, round, i), theirs.read(i))?;
        }
        by.sync();
        if by.leads() {
            shmem.fence()?;
            on.p(ack, round as u64, left)?;
        }
    }
    Ok(())
}

kernel! {
    /// Passes messages around the ring, by each group of the grid.
    pub fn order_pass(
        shmem: Shmem, how_and_scope: u32, view: u32, handle: QpHandle, inbox: SymPtr<u64>, outbox: SymPtr<u64>, len: usize,
        flags: SymPtr<u64>, acks: SymPtr<u64>, rounds: usize, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (how, scope) = (how_and_scope & 0xff, how_and_scope >> 8);
        let m = Passing { how, view, handle, inbox, outbox, len, flags, acks, rounds, record };
        match scope {
            THREAD => pass(&shmem, Thread, THREAD, m),
            WARP => pass(&shmem, Warp, WARP, m),
            _ => pass(&shmem, Block, BLOCK, m),
        }
    }

    /// PEs 0 and 1, many times: each raises its word on the other, completes, and reads its own. Since quiet completes,
    /// at least one of the two sees the other's write. The words are of one round; one thread of each PE runs.
    pub fn order_store_buffering(shmem: Shmem, how: u32, words: SymPtr<u64>, seen: SymPtr<u64>, rounds: usize) -> Result<(), Fault> {
        let me = shmem.my_pe().number();
        for round in span(0, rounds) {
            shmem.sync_all(Thread)?;
            if me < 2 {
                let other = Pe::new(1 - me);
                shmem.p(words.add(round), 1, other)?;
                order(&shmem, Thread, how, other, QpHandle::DEFAULT)?;
                let value = shmem.g(words.add(round), shmem.my_pe())?;
                shmem.local(seen, rounds).write(round, value);
            }
        }
        Ok(())
    }

    /// One thread of every PE raises a first word everywhere, fences, and raises a second. The other threads look for a
    /// second word that is ahead of its first, at most `looks` times.
    pub fn order_two_words(shmem: Shmem, handle: QpHandle, words: SymPtr<u64>, done: SymPtr<u64>, rounds: usize, looks: usize, record: SymPtr<u64>) -> Result<(), Fault> {
        // The words, by writer: first, second.
        let (n, me) = (shmem.n_pes(), shmem.my_pe());
        if thread_in_grid() == 0 {
            let mine = words.add(2 * me.index());
            for round in span(1, rounds + 1) {
                for pe in span(0, n) {
                    // The first goes on a custom queue, the second on the default ones: a fence covers both.
                    shmem.qp(Qp::Custom(handle)).p(mine, round as u64, Pe::new(pe))?;
                    shmem.fence()?;
                    shmem.p(mine.add(1), round as u64, Pe::new(pe))?;
                }
            }
            shmem.quiet()?;
            for pe in span(0, n) {
                shmem.atomic_inc(done, Pe::new(pe))?;
            }
            return Ok(());
        }
        let mut look = 0;
        while look < looks && !shmem.test(done, Cmp::Ge, n as u64)? {
            for pe in span(0, n) {
                let theirs = words.add(2 * pe as usize);
                let second = shmem.signal_fetch(theirs.add(1))?;
                let first = shmem.signal_fetch(theirs)?;
                if first < second {
                    wrong(&shmem, record, pe as u64, second, first)?;
                }
            }
            look += 1;
        }
        Ok(())
    }
}
