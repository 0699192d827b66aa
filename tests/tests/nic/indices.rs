//! Indices at the limits of 16 and 32 bits, and at the end of the ring.

use oxshmem_core::{Pe, SymPtr};
use oxshmem_device::{Atomics, Rma, Shmem, Signal, Signals, Thread};
use oxshmem_softnic::{Knobs, Options};
use oxshmem_transport_ibgda::host::IbgdaConfig;

use crate::rig::{Made, Rig, element, grid, pattern};

const ONE: Pe = Pe::new(1);

/// Performs one operation of each kind, and checks it.
fn everything(rig: &Rig, shmem: &Shmem, round: u64) {
    let (word, signal): (SymPtr<u64>, SymPtr<u64>) = (element(round % 16), element(100));
    let (from, to): (SymPtr<u8>, SymPtr<u8>) = (element(4096), element(8192));
    shmem.p(word, round, ONE).unwrap();
    assert_eq!(shmem.g(word, ONE).unwrap(), round);
    assert_eq!(shmem.atomic_swap(word, round + 1, ONE).unwrap(), round);
    shmem.atomic_set(word, round + 5, ONE).unwrap();
    assert_eq!(shmem.atomic_fetch_add(word, 3, ONE).unwrap(), round + 5);
    let data = pattern(100, round);
    rig.set_heap(0, from, &data);
    shmem.put_signal(Thread, to, from, 100, Signal::set(signal, round), ONE).unwrap();
    shmem.quiet().unwrap();
    assert_eq!((rig.heap(1, to, 100), rig.word(1, signal)), (data, round));
    assert_eq!(rig.word(1, word), round + 8);
}

#[test]
fn words_arrive_while_indices_pass_the_ends_of_16_and_32_bits() {
    for first_index in [0xfff0, 0xffff, 0x1_fff0, (1 << 31) - 16, (1 << 32) - 16, (1 << 32) - 1, (1 << 38) - 16] {
        for (depth, seed) in [(128, 0), (128, 5), (32768, 0)] {
            let mut knobs = Knobs::from_seed(seed);
            // A record that was not written yet announces nothing.
            (knobs.prefetch, knobs.pi) = (false, oxshmem_softnic::PiSource::Doorbell);
            let mut made = Made { nic: Options { first_index, knobs, ..Options::default() }, ..Made::default() };
            made.config = IbgdaConfig { depth, ..made.config };
            let rig = Rig::new(made);
            let (queue, shmem) = (rig.first(), rig.shmem(0));
            rig.start_at(queue, first_index);
            (1..20).for_each(|round| everything(&rig, &shmem, round));
            grid(2, 32, 1, || {
                for _ in 0..3 {
                    shmem.atomic_add(element::<u64>(50), 1, ONE).unwrap();
                    shmem.atomic_fetch_inc(element::<u64>(51), ONE).unwrap();
                }
                shmem.quiet().unwrap();
            });
            assert_eq!((rig.word(1, element(50)), rig.word(1, element(51))), (192, 192));
            assert_eq!(queue.done(), queue.reserved(), "from {first_index:#x}, depth {depth}");
            assert!(queue.done() > first_index + 500 && queue.stopped() == 0);
        }
    }
}

#[test]
fn a_queue_goes_around_three_times_65536() {
    const ALL: u64 = 3 * 65536 + 100;
    for depth in [128, 1024, 32768] {
        let mut made = Made::default();
        made.config = IbgdaConfig { depth, ..made.config };
        let rig = Rig::new(made);
        let (queue, shmem) = (rig.first(), rig.shmem(0));
        for value in 0..ALL {
            shmem.p(element(value % 512), value, ONE).unwrap();
        }
        shmem.quiet().unwrap();
        for place in 0..512 {
            let last = (ALL - 1 - place) / 512 * 512 + place;
            assert_eq!(rig.word(1, element(place)), last, "depth {depth}");
        }
        assert_eq!((queue.reserved(), queue.posted(), queue.done()), (ALL, ALL, ALL));
        assert_eq!(queue.bytes(), 8 * ALL);
    }
}

#[test]
fn an_entry_of_two_blocks_goes_around_the_end() {
    for shift in 0..4 {
        let rig = Rig::new(Made::default());
        let (queue, shmem, word) = (rig.first(), rig.shmem(0), element::<u64>(9));
        for _ in 0..shift {
            shmem.p(element::<u64>(1), 1, ONE).unwrap();
        }
        // Three blocks each, so that within three laps one starts at every block.
        let mut around = 0;
        for value in 1..=3 * 128 {
            around += u32::from(queue.reserved() % 128 == 127);
            if value % 2 == 0 {
                shmem.atomic_set(word, value, ONE).unwrap();
            } else {
                assert_eq!(shmem.atomic_swap(word, value, ONE).unwrap(), value - 1);
            }
        }
        shmem.quiet().unwrap();
        assert!(around >= 2, "{around}");
        assert_eq!(rig.word(1, word), 3 * 128);
        assert_eq!(queue.done(), shift + 9 * 128);
    }
}
