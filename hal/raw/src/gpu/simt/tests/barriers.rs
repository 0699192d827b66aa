//! Barriers of blocks and warps, and the values that lanes exchange.

use super::*;

#[test]
fn a_block_barrier_holds_everyone_back_until_all_are_there() {
    for threads in [1, 31, 32, 100, 256] {
        let arrived = [const { AtomicU32::new(0) }; 8];
        one_block(threads, || {
            for step in &arrived {
                yield_point();
                step.fetch_add(1, Relaxed);
                block_barrier(0);
                assert_eq!(step.load(Relaxed) % threads, 0, "nobody passes before all came");
                block_barrier(0);
            }
        });
        assert!(arrived.iter().all(|step| step.load(Relaxed) == 50 * threads));
    }
}

#[test]
fn each_block_has_its_own_barriers() {
    let arrived: Vec<AtomicU32> = (0..40).map(|_| AtomicU32::new(0)).collect();
    run(&line(40, 64), &Schedule::seeded(3), &|| {
        let mine = &arrived[block_idx()[0] as usize];
        mine.fetch_add(1, Relaxed);
        block_barrier(0);
        assert_eq!(mine.load(Relaxed), 64);
    })
    .unwrap();
}

#[test]
fn threads_that_exited_count_as_arrived() {
    one_block(70, || {
        if linear().is_multiple_of(3) {
            return;
        }
        block_barrier(0);
        if linear() % 3 == 1 {
            yield_point();
            return;
        }
        block_barrier(0);
        let mine = (0..32).filter(|lane| (linear() / 32 * 32 + lane) % 3 == 2 && linear() / 32 * 32 + lane < 70);
        assert_eq!(warp_ballot(u32::MAX, true), mine.fold(0, |set, lane| set | 1 << lane), "only who is alive votes");
    });
}

#[test]
fn a_lane_that_exits_releases_the_lanes_that_wait_for_it_in_the_warp() {
    one_block(40, || {
        if lane() % 4 == 1 {
            // By now the other threads have arrived.
            (0..20).for_each(|_| wait_point());
            return;
        }
        let others = if linear() < 32 { 0xdddd_dddd } else { 0xdd };
        assert_eq!(warp_ballot(u32::MAX, true), others);
        warp_barrier(u32::MAX);
    });
}

#[test]
fn the_disjunction_of_a_barrier_reaches_everyone_and_ends_with_it() {
    one_block(96, || {
        for step in 0..6 {
            let any = block_barrier_or(0, step % 2 == 0 && linear() == 17 * step);
            assert_eq!(any, step % 2 == 0);
        }
    });
}

#[test]
fn barriers_with_different_ids_know_nothing_of_each_other() {
    let (even, odd) = (AtomicU32::new(0), AtomicU32::new(0));
    one_block(128, || {
        // Whole warps arrive, as the hardware requires.
        let (id, count) = if (linear() / 32).is_multiple_of(2) { (1, &even) } else { (2, &odd) };
        for _ in 0..4 {
            count.fetch_add(1, Relaxed);
            block_barrier_counted(id, 64);
            assert_eq!(count.load(Relaxed) % 64, 0);
            block_barrier_counted(id, 64);
        }
        block_barrier(0);
    });
}

#[test]
fn lanes_exchange_values_in_full_and_partial_warps() {
    for threads in [1, 5, 32, 33, 64, 90] {
        one_block(threads, || {
            let warp = linear() / 32;
            let lanes = (threads - warp * 32).min(32);
            let existing = u32::MAX >> (32 - lanes);
            assert_eq!(active_mask(), existing);
            for turn in 0..4 {
                let from = (lane() + turn) % lanes;
                let got = warp_shuffle(u32::MAX, u64::from(linear()) << 33, from);
                assert_eq!(got, u64::from(warp * 32 + from) << 33);
                assert_eq!(
                    warp_ballot(u32::MAX, lane() % 3 == turn % 3),
                    (0..lanes).filter(|l| l % 3 == turn % 3).fold(0, |m, l| m | 1 << l)
                );
            }
            if lanes < 32 {
                assert_eq!(warp_shuffle(u32::MAX, 1, 31), POISON, "lane 31 doesn't exist");
            }
        });
    }
}

#[test]
fn a_warp_barrier_holds_back_the_lanes_of_its_mask_and_no_others() {
    let arrived = [const { AtomicU32::new(0) }; 2];
    one_block(32, || {
        let half = lane() / 16;
        let count = &arrived[half as usize];
        for _ in 0..1 + 3 * half {
            count.fetch_add(1, Relaxed);
            warp_barrier(0xffff << (16 * half));
            assert_eq!(count.load(Relaxed) % 16, 0, "a half passes together");
            warp_barrier(0xffff << (16 * half));
        }
    });
}

#[test]
fn a_meeting_of_a_whole_block_or_warp_is_an_error_if_a_thread_ends_before_it() {
    for seed in 0..50 {
        for (by_warp, left) in [(false, 7), (false, 69), (true, 40), (true, 69)] {
            let meet = || match by_warp {
                true => warp_meeting(),
                false => assert!(!block_meeting(false)),
            };
            let ended = run(&line(2, 70), &Schedule::seeded(seed), &|| {
                if block_idx()[0] == 0 || linear() != left {
                    meet();
                    meet();
                }
            });
            let text = ended.unwrap_err().to_string();
            let group = if by_warp { "warp" } else { "block" };
            let said = format!("made a call of its {group} that 1 thread ({left}) ended without");
            assert!(text.contains(&said) && text.contains("block [1, 0, 0]"), "{text}");
        }
    }
}
