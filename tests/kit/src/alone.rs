//! Checks of one device by itself.

use oxshmem_core::host::ErrorKind;
use oxshmem_rdma::fabric::{Completion, INLINE_BYTES, Local, Operation, PostErrorKind, Status};
use oxshmem_rdma::hca::Region;
use oxshmem_rdma::rc::RcQpAsk;

use crate::memory::{BYTES, Shared};
use crate::report::{Outcome, ensure, noted, passed, refusal, skipped};
use crate::side::{ALL, Side};

pub(crate) type Check = fn(&Side) -> Outcome;

pub(crate) const CHECKS: [(&str, Check); 9] = [
    ("limits", limits),
    ("a write and a read of nothing", nothing),
    ("64 requests in a list, of which the last is signalled", list),
    ("what is wrong in a list is refused, and what is before it is done", refused),
    ("a queue that is full refuses the rest", full),
    ("a request beyond the peer's memory fails, and those behind it are flushed", beyond),
    ("a failed queue pair flushes", failed),
    ("memory under another address", other_address),
    ("what is in use is not given back", in_use),
];

fn limits(side: &Side) -> Outcome {
    let caps = side.device.caps()?;
    ensure(caps.max_qp > 0 && caps.max_qp_wr > 0 && caps.max_cqe > 0 && caps.max_message_bytes > 0, || {
        format!("{caps:?}")
    })?;
    let qp = side.link()?.qp;
    noted(format!("{caps:?}, {qp:?}, firmware {}", side.device.firmware()))
}

fn list(side: &Side) -> Outcome {
    let [a, b] = side.pair()?;
    let to = side.address(&b);
    for round in 0..10 {
        side.memory.fill(0, 64 * 8, round);
        let mut list: Vec<_> =
            (0..64).map(|i| side.wr(i as u64, Operation::Write, side.local(i * 8, 8), &to, 8192 + i * 8)).collect();
        list[..63].iter_mut().for_each(|wr| wr.signalled = false);
        let wc = side.done(&a, &list, 1)?[0];
        ensure(wc.id == 63, || format!("{wc:?}"))?;
        ensure(side.memory.has(8192, 64 * 8, round), || "not all of them were written".into())?;
        let more = side.device.poll(a.cq, &mut [Completion::default(); 4])?;
        ensure(more == 0, || format!("{more} completions more"))?;
    }
    side.post(&a, &[])?;
    passed()
}

fn nothing(side: &Side) -> Outcome {
    let [a, b] = side.pair()?;
    let to = side.address(&b);
    let nothing = [Operation::Write, Operation::Read].map(|op| side.wr(9, op, side.local(0, 0), &to, 0));
    side.done(&a, &nothing, 2)?;
    passed()
}

fn refused(side: &Side) -> Outcome {
    let [a, b] = side.pair()?;
    let to = side.address(&b);
    let good = side.wr(1, Operation::Write, side.local(0, 8), &to, 4096);
    let inlined = Local::Inline { data: [0; INLINE_BYTES], bytes: 8 };
    for bad in [
        side.wr(2, Operation::add(1), side.local(64, 8), &to, 4097),
        side.wr(2, Operation::add(1), side.local(64, 4), &to, 4096),
        side.wr(2, Operation::Read, inlined, &to, 4096),
        side.wr(2, Operation::Write, Local::Inline { data: [0; INLINE_BYTES], bytes: 33 }, &to, 4096),
    ] {
        let refused = side.device.post(a.qp.handle, &[good, bad, good]).err().ok_or("it was taken")?;
        let said = (refused.posted, refused.kind, refused.code);
        ensure(said == (1, PostErrorKind::Failed, libc::EINVAL.into()), || format!("{refused:?}"))?;
        ensure(side.wait(&a, 1)?[0].id == 1, || "another one completed".into())?;
    }
    passed()
}

fn full(side: &Side) -> Outcome {
    let cq = side.device.create_cq(4096)?;
    let ask = RcQpAsk { send_wr: 16, inline_bytes: 0 };
    let qp = side.device.create_qp(side.pd, cq, &ask)?;
    let (link, other) = (crate::side::Link { cq, qp }, side.link()?);
    side.connect(&link, &side.address(&other))?;
    side.connect(&other, &side.address(&link))?;
    let write = side.wr(1, Operation::Write, side.local(0, 8), &side.address(&other), 4096);
    match side.device.post(qp.handle, &vec![write; 2048]) {
        Ok(()) => {
            side.wait(&link, 2048)?;
            skipped(format!("this device took 2048 requests for {} places", qp.send_wr))
        }
        Err(refused) => {
            ensure(refused.kind == PostErrorKind::Full && refused.posted >= 16, || {
                format!("{refused:?} with room for {}", qp.send_wr)
            })?;
            side.wait(&link, refused.posted)?;
            side.done(&link, &[write], 1)?;
            noted(format!("{} taken, room for {}", refused.posted, qp.send_wr))
        }
    }
}

fn beyond(side: &Side) -> Outcome {
    let [a, b] = side.pair()?;
    let to = side.address(&b);
    let mut list = [1, 2, 3].map(|id| side.wr(id, Operation::Write, side.local(0, 8), &to, 4096));
    list[0].remote = to.at + BYTES as u64;
    list[1].signalled = false;
    side.memory.fill(0, 8, 1);
    side.post(&a, &list)?;
    let all = side.wait(&a, 3)?;
    let seen: Vec<_> = all.iter().map(|wc| (wc.id, wc.status)).collect();
    let expected = [(1, Status::RemoteAccess), (2, Status::Flushed), (3, Status::Flushed)];
    ensure(seen == expected, || format!("{seen:?}"))?;
    ensure(!side.memory.has(4096, 8, 1), || "what is behind a failure was done".into())?;
    side.post(&a, &[list[2]])?;
    let after = side.wait(&a, 1)?[0];
    ensure((after.id, after.status) == (3, Status::Flushed), || format!("the queue pair goes on: {after:?}"))?;
    noted(format!("vendor {:#x}", all[0].code))
}

fn failed(side: &Side) -> Outcome {
    let [a, b] = side.pair()?;
    let to = side.address(&b);
    side.done(&a, &[side.wr(9, Operation::Write, side.local(0, 8), &to, 8192)], 1)?;
    side.device.fail_qp(a.qp.handle)?;
    let mut list = [1, 2, 3].map(|id| side.wr(id, Operation::Write, side.local(0, 8), &to, 4096));
    list[0].signalled = false;
    side.memory.fill(0, 8, 1);
    side.post(&a, &list)?;
    let seen: Vec<_> = side.wait(&a, 3)?.iter().map(|wc| (wc.id, wc.status)).collect();
    ensure(seen == [1, 2, 3].map(|id| (id, Status::Flushed)), || format!("{seen:?}"))?;
    ensure(!side.memory.has(4096, 8, 1), || "it was written".into())?;
    passed()
}

fn other_address(side: &Side) -> Outcome {
    if !side.device.caps()?.iova {
        return skipped("this libibverbs can't");
    }
    let other = Shared::new();
    let mr = side.device.reg_mr(side.pd, Region::Address(other.at()), BYTES as u64, 0, ALL)?;
    let [a, b] = side.pair()?;
    let mut to = side.address(&b);
    (to.at, to.rkey) = (0, mr.rkey);
    side.memory.fill(0, 10_000, 5);
    side.done(&a, &[side.wr(1, Operation::Write, side.local(0, 10_000), &to, 8192)], 1)?;
    ensure(other.has(8192, 10_000, 5), || "it was not written there".into())?;
    // And as this side's own memory.
    let local = Local::Memory { address: 8192, bytes: 10_000, key: mr.lkey.into() };
    side.done(&a, &[side.wr(1, Operation::Write, local, &side.address(&b), 40_000)], 1)?;
    ensure(side.memory.has(40_000, 10_000, 5), || "it was not read from there".into())?;
    side.device.dereg_mr(mr.handle)?;
    passed()
}

fn in_use(side: &Side) -> Outcome {
    let link = side.link()?;
    for refused in [side.device.destroy_cq(link.cq), side.device.dealloc_pd(side.pd)] {
        let error = refusal(refused)?;
        ensure(error.kind() == ErrorKind::System && error.code() == Some(libc::EBUSY.into()), || error.to_string())?;
    }
    side.device.destroy_qp(link.qp.handle)?;
    let error = refusal(side.device.fail_qp(link.qp.handle))?;
    ensure(error.kind() == ErrorKind::InvalidArgument, || error.to_string())?;
    ensure(side.device.post(link.qp.handle, &[]).is_err(), || "a queue pair that is gone took requests".into())?;
    side.device.destroy_cq(link.cq)?;
    side.device.dereg_mr(side.mr.handle)?;
    side.device.dealloc_pd(side.pd)?;
    passed()
}
