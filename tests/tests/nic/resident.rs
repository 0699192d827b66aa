//! Queues executed by a kernel in place of the NIC's own thread: waiters get errors as with any NIC.

use std::mem::offset_of;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use oxshmem_core::host::Transport;
use oxshmem_core::{Fault as Reported, FaultStep, Pe, PeSet, QpSet};
use oxshmem_device::{Atomics, Block, Rma, Shmem, Thread};
use oxshmem_rdma::mlx5::cqe::{self, syndrome};
use oxshmem_rdma::mlx5::{self, ce, opcode};
use oxshmem_softnic::Rule;
use oxshmem_transport_ibgda::state::QueueState;

use crate::rig::{EXTENT, Made, Rig, element, grid, half, pattern};

const ONE: Pe = Pe::new(1);

fn rig() -> Rig {
    Rig::new(Made { resident: true, ..Made::default() })
}

/// Checks a fault: its syndrome and opcode, if it is a completion's, and its index.
fn is(fault: &Reported, syndrome: u8, opcode: u8, index: u64) {
    let mut same = Reported::new(FaultStep::Completion);
    (same.pe, same.qp, same.at) = (1, fault.qp, index);
    same.detail = Reported::completion_detail(syndrome, syndrome & 0x7f, opcode);
    assert_eq!(*fault, same, "{fault}");
}

/// Returns the first broken rule. The kernel ends the operation, and the NIC's thread learns of it afterwards.
fn broken(rig: &Rig) -> Rule {
    let begun = Instant::now();
    loop {
        if let Some(violation) = rig.nic.violations().first() {
            return violation.rule;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "no rule was broken");
        std::thread::yield_now();
    }
}

/// Returns the first fault of these calls, which every later waiter gets too.
fn first(rig: &mut Rig, call: impl Fn(&Shmem) -> Result<(), Reported>) -> Reported {
    let shmem = rig.shmem(0);
    let fault = call(&shmem).and_then(|()| shmem.quiet()).unwrap_err();
    for _ in 0..2 {
        assert_eq!(shmem.quiet_on(Thread, PeSet::One(ONE), QpSet::Default).unwrap_err(), fault);
    }
    assert_eq!(rig.host(0).faults().unwrap(), [fault]);
    fault
}

#[test]
fn what_is_put_got_and_added_by_a_grid_arrives() {
    let rig = rig();
    let (bytes, data) = (40_000, pattern(40_000, 5));
    rig.set_heap(0, element(0), &data);
    let shmem = rig.shmem(0);
    grid(2, 64, 3, || {
        let at = 16 * u64::from(oxshmem_raw::gpu::ptx::linear_ctaid()) * 4096;
        shmem.put(Block, element::<u8>(200_000 + at), element(0), bytes, ONE).unwrap();
        shmem.atomic_add(element::<u64>(100_000), 1, ONE).unwrap();
        shmem.quiet_on(Block, PeSet::All, QpSet::All).unwrap();
    });
    for block in 0..2 {
        assert_eq!(rig.heap(1, element(200_000 + 65_536 * block), bytes), data);
    }
    assert_eq!(rig.word(1, element(100_000)), 128);
    shmem.get(Thread, element::<u8>(400_000), element(200_000), bytes, ONE).unwrap();
    assert_eq!(rig.heap(0, element(400_000), bytes), data);
    assert_eq!(shmem.atomic_fetch_add(element::<u32>(220_000), 7, ONE).unwrap(), 0);
    assert_eq!(shmem.atomic_fetch_add(element::<u32>(220_000), 1, ONE).unwrap(), 7);
}

#[test]
fn a_remote_key_that_is_none_is_a_fault_of_remote_access_and_stops_the_peer() {
    let mut rig = rig();
    rig.lawless = true;
    rig.first().set_half(offset_of!(QueueState, rkey), 0x7777);
    let fault = first(&mut rig, |shmem| shmem.put(Thread, element::<u8>(0), element(0), 1000, ONE));
    is(&fault, syndrome::REMOTE_ACCESS, opcode::RDMA_WRITE, 0);
    assert_eq!(broken(&rig), Rule::RemoteKey);
    assert_eq!(rig.word(1, element(0)), 0);
    // The peer's queue pair is in error too, so that its posts are flushed.
    let back = rig.shmem(1).put(Thread, element::<u8>(0), element(0), 1000, Pe::new(0)).unwrap_err();
    assert_eq!(back.detail, Reported::completion_detail(syndrome::FLUSHED, syndrome::FLUSHED, opcode::RDMA_WRITE));
}

#[test]
fn entries_after_one_that_failed_are_flushed_one_by_one_however_late_they_are_posted() {
    let mut rig = rig();
    rig.lawless = true;
    let queue = rig.first();
    queue.set_half(offset_of!(QueueState, rkey), 0x7777);
    let fault = first(&mut rig, |shmem| shmem.put(Thread, element::<u8>(0), element(0), 1000, ONE));
    is(&fault, syndrome::REMOTE_ACCESS, opcode::RDMA_WRITE, 0);
    let (mut index, laps) = (queue.posted(), 3 * queue.depth());
    while index < laps {
        // Each of these is flushed before the next ones are posted.
        let count = index % 3 + 1;
        for at in index..index + count {
            let block = queue.sq() + 64 * (at & (queue.depth() - 1));
            let mlx5::Segment(a, b) = mlx5::ctrl(0, opcode::NOP, at, queue.qpn(), 1, ce::ALWAYS);
            crate::rig::word(block).store(a, SeqCst);
            crate::rig::word(block + 8).store(b, SeqCst);
        }
        index += count;
        half(queue.dbr()).store(mlx5::send_dbr(index), SeqCst);
        crate::rig::word(queue.doorbell()).store(mlx5::doorbell(index, queue.qpn()), SeqCst);
        let begun = Instant::now();
        // The last completion stays in the one entry of the completion queue.
        while queue.tail().wqe_counter() != (index - 1) as u16 {
            assert!(begun.elapsed() < Duration::from_secs(30), "{:?} in place of {}", queue.tail(), index - 1);
            std::thread::yield_now();
        }
        let syndromes = half(queue.cqe() + 52).load(SeqCst).to_le_bytes();
        assert_eq!((queue.tail().opcode(), syndromes[3]), (cqe::REQ_ERR, syndrome::FLUSHED), "entry {}", index - 1);
        assert_eq!(half(queue.cqe() + 56).load(SeqCst).to_le_bytes()[0], opcode::NOP);
    }
    assert_eq!(rig.word(1, element(0)), 0);
    // Waiters keep the first fault.
    assert_eq!(rig.shmem(0).quiet().unwrap_err(), fault);
}

#[test]
fn a_local_key_that_is_none_is_a_fault_of_local_protection() {
    let mut rig = rig();
    rig.lawless = true;
    rig.first().set_half(offset_of!(QueueState, lkey), 0x7777);
    let fault = first(&mut rig, |shmem| shmem.put(Thread, element::<u8>(0), element(0), 1000, ONE));
    is(&fault, syndrome::LOCAL_PROTECTION, opcode::RDMA_WRITE, 0);
    assert_eq!(broken(&rig), Rule::LocalKey);
}

#[test]
fn a_word_beyond_the_end_of_the_peers_heap_is_a_fault_of_remote_access() {
    let mut rig = rig();
    rig.lawless = true;
    // The device half is given a longer heap than is registered.
    rig.first().set(offset_of!(QueueState, first_end), 2 * EXTENT);
    rig.pretend(2 * EXTENT);
    let fault = first(&mut rig, |shmem| shmem.p(element::<u64>(EXTENT / 8), 1, ONE));
    is(&fault, syndrome::REMOTE_ACCESS, opcode::RDMA_WRITE, 0);
    assert_eq!(broken(&rig), Rule::RemoteBounds);
}

#[test]
fn an_opcode_that_is_none_is_a_fault_of_the_queue_pair() {
    let mut rig = rig();
    rig.lawless = true;
    let queue = rig.first();
    let mlx5::Segment(a, b) = mlx5::ctrl(0, 0x7f, 0, queue.qpn(), 1, ce::ALWAYS);
    crate::rig::word(queue.sq()).store(a, SeqCst);
    crate::rig::word(queue.sq() + 8).store(b, SeqCst);
    queue.set(offset_of!(QueueState, reserved), 1);
    queue.set(offset_of!(QueueState, posted), 1);
    half(queue.dbr()).store(mlx5::send_dbr(1), SeqCst);
    crate::rig::word(queue.doorbell()).store(mlx5::doorbell(1, queue.qpn()), SeqCst);
    let fault = first(&mut rig, |_| Ok(()));
    is(&fault, syndrome::LOCAL_QP_OPERATION, 0x7f, 0);
    assert_eq!(broken(&rig), Rule::Opcode);
}

#[test]
fn a_link_that_is_down_is_a_fault_of_retries() {
    let mut rig = rig();
    rig.shmem(0).p(element::<u64>(0), 5, ONE).unwrap();
    rig.shmem(0).quiet().unwrap();
    rig.nic.set_link("mlx5_0", false).unwrap();
    let fault = first(&mut rig, |shmem| {
        // The engine sees the lost link between two slices; entries executed before succeeded.
        (0..)
            .find_map(|value| shmem.p(element::<u64>(0), value, ONE).and_then(|()| shmem.quiet()).err())
            .map_or(Ok(()), Err)
    });
    assert_eq!(fault.step, FaultStep::Completion);
    let detail =
        Reported::completion_detail(syndrome::RETRIES_EXCEEDED, syndrome::RETRIES_EXCEEDED, opcode::RDMA_WRITE);
    assert_eq!(fault.detail, detail, "{fault}");
}

#[test]
fn queues_made_and_destroyed_while_others_run_and_memory_that_comes_later_are_served() {
    let mut rig = rig();
    for round in 1..20_u64 {
        let handles = rig.create(2);
        let shmem = rig.shmem(0);
        for handle in &handles {
            crate::rig::on(&shmem, *handle).p(element::<u64>(round), round, ONE).unwrap();
        }
        shmem.quiet().unwrap();
        assert_eq!(rig.word(1, element(round)), round);
        rig.destroy(&handles);
    }
    rig.grow(EXTENT);
    rig.set_limit(crate::rig::LONG);
    let at = element::<u64>(EXTENT / 8 + 100);
    rig.shmem(0).p(at, 99, ONE).unwrap();
    rig.shmem(0).quiet().unwrap();
    assert_eq!(rig.word(1, at), 99);
}
