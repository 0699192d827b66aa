//! Ordering between PEs that are reached by different paths.

use crate::kernel;
use oxshmem_device::prelude::*;

use crate::place::{THREAD, bits, expect, group, queue};

/// Returns element `i` of the message from `from` to `to` in a round.
#[inline(always)]
fn message(from: Pe, to: Pe, round: usize, i: usize) -> u64 {
    bits(((from.number() as u64) << 48) ^ ((to.number() as u64) << 36) ^ ((round as u64) << 12) ^ i as u64)
}

kernel! {
    /// The first block puts a message to the PE `there` further on, quiets, and raises a flag at the PE `flagged`
    /// further on. The second block waits for the flag, and gets the message from its PE. `flags`: the flag, and the
    /// reader's answer.
    pub fn paths_relay(
        shmem: Shmem, view: u32, handle: QpHandle, there: u32, flagged: u32, inbox: SymPtr<u64>, len: usize,
        flags: SymPtr<u64>, rounds: usize, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (on, me) = (shmem.qp(queue(view, handle)), shmem.my_pe());
        let (outbox, copy) = (inbox.add(len), inbox.add(2 * len));
        let writes = block_idx()[0] == 0;
        for round in span(1, rounds + 1) {
            if writes {
                let to = shmem.pe_after(there);
                shmem.wait_until(flags.add(1), Cmp::Ge, round as u64 - 1)?;
                let mine = shmem.local(outbox, len);
                for i in span(0, len) {
                    mine.write(i, message(me, to, round, i));
                }
                on.put_nbi(Thread, inbox, outbox, len, to)?;
                shmem.quiet()?;
                shmem.p(flags, round as u64, shmem.pe_after(flagged))?;
            } else {
                let writer = shmem.pe_before(flagged);
                let at = {
                    let at = writer.number() + there;
                    Pe::new(if at < shmem.n_pes() { at } else { at - shmem.n_pes() })
                };
                shmem.wait_until(flags, Cmp::Ge, round as u64)?;
                shmem.get(Thread, shmem.local(copy, len), inbox, len, at)?;
                let seen = shmem.local(copy, len);
                for i in span(0, len) {
                    expect(&shmem, record, (round as u64) << 32 | i as u64, message(writer, at, round, i), seen.read(i))?;
                }
                shmem.p(flags.add(1), round as u64, writer)?;
            }
        }
        shmem.quiet()
    }

    /// One thread puts a message to every PE on a custom queue, orders all of them at once, and raises a flag at every
    /// PE on the default queues. Then it checks that the message of every PE is not older than its flag. `flags`: a
    /// flag of each PE, then an answer of each.
    pub fn paths_order_all(
        shmem: Shmem, by_fence: u32, handle: QpHandle, inbox: SymPtr<u64>, len: usize, flags: SymPtr<u64>, rounds: usize,
        record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (n, me) = (shmem.n_pes(), shmem.my_pe());
        let (outbox, acks) = (inbox.add(n as usize * len), flags.add(n as usize));
        for round in span(1, rounds + 1) {
            let mut k = 0;
            while k < n {
                let to = shmem.pe_after(k);
                shmem.wait_until(acks.add(to.index()), Cmp::Ge, round as u64 - 1)?;
                let (mine, from) = (shmem.local(outbox.add(to.index() * len), len), outbox.add(to.index() * len));
                for i in span(0, len) {
                    mine.write(i, message(me, to, round, i));
                }
                shmem.qp(Qp::Custom(handle)).put_nbi(Thread, inbox.add(me.index() * len), from, len, to)?;
                k += 1;
            }
            if by_fence != 0 { shmem.fence()? } else { shmem.quiet()? }
            // The last PE first, so that a flag by another path arrives at once.
            while k > 0 {
                k -= 1;
                shmem.p(flags.add(me.index()), round as u64, shmem.pe_after(k))?;
            }
            while k < n {
                let from = shmem.pe_after(k);
                shmem.wait_until(flags.add(from.index()), Cmp::Ge, round as u64)?;
                let seen = shmem.local(inbox.add(from.index() * len), len);
                for i in span(0, len) {
                    let step = (from.number() as u64) << 32 | round as u64;
                    expect(&shmem, record, step, message(from, me, round, i), seen.read(i))?;
                }
                shmem.p(acks.add(me.index()), round as u64, from)?;
                k += 1;
            }
            // The source is not rewritten before the put has completed.
            shmem.quiet()?;
        }
        Ok(())
    }

    /// Each lane puts with a signal to a PE of its own: `lane` further on. Each has a slot of `len` elements, and a
    /// signal.
    pub fn paths_signal_lanes(
        shmem: Shmem, view: u32, handle: QpHandle, add: u32, inbox: SymPtr<u64>, len: usize, signals: SymPtr<u64>,
        rounds: usize, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (on, me, n) = (shmem.qp(queue(view, handle)), shmem.my_pe(), shmem.n_pes());
        let (who, lanes) = group(THREAD);
        // A remainder by a variable could panic.
        let mut distance = who as u32;
        while distance >= n {
            distance -= n;
        }
        let (to, from) = (shmem.pe_after(distance), shmem.pe_before(distance));
        let (inbox, outbox) = (inbox.add(who * len), inbox.add((lanes + who) * len));
        let (signal, ack) = (signals.add(who), signals.add(lanes + who));
        for round in span(1, rounds + 1) {
            shmem.wait_until(ack, Cmp::Ge, round as u64 - 1)?;
            let mine = shmem.local(outbox, len);
            for i in span(0, len) {
                mine.write(i, message(me, to, round, i + who));
            }
            // All lanes make one call here, on any path of each lane.
            Warp.sync();
            let (value, op) = if add != 0 { (1, SignalOp::Add) } else { (round as u64, SignalOp::Set) };
            on.put_signal(Thread, inbox, outbox, len, Signal { word: signal, value, op }, to)?;
            shmem.signal_wait_until(signal, Cmp::Ge, round as u64)?;
            let seen = shmem.local(inbox, len);
            for i in span(0, len) {
                let step = (who as u64) << 32 | round as u64;
                expect(&shmem, record, step, message(from, me, round, i + who), seen.read(i))?;
            }
            shmem.p(ack, round as u64, from)?;
        }
        shmem.quiet()
    }

    /// Every thread of every PE adds to a counter of each PE, `times` times, and takes as many tickets of PE 0. When the
    /// counter of this PE has reached the number of all additions, it is exactly that. `words`: three counters, the last
    /// one for its own use of this PE. `tickets`: `times` for each thread.
    pub fn paths_counter(
        shmem: Shmem, words: SymPtr<u64>, tickets: SymPtr<u64>, times: usize, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (count, of_root, own) = (shmem.counter(words), shmem.counter(words.add(2)), shmem.counter(words.add(4)));
        let (thread, threads) = (thread_in_grid(), threads_in_grid());
        let mine = shmem.local(tickets, times * threads);
        for i in span(0, times) {
            for k in span(0, shmem.n_pes()) {
                count.add(k as u64 + 1, shmem.pe_after(k))?;
            }
            mine.write(thread * times + i, of_root.ticket(Pe::new(0))?);
        }
        let n = shmem.n_pes() as u64;
        let all = (threads * times) as u64 * (n * (n + 1) / 2);
        let reached = count.wait_for(all)?;
        expect(&shmem, record, 0, all, reached)?;
        expect(&shmem, record, 1, all, count.load()?)?;
        if thread == 0 {
            own.add(3, shmem.my_pe())?;
            shmem.quiet()?;
            own.store(5)?;
            expect(&shmem, record, 2, 5, own.load()?)?;
            own.add(2, shmem.my_pe())?;
            expect(&shmem, record, 3, 7, own.wait_for(6)?)?;
        }
        shmem.quiet()
    }

    /// Every PE puts a word to every PE by the threads of a block, on both kinds of queues. After a barrier every PE
    /// gets every word of every PE. `words`: two of each PE, then one for each thread.
    pub fn paths_barrier(shmem: Shmem, handle: QpHandle, words: SymPtr<u64>, rounds: usize, record: SymPtr<u64>) -> Result<(), Fault> {
        let (n, me) = (shmem.n_pes(), shmem.my_pe());
        let (first, step) = group(THREAD);
        for round in span(1, rounds + 1) {
            for k in stride(first as u32, n, step as u32) {
                let to = shmem.pe_after(k);
                shmem.p(words.add(2 * me.index()), message(me, to, round, 0), to)?;
                shmem.qp(Qp::Custom(handle)).p(words.add(2 * me.index() + 1), message(me, to, round, 1), to)?;
            }
            shmem.barrier_all(Block)?;
            for at in span(0, n) {
                for k in stride(first as u32, 2 * n, step as u32) {
                    let (from, there) = (Pe::new(k / 2), Pe::new(at));
                    let seen = shmem.g(words.add(k as usize), there)?;
                    let expected = message(from, there, round, (k & 1) as usize);
                    expect(&shmem, record, (at as u64) << 32 | from.number() as u64, expected, seen)?;
                }
            }
            // No PE rewrites words that another still reads.
            shmem.sync_all(Block)?;
        }
        Ok(())
    }
}
