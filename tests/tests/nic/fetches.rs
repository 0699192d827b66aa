//! Operations that return a value.

use std::sync::Mutex;

use oxshmem_core::{AtomicAdd, AtomicInt, Pe, SymPtr};
use oxshmem_device::{Atomics, Rma, Shmem, Signal, Signals, Thread};
use oxshmem_rdma::hca::LinkLayer;
use oxshmem_softnic::{Knobs, Options, Profile};
use oxshmem_transport_ibgda::host::IbgdaConfig;

use crate::rig::{Made, Rig, element, grid, pattern, shmem_of};

const ONE: Pe = Pe::new(1);

/// Every atomic on an integer, compared with a model's results and word.
macro_rules! atomics {
    ($name:ident, $t:ty) => {
        fn $name(rig: &Rig, shmem: &Shmem, place: u64) {
            let at: SymPtr<$t> = element(place);
            let values: [$t; 6] = [0, 1, <$t>::MAX, 0x5a5a_1234_8000_0001_u64 as $t, 1 << (<$t>::BITS - 1), 0xff00];
            for old in values {
                for value in values {
                    let mut word = old;
                    let mut model = |new: $t| std::mem::replace(&mut word, new);
                    shmem.p(at, old, ONE).unwrap();
                    assert_eq!(shmem.atomic_fetch(at, ONE).unwrap(), model(old));
                    assert_eq!(shmem.atomic_fetch_add(at, value, ONE).unwrap(), model(old.wrapping_add(value)));
                    let now = old.wrapping_add(value);
                    assert_eq!(shmem.atomic_fetch_inc(at, ONE).unwrap(), model(now.wrapping_add(1)));
                    let now = now.wrapping_add(1);
                    assert_eq!(shmem.atomic_fetch_and(at, value, ONE).unwrap(), model(now & value));
                    assert_eq!(shmem.atomic_fetch_or(at, old, ONE).unwrap(), model(now & value | old));
                    let now = now & value | old;
                    assert_eq!(shmem.atomic_fetch_xor(at, value, ONE).unwrap(), model(now ^ value));
                    assert_eq!(shmem.atomic_swap(at, value, ONE).unwrap(), model(value));
                    // One that fails, one that succeeds.
                    assert_eq!(shmem.atomic_compare_swap(at, !value, old, ONE).unwrap(), value);
                    assert_eq!(shmem.atomic_compare_swap(at, value, old, ONE).unwrap(), model(old));
                    shmem.atomic_add(at, value, ONE).unwrap();
                    shmem.atomic_inc(at, ONE).unwrap();
                    shmem.atomic_xor(at, value, ONE).unwrap();
                    shmem.atomic_and(at, !old, ONE).unwrap();
                    shmem.atomic_or(at, 0x81, ONE).unwrap();
                    model((old.wrapping_add(value).wrapping_add(1) ^ value) & !old | 0x81);
                    assert_eq!(shmem.atomic_fetch(at, ONE).unwrap(), word, "{old:#x} and {value:#x}");
                    shmem.atomic_set(at, value, ONE).unwrap();
                    assert_eq!(shmem.g(at, ONE).unwrap(), value);
                }
            }
            is_int::<$t>();
            let _ = rig;
        }
    };
}
atomics!(atomics_32, u32);
atomics!(atomics_64, u64);

fn is_int<T: AtomicInt + AtomicAdd>() {}

fn every_atomic(rig: &Rig) {
    let shmem = rig.shmem(0);
    for place in [10, 11] {
        // An adjacent word is not changed.
        rig.set_word(1, element(5), u64::MAX / 3);
        atomics_32(rig, &shmem, place);
        let other = rig.word(1, element(5));
        let beside = if place == 10 { other >> 32 } else { other & 0xffff_ffff };
        assert_eq!(beside, 0x5555_5555);
    }
    atomics_64(rig, &shmem, 20);
    let (single, double): (SymPtr<f32>, SymPtr<f64>) = (element(100), element(70));
    shmem.p(single, 1.5, ONE).unwrap();
    shmem.p(double, -2.25, ONE).unwrap();
    assert_eq!(shmem.atomic_fetch_add(single, 0.25, ONE).unwrap(), 1.5);
    assert_eq!(shmem.atomic_fetch_add(double, 1e10, ONE).unwrap(), -2.25);
    assert_eq!(shmem.atomic_fetch(single, ONE).unwrap(), 1.75);
    assert_eq!(shmem.atomic_fetch(double, ONE).unwrap(), 1e10 - 2.25);
}

#[test]
fn every_atomic_gives_what_a_model_gives() {
    every_atomic(&Rig::new(Made::default()));
}

#[test]
fn more_fetches_than_places_each_get_their_own_result() {
    for seed in 0..3 {
        let knobs = Knobs::from_seed(seed);
        let rig = Rig::new(Made { nic: Options { knobs, ..Options::default() }, ..Made::default() });
        let (state, tickets) = (rig.state(0), Mutex::new(Vec::new()));
        let fetch = |side: u64| {
            // Four times as many threads as fetch slots.
            grid(4, 64, side + seed, || {
                let shmem = shmem_of(state);
                for _ in 0..8 {
                    let ticket = shmem.atomic_fetch_inc(element::<u64>(0), ONE).unwrap();
                    let half = shmem.atomic_fetch_inc(element::<u32>(2), ONE).unwrap();
                    let mut all = tickets.lock().unwrap();
                    all.push(ticket);
                    all.push(1 << 40 | u64::from(half));
                }
            });
        };
        std::thread::scope(|scope| {
            scope.spawn(|| fetch(1));
            fetch(0);
        });
        let mut all = tickets.into_inner().unwrap();
        all.sort_unstable();
        let count = 2 * 256 * 8;
        let expected: Vec<u64> = (0..count).chain((0..count).map(|half| 1 << 40 | half)).collect();
        assert!(all == expected, "seed {seed}: each number once");
    }
}

#[test]
fn results_are_read_behind_their_dump() {
    // Completions precede the data that they complete, except with a dump. Without one, data come so late that a busy
    // machine does not hide it.
    for seed in [1, 2] {
        let knobs = Knobs { seed, early_cqe: 1024, read_delay: 1024, read_delay_us: 500_000, ..Knobs::calm() };
        let mut made = Made { nic: Options { knobs, dump_needed: true, ..Options::default() }, ..Made::default() };
        made.config = IbgdaConfig { dump: Some(true), ..made.config };
        let rig = Rig::new(made);
        let shmem = rig.shmem(0);
        for round in 0..100_u64 {
            let (word, place): (SymPtr<u64>, SymPtr<u8>) = (element(3), element(4096));
            shmem.p(word, round, ONE).unwrap();
            assert_eq!(shmem.g(word, ONE).unwrap(), round);
            assert_eq!(shmem.atomic_fetch_add(word, 2, ONE).unwrap(), round);
            assert_eq!(shmem.atomic_swap(word, 9, ONE).unwrap(), round + 2);
            assert_eq!(shmem.atomic_fetch_add(element::<u32>(100), 1, ONE).unwrap(), round as u32);
            let data = pattern(3000, round);
            rig.set_heap(1, place, &data);
            shmem.get(Thread, place, place, 3000, ONE).unwrap();
            assert_eq!(rig.heap(0, place, 3000), data);
            rig.set_heap(1, element(9000), &data);
            shmem.get_nbi(Thread, element(9000), element::<u8>(9000), 3000, ONE).unwrap();
            shmem.quiet().unwrap();
            assert_eq!(rig.heap(0, element(9000), 3000), data);
        }
        grid(2, 32, seed, || {
            for _ in 0..4 {
                shmem.atomic_fetch_inc(element::<u64>(200), ONE).unwrap();
            }
        });
        assert_eq!(rig.word(1, element(200)), 256);
    }
}

#[test]
fn every_kind_of_nic_on_either_wire_does_every_operation() {
    for profile in [Profile::ConnectX6, Profile::ConnectX7, Profile::ConnectX8] {
        for link in [LinkLayer::InfiniBand, LinkLayer::Ethernet] {
            let rig = Rig::new(Made { nic: Options { profile, link, ..Options::default() }, ..Made::default() });
            every_atomic(&rig);
            let (shmem, data) = (rig.shmem(0), pattern(10_000, 3));
            rig.set_heap(0, element(20_000), &data);
            let (place, word): (SymPtr<u8>, SymPtr<u64>) = (element(20_000), element(8000));
            shmem.put_signal(Thread, place, place, 10_000, Signal::add(word, 4), ONE).unwrap();
            shmem.quiet().unwrap();
            assert_eq!((rig.heap(1, place, 10_000), rig.word(1, word)), (data, 4));
        }
    }
}
