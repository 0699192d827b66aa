//! Signals and puts with a signal.

use crate::kernel;
use oxshmem_device::prelude::*;

use crate::place::{BLOCK, THREAD, WARP, bits, expect, group, queue};

/// `put_signal` with `SignalOp::Set`.
pub const SET: u32 = 0;
/// `put_signal` with `SignalOp::Add`.
pub const ADD: u32 = 1;
/// `put_signal_nbi` with `SignalOp::Set`.
pub const SET_NBI: u32 = 2;
/// `put_signal_nbi` with `SignalOp::Add`.
pub const ADD_NBI: u32 = 3;

/// The parameters of a stream of puts with signals, equal on every thread.
#[derive(Clone, Copy)]
struct Stream {
    how: u32,
    view: u32,
    handle: QpHandle,
    /// Destination of blocks of `most` elements, one for each group.
    inbox: SymPtr<u32>,
    /// Source of as many blocks.
    outbox: SymPtr<u32>,
    most: usize,
    /// A signal word for each group; then one for its reader's acknowledgement.
    flags: SymPtr<u64>,
    acks: SymPtr<u64>,
    rounds: usize,
    seed: u64,
    record: SymPtr<u64>,
}

/// Returns the number of elements that group `who` sends in a round, from 0 on.
#[inline(always)]
fn length(seed: u64, who: usize, round: usize, most: usize) -> usize {
    // Shifts and a product, since a remainder by a variable could panic.
    let drawn = bits(seed ^ bits((who as u64) << 32 | round as u64)) >> 40;
    ((drawn * (most as u64 + 1)) >> 24) as usize
}

/// Each group fills its block, sends it to the right with a signal, and checks the block that arrives from the left.
/// All threads of the group write and read the payload.
#[inline(always)]
fn stream<Gr: Group>(shmem: &Shmem, by: Gr, scope: u32, s: Stream) -> Result<(), Fault> {
    let on = shmem.qp(queue(s.view, s.handle));
    let (who, _) = group(scope);
    let (right, left, me) = (shmem.pe_after(1), shmem.pe_before(1), shmem.my_pe());
    let (inbox, outbox) = (s.inbox.add(who * s.most), s.outbox.add(who * s.most));
    let (flag, ack) = (s.flags.add(who), s.acks.add(who));
    let element = |pe: Pe, round: usize, i: usize| {
        bits(s.seed ^ ((pe.number() as u64) << 48) ^ ((round as u64) << 24) ^ i as u64) as u32
    };
    for round in span(1, s.rounds + 1) {
        let count = length(s.seed, who, round, s.most);
        // The reader of the previous round has taken everything out, so that there is room; and this group's own block
        // is free.
        shmem.signal_wait_until(ack, Cmp::Ge, round as u64 - 1)?;
        by.sync();
        let mine = shmem.local(outbox, s.most);
        for i in group_stride(by, count) {
            mine.write(i, element(me, round, i));
        }
        by.sync();
        let value = round as u64;
        match s.how {
            SET => on.put_signal(by, inbox, outbox, count, Signal::set(flag, value), right)?,
            ADD => on.put_signal(by, inbox, outbox, count, Signal::add(flag, 1), right)?,
            SET_NBI => {
                on.put_signal_nbi(by, inbox, outbox, count, Signal::set(flag, value), right)?;
                shmem.quiet()?;
            }
            _ => {
                on.put_signal_nbi(by, inbox, outbox, count, Signal::add(flag, 1), right)?;
                shmem.quiet()?;
            }
        }
        let seen = shmem.signal_wait_until(flag, Cmp::Ge, value)?;
        expect(shmem, s.record, 1, value, seen)?;
        let theirs = shmem.local(inbox, s.most);
        for i in group_stride(by, count) {
            expect(shmem, s.record, 2 + i as u64, element(left, round, i) as u64, theirs.read(i) as u64)?;
        }
        by.sync();
        if by.leads() {
            // A signal of its own after all have read: the barrier orders the earlier loads before it.
            shmem.fence()?;
            shmem.signal(Signal::set(ack, value), left)?;
        }
    }
    Ok(())
}

kernel! {
    /// Streams puts with signals around the ring, one stream for each group of the grid.
    pub fn signal_stream(
        shmem: Shmem, how_and_scope: u32, view: u32, handle: QpHandle, inbox: SymPtr<u32>, outbox: SymPtr<u32>, most: usize,
        flags: SymPtr<u64>, acks: SymPtr<u64>, rounds: usize, seed: u64, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (how, scope) = (how_and_scope & 0xff, how_and_scope >> 8);
        let s = Stream { how, view, handle, inbox, outbox, most, flags, acks, rounds, seed, record };
        match scope {
            THREAD => stream(&shmem, Thread, THREAD, s),
            WARP => stream(&shmem, Warp, WARP, s),
            _ => stream(&shmem, Block, BLOCK, s),
        }
    }

    /// Signals every PE by every thread, `times` times: adds `value`, or sets it.
    pub fn signal_storm(shmem: Shmem, add: u32, view: u32, handle: QpHandle, word: SymPtr<u64>, value: u64, times: usize) -> Result<(), Fault> {
        let on = shmem.qp(queue(view, handle));
        for _ in span(0, times) {
            for pe in span(0, shmem.n_pes()) {
                on.signal(Signal { word, value, op: if add == 0 { SignalOp::Set } else { SignalOp::Add } }, Pe::new(pe))?;
            }
        }
        shmem.quiet()
    }

    /// Puts no elements with a signal, by a block, to the right neighbour; then stores the result of `signal_fetch`.
    pub fn signal_alone(shmem: Shmem, add: u32, view: u32, handle: QpHandle, data: SymPtr<u32>, word: SymPtr<u64>, value: u64, fetched: SymPtr<u64>) -> Result<(), Fault> {
        let op = if add == 0 { SignalOp::Set } else { SignalOp::Add };
        shmem.qp(queue(view, handle)).put_signal(Block, data, data, 0, Signal { word, value, op }, shmem.pe_after(1))?;
        shmem.signal_wait_until(word, Cmp::Ne, 0)?;
        if Block.leads() {
            shmem.local(fetched, 1).write(0, shmem.signal_fetch(word)?);
        }
        Ok(())
    }

    /// Stores the word that `signal_wait_until` returns: PE 0 raises it, the others wait.
    pub fn signal_returns_the_word(shmem: Shmem, word: SymPtr<u64>, value: u64, seen: SymPtr<u64>) -> Result<(), Fault> {
        if shmem.my_pe().number() == 0 {
            for pe in span(0, shmem.n_pes()) {
                shmem.signal(Signal::set(word, value), Pe::new(pe))?;
            }
        }
        shmem.local(seen, 1).write(0, shmem.signal_wait_until(word, Cmp::Gt, value - 1)?);
        Ok(())
    }
}
