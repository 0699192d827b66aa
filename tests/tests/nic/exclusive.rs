//! Exclusive queues of one block.

use std::sync::Mutex;

use oxshmem_core::{Fault as Reported, FaultStep, Pe, PeSet, QpHandle, QpSet, SymPtr};
use oxshmem_device::{Atomics, Block, EXCLUSIVE_BYTES, Exclusive, Rma, Shmem, Signal, Signals, Thread, Warp};
use oxshmem_raw::gpu::ptx;
use oxshmem_rdma::mlx5::{cqe::syndrome, opcode};
use oxshmem_softnic::{Fault, Knobs, Options, PiSource};
use oxshmem_transport_ibgda::host::IbgdaConfig;

use crate::rig::{Made, Rig, element, grid_sharing, on, pattern};

const ONE: Pe = Pe::new(1);
const ROOM: usize = EXCLUSIVE_BYTES as usize;

fn me() -> u64 {
    u64::from(ptx::linear_tid())
}

/// Runs a block in which each thread has the queues of `handle` to `pes`.
fn block(
    shmem: &Shmem,
    handle: QpHandle,
    pes: PeSet,
    threads: u32,
    seed: u64,
    body: impl Fn(&Exclusive<'_>) -> Result<(), Reported>,
) {
    // After 64 bytes of the kernel's own.
    grid_sharing(1, threads, 64 + 4 * ROOM, seed, || {
        // SAFETY: **exclusive**: the block is the grid's only one, and no other thread posts meanwhile. **lent**: the
        // kernel uses only the first 64 bytes.
        let own = unsafe { shmem.exclusive(handle, pes, 64) }.unwrap();
        body(&own).unwrap();
    });
}

/// Puts, adds, fetches and signals by every thread, alone and together.
fn everything(own: &Exclusive<'_>, rounds: u64) -> Result<(), Reported> {
    for round in 1..=rounds {
        own.p(element(8 * me()), me() << 32 | round, ONE)?;
        own.atomic_add(element::<u64>(4000), round, ONE)?;
        let before = own.atomic_fetch_inc(element::<u64>(4001 + me()), ONE)?;
        assert_eq!(before + 1, round);
        own.put_nbi(Warp, element::<u8>(40_000), element(50_000), 700, ONE)?;
        own.put_signal(Block, element::<u8>(60_000), element(50_000), 900, Signal::add(element(4000 - 1), 1), ONE)?;
        if round % 3 == me() % 3 {
            own.quiet(Thread)?;
        }
        assert_eq!(own.g(element::<u64>(8 * me()), ONE)?, me() << 32 | round);
    }
    own.quiet(Block)
}

fn check_everything(rig: &Rig, threads: u64, rounds: u64) {
    (0..threads).for_each(|thread| assert_eq!(rig.word(1, element(8 * thread)), thread << 32 | rounds));
    (0..threads).for_each(|thread| assert_eq!(rig.word(1, element(4001 + thread)), rounds));
    assert_eq!(rig.word(1, element(4000)), threads * rounds * (rounds + 1) / 2);
    assert_eq!(rig.word(1, element(3999)), rounds);
    assert_eq!(rig.heap(1, element(40_000), 700), pattern(900, 3)[..700]);
    assert_eq!(rig.heap(1, element(60_000), 900), pattern(900, 3));
    (0..threads).for_each(|thread| rig.set_word(1, element(4001 + thread), 0));
    (3999..4001).for_each(|word| rig.set_word(1, element(word), 0));
}

#[test]
fn a_block_posts_on_a_queue_of_its_own_and_leaves_it_as_any_other() {
    for seed in 0..4 {
        let mut rig =
            Rig::new(Made { nic: Options { knobs: Knobs::from_seed(seed), ..Options::default() }, ..Made::default() });
        let handle = rig.create(1)[0];
        rig.set_heap(0, element(50_000), &pattern(900, 3));
        let (queue, shmem) = (rig.queue_of(0, handle, 1), rig.shmem(0));
        for turn in 0..2 {
            block(&shmem, handle, PeSet::One(ONE), 70, seed + turn, |own| everything(own, 7));
            check_everything(&rig, 70, 7);
            let end = queue.reserved();
            assert_eq!((queue.posted(), queue.claim(), queue.done()), (end, end, end), "seed {seed}");
            assert!(end >= 7 * 70 * 4 && queue.doorbells() > 0 && queue.stalls() > 0, "more than the queue holds");
            // Afterwards any thread posts on it again.
            on(&shmem, handle).atomic_add(element::<u64>(9000), 1, ONE).unwrap();
            shmem.quiet_on(Thread, PeSet::All, QpSet::Of(&[handle])).unwrap();
            assert_eq!(rig.word(1, element(9000)), turn + 1);
        }
        assert_eq!(queue.bytes(), 2 * (7 * (70 * (8 + 8 + 8 + 8) + 3 * 700 + 908) + 8));
    }
}

#[test]
fn its_indices_pass_the_ends_of_16_and_32_bits() {
    for first_index in [0xfff0, 0x1_fff0, (1 << 32) - 16] {
        let knobs = Knobs { prefetch: false, pi: PiSource::Doorbell, ..Knobs::from_seed(5) };
        let mut made = Made { nic: Options { first_index, knobs, ..Options::default() }, ..Made::default() };
        made.config = IbgdaConfig { depth: 128, ..made.config };
        let mut rig = Rig::new(made);
        let handle = rig.create(1)[0];
        let (queue, shmem) = (rig.queue_of(0, handle, 1), rig.shmem(0));
        rig.start_at(queue, first_index);
        rig.set_heap(0, element(50_000), &pattern(900, 3));
        block(&shmem, handle, PeSet::All, 40, 1, |own| everything(own, 5));
        check_everything(&rig, 40, 5);
        assert!(queue.done() > first_index + 700 && queue.done() == queue.reserved());
    }
}

#[test]
fn what_the_block_has_issued_a_quiet_of_the_world_completes() {
    let mut rig = Rig::new(Made::default());
    let handle = rig.create(1)[0];
    let queue = rig.queue_of(0, handle, 1);
    rig.hold(queue, true);
    block(&rig.shmem(0), handle, PeSet::One(ONE), 33, 1, |own| own.p(element(me()), me() + 1, ONE));
    assert_eq!((queue.reserved(), queue.posted(), queue.done()), (33, 33, 0));
    assert_eq!(rig.waits_in_vain(0, |shmem| shmem.quiet()), (33, 0));
    assert_eq!(rig.waits_in_vain(0, |shmem| shmem.quiet_on(Thread, PeSet::All, QpSet::Of(&[handle]))), (33, 0));
    rig.hold(queue, false);
    rig.shmem(0).quiet().unwrap();
    (0..33).for_each(|thread| assert_eq!(rig.word(1, element(thread)), thread + 1));
}

#[test]
fn when_it_stops_every_waiter_has_the_same_fault_and_so_has_who_comes_later() {
    let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    let handle = rig.create(1)[0];
    let (shmem, faults) = (rig.shmem(0), Mutex::new(Vec::new()));
    let syndrome = syndrome::REMOTE_ACCESS;
    rig.nic.inject(Fault { qpn: Some(rig.queue_of(0, handle, 1).qpn()), wqe: 5, syndrome });
    block(&shmem, handle, PeSet::All, 64, 1, |own| {
        let posted = own.p(element(me()), me(), ONE);
        let ended = posted.and(own.quiet(Block));
        faults.lock().unwrap().push(ended.unwrap_err());
        // The block's queue to another PE still works.
        own.p(element(me()), me() + 7, Pe::new(2))?;
        Ok(())
    });
    let mut cause = Reported::new(FaultStep::Completion);
    (cause.pe, cause.qp, cause.at) = (1, handle.raw(), 5);
    cause.detail = Reported::completion_detail(syndrome, syndrome & 0x7f, opcode::RDMA_WRITE);
    let faults = faults.into_inner().unwrap();
    let same = faults[0];
    assert!(crate::faults::is_or_lost(&same, &cause), "{same}");
    assert_eq!(faults.len(), 64);
    faults.iter().for_each(|fault| assert_eq!(*fault, same, "{fault}"));
    assert_eq!(shmem.quiet_on(Thread, PeSet::One(ONE), QpSet::Of(&[handle])).unwrap_err(), same);
    shmem.quiet_on(Thread, PeSet::One(Pe::new(2)), QpSet::Of(&[handle])).unwrap();
    (0..64).for_each(|thread| assert_eq!(rig.word(2, element(thread)), thread + 7));
    // A later exclusive user finds the queue up to date.
    grid_sharing(1, 32, ROOM, 2, || {
        // SAFETY: **exclusive**: one block, and no other thread posts. **lent**: the kernel uses no shared memory
        // itself.
        let own = unsafe { shmem.exclusive(handle, PeSet::One(ONE), 0) }.unwrap();
        assert_eq!(own.p(element(0), 1_u64, ONE).unwrap_err(), same);
    });
}

#[test]
fn too_little_shared_memory_and_another_pe_are_faults() {
    let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    let handle = rig.create(1)[0];
    let shmem = rig.shmem(0);
    for (pes, from) in [(PeSet::All, 0), (PeSet::One(ONE), 16), (PeSet::One(ONE), 4)] {
        grid_sharing(1, 32, ROOM, 1, || {
            // SAFETY: **exclusive**: the call fails, and nothing is posted. **lent**: the kernel uses no shared memory
            // itself.
            let fault = unsafe { shmem.exclusive(handle, pes, from) }.unwrap_err();
            assert_eq!((fault.step, fault.seen), (FaultStep::OutOfLocal, ROOM as u64));
        });
        rig.forget_fault(0);
    }
    block(&shmem, handle, PeSet::One(ONE), 32, 1, |own| {
        let fault = own.p(element(0), 1_u64, Pe::new(2)).unwrap_err();
        assert_eq!((fault.step, fault.pe, fault.qp), (FaultStep::NoSuchQp, 2, handle.raw()));
        Ok(())
    });
    assert_eq!(rig.queue_of(0, handle, 2).reserved(), 0);
}

#[test]
fn the_default_handle_has_no_queue_of_its_own() {
    let rig = Rig::new(Made::default());
    block(&rig.shmem(0), QpHandle::DEFAULT, PeSet::All, 32, 1, |own| {
        let to: SymPtr<u64> = element(me());
        assert_eq!(own.p(to, 1, ONE).unwrap_err().step, FaultStep::NoSuchQp);
        // The PE itself needs no queue.
        own.p(to, me(), Pe::new(0))
    });
    (0..32).for_each(|thread| assert_eq!(rig.word(0, element(thread)), thread));
}
