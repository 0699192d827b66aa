mod barriers;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};

use oxshmem_core::ErrorKind;

use super::*;

pub(super) fn line(blocks: u32, threads: u32) -> Grid {
    Grid { blocks: [blocks, 1, 1], threads: [threads, 1, 1], dynamic_shared_bytes: 0, collective: false }
}

fn linear() -> u32 {
    let ([x, y, z], [dx, dy, _]) = (thread_idx(), block_dim());
    (z * dy + y) * dx + x
}

/// Runs one block of `threads` threads under many seeds.
fn one_block(threads: u32, body: impl Fn()) {
    for seed in 0..50 {
        run(&line(1, threads), &Schedule { seed, yield_one_in: 2, resident_blocks: 1, launch: 0 }, &body).unwrap();
    }
}

#[test]
fn every_thread_runs_once_with_its_own_indices() {
    let grid = Grid { blocks: [3, 4, 5], threads: [5, 7, 3], dynamic_shared_bytes: 0, collective: false };
    let seen = RefCell::new(HashSet::new());
    let stats = run(&grid, &Schedule::seeded(7), &|| {
        assert_eq!((block_dim(), grid_dim()), (grid.threads, grid.blocks));
        assert_eq!(lane(), linear() % 32);
        assert!(seen.borrow_mut().insert((block_idx(), thread_idx())), "nobody runs twice");
    })
    .unwrap();
    let seen = seen.into_inner();
    assert_eq!((seen.len(), stats.threads), (60 * 105, 60 * 105));
    let inside = |at: [u32; 3], dim: [u32; 3]| at.iter().zip(dim).all(|(&at, dim)| at < dim);
    assert!(seen.iter().all(|&(block, thread)| inside(block, grid.blocks) && inside(thread, grid.threads)));
    assert_eq!(stats.stacks, 1, "threads that never wait share one stack");
}

#[test]
fn outside_of_a_grid_one_is_alone_in_a_grid_of_one_thread() {
    assert!(!inside_grid());
    assert_eq!((thread_idx(), block_idx(), block_dim(), grid_dim(), lane()), ([0; 3], [0; 3], [1; 3], [1; 3], 0));
    block_barrier(3);
    assert!(block_barrier_or(0, true) && !block_barrier_or(0, false));
    warp_barrier(u32::MAX);
    assert_eq!(warp_shuffle(u32::MAX, 9, 0), 9);
    assert_eq!((warp_ballot(u32::MAX, true), active_mask()), (1, 1));
    (0..3000).for_each(|_| yield_point());
    wait_point();
    assert_eq!(shared_base().addr() % 128, 0);
}

#[test]
fn a_block_of_a_collective_grid_can_wait_for_the_last_one() {
    let grid = Grid { collective: true, ..line(64, 40) };
    for seed in 0..10 {
        let word = AtomicU64::new(0);
        run(&grid, &Schedule::seeded(seed), &|| {
            if block_idx()[0] == 63 && linear() == 39 {
                word.store(5, Release);
            }
            while block_idx()[0] == 0 && word.load(Acquire) != 5 {
                wait_point();
            }
            block_barrier(0);
        })
        .unwrap();
    }
}

#[test]
fn more_blocks_than_are_resident_can_wait_for_those_that_started_earlier() {
    let ticket = AtomicU32::new(0);
    run(&line(1000, 33), &Schedule { seed: 1, yield_one_in: 3, resident_blocks: 4, launch: 0 }, &|| {
        block_barrier(0);
        if linear() == 0 {
            while ticket.load(Acquire) != block_idx()[0] {
                yield_point();
                wait_point();
            }
            ticket.fetch_add(1, Release);
        }
    })
    .unwrap();
    assert_eq!(ticket.into_inner(), 1000);
}

#[test]
fn no_more_blocks_are_resident_than_the_schedule_and_the_stacks_allow() {
    for (threads, asked, most) in [(64, 5, 5), (1024, 100, 4), (64, 0, 1)] {
        let (now, highest) = (AtomicU32::new(0), AtomicU32::new(0));
        run(&line(30, threads), &Schedule { resident_blocks: asked, ..Schedule::seeded(9) }, &|| {
            if block_barrier_or(0, false) || linear() == 0 {
                highest.fetch_max(now.fetch_add(1, Relaxed) + 1, Relaxed);
            }
            (0..20).for_each(|_| wait_point());
            block_barrier(0);
            if linear() == 0 {
                now.fetch_sub(1, Relaxed);
            }
        })
        .unwrap();
        assert_eq!(highest.into_inner(), most, "{asked} blocks of {threads} threads asked");
    }
}

#[test]
fn a_thread_that_yields_for_ever_does_not_keep_others_from_polling() {
    let (asked, granted) = (Cell::new(false), Cell::new(false));
    run(&line(1, 2), &Schedule { yield_one_in: 1, ..Schedule::default() }, &|| {
        if linear() == 0 {
            asked.set(true);
            while !granted.get() {
                yield_point();
            }
        } else {
            while !asked.get() {
                wait_point();
            }
            wait_point();
            granted.set(true);
        }
    })
    .unwrap();
}

#[test]
fn a_grid_that_only_polls_rests_until_another_os_thread_answers() {
    let (flag, polls) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The answer comes only after enough polls that the grid has begun to sleep.
            while polls.load(Relaxed) < 40 * 300 {
                std::thread::yield_now();
            }
            flag.store(true, Release);
        });
        let stats = run(&line(1, 40), &Schedule::default(), &|| {
            while !flag.load(Acquire) {
                polls.fetch_add(1, Relaxed);
                yield_point();
                wait_point();
            }
        })
        .unwrap();
        assert!(stats.idle_rounds >= 200, "{stats:?}");
    });
}

#[test]
fn a_panic_names_the_thread_and_its_text_and_unwinds_the_others() {
    struct Guard<'a>(&'a AtomicU32);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Relaxed);
            // While the thread unwinds, this call must neither wait nor let other threads run.
            block_barrier(0);
        }
    }
    let alive = AtomicU32::new(0);
    let grid = Grid { blocks: [2, 2, 1], threads: [8, 4, 2], dynamic_shared_bytes: 0, collective: true };
    let error = run(&grid, &Schedule::default(), &|| {
        alive.fetch_add(1, Relaxed);
        let _guard = Guard(&alive);
        block_barrier(1);
        assert!(thread_idx() != [3, 2, 1] || block_idx() != [1, 0, 0], "the value is {}", 42);
        block_barrier(1);
        while block_idx() == [1, 0, 0] {
            wait_point();
        }
    })
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Fault);
    assert!(error.to_string().contains("thread [3, 2, 1] of block [1, 0, 0] panicked: the value is 42"), "{error}");
    assert_eq!(alive.into_inner(), 0, "every thread that began was unwound");
    assert!(!inside_grid());
    assert_eq!(run(&line(2, 64), &Schedule::default(), &|| block_barrier(0)).unwrap().threads, 128);
}

#[test]
fn threads_at_different_barriers_are_an_error_that_lists_the_waiting_threads() {
    let error = run(&line(3, 70), &Schedule::default(), &|| match linear() {
        _ if block_idx() != [1, 0, 0] => block_barrier(0),
        5 => (),
        0..64 => block_barrier(2),
        64 => warp_barrier(0b11),
        _ => block_barrier(3),
    })
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Fault);
    let text = error.to_string();
    for part in [
        "block [1, 0, 0] of 70 threads (1 exited)",
        "barrier 2: 63 threads (0 to 4, 6 to 63)",
        "barrier 3: 5 threads (65 to 69)",
        "Barrier of the warp's lanes 0x00000003 2: 1 thread (64)",
    ] {
        assert!(text.contains(part), "{part:?} in {text:?}");
    }
}

#[test]
fn a_lane_outside_of_its_mask_and_a_seventeenth_barrier_are_refused() {
    let text = |body: &dyn Fn()| run(&line(1, 1), &Schedule::default(), body).unwrap_err().to_string();
    assert!(text(&|| warp_barrier(2)).contains("lane 0 is not one of them"));
    assert!(text(&|| block_barrier(16)).contains("a block has 16 barriers"));
    assert!(text(&|| block_barrier_counted(0, 33)).contains("whole warps"));
}

#[test]
fn bad_shapes_are_refused_before_anything_runs() {
    let refused = |grid: Grid| run(&grid, &Schedule::default(), &|| unreachable!()).unwrap_err();
    assert_eq!(refused(line(0, 1)).kind(), ErrorKind::InvalidArgument);
    assert_eq!(refused(line(1, 0)).kind(), ErrorKind::InvalidArgument);
    let error = refused(Grid { threads: [32, 32, 2], ..line(1, 1) });
    assert!(error.to_string().contains("2048 threads of a block asked, 1024 available"), "{error}");
    let most = most_resident_threads();
    let error = refused(Grid { collective: true, ..line(most as u32 / 512 + 1, 512) });
    assert_eq!((error.kind(), error.how_much().unwrap().limit), (ErrorKind::Exhausted, most as u64));
    assert!(error.to_string().contains(&format!("{} blocks of this size fit", most / 512)), "{error}");
    let nested = run(&line(1, 1), &Schedule::default(), &|| {
        assert_eq!(run(&line(1, 1), &Schedule::default(), &|| ()).unwrap_err().kind(), ErrorKind::InvalidArgument);
    });
    nested.unwrap();
    assert_eq!(stacks::parse_kib("64").unwrap(), 64 << 10);
    assert!(stacks::parse_kib("lots").unwrap_err().to_string().contains("16 to 65536"));
    assert!(stacks::parse_kib("1").is_err());
}

/// Records the order in which threads ran.
fn trace(seed: u64) -> Vec<(u32, u32, u32)> {
    let trace = RefCell::new(Vec::new());
    let turns = AtomicU32::new(0);
    run(&line(20, 96), &Schedule { seed, yield_one_in: 4, resident_blocks: 3, launch: 0 }, &|| {
        for step in 0..5 {
            trace.borrow_mut().push((block_idx()[0], linear(), step));
            yield_point();
            if step == 2 {
                turns.fetch_add(1, Relaxed);
                while turns.load(Relaxed) < 96 {
                    wait_point();
                }
                warp_shuffle(u32::MAX, 1, 0);
                block_barrier(0);
            }
        }
    })
    .unwrap();
    trace.into_inner()
}

#[test]
fn the_same_seed_gives_the_same_interleaving_and_another_seed_another() {
    let first = trace(11);
    assert_eq!(first, trace(11));
    assert_eq!(first, std::thread::spawn(|| trace(11)).join().unwrap(), "nor does the OS thread matter");
    assert_ne!(first, trace(12));
    assert_eq!(first.len(), 20 * 96 * 5);
}

#[test]
fn shared_memory_is_the_blocks_own_aligned_and_not_cleared() {
    let grid = Grid { dynamic_shared_bytes: 1000, ..line(30, 64) };
    run(&grid, &Schedule::seeded(4), &|| {
        assert_eq!(shared_base().addr() % 128, 0);
        // SAFETY: the grid has 1000 bytes of shared memory, and each thread accesses only its own word between
        // barriers.
        let word = |at: u32| unsafe { &*shared_base().cast::<AtomicU32>().add(at as usize) };
        assert_eq!(word(linear()).load(Relaxed), 0xa5a5_a5a5);
        block_barrier(0);
        word(linear()).store(block_idx()[0] * 100 + linear(), Relaxed);
        block_barrier(0);
        assert_eq!(word(63 - linear()).load(Relaxed), block_idx()[0] * 100 + 63 - linear());
    })
    .unwrap();
}

#[test]
fn two_os_threads_run_grids_at_once_and_talk_to_each_other() {
    let turn = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for me in 0..2 {
            let turn = &turn;
            scope.spawn(move || {
                run(&line(4, 64), &Schedule::seeded(me), &|| {
                    for _ in 0..10 {
                        block_barrier(0);
                        if block_idx() == [0; 3] && linear() == 0 {
                            while turn.load(Acquire) % 2 != me as u32 {
                                wait_point();
                            }
                            progress_point();
                            turn.fetch_add(1, Release);
                        }
                        assert_eq!(warp_shuffle(u32::MAX, u64::from(linear()), 3) % 32, 3);
                    }
                })
                .unwrap();
            });
        }
    });
    assert_eq!(turn.into_inner(), 20);
}

#[test]
fn a_collective_grid_of_many_suspended_threads_runs() {
    let grid = Grid { collective: true, ..line(8, 1024) };
    let arrived = AtomicU32::new(0);
    let stats = run(&grid, &Schedule::default(), &|| {
        arrived.fetch_add(1, Relaxed);
        while arrived.load(Relaxed) < 8192 {
            wait_point();
        }
    })
    .unwrap();
    assert!(stats.stacks > 4000, "{stats:?}");
}
