//! Errors of the NIC: all waiters get the same fault, and other queues go on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use oxshmem_core::host::Transport;
use oxshmem_core::{Fault as Reported, FaultStep, Pe, PeSet, QpSet, SymPtr};
use oxshmem_device::{Atomics, Block, Rma, Shmem, Signal, SignalOp, Signals, Thread, Warp};
use oxshmem_raw::gpu::ptx;
use oxshmem_rdma::mlx5::cqe::syndrome;
use oxshmem_rdma::mlx5::opcode;
use oxshmem_softnic::{Fault, Options};

use crate::rig::{Made, Rig, element, grid, on, shmem_of};

const ONE: Pe = Pe::new(1);
const TWO: Pe = Pe::new(2);
const SOON: Duration = Duration::from_secs(10);

const SYNDROMES: [u8; 13] = [
    syndrome::LOCAL_LENGTH,
    syndrome::LOCAL_QP_OPERATION,
    syndrome::LOCAL_PROTECTION,
    syndrome::FLUSHED,
    syndrome::WINDOW_BIND,
    syndrome::BAD_RESPONSE,
    syndrome::LOCAL_ACCESS,
    syndrome::REMOTE_INVALID_REQUEST,
    syndrome::REMOTE_ACCESS,
    syndrome::REMOTE_OPERATION,
    syndrome::RETRIES_EXCEEDED,
    syndrome::NOT_READY_RETRIES_EXCEEDED,
    syndrome::REMOTE_ABORTED,
];

fn me() -> u64 {
    u64::from(ptx::linear_ctaid() * ptx::block_threads() + ptx::linear_tid())
}

/// Returns the fault of a failed entry.
fn expected(pe: u32, qp: i32, index: u64, syndrome: u8, opcode: u8) -> Reported {
    let mut fault = Reported::new(FaultStep::Completion);
    (fault.pe, fault.qp, fault.at) = (pe, qp, index);
    // The software NIC's vendor syndrome is the syndrome, with one bit that does not fit.
    fault.detail = Reported::completion_detail(syndrome, syndrome & 0x7f, opcode);
    fault
}

/// Reports whether a queue stopped with this fault, or with that of a later entry that was flushed: its completion
/// overwrites the cause, and the text says so.
pub(crate) fn is_or_lost(fault: &Reported, cause: &Reported) -> bool {
    let is_lost = (fault.step, fault.pe, fault.qp) == (cause.step, cause.pe, cause.qp)
        && fault.at >= cause.at
        && (fault.detail & 0xff) as u8 == syndrome::FLUSHED
        && fault.to_string().contains("the cause was lost");
    fault == cause || is_lost
}

#[test]
fn every_syndrome_reaches_every_waiter_and_other_queues_go_on() {
    for syndrome in SYNDROMES {
        let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
        let handles = rig.create(2);
        let (a, b) = (handles[0], handles[1]);
        let (state, faults, since) = (rig.state(0), Mutex::new(Vec::new()), Instant::now());
        let early = AtomicUsize::new(0);
        rig.nic.inject(Fault { qpn: Some(rig.queue_of(0, a, 1).qpn()), wqe: 5, syndrome });
        let wait = |seed: u64| {
            grid(4, 40, seed, || {
                let shmem = shmem_of(state);
                // One warp alone, all threads alone, and the block together.
                let _ = on(&shmem, a).p(element(me()), me(), ONE);
                let ended = match ptx::linear_ctaid() {
                    0 => shmem.quiet_on(Warp, PeSet::One(ONE), QpSet::Of(&[a])),
                    1 => shmem.quiet_on(Block, PeSet::All, QpSet::Of(&[a])),
                    _ => shmem.quiet_on(Thread, PeSet::One(ONE), QpSet::Of(&[a])),
                };
                // Entries that completed before the failing one leave nothing to wait for.
                match ended {
                    Ok(()) => drop(early.fetch_add(1, Ordering::Relaxed)),
                    Err(fault) => faults.lock().unwrap().push(fault),
                }
            });
        };
        std::thread::scope(|scope| {
            scope.spawn(|| wait(1));
            wait(2);
        });
        let shmem = rig.shmem(0);
        let faults = faults.into_inner().unwrap();
        assert_eq!(faults.len() + early.load(Ordering::Relaxed), 320);
        assert!(early.into_inner() <= 5, "more threads were done than entries that do not fail");
        let same = faults[0];
        assert!(is_or_lost(&same, &expected(1, a.raw(), 5, syndrome, opcode::RDMA_WRITE)), "{same}");
        faults.iter().for_each(|fault| assert_eq!(*fault, same, "{fault}"));
        assert!(since.elapsed() < SOON, "syndrome {syndrome:#x} took {:?}", since.elapsed());
        // A later caller gets the same fault, and other queues work.
        assert_eq!(on(&shmem, a).p(element(0), 1_u64, ONE).unwrap_err(), same);
        for (round, handle, pe) in [(1, b, ONE), (2, a, TWO), (3, b, TWO)] {
            on(&shmem, handle).p(element(500), round, pe).unwrap();
            assert_eq!(on(&shmem, handle).atomic_fetch_add(element::<u64>(500), 1, pe).unwrap(), round);
            shmem.quiet_on(Thread, PeSet::One(pe), QpSet::Of(&[handle])).ok();
        }
        shmem.quiet_on(Thread, PeSet::All, QpSet::Of(&[b])).unwrap();
        shmem.quiet_on(Thread, PeSet::One(TWO), QpSet::All).unwrap();
        shmem.p(element::<u64>(501), 77, ONE).unwrap();
        shmem.quiet_on(Thread, PeSet::All, QpSet::Default).unwrap();
        assert_eq!(rig.word(1, element(501)), 77);
        assert_eq!(shmem.quiet().unwrap_err(), same);
        check_host(&mut rig, same);
    }
}

/// Checks that the host reports the same fault, once, and counts it.
fn check_host(rig: &mut Rig, fault: Reported) {
    let errors: Vec<_> = rig.host(0).counters().unwrap().into_iter().filter(|queue| queue.errors != 0).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!((errors[0].pe.number(), errors[0].handle.raw(), errors[0].errors), (fault.pe, fault.qp, 1));
    assert_eq!(rig.host(0).faults().unwrap(), [fault]);
    assert!(rig.host(0).faults().unwrap().is_empty());
}

#[test]
fn whatever_a_thread_waits_for_on_a_queue_that_stops_ends_with_its_fault() {
    type Call = fn(&Shmem) -> Result<(), Reported>;
    let calls: [Call; 12] = [
        |shmem| shmem.put(Thread, element::<u8>(0), element(0), 1000, ONE),
        |shmem| shmem.get(Thread, element::<u8>(0), element(0), 1000, ONE),
        |shmem| shmem.g::<u32>(element(0), ONE).map(drop),
        |shmem| shmem.atomic_fetch_add(element::<u64>(0), 1, ONE).map(drop),
        |shmem| shmem.atomic_swap(element::<u32>(0), 1, ONE).map(drop),
        |shmem| shmem.atomic_swap(element::<u64>(0), 1, ONE).map(drop),
        |shmem| shmem.atomic_fetch_add(element::<f64>(0), 1.0, ONE).map(drop),
        |shmem| shmem.put_signal(Thread, element::<u8>(800), element(0), 1000, Signal::set(element(0), 1), ONE),
        |shmem| shmem.iget(Thread, element::<u64>(0), element(0), 1, 1, 200, ONE),
        // More than fits into the queue.
        |shmem| shmem.iput(Thread, element::<u64>(0), element(0), 1, 1, 400, ONE),
        |shmem| (0..400).try_for_each(|i| shmem.p(element::<u64>(i), i, ONE)),
        |shmem| shmem.p(element::<u64>(0), 1, ONE).and_then(|()| shmem.fence().and_then(|()| shmem.quiet())),
    ];
    for (number, call) in calls.into_iter().enumerate() {
        let rig = Rig::new(Made::default());
        let (queue, shmem, since) = (rig.first(), rig.shmem(0), Instant::now());
        rig.nic.inject(Fault { qpn: Some(queue.qpn()), wqe: 0, syndrome: syndrome::REMOTE_ACCESS });
        let fault = call(&shmem).unwrap_err();
        let opcode = (fault.detail >> 16) as u8;
        let cause = expected(1, 1, 0, syndrome::REMOTE_ACCESS, opcode);
        assert!(is_or_lost(&fault, &cause), "call {number}: {fault}");
        assert_eq!(call(&shmem).unwrap_err(), fault, "it is said again");
        assert!(since.elapsed() < SOON);
    }
}

#[test]
fn a_groups_nonblocking_call_that_fails_tells_every_thread_and_so_does_the_next_quiet_or_barrier() {
    let complete = |shmem: &Shmem, quiet: usize| match quiet {
        0 => shmem.quiet(),
        1 => shmem.quiet_on(Warp, PeSet::One(ONE), QpSet::Default),
        2 => shmem.quiet_on(Block, PeSet::All, QpSet::All),
        _ => shmem.barrier_all(Block),
    };
    for quiet in 0..4 {
        for by_block in [false, true] {
            let rig = Rig::new(Made::default());
            let (shmem, told, callers) = (rig.shmem(0), AtomicUsize::new(0), AtomicUsize::new(0));
            rig.nic.inject(Fault { qpn: Some(rig.first().qpn()), wqe: 0, syndrome: syndrome::REMOTE_ACCESS });
            shmem.p(element(0), 1_u64, ONE).unwrap();
            let same = shmem.quiet().unwrap_err();
            grid(1, 64, quiet as u64, || {
                let (data, add) = (element::<u8>(0), SignalOp::Add);
                let posted = match by_block {
                    true => shmem.put_signal_nbi(
                        Block,
                        element::<u8>(800),
                        data,
                        100,
                        Signal { word: element(0), value: 1, op: add },
                        ONE,
                    ),
                    false => shmem.put_nbi(Warp, element::<u8>(800), data, 1000, ONE),
                };
                assert_eq!(posted.unwrap_err(), same);
                callers.fetch_add(1, Ordering::Relaxed);
                assert_eq!(complete(&shmem, quiet).unwrap_err(), same);
                told.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!((callers.into_inner(), told.into_inner()), (64, 64), "quiet {quiet}");
        }
    }
}

#[test]
fn the_fault_of_a_group_is_of_a_queue_that_it_named() {
    let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    let handles = rig.create(2);
    let (a, b) = (handles[0], handles[1]);
    let shmem = rig.shmem(0);
    for (handle, pe, syndrome) in [(a, ONE, syndrome::REMOTE_ACCESS), (b, TWO, syndrome::RETRIES_EXCEEDED)] {
        let queue = rig.queue_of(0, handle, pe.number());
        rig.nic.inject(Fault { qpn: Some(queue.qpn()), wqe: 0, syndrome });
        on(&shmem, handle).p(element(0), 1_u64, pe).unwrap();
        let fault = shmem.quiet_on(Thread, PeSet::One(pe), QpSet::Of(&[handle])).unwrap_err();
        assert_eq!(fault, expected(pe.number(), handle.raw(), 0, syndrome, opcode::RDMA_WRITE));
    }
    let (of_a, of_b) =
        (expected(1, a.raw(), 0, syndrome::REMOTE_ACCESS, 8), expected(2, b.raw(), 0, syndrome::RETRIES_EXCEEDED, 8));
    grid(1, 64, 0, || {
        assert_eq!(shmem.quiet_on(Block, PeSet::All, QpSet::Of(&[b])).unwrap_err(), of_b);
        assert_eq!(shmem.quiet_on(Block, PeSet::All, QpSet::Of(&[a])).unwrap_err(), of_a);
        assert_eq!(shmem.quiet_on(Warp, PeSet::One(TWO), QpSet::All).unwrap_err(), of_b);
        assert_eq!(shmem.quiet_on(Warp, PeSet::One(ONE), QpSet::All).unwrap_err(), of_a);
        shmem.quiet_on(Block, PeSet::All, QpSet::Default).unwrap();
    });
}

#[test]
fn a_link_that_goes_down_stops_what_goes_over_it_in_bounded_time() {
    let rig = Rig::new(Made { n_pes: 3, nic: Options { nics: 3, ..Options::default() }, ..Made::default() });
    let (word, since): (SymPtr<u64>, _) = (element(0), Instant::now());
    rig.shmem(0).p(word, 1, ONE).unwrap();
    rig.shmem(0).quiet().unwrap();
    rig.nic.set_link("mlx5_0", false).unwrap();
    let shmem = rig.shmem(0);
    let faults = Mutex::new(Vec::new());
    grid(2, 32, 0, || {
        let _ = shmem.p(word, 2, ONE);
        let fault = shmem.quiet_on(Thread, PeSet::One(ONE), QpSet::All).unwrap_err();
        faults.lock().unwrap().push(fault);
    });
    let faults = faults.into_inner().unwrap();
    let cause = expected(1, 1, 1, syndrome::RETRIES_EXCEEDED, opcode::RDMA_WRITE);
    assert!(is_or_lost(&faults[0], &cause), "{}", faults[0]);
    assert!(faults.iter().all(|fault| *fault == faults[0]) && since.elapsed() < SOON);
    // Other PEs' links are up.
    rig.shmem(1).p(word, 3, TWO).unwrap();
    rig.shmem(1).quiet().unwrap();
    assert_eq!((rig.word(1, word), rig.word(2, word)), (1, 3));
}

#[test]
fn a_queue_in_the_row_of_a_destroyed_one_reports_a_fault_of_its_own() {
    let mut rig = Rig::new(Made::default());
    let mut handles = rig.create(1);
    for (round, &syndrome) in SYNDROMES.iter().take(3).enumerate() {
        let shmem = rig.shmem(0);
        rig.nic.inject(Fault { qpn: Some(rig.queue_of(0, handles[0], 1).qpn()), wqe: 1, syndrome });
        on(&shmem, handles[0]).p(element(0), 1u64, ONE).unwrap();
        on(&shmem, handles[0]).p(element(1), 1u64, ONE).unwrap();
        let fault = shmem.quiet_on(Thread, PeSet::One(ONE), QpSet::Of(&handles)).unwrap_err();
        assert_eq!(rig.host(0).faults().unwrap(), [fault], "round {round}");
        assert_eq!(rig.host(0).faults().unwrap(), [], "it is reported once");
        rig.destroy(&handles);
        assert_eq!(rig.host(0).faults().unwrap(), []);
        let again = rig.create(1);
        assert_eq!(again, handles, "it is in the same row");
        assert_eq!(rig.host(0).faults().unwrap(), []);
        handles = again;
    }
}
