//! Groups one of whose threads comes late to a call, or leaves it early.

use crate::kernel;
use oxshmem_device::prelude::*;

use crate::place::{WARP, bits, expect, queue};

/// The late thread writes the source.
pub const WRITES: u32 = 0;
/// The late thread waits for the data that the group passes on around the ring.
pub const WAITS: u32 = 1;
/// The late thread reads the destination of a get.
pub const READS: u32 = 2;
/// Each thread overwrites the source after the call.
pub const OVERWRITES: u32 = 3;

/// The value of elements that no call has written.
const OLD: u64 = 7;
/// Reads by which a thread is late. On host PEs the other threads run meanwhile.
const LATE: usize = 300;

/// The calls by their numbers: five that put, and three that get.
const PUT: u32 = 0;
const PUT_NBI: u32 = 1;
const PUT_SIGNAL: u32 = 2;
const PUT_SIGNAL_NBI: u32 = 3;
const IPUT: u32 = 4;
const GET: u32 = 5;
const GET_NBI: u32 = 6;
const IGET: u32 = 7;
const CALLS: u32 = 8;

#[derive(Clone, Copy)]
struct Meeting {
    kind: u32,
    inbox: SymPtr<u64>,
    outbox: SymPtr<u64>,
    count: usize,
    /// The signal of a put's data, and a word that no PE changes.
    flags: SymPtr<u64>,
    seed: u64,
    record: SymPtr<u64>,
}

impl Meeting {
    #[inline(always)]
    fn element(self, pe: Pe, call: u32, i: usize) -> u64 {
        bits(self.seed ^ ((pe.number() as u64) << 40) ^ ((call as u64) << 32) ^ i as u64)
    }

    #[inline(always)]
    fn write(self, shmem: &Shmem, at: SymPtr<u64>, value: impl Fn(usize) -> u64) {
        let here = shmem.local(at, self.count);
        for i in span(0, self.count) {
            here.write(i, value(i));
        }
    }

    #[inline(always)]
    fn compare(self, shmem: &Shmem, call: u32, value: impl Fn(usize) -> u64) -> Result<(), Fault> {
        let here = shmem.local(self.inbox, self.count);
        for i in span(0, self.count) {
            expect(shmem, self.record, ((call as u64) << 32) | i as u64, value(i), here.read(i))?;
        }
        Ok(())
    }

    /// Makes a call that puts.
    #[inline(always)]
    fn put<I: Rma + Signals, Gr: Group>(
        self,
        on: &I,
        by: Gr,
        call: u32,
        from: SymPtr<u64>,
        pe: Pe,
    ) -> Result<(), Fault> {
        let (to, flag, value) = (self.inbox, self.flags, call as u64 + 1);
        match call {
            PUT => on.put(by, to, from, self.count, pe),
            PUT_NBI => on.put_nbi(by, to, from, self.count, pe),
            PUT_SIGNAL => on.put_signal(by, to, from, self.count, Signal::set(flag, value), pe),
            PUT_SIGNAL_NBI => on.put_signal_nbi(by, to, from, self.count, Signal::set(flag, value), pe),
            IPUT => on.iput(by, to, from, 1, 1, self.count, pe),
            _ => Ok(()),
        }
    }

    /// Makes a call that puts, and signals the receiver after the data.
    #[inline(always)]
    fn send<I: Rma + Signals, Gr: Group>(
        self,
        shmem: &Shmem,
        on: &I,
        by: Gr,
        call: u32,
        from: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let pe = shmem.pe_after(1);
        self.put(on, by, call, from, pe)?;
        by.sync();
        if by.leads() && call != PUT_SIGNAL && call != PUT_SIGNAL_NBI {
            shmem.quiet()?;
            on.signal(Signal::set(self.flags, call as u64 + 1), pe)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn run<I: Rma + Signals, Gr: Group>(self, shmem: &Shmem, on: &I, by: Gr, call: u32) -> Result<(), Fault> {
        let (me, left, right) = (shmem.my_pe(), shmem.pe_before(1), shmem.pe_after(1));
        let is_late = by.rank() == by.size() * 2 / 3;
        if by.leads() {
            self.write(shmem, self.inbox, |_| OLD);
            let prepared = self.kind == READS || self.kind == OVERWRITES;
            self.write(shmem, self.outbox, |i| if prepared { self.element(me, call, i) } else { OLD });
        }
        shmem.barrier_all(by)?;
        let mut reads = 0;
        while is_late && self.kind != OVERWRITES && reads < LATE {
            shmem.signal_fetch(self.flags.add(1))?;
            reads += 1;
        }
        let sender = if self.kind == WAITS { Pe::new(0) } else { left };
        match self.kind {
            READS => {
                if is_late {
                    self.compare(shmem, call, |_| OLD)?;
                }
                match call {
                    GET => on.get(by, self.inbox, self.outbox, self.count, right)?,
                    GET_NBI => on.get_nbi(by, self.inbox, self.outbox, self.count, right)?,
                    IGET => on.iget(by, self.inbox, self.outbox, 1, 1, self.count, right)?,
                    _ => {}
                }
            }
            WAITS if me != sender => {
                if is_late {
                    shmem.signal_wait_until(self.flags, Cmp::Eq, call as u64 + 1)?;
                }
                self.send(shmem, on, by, call, self.inbox)?;
            }
            OVERWRITES => {
                self.put(on, by, call, self.outbox, right)?;
                self.write(shmem, self.outbox, |_| OLD);
            }
            _ => {
                if is_late {
                    self.write(shmem, self.outbox, |i| self.element(me, call, i));
                }
                self.send(shmem, on, by, call, self.outbox)?;
            }
        }
        shmem.barrier_all(by)?;
        if by.leads() {
            let from = if self.kind == READS { right } else { sender };
            self.compare(shmem, call, |i| self.element(from, call, i))?;
        }
        by.sync();
        Ok(())
    }

    /// Makes each call of the kind: all that put, the blocking ones of them, or all that get.
    #[inline(always)]
    fn calls<I: Rma + Signals, Gr: Group>(self, shmem: &Shmem, on: &I, by: Gr) -> Result<(), Fault> {
        for call in if self.kind == READS { span(GET, CALLS) } else { span(PUT, GET) } {
            let is_nonblocking = call == PUT_NBI || call == PUT_SIGNAL_NBI;
            if self.kind != OVERWRITES || !is_nonblocking {
                self.run(shmem, on, by, call)?;
            }
        }
        Ok(())
    }
}

kernel! {
    /// Makes each call by one group, a thread of which is late (or, for `OVERWRITES`, may leave early).
    pub fn meeting(
        shmem: Shmem, kind: u32, scope: u32, view: u32, handle: QpHandle, inbox: SymPtr<u64>, outbox: SymPtr<u64>,
        count: usize, flags: SymPtr<u64>, seed: u64, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (on, all) = (shmem.qp(queue(view, handle)), Meeting { kind, inbox, outbox, count, flags, seed, record });
        match scope {
            WARP => all.calls(&shmem, &on, Warp),
            _ => all.calls(&shmem, &on, Block),
        }
    }
}
