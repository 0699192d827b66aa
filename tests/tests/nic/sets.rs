//! Queues, and sets of them and of PEs.

use oxshmem_core::{Pe, PeSet, Qp, QpSet, SymPtr};
use oxshmem_device::{Block, Rma, Shmem, Signal, SignalOp, Signals, Thread, Warp};
use oxshmem_raw::gpu::ptx;
use oxshmem_softnic::{Knobs, Options};
use oxshmem_transport_ibgda::host::IbgdaConfig;

use crate::rig::{Made, Rig, element, grid, on, pattern};

const ONE: Pe = Pe::new(1);
const TWO: Pe = Pe::new(2);

#[test]
fn every_queue_leads_where_it_says() {
    for (rows, customs) in [(1, 0), (1, 1), (2, 2), (3, 3), (2, 0)] {
        let mut made = Made { n_pes: 4, ..Made::default() };
        made.config = IbgdaConfig { rows, ..made.config };
        let mut rig = Rig::new(made);
        let handles = if customs == 0 { Vec::new() } else { rig.create(customs) };
        let value = |from: u32, to: u32, row: u32| u64::from(1_000_000 + from * 10_000 + to * 100 + row);
        let place = |from: u32, row: u32| element::<u64>(u64::from(16 * from + row));
        for me in 0..4 {
            let shmem = rig.shmem(me);
            let others = || (0..4).filter(|pe| *pe != me);
            // Block b uses the default queue of row b.
            grid(rows, 1, 1, || {
                let row = ptx::linear_ctaid();
                others().for_each(|pe| shmem.p(place(me, row), value(me, pe, row), Pe::new(pe)).unwrap());
                shmem.quiet().unwrap();
            });
            for (row, handle) in (rows..).zip(&handles) {
                for pe in others() {
                    on(&shmem, *handle).p(place(me, row), value(me, pe, row), Pe::new(pe)).unwrap();
                }
            }
            shmem.quiet().unwrap();
        }
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            for row in 0..16 {
                let expected = if from != to && row < rows + customs { value(from, to, row) } else { 0 };
                let found = rig.word(to, place(from, row));
                assert_eq!(found, expected, "from {from} to {to} on row {row} of {rows} and {customs}");
                if expected != 0 {
                    let queue = rig.queue(from, row, to);
                    assert_eq!((queue.posted(), queue.done(), queue.bytes()), (1, 1, 8));
                }
            }
        }
    }
}

#[test]
fn a_quiet_waits_for_exactly_the_queues_and_pes_that_it_names() {
    let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    let handles = rig.create(3);
    let (a, b, c) = (handles[0], handles[1], handles[2]);
    // Every queue has operations in flight, and only those on `a` to PE 1 do not complete.
    let held = rig.queue_of(0, a, 1);
    rig.hold(held, true);
    let shmem = rig.shmem(0);
    for pe in [ONE, TWO] {
        shmem.p(element::<u64>(0), 1, pe).unwrap();
        handles.iter().for_each(|handle| on(&shmem, *handle).p(element::<u64>(0), 1, pe).unwrap());
    }
    let quiet = |shmem: &Shmem, pes, qps: QpSet<'_>| shmem.quiet_on(Thread, pes, qps);
    for qps in [QpSet::Default, QpSet::Of(&[]), QpSet::Of(&[b]), QpSet::Of(&[c, b])] {
        for pes in [PeSet::All, PeSet::One(ONE), PeSet::One(TWO)] {
            quiet(&shmem, pes, qps).unwrap();
        }
    }
    for qps in [QpSet::All, QpSet::Of(&[a]), QpSet::Of(&[b, a, c])] {
        quiet(&shmem, PeSet::One(TWO), qps).unwrap();
        quiet(&shmem, PeSet::One(Pe::new(0)), qps).unwrap();
        for pes in [PeSet::All, PeSet::One(ONE)] {
            assert_eq!(rig.waits_in_vain(0, |shmem| quiet(shmem, pes, qps)), (1, 0), "{qps:?} of {pes:?}");
        }
    }
    // Called by groups, which share the queues among their threads.
    grid(2, 40, 1, || {
        shmem.quiet_on(Block, PeSet::One(TWO), QpSet::All).unwrap();
        shmem.quiet_on(Warp, PeSet::All, QpSet::Of(&[c, b])).unwrap();
        shmem.quiet_on(Block, PeSet::All, QpSet::Default).unwrap();
    });
    rig.set_limit(crate::rig::SHORT);
    grid(1, 40, 1, || {
        let fault = shmem.quiet_on(Block, PeSet::All, QpSet::All).unwrap_err();
        assert_eq!((fault.pe, fault.qp), (1, a.raw()), "{fault}");
    });
    rig.forget_fault(0);
    rig.set_limit(crate::rig::LONG);
    rig.hold(held, false);
    quiet(&shmem, PeSet::All, QpSet::All).unwrap();
    assert_eq!((held.done(), rig.word(1, element(0))), (1, 1));
}

#[test]
fn a_fence_waits_only_where_operations_could_overtake_each_other() {
    let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    let handles = rig.create(2);
    let (a, b) = (handles[0], handles[1]);
    let held = rig.queue_of(0, a, 1);
    rig.hold(held, true);
    on(&rig.shmem(0), a).p(element::<u64>(0), 1, ONE).unwrap();
    let shmem = rig.shmem(0);
    // One queue keeps its order by itself.
    for qps in [QpSet::Default, QpSet::Of(&[a]), QpSet::Of(&[b]), QpSet::Of(&[])] {
        shmem.fence_on(Thread, PeSet::All, qps).unwrap();
    }
    shmem.fence_on(Thread, PeSet::One(TWO), QpSet::All).unwrap();
    shmem.fence_on(Thread, PeSet::One(TWO), QpSet::Of(&[a, b])).unwrap();
    for qps in [QpSet::All, QpSet::Of(&[a, b])] {
        let in_vain = rig.waits_in_vain(0, |shmem| shmem.fence_on(Thread, PeSet::One(ONE), qps));
        assert_eq!(in_vain, (1, 0), "{qps:?}");
    }
    rig.hold(held, false);
    rig.shmem(0).fence().unwrap();
    assert_eq!(rig.word(1, element(0)), 1, "it was there when the fence ended");
}

#[test]
fn a_fence_over_two_queues_orders_what_is_on_them() {
    for seed in 0..4 {
        let knobs = Knobs { stall: 200, stall_us: 200, ..Knobs::from_seed(seed) };
        let mut rig = Rig::new(Made { nic: Options { knobs, ..Options::default() }, ..Made::default() });
        let handles = rig.create(2);
        let (shmem, flag): (Shmem, SymPtr<u64>) = (rig.shmem(0), element(0));
        for round in 1..60 {
            let data = pattern(2000, round);
            rig.set_heap(0, element(4096), &data);
            let (first, second) = (handles[round as usize % 2], handles[(round as usize + 1) % 2]);
            on(&shmem, first).put_nbi(Thread, element::<u8>(4096), element(4096), 2000, ONE).unwrap();
            shmem.fence_on(Thread, PeSet::One(ONE), QpSet::Of(&handles)).unwrap();
            on(&shmem, second).p(flag, round, ONE).unwrap();
            let since = std::time::Instant::now();
            while rig.word(1, flag) != round {
                assert!(since.elapsed() < crate::rig::LONG);
                std::thread::yield_now();
            }
            assert_eq!(rig.heap(1, element(4096), 2000), data, "seed {seed}");
            shmem.quiet().unwrap();
        }
    }
}

#[test]
fn a_signal_comes_behind_its_data_on_any_queue() {
    for seed in 0..4 {
        let knobs = Knobs { scatter: 512, ..Knobs::from_seed(seed) };
        let mut made = Made { nic: Options { knobs, ..Options::default() }, ..Made::default() };
        made.config.rows = 3;
        let mut rig = Rig::new(made);
        let handle = rig.create(1)[0];
        let (shmem, word): (Shmem, SymPtr<u64>) = (rig.shmem(0), element(1));
        let mut sum = 0;
        for round in 1..100 {
            let bytes = [1, 27, 28, 29, 100, 5000][round as usize % 6];
            let data = pattern(bytes, round);
            rig.set_heap(0, element(4096), &data);
            let queue = shmem.qp([Qp::Default, Qp::Any, Qp::Custom(handle)][round as usize % 3]);
            let (op, value) = if round % 2 == 0 { (SignalOp::Add, 3) } else { (SignalOp::Set, round << 20) };
            sum = if round % 2 == 0 { sum + 3 } else { round << 20 };
            queue
                .put_signal(Thread, element::<u8>(4096), element(4096), bytes, Signal { word, value, op }, ONE)
                .unwrap();
            let since = std::time::Instant::now();
            while rig.word(1, word) != sum {
                assert!(since.elapsed() < crate::rig::LONG, "{sum:#x}");
                std::thread::yield_now();
            }
            assert_eq!(rig.heap(1, element(4096), bytes), data, "seed {seed}, {bytes} bytes");
            shmem.quiet().unwrap();
        }
    }
}

#[test]
fn with_relaxed_ordering_a_signal_waits_for_its_data_and_a_fence_is_a_quiet() {
    let mut made = Made::default();
    made.config = IbgdaConfig { relaxed_ordering: true, ..made.config };
    waits_between_data_and_signal(Rig::new(made));
}

#[test]
fn a_target_with_relaxed_ordering_is_written_in_order_also_by_who_has_it_not() {
    waits_between_data_and_signal(Rig::new(Made { relaxed: Some(1), ..Made::default() }));
}

fn waits_between_data_and_signal(mut rig: Rig) {
    let queue = rig.first();
    rig.hold(queue, true);
    let mut posted = 0;
    for bytes in [8, 2000] {
        let (data, word, set): (SymPtr<u8>, _, _) = (element(4096), element(1), SignalOp::Set);
        rig.waits_in_vain(0, |shmem| {
            shmem.put_signal_nbi(Thread, data, data, bytes, Signal { word, value: 7, op: set }, ONE)
        });
        posted += 1;
        assert_eq!(queue.posted(), posted, "the data is posted, and its signal is not");
    }
    assert_eq!(rig.waits_in_vain(0, |shmem| shmem.fence()), (posted, 0));
    rig.hold(queue, false);
    let shmem = rig.shmem(0);
    shmem.put_signal(Thread, element::<u8>(4096), element(4096), 2000, Signal::set(element(1), 9), ONE).unwrap();
    shmem.fence().unwrap();
    assert_eq!(queue.done(), queue.posted());
    shmem.quiet().unwrap();
    assert_eq!(rig.word(1, element(1)), 9);
}
