//! Order of operations, and the operations for which quiet waits.

use std::sync::atomic::Ordering;

use oxshmem_core::host::Transport;
use oxshmem_core::{
    AmoOp, AmoType, Completion, OrderingDomain, Pe, PeSet, Qp, QpResource, QpSet, SignalOp, SymAddr, Width,
};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_softrc::Options;
use oxshmem_transport_ibrc::host::IbrcConfig;

use crate::rig::{Made, Rig, at, grid, queues, queues_of};

const ONE: PeSet = PeSet::One(Pe::new(1));

#[test]
fn what_is_asked_on_one_queue_is_seen_in_its_order_also_behind_atomics_of_several_rounds() {
    for seed in 1..5 {
        let options = Options { seed, delay: 128, ordered: seed % 2 == 0, ..Options::default() };
        let rig = Rig::new(Made { options, ..Made::default() });
        let state = rig.state(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let q = queues(&state);
                for round in 1..=300 {
                    q.p(at(1, 0), Width::B8, round).unwrap();
                    q.signal(at(1, 8), SignalOp::Set, round).unwrap();
                    q.amo(at(1, 16), AmoOp::Add, AmoType::F64, 1f64.to_bits()).unwrap();
                    q.p(at(1, 24), Width::B8, round).unwrap();
                }
                q.quiet(Thread, ONE, QpSet::Default).unwrap();
            });
            let word = |offset| rig.get_word(1, RESERVED_BYTES + offset);
            loop {
                // The last word written is read first.
                let (d, c, b, a) = (word(24), f64::from_bits(word(16)) as u64, word(8), word(0));
                assert!(a >= b && b >= c && c >= d, "seed {seed}: {a} {b} {c} {d}");
                if d == 300 {
                    break;
                }
            }
        });
    }
}

#[test]
fn quiet_waits_for_what_it_names_and_for_nothing_else() {
    let config = IbrcConfig { proxies: Some(2), ..Made::default().config };
    let mut rig = Rig::new(Made { n_pes: 3, config, ..Made::default() });
    let handles = rig.create(2);
    let state = rig.state(0);
    for (number, pe) in [(0, 1), (1, 2)] {
        let q = queues_of(&state, Qp::Custom(handles[number]));
        for round in 1..=200 {
            q.p(at(pe, 8 * number as u64), Width::B8, round).unwrap();
        }
        q.quiet(Thread, PeSet::One(Pe::new(pe)), QpSet::Of(&handles[number..=number])).unwrap();
        assert_eq!(rig.get_word(pe, RESERVED_BYTES + 8 * number as u64), 200);
    }
    // PE 2 is gone, and no operation to another PE waits for operations to it.
    rig.network.cut(2);
    let q = queues_of(&state, Qp::Custom(handles[1]));
    q.p(at(2, 64), Width::B8, 1).unwrap();
    queues(&state).p(at(1, 64), Width::B8, 1).unwrap();
    queues(&state).quiet(Thread, ONE, QpSet::All).unwrap();
    queues(&state).quiet(Thread, PeSet::All, QpSet::Of(&handles[..1])).unwrap();
    q.quiet(Thread, PeSet::All, QpSet::Of(&handles[1..])).unwrap_err();
}

#[test]
fn a_fence_over_several_rows_orders_what_goes_on_different_ones() {
    let config = IbrcConfig { rows: 2, ..Made::default().config };
    let options = Options { delay: 200, ..Options::default() };
    let rig = Rig::new(Made { config, options, ..Made::default() });
    let state = rig.state(0);
    let handles = QpSet::Default;
    // Blocks 0 and 1 use different rows.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=50 {
                grid(2, 1, round, || {
                    let block = u64::from(oxshmem_raw::gpu::ptx::linear_ctaid());
                    if block == 0 {
                        queues(&state).p(at(1, 0), Width::B8, round).unwrap();
                        queues(&state).fence(Thread, ONE, handles).unwrap();
                        rig.word(0, RESERVED_BYTES).store(round, Ordering::SeqCst);
                    } else {
                        while rig.get_word(0, RESERVED_BYTES) != round {
                            oxshmem_raw::gpu::ptx::poll_pause();
                        }
                        queues(&state).p(at(1, 8), Width::B8, round).unwrap();
                    }
                });
            }
            queues(&state).quiet(Thread, ONE, QpSet::All).unwrap();
        });
        loop {
            let (b, a) = (rig.get_word(1, RESERVED_BYTES + 8), rig.get_word(1, RESERVED_BYTES));
            assert!(a >= b, "{a} {b}");
            if b == 50 {
                break;
            }
        }
    });
}

#[test]
fn each_signal_is_seen_behind_its_data_and_proxies_sleep_and_wake_in_between() {
    let rig = Rig::new(Made::default());
    let states = [rig.state(0), rig.state(1)];
    let flag = SymAddr::new(RESERVED_BYTES + 4096);
    std::thread::scope(|scope| {
        for me in 0..2u32 {
            let (rig, state) = (&rig, &states[me as usize]);
            scope.spawn(move || {
                for round in 1..=60u64 {
                    let bytes = [8, 40, 1000][round as usize % 3];
                    rig.set_heap(me, RESERVED_BYTES, &vec![round as u8; bytes]);
                    let from = rig.local(me, RESERVED_BYTES);
                    let to = at(1 - me, 8192);
                    if round % 20 == 0 {
                        // Long enough for a proxy to begin to sleep.
                        std::thread::sleep(std::time::Duration::from_millis(3));
                    }
                    if me == 0 {
                        let op = SignalOp::Set;
                        queues(state)
                            .put_signal(Thread, to, from, bytes, flag, op, round, Completion::Nonblocking)
                            .unwrap();
                    }
                    while rig.get_word(me, flag.offset()) != round {
                        std::thread::yield_now();
                    }
                    assert_eq!(rig.heap(me, RESERVED_BYTES + 8192, bytes), vec![round as u8; bytes]);
                    if me == 1 {
                        let op = SignalOp::Add;
                        queues(state)
                            .put_signal(Thread, to, from, bytes, flag, op, 1, Completion::Nonblocking)
                            .unwrap();
                    }
                    queues(state).quiet(Thread, PeSet::All, QpSet::All).unwrap();
                }
            });
        }
    });
}

#[test]
fn rings_and_queues_that_are_full_lose_nothing() {
    let config = IbrcConfig { depth: 16, ring_depth: 64, proxies: Some(2), ..Made::default().config };
    let mut rig = Rig::new(Made { n_pes: 3, config, ..Made::default() });
    let handles = rig.create(3);
    let state = rig.state(0);
    grid(4, 100, 3, || {
        let row = queues_of(&state, Qp::Custom(handles[oxshmem_raw::gpu::ptx::linear_tid() as usize % 3]));
        for _ in 0..10 {
            for pe in 1..3 {
                row.amo(at(pe, 0), AmoOp::Add, AmoType::B64, 1).unwrap();
                queues(&state).amo(at(pe, 8), AmoOp::Xor, AmoType::B32, 1).unwrap();
            }
        }
    });
    queues(&state).quiet(Thread, PeSet::All, QpSet::All).unwrap();
    for pe in 1..3 {
        assert_eq!([rig.get_word(pe, RESERVED_BYTES), rig.get_word(pe, RESERVED_BYTES + 8)], [4000, 0]);
    }
    let counters = rig.pes[0].counters().unwrap();
    assert!(counters.iter().all(|queue| queue.posted == queue.completed && queue.errors == 0), "{counters:?}");
    assert!(counters[0].stalls > 0, "the rings were never full: {counters:?}");
    assert!(counters.iter().any(|queue| queue.doorbells < queue.posted), "never more than one in a list: {counters:?}");
}

#[test]
fn queue_pairs_are_destroyed_and_made_anew_while_others_are_used() {
    let mut rig = Rig::new(Made::default());
    let state = rig.state(0);
    for round in 1..20 {
        let handles = rig.create(2);
        let q = queues_of(&state, Qp::Custom(handles[1]));
        q.p(at(1, 0), Width::B8, round).unwrap();
        queues(&state).p(at(1, 8), Width::B8, round).unwrap();
        queues(&state).quiet(Thread, PeSet::All, QpSet::All).unwrap();
        assert_eq!([rig.get_word(1, RESERVED_BYTES), rig.get_word(1, RESERVED_BYTES + 8)], [round, round]);
        rig.destroy(&handles);
    }
}
