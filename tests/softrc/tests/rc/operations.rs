//! The effect of each operation, for every inline size and every delay of the device.

use oxshmem_core::host::Transport;
use oxshmem_core::{
    AmoOp, AmoType, Completion, OrderingDomain, Pe, PeSet, QpResource, QpSet, Remote, SignalOp, SymAddr, Width,
};
use oxshmem_raw::gpu::group::{Block, Thread};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::gpu::simt::{self, Grid, Schedule};
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_rdma::fabric::AtomicSet;
use oxshmem_softrc::Options;

use crate::rig::{EXTENT, Made, Rig, at, grid, pattern, queues};

const ONE: PeSet = PeSet::One(Pe::new(1));

/// Returns every atomic.
pub(crate) fn all_atomics() -> AtomicSet {
    let ops = [AmoOp::Fetch, AmoOp::Set, AmoOp::CompareSwap, AmoOp::Add, AmoOp::And, AmoOp::Or, AmoOp::Xor];
    let types = [AmoType::B32, AmoType::B64, AmoType::F16, AmoType::F32, AmoType::F64];
    ops.into_iter().flat_map(|op| types.map(|of| (op, of))).fold(AtomicSet::NONE, |set, (op, of)| set.with(op, of))
}

/// Returns devices with different capabilities.
fn devices() -> Vec<Options> {
    let options = Options::default();
    vec![
        options,
        Options { inline_bytes: 0, seed: 2, ..options },
        Options { inline_bytes: 12, wanted_bases: false, seed: 3, delay: 200, ..options },
        Options { max_message: 4096, seed: 4, delay: 0, ..options },
        Options { given_depth: Some(1000), inline_bytes: 8, seed: 5, ..options },
        Options { given_depth: Some(3), seed: 6, ..options },
        Options { ordered: false, max_message: 1000, seed: 7, ..options },
        Options { needs_progress: true, again: 64, seed: 8, ..options },
        Options { atomics: all_atomics(), seed: 9, ..options },
        Options { atomics: AtomicSet::NONE.with(AmoOp::CompareSwap, AmoType::B64), seed: 10, ..options },
    ]
}

#[test]
fn puts_of_every_length_and_alignment_arrive_and_nothing_beside_them() {
    for options in devices() {
        let rig = Rig::new(Made { options, ..Made::default() });
        let state = rig.state(0);
        for (round, bytes) in (0..72).chain([255, 4095, 4097, 70_000]).enumerate() {
            for shift in [0, 1, 3, 4] {
                let data = pattern(bytes, round as u64);
                rig.set_heap(0, RESERVED_BYTES + shift, &data);
                let before = vec![0xee; bytes + 64];
                rig.set_heap(1, RESERVED_BYTES, &before);
                let from = rig.local(0, RESERVED_BYTES + shift);
                queues(&state).put(Thread, at(1, 16 + shift), from, bytes, Completion::Blocking).unwrap();
                queues(&state).quiet(Thread, ONE, QpSet::Default).unwrap();
                let mut expected = before;
                expected[16 + shift as usize..][..bytes].copy_from_slice(&data);
                assert_eq!(rig.heap(1, RESERVED_BYTES, bytes + 64), expected, "{bytes} bytes, {options:?}");
            }
        }
    }
}

#[test]
fn gets_bring_what_is_there_also_to_memory_that_is_not_registered() {
    for options in devices() {
        let rig = Rig::new(Made { options, extents: 2, ..Made::default() });
        let state = rig.state(0);
        for (bytes, offset) in [(1, 0), (7, 3), (8, 8), (4096, 5), (200_000, 0), (3000, EXTENT - RESERVED_BYTES - 1000)]
        {
            let data = pattern(bytes, bytes as u64);
            rig.set_heap(1, RESERVED_BYTES + offset, &data);
            for when in [Completion::Blocking, Completion::Nonblocking] {
                let mut own = vec![0u8; bytes];
                // SAFETY: **owned**: the buffer is this call's local variable.
                let to = unsafe { LocalAddr::new(own.as_mut_ptr()) };
                queues(&state).get(Thread, to, at(1, offset), bytes, when).unwrap();
                assert_eq!(own, data, "{bytes} bytes to memory that is not registered, {when:?}, without a quiet");
            }
            queues(&state)
                .get(Thread, rig.local(0, RESERVED_BYTES), at(1, offset), bytes, Completion::Nonblocking)
                .unwrap();
            queues(&state).quiet(Thread, ONE, QpSet::All).unwrap();
            assert_eq!(rig.heap(0, RESERVED_BYTES, bytes), data, "{bytes} bytes to the heap");
        }
    }
}

#[test]
fn puts_from_memory_that_is_not_registered_are_in_their_requests_when_they_return() {
    for when in [Completion::Blocking, Completion::Nonblocking] {
        let rig = Rig::new(Made::default());
        let state = rig.state(0);
        let data = pattern(3001, 9);
        let mut source = data.clone();
        rig.network.hold(0, true);
        // SAFETY: **owned**: nothing else accesses the buffer during the call.
        let from = unsafe { LocalAddr::new(source.as_mut_ptr()) };
        queues(&state).put(Thread, at(1, 1), from, data.len(), when).unwrap();
        source.fill(0);
        rig.network.hold(0, false);
        queues(&state).quiet(Thread, ONE, QpSet::Default).unwrap();
        assert_eq!(rig.heap(1, RESERVED_BYTES + 1, data.len()), data, "{when:?}");
    }
}

#[test]
fn one_request_names_a_registered_buffer_until_it_is_unregistered() {
    let mut rig = Rig::new(Made::default());
    let state = rig.state(0);
    let data = pattern(6000, 21);
    rig.set_heap(1, RESERVED_BYTES, &data);
    let mut buffers = [vec![0u8; 6000], vec![0u8; 6000]];
    let at_buffer = buffers.each_mut().map(|buffer| buffer.as_mut_ptr());
    let requests = |rig: &Rig, to: *mut u8, bytes: usize| {
        let (_, before) = rig.network.posted();
        // SAFETY: **owned**: this thread alone uses the buffers.
        let local = || unsafe { LocalAddr::new(to) };
        queues(&state).get(Thread, local(), at(1, 0), bytes, Completion::Blocking).unwrap();
        queues(&state).put(Thread, at(1, 8192), local(), bytes, Completion::Blocking).unwrap();
        queues(&state).quiet(Thread, ONE, QpSet::Default).unwrap();
        assert_eq!(rig.heap(1, RESERVED_BYTES + 8192, bytes), data[..bytes]);
        rig.network.posted().1 - before
    };
    // Gets of up to a landing, and puts of up to a request.
    let apart = |bytes: u64| bytes.div_ceil(1024) + bytes.div_ceil(32);
    for buffer in at_buffer {
        assert_eq!(requests(&rig, buffer, 6000), apart(6000));
        rig.pes[0].register(buffer as u64, 5000).unwrap();
    }
    for buffer in at_buffer {
        assert_eq!(requests(&rig, buffer, 5000), 2);
        assert_eq!(requests(&rig, buffer, 5001), apart(5001), "the last byte is outside of it");
        assert_eq!(requests(&rig, buffer.wrapping_add(4999), 1), 2);
    }
    rig.pes[0].unregister(at_buffer[0] as u64).unwrap();
    assert_eq!(requests(&rig, at_buffer[0], 5000), apart(5000));
    assert_eq!(requests(&rig, at_buffer[1], 5000), 2);
    rig.pes[0].register(at_buffer[0] as u64, 4000).unwrap();
    assert_eq!((requests(&rig, at_buffer[0], 4000), requests(&rig, at_buffer[0], 5000)), (2, apart(5000)));
}

#[test]
fn words_go_and_come_in_every_width_from_every_thread_of_a_grid() {
    for (options, seed) in devices().into_iter().zip(1..) {
        let rig = Rig::new(Made { options, ..Made::default() });
        let state = rig.state(0);
        grid(3, 40, seed, || {
            let me = u64::from(ptx::linear_ctaid() * 40 + ptx::linear_tid());
            for (number, width) in (0..).zip([Width::B1, Width::B2, Width::B4, Width::B8]) {
                let place = at(1, 4096 * number + width.bytes() as u64 * me);
                let bits = me.wrapping_mul(0x8123_4567_89ab_cdef) & u64::MAX >> (64 - 8 * width.bytes());
                queues(&state).p(place, width, bits).unwrap();
                assert_eq!(queues(&state).g(place, width).unwrap(), bits, "a get follows its own put on one queue");
            }
        });
    }
}

#[test]
fn elements_of_a_warps_lanes_side_by_side_share_requests_of_up_to_32_bytes() {
    let rig = Rig::new(Made { extents: 2, ..Made::default() });
    let state = rig.state(0);
    // In the first extent, and across its end.
    for start in [64, EXTENT - RESERVED_BYTES - 72] {
        for (lanes, width) in [(32, Width::B8), (32, Width::B4), (13, Width::B8), (5, Width::B4), (32, Width::B2)] {
            let bytes = u64::from(lanes) * width.bytes() as u64;
            let value =
                |lane: u64| (lane + start).wrapping_mul(0x8123_4567_89ab_cdef) & u64::MAX >> (64 - 8 * width.bytes());
            let shape = Grid { blocks: [1; 3], threads: [lanes, 1, 1], dynamic_shared_bytes: 0, collective: true };
            let put = || {
                let lane = u64::from(ptx::linear_tid());
                let place = at(1, start + width.bytes() as u64 * lane);
                queues(&state).p(place, width, value(lane)).unwrap();
            };
            let (_, before) = rig.network.posted();
            simt::run_together(&shape, &Schedule::seeded(start), &put).unwrap();
            queues(&state).quiet(Thread, ONE, QpSet::Default).unwrap();
            let expected: Vec<u8> =
                (0..lanes.into()).flat_map(|lane| value(lane).to_le_bytes()[..width.bytes()].to_vec()).collect();
            assert_eq!(rig.heap(1, RESERVED_BYTES + start, bytes as usize), expected, "{lanes} lanes, {width:?}");
            if start == 64 {
                let requests = if width == Width::B2 { lanes.into() } else { bytes.div_ceil(32) };
                assert_eq!(rig.network.posted().1 - before, requests, "{lanes} lanes, {width:?}");
            }
        }
    }
}

#[test]
fn a_blocks_put_is_one_request() {
    let rig = Rig::new(Made::default());
    let state = rig.state(0);
    rig.set_heap(0, RESERVED_BYTES, &pattern(1024, 3));
    let (_, before) = rig.network.posted();
    grid(1, 128, 1, || {
        queues(&state).put(Block, at(1, 0), rig.local(0, RESERVED_BYTES), 1024, Completion::Nonblocking).unwrap();
        queues(&state).quiet(Block, ONE, QpSet::Default).unwrap();
    });
    assert_eq!(rig.heap(1, RESERVED_BYTES, 1024), pattern(1024, 3));
    assert_eq!(rig.network.posted().1 - before, 1, "work requests");
}

#[test]
fn every_atomic_of_every_type_counts_once_also_on_the_halves_of_one_word() {
    for options in devices() {
        let rig = Rig::new(Made { n_pes: 3, options, ..Made::default() });
        // PEs 0 and 1 each use one half of the same words of PE 2.
        std::thread::scope(|scope| {
            for me in 0..2u32 {
                let (rig, state) = (&rig, rig.state(me));
                scope.spawn(move || {
                    let q = queues(&state);
                    let half = u64::from(4 * me);
                    for round in 0..100 {
                        q.amo(at(2, half), AmoOp::Add, AmoType::B32, 1).unwrap();
                        q.amo(at(2, 8), AmoOp::Add, AmoType::B64, 1).unwrap();
                        q.amo(at(2, 16 + half), AmoOp::Add, AmoType::F32, 1f32.to_bits().into()).unwrap();
                        let old = q.amo_fetch(at(2, 24 + half), AmoOp::Set, AmoType::B32, round + 1, 0).unwrap();
                        assert_eq!(old, round, "what this PE set before");
                        let old = q.amo_fetch(at(2, 32 + half), AmoOp::CompareSwap, AmoType::B32, round + 1, round);
                        assert_eq!(old.unwrap(), round);
                        let old = q.amo_fetch(at(2, 32 + half), AmoOp::CompareSwap, AmoType::B32, 99, u64::MAX);
                        assert_eq!(old.unwrap(), round + 1, "a comparand that is not there changes nothing");
                        q.amo(at(2, 40), AmoOp::Xor, AmoType::B64, 1 << (32 * me)).unwrap();
                        q.amo(at(2, 48), AmoOp::Or, AmoType::B64, 1 << (round % 32) << (32 * me)).unwrap();
                    }
                    q.quiet(Thread, PeSet::All, QpSet::All).unwrap();
                    let _ = rig;
                });
            }
        });
        let word = |offset| rig.get_word(2, RESERVED_BYTES + offset);
        let floats = (100f32.to_bits() as u64) << 32 | 100f32.to_bits() as u64;
        assert_eq!([word(0), word(8), word(16)], [100 << 32 | 100, 200, floats], "{options:?}");
        assert_eq!([word(24), word(32), word(40), word(48)], [100 << 32 | 100, 100 << 32 | 100, 0, u64::MAX]);
    }
}

#[test]
fn more_threads_than_the_ring_has_places_fetch_and_each_gets_its_own() {
    let rig = Rig::new(Made::default());
    let state = rig.state(0);
    let seen = std::sync::Mutex::new(vec![false; 4 * 100]);
    grid(4, 100, 7, || {
        let old = queues(&state).amo_fetch(at(1, 0), AmoOp::Add, AmoType::B64, 1, 0).unwrap();
        let again = std::mem::replace(&mut seen.lock().unwrap()[old as usize], true);
        assert!(!again, "{old} twice");
    });
    assert!(seen.into_inner().unwrap().into_iter().all(|seen| seen));
}

#[test]
fn strided_copies_arrive_element_by_element() {
    let rig = Rig::new(Made::default());
    let state = rig.state(0);
    rig.set_heap(0, RESERVED_BYTES, &pattern(4000, 5));
    grid(1, 64, 2, || {
        let q = queues(&state);
        q.iput(Block, at(1, 0), rig.local(0, RESERVED_BYTES), 2, 3, 100, Width::B4).unwrap();
        q.quiet(Block, ONE, QpSet::Default).unwrap();
        q.iget(Block, rig.local(0, RESERVED_BYTES + 8192), at(1, 0), 1, 2, 100, Width::B4).unwrap();
    });
    let back = rig.heap(0, RESERVED_BYTES + 8192, 400);
    let expected: Vec<u8> = pattern(4000, 5).chunks(12).take(100).flat_map(|element| element[..4].to_vec()).collect();
    assert_eq!(back, expected);
}

#[test]
fn the_host_itself_puts_and_gets_while_kernels_do() {
    let rig = Rig::new(Made::default());
    let state = rig.state(0);
    let data = pattern(300_001, 11);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..500u64 {
                queues(&state).p(at(1, 8 * (round % 16)), Width::B8, round).unwrap();
            }
            queues(&state).quiet(Thread, ONE, QpSet::All).unwrap();
        });
        for _ in 0..3 {
            rig.pes[0].put(at(1, 4096), &data).unwrap();
            let mut back = vec![0; data.len()];
            rig.pes[0].get(&mut back, at(1, 4096)).unwrap();
            assert_eq!(back, data);
        }
    });
    assert_eq!(rig.get_word(1, RESERVED_BYTES + 8 * (499 % 16)), 499);
}

#[test]
fn a_signal_of_either_kind_is_atomic_with_others_and_follows_its_data() {
    for options in devices() {
        let rig = Rig::new(Made { options, ..Made::default() });
        let state = rig.state(0);
        for (bytes, op) in [(0, SignalOp::Add), (5, SignalOp::Set), (32, SignalOp::Add), (9000, SignalOp::Set)] {
            let data = pattern(bytes, bytes as u64);
            rig.set_heap(0, RESERVED_BYTES, &data);
            let word = SymAddr::new(RESERVED_BYTES + 64 * 1024);
            rig.word(1, word.offset()).store(5, std::sync::atomic::Ordering::SeqCst);
            let from = rig.local(0, RESERVED_BYTES);
            let q = queues(&state);
            let to = Remote { pe: Pe::new(1), at: SymAddr::new(RESERVED_BYTES) };
            q.put_signal(Thread, to, from, bytes, word, op, u64::MAX - 1, Completion::Nonblocking).unwrap();
            let after = if op == SignalOp::Add { 3 } else { u64::MAX - 1 };
            while rig.get_word(1, word.offset()) != after {
                std::thread::yield_now();
            }
            assert_eq!(rig.heap(1, RESERVED_BYTES, bytes), data, "{bytes} bytes");
            q.quiet(Thread, ONE, QpSet::Default).unwrap();
        }
    }
}
