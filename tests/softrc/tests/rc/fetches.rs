//! Fetches by devices that may end them without their data.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::host::Transport;
use oxshmem_core::{AmoOp, AmoType, Completion, Fault, FaultStep, OrderingDomain, Pe, PeSet, QpResource, QpSet, Width};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_rdma::fabric::Status;
use oxshmem_softrc::{EmptyFetches, Failure, Options};
use oxshmem_transport_ibrc::host::IbrcConfig;

use crate::rig::{Made, Rig, at, grid, pattern, queues};

const ONE: PeSet = PeSet::One(Pe::new(1));

/// Returns settings for devices that leave out the data of such fetches.
fn leaving_out(empty_fetches: EmptyFetches, seed: u64, guard_fetches: Option<bool>) -> Made {
    let options = Options { seed, delay: 128, empty_fetches, ..Options::default() };
    Made { options, config: IbrcConfig { guard_fetches, ..Made::default().config }, ..Made::default() }
}

/// Issues puts, each followed by fetches of all kinds, by many threads on one queue. Returns the number of wrong
/// answers.
fn wrong_answers(rig: &Rig) -> u64 {
    const THREADS: u64 = 64;
    const ROUNDS: u64 = 20;
    let state = rig.state(0);
    let there = pattern(1024, 1);
    rig.set_heap(1, RESERVED_BYTES + 8192, &there);
    let (threads, wrong, counts) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Vec::new()));
    grid(1, THREADS as u32, 1, || {
        let q = queues(&state);
        let me = threads.fetch_add(1, Ordering::Relaxed);
        let mut mine = vec![0u8; 1024];
        for round in 1..=ROUNDS {
            let own = |offset| at(1, 64 * (me + 1) + offset);
            let put = || q.p(own(8), Width::B8, round).unwrap();
            q.p(own(0), Width::B8, round << 8 | me).unwrap();
            let count = q.amo_fetch(at(1, 0), AmoOp::Add, AmoType::B64, 1, 0).unwrap();
            put();
            let word = q.g(own(0), Width::B8).unwrap();
            put();
            let byte = q.g(own(0), Width::B1).unwrap();
            put();
            let sum = q.amo_fetch(own(16), AmoOp::Add, AmoType::F64, 1f64.to_bits(), 0).unwrap();
            put();
            mine.fill(0);
            // SAFETY: **owned**: the buffer is this thread's local variable, and the call returns before it is read.
            let to = unsafe { LocalAddr::new(mine.as_mut_ptr()) };
            q.get(Thread, to, at(1, 8192), mine.len(), Completion::Blocking).unwrap();
            let rights = [word == round << 8 | me, byte == me, f64::from_bits(sum) as u64 == round - 1, mine == there];
            wrong.fetch_add(rights.iter().filter(|right| !**right).count() as u64, Ordering::Relaxed);
            counts.lock().unwrap().push(count);
        }
        q.quiet(Thread, ONE, QpSet::Default).unwrap();
    });
    // Each count was fetched once.
    let mut counts = counts.into_inner().unwrap();
    counts.sort_unstable();
    counts.dedup();
    let missing = THREADS * ROUNDS - counts.iter().filter(|count| **count < THREADS * ROUNDS).count() as u64;
    wrong.into_inner() + missing
}

#[test]
fn what_is_fetched_behind_puts_is_right_also_where_the_device_leaves_it_out_behind_or_beside_writes() {
    for seed in 1..4 {
        for which in [EmptyFetches::BehindWrites, EmptyFetches::BesideWrites] {
            assert_eq!(wrong_answers(&Rig::new(leaving_out(which, seed, None))), 0, "{which:?}, seed {seed}");
        }
    }
}

#[test]
fn toward_a_peer_without_queue_pairs_for_fetches_they_go_behind_writes_that_are_complete() {
    for careless in [&[1][..], &[0, 1]] {
        let rig = Rig::new(Made { careless, ..leaving_out(EmptyFetches::BehindWrites, 3, None) });
        let wrong = wrong_answers(&rig);
        assert_eq!(wrong == 0, careless.len() == 1, "{careless:?}: {wrong}");
    }
}

#[test]
fn such_a_device_is_believed_where_the_user_says_so_and_then_answers_are_wrong() {
    for which in [EmptyFetches::BehindWrites, EmptyFetches::BesideWrites] {
        let wrong = wrong_answers(&Rig::new(leaving_out(which, 1, Some(false))));
        assert!(wrong > 100, "{which:?}: {wrong}");
    }
}

#[test]
fn a_fetch_that_brings_nothing_is_the_fault_of_all_who_wait_and_other_queues_go_on() {
    for kind in [AmoType::B64, AmoType::F64, AmoType::B32] {
        for guard in [None, Some(true)] {
            // First a device that announces the defect, then one for which only the user's setting does.
            let which = if guard.is_none() { EmptyFetches::BehindWrites } else { EmptyFetches::None };
            let rig = Rig::new(Made { n_pes: 3, ..leaving_out(which, 5, guard) });
            let state = rig.state(0);
            queues(&state).p(at(1, 0), Width::B8, 7).unwrap();
            queues(&state).quiet(Thread, ONE, QpSet::Default).unwrap();
            rig.network.fail(Failure { pe: 0, to: 1, after: 5, status: Status::Success });
            let faults = Mutex::new(Vec::<Fault>::new());
            grid(1, 64, 1, || {
                let fetched = queues(&state).amo_fetch(at(1, 8), AmoOp::Add, kind, 0, 0);
                assert!(fetched.is_err() || fetched == Ok(0), "{kind:?}: {fetched:?}, which was never there");
                faults.lock().unwrap().extend(fetched.err());
            });
            let faults = faults.into_inner().unwrap();
            let first = faults[0];
            assert!(first.step == FaultStep::Completion && first.detail as u8 == 0xe3, "{kind:?}: {first}");
            assert!(first.to_string().contains("without its data"), "{first}");
            assert!(faults.iter().all(|fault| *fault == first), "{faults:?}");
            let q = queues(&state);
            assert_eq!(q.quiet(Thread, ONE, QpSet::Default), Err(first));
            assert_eq!(rig.pes[0].faults().unwrap(), [first]);
            q.p(at(2, 0), Width::B8, 5).unwrap();
            assert_eq!(q.g(at(2, 0), Width::B8), Ok(5));
        }
    }
}

#[test]
fn a_word_that_a_get_did_not_bring_is_a_fault_too() {
    let rig = Rig::new(leaving_out(EmptyFetches::BehindWrites, 6, None));
    let state = rig.state(0);
    let q = queues(&state);
    q.p(at(1, 0), Width::B8, 7).unwrap();
    assert_eq!(q.g(at(1, 0), Width::B8), Ok(7));
    rig.network.fail(Failure { pe: 0, to: 1, after: 0, status: Status::Success });
    let fault = q.g(at(1, 0), Width::B8).unwrap_err();
    assert_eq!((fault.step, fault.detail as u8), (FaultStep::Completion, 0xe3), "{fault}");
}
