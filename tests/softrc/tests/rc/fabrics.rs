//! Fabrics that are not verbs: without order, with other native atomics, with targets that must poll.

use oxshmem_core::host::{ErrorKind, Extent, Offer, Transport};
use oxshmem_core::{AmoOp, AmoType, Completion, OrderingDomain, Pe, PeSet, QpResource, QpSet, SignalOp, Width};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_softrc::Options;

use crate::operations::all_atomics;
use crate::rig::{EXTENT, Made, Rig, at, pattern, queues};

const ONE: PeSet = PeSet::One(Pe::new(1));

fn rig(options: Options) -> Rig {
    Rig::new(Made { options, ..Made::default() })
}

#[test]
fn without_order_a_signal_is_seen_after_all_pieces_of_its_data() {
    const BYTES: usize = 20_000;
    for seed in 1..4 {
        let rig = rig(Options { ordered: false, max_message: 512, delay: 128, seed, ..Options::default() });
        let state = rig.state(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=20 {
                    rig.set_heap(0, RESERVED_BYTES, &pattern(BYTES, round));
                    let (from, word) = (rig.local(0, RESERVED_BYTES), at(1, 32_000).at);
                    let (op, kind) = (SignalOp::Set, Completion::Blocking);
                    queues(&state).put_signal(Thread, at(1, 0), from, BYTES, word, op, round, kind).unwrap();
                    // The next round begins when the peer has checked this one.
                    while rig.get_word(0, RESERVED_BYTES + 32_000) != round {
                        std::thread::yield_now();
                    }
                }
                queues(&state).quiet(Thread, ONE, QpSet::All).unwrap();
            });
            for round in 1..=20 {
                while rig.get_word(1, RESERVED_BYTES + 32_000) != round {
                    std::thread::yield_now();
                }
                assert_eq!(rig.heap(1, RESERVED_BYTES, BYTES), pattern(BYTES, round), "round {round}, seed {seed}");
                rig.word(0, RESERVED_BYTES + 32_000).store(round, std::sync::atomic::Ordering::SeqCst);
            }
        });
    }
}

#[test]
fn a_target_that_asks_for_nothing_polls_where_the_fabric_needs_it() {
    let rig = rig(Options { needs_progress: true, ..Options::default() });
    let (state, since) = (rig.state(0), std::time::Instant::now());
    for round in 1..=50 {
        queues(&state).p(at(1, 0), Width::B8, round).unwrap();
        assert_eq!(queues(&state).g(at(1, 0), Width::B8).unwrap(), round);
    }
    // The longest nap of a thread on whose polls peers depend is 50 us; a busy machine adds to it.
    assert!(since.elapsed() < std::time::Duration::from_secs(20), "{:?}", since.elapsed());
}

#[test]
fn atomics_that_are_native_are_one_work_request_each_and_others_are_rounds() {
    let posts = |options: Options, of: AmoType, op: AmoOp| {
        let rig = rig(options);
        let state = rig.state(0);
        rig.word(1, RESERVED_BYTES).store(0xffff_0000_ffff_0000, std::sync::atomic::Ordering::SeqCst);
        let before = rig.network.posted().1;
        queues(&state).amo_fetch(at(1, 0), op, of, 3, 0).unwrap();
        rig.network.posted().1 - before
    };
    let native = Options { atomics: all_atomics(), ..Options::default() };
    for (of, op) in [(AmoType::B64, AmoOp::Xor), (AmoType::B32, AmoOp::Set), (AmoType::F32, AmoOp::Add)] {
        assert_eq!(posts(native, of, op), 1, "{op:?} {of:?}");
        // The first guess is 0, which is not the word's value.
        assert_eq!(posts(Options::default(), of, op), 2, "{op:?} {of:?}");
    }
    assert_eq!(posts(Options::default(), AmoType::B64, AmoOp::Add), 1);
}

#[test]
fn bytes_that_are_no_key_of_the_fabric_are_refused_and_change_nothing() {
    let mut rig = rig(Options::default());
    let extent = Extent { offset: 0, bytes: EXTENT };
    // The transport's magic, a flag, one device, a base of 8 bytes, and a key of 9.
    let bytes = b"IBX\x02\0\x01".iter().copied().chain([0; 8]).chain([9, 0]).chain([0x11; 9]).collect();
    let refused = rig.pes[0].accept(Pe::new(1), extent, Offer { bytes, fds: Vec::new() }).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument, "{refused}");
    let state = rig.state(0);
    queues(&state).p(at(1, 0), Width::B8, 5).unwrap();
    queues(&state).quiet(Thread, ONE, QpSet::All).unwrap();
    assert_eq!(rig.get_word(1, RESERVED_BYTES), 5, "the key from before is still in use");
}
