use super::*;

fn ends(n_pes: u32, spins: bool) -> Vec<HostCalls> {
    let memory = Arc::new(SharedWords::map(&HostCalls::create(n_pes).unwrap()).unwrap());
    (0..n_pes).map(|pe| HostCalls::new(memory.clone(), pe, n_pes, spins)).collect()
}

/// Runs `run` for each end on a thread of its own.
fn on_all<T: Send>(ends: &[HostCalls], run: impl Fn(&HostCalls) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = ends.iter().map(|end| scope.spawn(|| run(end))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Makes a call until its number is right: on a busy machine a PE may come after the others' patience.
fn make(end: &HostCalls, op: Op, step: &str, blob: &[u8]) -> Option<Vec<Vec<u8>>> {
    end.make(op, step, blob)
}

#[test]
fn many_calls_give_every_pe_every_blob_of_the_same_call_or_go_to_the_root_on_every_pe() {
    for spins in [true, false] {
        let ends = ends(3, spins);
        let blob = |pe: usize, round: usize| vec![(pe * 50 + round) as u8; (7 * pe + round) % 40];
        let taken = on_all(&ends, |end| {
            (0..3000)
                .map(|round| {
                    let all = make(end, Op::Gather, "blobs", &blob(end.pe, round))?;
                    assert_eq!(all, (0..3).map(|pe| blob(pe, round)).collect::<Vec<_>>(), "round {round}");
                    Some(())
                })
                .collect::<Vec<_>>()
        });
        assert!(taken.iter().all(|one| *one == taken[0]), "the PEs went different ways");
        assert!(taken[0].iter().flatten().count() > 2000, "most calls need no root");
    }
}

#[test]
fn a_call_that_differs_or_is_long_or_carries_more_than_bytes_is_the_roots_on_every_pe_and_the_next_is_not() {
    let ends = ends(2, true);
    let long = vec![7; SLOT_BYTES];
    let calls: [[(Op, &str, &[u8]); 2]; 5] = [
        [(Op::Gather, "a", &[]), (Op::Gather, "b", &[])],
        [(Op::Gather, "a", &[]), (Op::Barrier, "a", &[])],
        [(Op::Gather, "a", &long), (Op::Gather, "a", &[])],
        [(Op::Fds, "a", &[]), (Op::Fds, "a", &[])],
        [(Op::Gather, "a", &[]), (Op::Leave, "a", &[])],
    ];
    for call in calls {
        let taken = on_all(&ends, |end| {
            let (op, step, blob) = call[end.pe];
            end.make(op, step, blob)
        });
        assert_eq!(taken, [None, None], "{call:?}");
        // Until both arrive within the patience of the other.
        let mut next = on_all(&ends, |end| end.make(Op::Agree, "next", b"x"));
        for _ in 0..100 {
            if next[0].is_some() {
                break;
            }
            next = on_all(&ends, |end| end.make(Op::Agree, "next", b"x"));
        }
        assert_eq!(next, [Some(vec![b"x".to_vec(); 2]), Some(vec![b"x".to_vec(); 2])]);
    }
}

#[test]
fn a_pe_that_comes_after_the_others_have_given_up_goes_to_the_root_for_each_call_that_it_missed() {
    let ends = ends(2, true);
    // More calls than decisions are kept.
    for _ in 0..2 * DECISIONS + 3 {
        assert_eq!(ends[0].make(Op::Barrier, "early", &[]), None, "nobody else came");
    }
    for _ in 0..2 * DECISIONS + 3 {
        assert_eq!(ends[1].make(Op::Barrier, "late", &[]), None, "the others have gone on");
    }
    let met = (0..100).find_map(|_| on_all(&ends, |end| end.make(Op::Barrier, "now", &[])).swap_remove(0));
    assert_eq!(met, Some(Vec::new()));
}

#[test]
fn the_numbers_of_calls_wrap() {
    let (ends, first) = (ends(2, true), (1_u64 << 32) - 20);
    // As if all calls before the first had been made.
    for number in first - DECISIONS as u64..first {
        let words = ends[0].words(number);
        words[0].store(tag(number) | ALIKE, Ordering::Relaxed);
        words[ARRIVED].store(((number / DECISIONS as u64) as u32) << 16 | 2, Ordering::Relaxed);
    }
    for end in &ends {
        end.next.store(first, Ordering::Relaxed);
    }
    let met = (0..200).filter(|_| on_all(&ends, |end| end.make(Op::Barrier, "x", &[])) == [Some(vec![]), Some(vec![])]);
    assert!(met.count() > 100);
}
