use super::*;

fn ends(n_pes: u32, spins: bool) -> Vec<HostCalls> {
    let memory = Arc::new(SharedWords::map(&HostCalls::create(n_pes).unwrap()).unwrap());
    (0..n_pes).map(|pe| HostCalls::new(memory.clone(), pe, n_pes, spins, None)).collect()
}

/// Runs `run` for each end on a thread of its own.
fn on_all<T: Send>(ends: &[HostCalls], run: impl Fn(&HostCalls) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = ends.iter().map(|end| scope.spawn(|| run(end))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn many_calls_give_every_pe_every_blob_of_the_same_call_or_go_to_the_root_on_every_pe() {
    // A thread that gets no core for longer than the patience of the others sends them to the root.
    let patient = DECISION_LIMIT * 50;
    for (spins, patience, least) in
        [(true, DECISION_LIMIT, 0), (false, DECISION_LIMIT, 0), (true, patient, 2000), (false, patient, 2000)]
    {
        let mut ends = ends(3, spins);
        ends.iter_mut().for_each(|end| end.decision_limit = patience);
        let blob = |pe: usize, round: usize| vec![(pe * 50 + round) as u8; (7 * pe + round) % 40];
        let taken = on_all(&ends, |end| {
            (0..3000)
                .map(|round| {
                    let all = end.make(Op::Gather, "blobs", &blob(end.pe, round))?;
                    assert_eq!(all, (0..3).map(|pe| blob(pe, round)).collect::<Vec<_>>(), "round {round}");
                    Some(())
                })
                .collect::<Vec<_>>()
        });
        assert!(taken.iter().all(|one| *one == taken[0]), "the PEs went different ways");
        assert!(taken[0].iter().flatten().count() >= least, "most calls need no root");
    }
}

#[test]
fn a_call_that_differs_or_is_long_or_carries_more_than_bytes_is_the_roots_on_every_pe_and_the_next_is_not() {
    let ends = ends(2, true);
    let long = vec![7; SLOT_BYTES];
    let calls: [[(Op, &str, &[u8]); 2]; 6] = [
        [(Op::Gather, "a", &[]), (Op::Gather, "b", &[])],
        // In both slots the same bytes follow the head.
        [(Op::Gather, "ab", &[]), (Op::Gather, "a", b"b")],
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
    let (ends, first) = (ends(2, true), u32::MAX - 19);
    // As if all calls before the first had been made.
    for number in first - DECISIONS..first {
        let words = ends[0].words(number);
        words[0].store(tag(number) | ALIKE, Ordering::Relaxed);
        words[ARRIVED].store((number / DECISIONS) << 16 | 2, Ordering::Relaxed);
    }
    for end in &ends {
        end.next.store(first, Ordering::Relaxed);
        end.begun(end.pe).store(first, Ordering::Relaxed);
    }
    let met = (0..200).filter(|_| on_all(&ends, |end| end.make(Op::Barrier, "x", &[])) == [Some(vec![]), Some(vec![])]);
    assert!(met.count() > 100);
}

#[test]
fn a_pe_that_is_two_calls_ahead_of_one_that_reads_leaves_its_slot_alone() {
    let ends = ends(2, true);
    let (step, blobs) = ("read late", [b"first".as_slice(), b"second"]);
    // Both arrive at a call, and one does not get to reading its outcome.
    for end in &ends {
        let (number, _) = end.begin();
        end.write(number, Op::Gather, step, blobs[end.pe]);
        if end.arrive(number) {
            end.decide(number, ALIKE);
        }
    }
    // The other one's next call fails at the root, and the one after that would be written to the same slot.
    ends[0].leave_to_root();
    assert_eq!(ends[0].make(Op::Gather, step, b"overwritten"), None);
    assert_eq!([0, 1].map(|pe| ends[1].read(0, pe, step.len())), blobs);
    ends[1].leave_to_root();
    assert_eq!(ends[1].make(Op::Gather, step, b"second PE"), None, "the other one has given it up");
    let met = (0..100).find_map(|_| on_all(&ends, |end| end.make(Op::Barrier, "now", &[])).swap_remove(0));
    assert_eq!(met, Some(Vec::new()));
}
