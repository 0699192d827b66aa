//! A queue of a verbs device, for the checks that it shares with NICs.

use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_rdma::fabric::{INLINE_BYTES, Local, Operation, WorkRequest};
use oxshmem_rdma::hca::{Mr, Region, access};
use oxshmem_rdma::rc::{Atomics, RcProvider};

use crate::bench::{Bench, Op, Queue};
use crate::moves;
use crate::report::{Fine, Report, ensure, skipped};
use crate::side::{ALL, Link, Side};

/// A queue pair that is connected with another one of its device, and the keys of both regions.
struct VerbsQueue {
    side: Side,
    link: Link,
    own: (Mr, u64),
    target: (Mr, u64),
    list: Vec<WorkRequest>,
}

/// Opens the device, and makes the queue and its memory.
fn bench(provider: &dyn RcProvider, device: &str) -> Fine<Bench<VerbsQueue>> {
    let side = Side::open(provider, device)?;
    let [link, _] = side.pair()?;
    ensure(link.qp.inline_bytes as usize == INLINE_BYTES, || format!("{} bytes inline", link.qp.inline_bytes))?;
    Bench::new(&Memory::Host, 1, "the data did not arrive as it was sent", |own, target| {
        let register = |chunk: &Chunk, rights| {
            let at = chunk.kernel();
            let mr = side.device.reg_mr(side.pd, Region::Address(at), chunk.bytes() as u64, at, rights)?;
            Ok::<_, oxshmem_core::Error>((mr, at))
        };
        let (own, target) = (register(own, access::LOCAL_WRITE)?, register(target, ALL)?);
        Ok::<_, Box<dyn std::error::Error>>(VerbsQueue { side, link, own, target, list: Vec::new() })
    })
}

impl Queue for VerbsQueue {
    fn inline_lengths(&self) -> (Vec<usize>, String) {
        ((1..=INLINE_BYTES).collect(), format!("every length from 1 to {INLINE_BYTES} bytes"))
    }

    fn post(&mut self, op: Op<'_>, at: usize, asks: bool) -> Fine<()> {
        let (mr, base) = self.own;
        let local = |at: usize, bytes: usize| Local::Memory {
            address: base + at as u64,
            bytes: bytes as u32,
            key: mr.lkey.into(),
        };
        let (op, local) = match op {
            Op::Write { from, bytes } => (Operation::Write, local(from, bytes)),
            Op::Inline(bytes) => {
                let mut data = [0; INLINE_BYTES];
                data[..bytes.len()].copy_from_slice(bytes);
                (Operation::Write, Local::Inline { data, bytes: bytes.len() as u8 })
            }
            Op::Read { to, bytes } => (Operation::Read, local(to, bytes)),
            Op::FetchAdd { to, add } => (Operation::add(add), local(to, 8)),
            Op::CompareSwap { to, compare, swap } => (Operation::compare_swap(compare, swap), local(to, 8)),
        };
        let (mr, base) = self.target;
        let (id, remote, remote_key) = (self.list.len() as u64, base + at as u64, mr.rkey.into());
        self.list.push(WorkRequest { id, op, local, remote, remote_key, signalled: asks });
        Ok(())
    }

    fn finish(&mut self) -> Fine<()> {
        let list = std::mem::take(&mut self.list);
        let asked: Vec<u64> = list.iter().filter(|wr| wr.signalled).map(|wr| wr.id).collect();
        let done = self.side.done(&self.link, &list, asked.len())?;
        ensure(done.iter().map(|wc| wc.id).eq(asked.iter().copied()), || format!("{asked:?} asked, {done:?}"))?;
        let more = self.side.device.poll(self.link.cq, &mut [Default::default(); 4])?;
        ensure(more == 0, || format!("{more} completions more"))
    }
}

impl Drop for VerbsQueue {
    fn drop(&mut self) {
        // The memory is freed next; a drop can't report an error.
        [self.own, self.target].into_iter().for_each(|(mr, _)| drop(self.side.device.dereg_mr(mr.handle)));
    }
}

/// Checks writes, reads and atomics on a device, each on a queue of its own.
pub(crate) fn checks(report: &mut Report, provider: &dyn RcProvider, device: &str) {
    let (copies, words) = moves::checks();
    for (what, check) in copies {
        report.check(device, what, || check(&mut bench(provider, device)?));
    }
    for (what, check) in words {
        report.check(device, what, || {
            let mut bench = bench(provider, device)?;
            match bench.queue.side.device.caps()?.atomics {
                Atomics::None => skipped("the device has none"),
                _ => check(&mut bench),
            }
        });
    }
}
