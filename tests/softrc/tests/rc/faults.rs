//! Errors: every waiting thread gets the same fault, and other queues go on.

use std::time::{Duration, Instant};

use oxshmem_core::host::{ErrorKind, Transport};
use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, FaultStep, OrderingDomain, Pe, PeSet, Qp, QpResource, QpSet, Remote, SymAddr,
    Width,
};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_rdma::fabric::Status;
use oxshmem_softrc::Failure;
use oxshmem_transport_ibrc::host::IbrcConfig;

use crate::rig::{EXTENT, Made, Rig, at, grid, queues, queues_of};

const SOON: Duration = Duration::from_secs(20);
const ONE: PeSet = PeSet::One(Pe::new(1));
const TWO: PeSet = PeSet::One(Pe::new(2));

#[test]
fn the_work_request_that_fails_is_every_waiters_fault_and_other_queues_go_on() {
    for (status, syndrome) in [(Status::RemoteAccess, 0x13), (Status::PeerGone, 0x15), (Status::LocalProtection, 0x04)]
    {
        let rig = Rig::new(Made { n_pes: 3, ..Made::default() });
        let (state, since) = (rig.state(0), Instant::now());
        rig.network.fail(Failure { pe: 0, to: 1, after: 7, status });
        let faults = std::sync::Mutex::new(Vec::<Fault>::new());
        grid(2, 64, 1, || {
            let q = queues(&state);
            let ended =
                q.p(at(1, 0), Width::B8, 1).and_then(|()| q.amo_fetch(at(1, 8), AmoOp::Add, AmoType::B64, 1, 0));
            let ended = ended.and_then(|_| q.quiet(Thread, ONE, QpSet::Default));
            faults.lock().unwrap().extend(ended.err());
        });
        let faults = faults.into_inner().unwrap();
        assert!(faults.len() > 100, "{} of 128 threads had one", faults.len());
        let first = faults[0];
        assert_eq!((first.step, first.pe, first.detail as u8), (FaultStep::Completion, 1, syndrome), "{first}");
        assert!(faults.iter().all(|fault| *fault == first), "{faults:?}");
        let q = queues(&state);
        assert_eq!(q.p(at(1, 0), Width::B8, 1).and_then(|()| q.quiet(Thread, ONE, QpSet::All)), Err(first));
        // Queues to other PEs still work.
        q.p(at(2, 0), Width::B8, 5).unwrap();
        q.quiet(Thread, TWO, QpSet::All).unwrap();
        assert_eq!(q.g(at(2, 0), Width::B8).unwrap(), 5);
        assert_eq!(rig.pes[0].faults().unwrap(), [first]);
        assert_eq!(rig.pes[0].faults().unwrap(), []);
        let why = format!("the queue of row 0 to PE 1 failed: {} (code 0x0)", status.text());
        assert!(rig.pes[0].describe().contains(&why), "{}", rig.pes[0].describe());
        assert!(since.elapsed() < SOON);
    }
}

#[test]
fn what_was_complete_before_the_failure_stays_so() {
    let rig = Rig::new(Made::default());
    let state = rig.state(0);
    let q = queues(&state);
    q.p(at(1, 0), Width::B8, 1).unwrap();
    q.quiet(Thread, ONE, QpSet::Default).unwrap();
    rig.network.fail(Failure { pe: 0, to: 1, after: 1, status: Status::RemoteAccess });
    q.p(at(1, 8), Width::B8, 2).unwrap();
    q.p(at(1, 16), Width::B8, 3).unwrap();
    q.p(at(1, 24), Width::B8, 4).unwrap();
    let fault = q.quiet(Thread, ONE, QpSet::Default).unwrap_err();
    // The third request is the one that failed.
    assert_eq!((fault.step, fault.at), (FaultStep::Completion, 2), "{fault}");
    let words = [0, 8, 16, 24].map(|offset| rig.get_word(1, RESERVED_BYTES + offset));
    assert_eq!(words, [1, 2, 0, 0]);
}

#[test]
fn a_request_that_leaves_the_peers_heap_stops_its_queue_and_says_why() {
    let rig = Rig::new(Made::default());
    let state = rig.state(0);
    let beyond = Remote { pe: Pe::new(1), at: SymAddr::new(2 * EXTENT) };
    let q = queues(&state);
    q.p(beyond, Width::B8, 1).unwrap();
    let fault = q.quiet(Thread, ONE, QpSet::Default).unwrap_err();
    assert_eq!(fault.step, FaultStep::Completion);
    assert!(fault.to_string().contains("leaves the peer's heap"), "{fault}");
    // A fetch on the stopped queue does not wait for an answer.
    assert_eq!(q.g(at(1, 0), Width::B8), Err(fault));
}

#[test]
fn a_proxy_that_dies_is_a_fault_of_all_its_queues_and_nobody_hangs() {
    let rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    let (state, since) = (rig.state(0), Instant::now());
    let q = queues(&state);
    q.p(at(2, 0), Width::B8, 1).unwrap();
    q.quiet(Thread, TWO, QpSet::All).unwrap();
    rig.network.panic_at_post(0);
    let fetched = q.amo_fetch(at(1, 0), AmoOp::Add, AmoType::B64, 1, 0);
    assert_eq!(fetched.unwrap_err().step, FaultStep::HostThread);
    for (pe, pes) in [(1, ONE), (2, TWO)] {
        // This also holds when the ring is full, since no thread takes requests out of it.
        let mut asked = Ok(());
        for _ in 0..300 {
            asked = asked.and_then(|()| q.p(at(pe, 0), Width::B8, 2));
        }
        let fault = asked.and_then(|()| q.quiet(Thread, pes, QpSet::All)).unwrap_err();
        assert_eq!((fault.step, fault.pe), (FaultStep::HostThread, pe), "{fault}");
    }
    assert!(rig.pes[0].put(at(1, 0), &[1; 100]).unwrap_err().to_string().contains("is gone"));
    assert!(since.elapsed() < SOON);
    // PE 1's own queues still work.
    let theirs = rig.state(1);
    queues(&theirs).p(at(2, 8), Width::B8, 3).unwrap();
    queues(&theirs).quiet(Thread, TWO, QpSet::All).unwrap();
}

#[test]
fn a_peer_that_is_gone_fails_the_hosts_own_copies_and_the_next_ones_to_others_succeed() {
    let rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    rig.network.cut(1);
    for _ in 0..2 {
        let error = rig.pes[0].put(at(1, 0), &[1; 100]).unwrap_err();
        assert!(error.to_string().contains("the peer or the way to it is gone"), "{error}");
    }
    rig.pes[0].put(at(2, 0), &[7; 100]).unwrap();
    assert_eq!(rig.heap(2, RESERVED_BYTES, 100), [7; 100]);
}

#[test]
fn a_get_of_the_hosts_that_took_too_long_never_writes_to_its_callers_memory() {
    let made = Made::default();
    let config = IbrcConfig { wait_limit: Some(Duration::from_millis(200)), ..made.config.clone() };
    let rig = Rig::new(Made { config, ..made });
    rig.set_heap(1, RESERVED_BYTES, &[7; 100]);
    rig.network.hold(0, true);
    let mut mine = [3; 100];
    let late = rig.pes[0].get(&mut mine, at(1, 0)).unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Timeout, "{late}");
    rig.network.hold(0, false);
    // It follows the late get on the same queue pair. (On a busy machine it may be late as well.)
    let (mut other, since) = ([0; 100], Instant::now());
    while let Err(error) = rig.pes[0].get(&mut other, at(1, 0)) {
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
        assert!(since.elapsed() < SOON, "{error}");
    }
    assert_eq!((other, mine), ([7; 100], [3; 100]));
}

#[test]
fn a_get_that_took_too_long_never_writes_to_memory_of_its_thread() {
    for (bytes, when) in [(8, Completion::Blocking), (700, Completion::Nonblocking), (5000, Completion::Blocking)] {
        let mut rig = Rig::new(Made::default());
        rig.set_limit(Duration::from_millis(200));
        rig.set_heap(1, RESERVED_BYTES, &vec![7; bytes]);
        rig.network.hold(0, true);
        let (state, mut mine) = (rig.state(0), vec![3u8; bytes]);
        // SAFETY: **owned**: `mine` is not accessed before the call has returned.
        let to = unsafe { LocalAddr::new(mine.as_mut_ptr()) };
        let late = queues(&state).get(Thread, to, at(1, 0), bytes, when).unwrap_err();
        assert_eq!((late.step, late.pe), (FaultStep::Queue, 1), "{late}");
        assert_eq!(mine, vec![3; bytes]);
        rig.network.hold(0, false);
        let since = Instant::now();
        while rig.pes[0].counters().unwrap().iter().map(|queue| queue.completed).sum::<u64>() == 0 {
            assert!(since.elapsed() < SOON, "the reply of {bytes} bytes never came");
            std::thread::yield_now();
        }
        assert_eq!(std::hint::black_box(&mine), &vec![3; bytes], "after the late reply");
    }
}

#[test]
fn bounce_buffers_serve_others_behind_a_queue_that_stopped_with_all_of_them() {
    let rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    let data = vec![3u8; 900_000];
    for _ in 0..4 {
        rig.network.fail(Failure { pe: 0, to: 1, after: 3, status: Status::PeerGone });
    }
    rig.pes[0].put(at(1, 0), &data).unwrap_err();
    for _ in 0..4 {
        rig.pes[0].put(at(2, 0), &data).unwrap();
    }
    assert_eq!(rig.heap(2, RESERVED_BYTES, data.len()), data);
}

#[test]
fn a_queue_in_the_row_of_a_destroyed_one_reports_a_fault_of_its_own() {
    let mut rig = Rig::new(Made::default());
    let mut handles = rig.create(1);
    for status in [Status::RemoteAccess, Status::PeerGone] {
        rig.network.fail(Failure { pe: 0, to: 1, after: 0, status });
        let state = rig.state(0);
        let q = queues_of(&state, Qp::Custom(handles[0]));
        q.p(at(1, 0), Width::B8, 1).unwrap();
        let fault = q.quiet(Thread, ONE, QpSet::Of(&handles)).unwrap_err();
        assert_eq!(fault.step, FaultStep::Completion, "{fault}");
        assert_eq!(rig.pes[0].faults().unwrap(), [fault], "{status:?}");
        assert_eq!(rig.pes[0].faults().unwrap(), [], "it is reported once");
        rig.destroy(&handles);
        let again = rig.create(1);
        assert_eq!(again, handles, "it is in the same row");
        assert_eq!(rig.pes[0].faults().unwrap(), []);
        handles = again;
    }
}
