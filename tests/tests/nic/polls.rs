//! Threads' views of completions.

use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, Ordering};

use oxshmem_core::host::Transport;
use oxshmem_core::{Pe, SymPtr};
use oxshmem_device::{Atomics, Rma};
use oxshmem_rdma::mlx5::{self, cqe};
use oxshmem_softnic::{Knobs, Options};
use oxshmem_transport_ibgda::host::IbgdaConfig;
use oxshmem_transport_ibgda::state::QueueState;

use crate::rig::{Made, Rig, element, grid, half, shmem_of, word};

const ONE: Pe = Pe::new(1);

fn deep(depth: u32) -> Made {
    let made = Made::default();
    Made { config: IbgdaConfig { depth, ..made.config }, ..made }
}

#[test]
fn quiet_waits_for_all_that_was_posted_at_every_depth_before_the_nic_runs() {
    for depth in [128, 1024, 32768] {
        let room = depth.min(32767);
        for outstanding in [0, 1, room - 1, room] {
            let mut rig = Rig::new(deep(depth));
            let queue = rig.first();
            rig.hold(queue, true);
            let shmem = rig.shmem(0);
            for value in 1..=outstanding {
                shmem.p(element::<u32>(0), value, ONE).unwrap();
            }
            if outstanding == 0 {
                shmem.quiet().unwrap();
                continue;
            }
            let in_vain = rig.waits_in_vain(0, |shmem| shmem.quiet());
            assert_eq!(in_vain, (outstanding.into(), 0), "depth {depth}");
            assert_eq!(queue.stalls(), 0);
            rig.hold(queue, false);
            rig.shmem(0).quiet().unwrap();
            assert_eq!(queue.done(), u64::from(outstanding));
            assert_eq!(rig.word(1, element(0)), u64::from(outstanding));
        }
    }
}

#[test]
fn no_queue_begins_with_a_completion_that_reads_as_one() {
    let mut rig = Rig::new(Made { n_pes: 3, ..Made::default() });
    for round in 0..3 {
        let handles = rig.create(2);
        for (me, handle, pe) in [(0, handles[0], 1), (0, handles[1], 2), (2, handles[0], 0)] {
            let queue = rig.queue_of(me, handle, pe);
            for at in (0..64).step_by(8) {
                assert_eq!(word(queue.cqe() + at).load(Ordering::SeqCst), u64::MAX, "round {round}");
            }
            assert_eq!(queue.tail().opcode(), cqe::INVALID);
            // Used, so that a queue created in its place would show it.
            rig.shmem(me).qp(oxshmem_core::Qp::Custom(handle)).p(element(0), 1_u64, Pe::new(pe)).unwrap();
            rig.shmem(me).quiet().unwrap();
        }
        rig.destroy(&handles);
    }
}

#[test]
fn done_only_grows_however_many_threads_poll() {
    // As GPU threads of one PE, and as racing threads.
    for seed in 1..4 {
        let knobs = Knobs { late_cqe: 512, late_cqe_us: 50, ..Knobs::from_seed(seed) };
        let mut made = Made { nic: Options { knobs, ..Options::default() }, ..Made::default() };
        // A wide fence orders nothing here: each quiet is a poll.
        made.config.rows = 1;
        let rig = Rig::new(made);
        let (queue, state, over) = (rig.first(), rig.state(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let watch = scope.spawn(|| {
                let mut last = 0;
                while !over.load(Ordering::Acquire) {
                    let done = queue.done();
                    // (It may be ahead of `posted` for a moment, which is stored after the doorbell.)
                    assert!(done >= last && done <= queue.reserved(), "from {last} to {done}");
                    last = done;
                    std::thread::yield_now();
                }
            });
            let post = |seed: u64| {
                grid(32, 32, seed, || {
                    let shmem = shmem_of(state);
                    for _ in 0..2 {
                        shmem.p(element::<u64>(1), 1, ONE).unwrap();
                        let posted = queue.posted();
                        shmem.quiet().unwrap();
                        assert!(queue.done() >= posted);
                    }
                });
            };
            let other = scope.spawn(move || post(seed + 100));
            post(seed);
            other.join().unwrap();
            over.store(true, Ordering::Release);
            watch.join().unwrap();
        });
        assert_eq!(queue.done(), 2 * 2 * 32 * 32);
    }
}

#[test]
fn a_completion_says_the_same_whatever_lap_it_is_of() {
    let mut rig = Rig::new(deep(32768));
    let queue = rig.first();
    rig.hold(queue, true);
    let bases = [0, 1, 0x7ffe, 0xfff0, 0xffff, 0x1_0000, 0x1_fff0, (1 << 32) - 16, 1 << 32, (1 << 40) + 12345];
    for done in bases {
        for outstanding in [1, 2, 127, 16384, 32766, 32767] {
            for completed in [0, 1, outstanding / 2, outstanding] {
                queue.set(offset_of!(QueueState, reserved), done + outstanding);
                queue.set(offset_of!(QueueState, posted), done + outstanding);
                queue.set(offset_of!(QueueState, done), done);
                // The entry is that of the last completion, perhaps long ago.
                queue.complete((done + completed).wrapping_sub(1));
                if completed == outstanding {
                    rig.shmem(0).quiet().unwrap();
                } else if outstanding % 127 == 0 || completed == 1 {
                    let in_vain = rig.waits_in_vain(0, |shmem| shmem.quiet());
                    assert_eq!(in_vain, (done + outstanding, done + completed));
                }
                // A completion from before `done`, which a slower poll may still see, is not one of the next lap.
                if completed == outstanding && outstanding >= 16384 {
                    queue.set(offset_of!(QueueState, reserved), done + outstanding + 1);
                    for stale in [1, 2, outstanding / 2, outstanding] {
                        queue.complete(done + outstanding - stale);
                        let in_vain = rig.waits_in_vain(0, |shmem| shmem.quiet());
                        let expected = (done + outstanding + 1, done + outstanding);
                        assert_eq!(in_vain, expected, "{stale} behind, from {done:#x}");
                    }
                }
            }
        }
    }
    rig.lawless = true;
}

#[test]
fn a_completion_that_changes_all_the_time_is_read_whole() {
    let mut rig = Rig::new(deep(32768));
    let queue = rig.first();
    rig.hold(queue, true);
    // Entries complete one by one for three laps of 16 bits; no thread may see more completions than there were.
    let (shmem, end) = (rig.shmem(0), 200_000);
    queue.set(offset_of!(QueueState, posted), end);
    std::thread::scope(|scope| {
        let nic = scope.spawn(|| {
            for index in 0..end {
                // The program is never more than a queue's depth late.
                while index > queue.done() + 30_000 {
                    std::thread::yield_now();
                }
                queue.complete(index);
            }
        });
        let mut target = 0;
        while target < end {
            target = (target + 777).min(end);
            queue.set(offset_of!(QueueState, reserved), target);
            shmem.quiet().unwrap();
            let done = queue.done();
            assert!(done >= target && done <= end, "{done} of {target}");
        }
        nic.join().unwrap();
    });
    shmem.quiet().unwrap();
    assert_eq!(queue.done(), end);
    rig.lawless = true;
}

#[test]
fn quiet_waits_for_entries_that_others_have_reserved_and_not_written() {
    let mut rig = Rig::new(Made::default());
    let queue = rig.first();
    // One thread has reserved a block, and is slow.
    queue.field(offset_of!(QueueState, reserved)).fetch_add(1, Ordering::SeqCst);
    rig.shmem(0).p(element::<u64>(3), 33, ONE).unwrap();
    assert_eq!((queue.posted(), queue.doorbells()), (0, 0), "what is behind a gap is not told");
    assert_eq!(rig.waits_in_vain(0, |shmem| shmem.quiet()), (2, 0));
    assert_eq!(rig.word(1, element(3)), 0);
    // It writes its entry, and takes along the marked entries after it.
    let mlx5::Segment(first, second) = mlx5::ctrl(0, mlx5::opcode::NOP, 0, queue.qpn(), 1, mlx5::ce::ALWAYS);
    word(queue.sq()).store(first, Ordering::SeqCst);
    word(queue.sq() + 8).store(second, Ordering::SeqCst);
    assert_eq!(word(queue.marks() + 8).load(Ordering::SeqCst), 2, "the second entry is marked");
    half(queue.dbr()).store(mlx5::send_dbr(2), Ordering::SeqCst);
    word(queue.doorbell()).store(mlx5::doorbell(2, queue.qpn()), Ordering::SeqCst);
    queue.set(offset_of!(QueueState, claim), 2);
    queue.set(offset_of!(QueueState, posted), 2);
    rig.shmem(0).quiet().unwrap();
    assert_eq!((rig.word(1, element(3)), queue.done()), (33, 2));
    // Afterwards everything works as before.
    let at: SymPtr<u64> = element(4);
    rig.shmem(0).p(at, 44, ONE).unwrap();
    assert_eq!(rig.shmem(0).atomic_fetch_add(at, 1, ONE).unwrap(), 44);
}

#[test]
fn a_queue_that_completed_nothing_has_no_error() {
    let mut rig = Rig::new(Made::default());
    let handles = rig.create(1);
    // Remains of an error in memory are no error until the opcode says so.
    let queue = rig.queue_of(0, handles[0], 1);
    half(queue.cqe() + cqe::ERROR_OFFSET as u64).store(u32::from_be(0x13), Ordering::SeqCst);
    rig.shmem(0).quiet().unwrap();
    rig.hold(queue, true);
    rig.shmem(0).qp(oxshmem_core::Qp::Custom(handles[0])).p(element(0), 7_u64, ONE).unwrap();
    assert_eq!(rig.waits_in_vain(0, |shmem| shmem.quiet()), (1, 0));
    assert!(rig.host(0).faults().unwrap().is_empty());
    assert!(rig.host(0).counters().unwrap().iter().all(|queue| queue.errors == 0));
    rig.hold(queue, false);
    rig.shmem(0).quiet().unwrap();
    assert_eq!(rig.word(1, element(0)), 7);
}
