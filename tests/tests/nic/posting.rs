//! The way of entries to the NIC.

use std::collections::HashSet;

use oxshmem_core::{Element, Pe, SymPtr};
use oxshmem_device::{Atomics, Block, Rma, Signal, SignalOp, Signals, Thread};
use oxshmem_raw::gpu::ptx;
use oxshmem_rdma::mlx5::opcode;
use oxshmem_softnic::{Knobs, Options, PiSource};
use oxshmem_transport_ibgda::host::{DoorbellBy, IbgdaConfig};

use crate::rig::{Made, Rig, Seen, element, grid, pattern, shmem_of};

const ONE: Pe = Pe::new(1);

fn slow(knobs: Knobs) -> Made {
    Made { nic: Options { knobs, ..Options::default() }, ..Made::default() }
}

fn me() -> u64 {
    u64::from(ptx::linear_ctaid() * ptx::block_threads() + ptx::linear_tid())
}

/// Writes values by every thread of two racing grids, many times, and sums them up at the peer.
fn all_post(rig: &Rig, seed: u64, rounds: u64) {
    let state = rig.state(0);
    let post = |side: u64| {
        grid(4, 32, seed + side, || {
            let shmem = shmem_of(state);
            let place = 1024 * side + 8 * me();
            for round in 1..=rounds {
                let value = (side + 1) << 48 | me() << 32 | round;
                shmem.p(element(place), value, ONE).unwrap();
                shmem.p(element(place + 1), value.to_f64(), ONE).unwrap();
                shmem.atomic_add(element::<u64>(4000), round, ONE).unwrap();
            }
            shmem.quiet().unwrap();
        });
    };
    let before = rig.word(1, element(4000));
    std::thread::scope(|scope| {
        scope.spawn(|| post(1));
        post(0);
    });
    for side in 0..2 {
        for thread in 0..128 {
            let (place, value) = (1024 * side + 8 * thread, (side + 1) << 48 | thread << 32 | rounds);
            assert_eq!(rig.word(1, element(place)), value, "seed {seed}");
            assert_eq!(rig.word(1, element(place + 1)), value.to_f64().to_bits64());
        }
    }
    assert_eq!(rig.word(1, element(4000)) - before, 2 * 128 * rounds * (rounds + 1) / 2);
}

trait ToF64 {
    fn to_f64(self) -> f64;
}

impl ToF64 for u64 {
    fn to_f64(self) -> f64 {
        self as f64
    }
}

#[test]
fn a_block_posts_more_than_the_queue_holds() {
    let rig = Rig::new(Made::default());
    let shmem = rig.shmem(0);
    let (from, to, back): (SymPtr<u32>, SymPtr<u32>, SymPtr<u32>) = (element(0), element(20_000), element(60_000));
    let data: Vec<u32> = (0..3000).map(|i| i * 7 + 1).collect();
    let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
    rig.set_heap(0, element(0), &bytes);
    grid(1, 64, 3, || {
        shmem.iput(Block, to, from, 2, 1, 3000, ONE).unwrap();
        shmem.quiet_on(Block, oxshmem_core::PeSet::All, oxshmem_core::QpSet::All).unwrap();
        shmem.iget(Block, back, to, 1, 2, 3000, ONE).unwrap();
        // A fetch of three blocks by each thread, more than the queue holds.
        shmem.atomic_swap(element::<u64>(90_000 + me()), me() + 1, ONE).unwrap();
    });
    assert_eq!(rig.heap(0, SymPtr::new(back.addr()), bytes.len()), bytes);
    (0..64).for_each(|i| assert_eq!(rig.word(1, element(90_000 + i)), i + 1));
    assert!(rig.first().stalls() > 0, "it was full at times");
}

#[test]
fn lanes_that_share_a_full_queue_do_not_wait_for_each_other() {
    for seed in 0..6 {
        let rig = Rig::new(slow(Knobs { late_cqe: 200, late_cqe_us: 100, ..Knobs::from_seed(seed) }));
        let shmem = rig.shmem(0);
        grid(3, 32, seed, || {
            for round in 0..10 {
                // Lanes diverge and meet again.
                if (me() + round).is_multiple_of(3) {
                    shmem.atomic_fetch_inc(element::<u64>(0), ONE).unwrap();
                } else {
                    (0..4).for_each(|i| shmem.p(element(8 + me()), i, ONE).unwrap());
                    shmem.atomic_inc(element::<u64>(1), ONE).unwrap();
                }
            }
            shmem.quiet().unwrap();
        });
        assert_eq!(rig.word(1, element(0)) + rig.word(1, element(1)), 3 * 32 * 10);
    }
}

#[test]
fn no_entry_is_written_over_before_it_completed() {
    // The NIC compares each entry at its completion with its fetched copy, and reads slowly.
    for seed in [1, 2, 3] {
        let knobs = Knobs {
            late_cqe: 600,
            late_cqe_us: 100,
            fetch_delay_us: 3,
            read_delay: 300,
            read_delay_us: 60,
            ..Knobs::from_seed(seed)
        };
        let rig = Rig::new(slow(knobs));
        all_post(&rig, seed, 6);
        assert!(rig.first().stalls() > 0, "the queue was full");
    }
}

#[test]
fn entries_are_whole_whichever_way_the_nic_learns_of_them() {
    for pi in [PiSource::Doorbell, PiSource::Record, PiSource::LateRecord] {
        for (prefetch, lost_doorbell) in [(false, 0), (true, 0), (true, 100)] {
            let knobs = Knobs { seed: 9, pi, prefetch, lost_doorbell, recovery_us: 200, ..Knobs::calm() };
            let rig = Rig::new(slow(knobs));
            all_post(&rig, 9, 4);
        }
    }
}

#[test]
fn a_thread_that_has_told_of_enough_offers_the_rest_to_others_and_nothing_is_lost() {
    use oxshmem_transport_ibgda::state::QueueState;
    use std::mem::offset_of;
    for seed in 0..4 {
        let rig = Rig::new(slow(Knobs::from_seed(seed)));
        let queue = rig.first();
        // After one entry of another thread, and not after as many as the queue has blocks.
        const { assert!(offset_of!(QueueState, most_served) == offset_of!(QueueState, flags) + 4) };
        let flags = queue.field(offset_of!(QueueState, flags)).load(std::sync::atomic::Ordering::SeqCst);
        queue.set(offset_of!(QueueState, flags), flags & u64::from(u32::MAX) | 1 << 32);
        all_post(&rig, seed, 8);
        assert_ne!(queue.field(offset_of!(QueueState, offered)).load(std::sync::atomic::Ordering::SeqCst), 0);
        assert_eq!((queue.posted(), queue.claim()), (queue.reserved(), queue.reserved()));
    }
}

#[test]
fn what_others_post_for_a_thread_is_whole() {
    let rig = Rig::new(Made { n_pes: 2, ..Made::default() });
    let (queue, state) = (rig.first(), rig.state(0));
    for thread in 0..256 {
        rig.set_heap(0, element(512 * thread), &pattern(512, thread));
    }
    // Threads of two grids, each with a put of its own; one thread announces many entries to the NIC.
    let post = |side: u64| {
        grid(4, 32, side, || {
            let shmem = shmem_of(state);
            let place: SymPtr<u8> = element(512 * (128 * side + me()));
            for _ in 0..8 {
                shmem.put_nbi(Thread, place, place, 512, ONE).unwrap();
            }
            shmem.quiet().unwrap();
        });
    };
    std::thread::scope(|scope| {
        scope.spawn(|| post(1));
        post(0);
    });
    for thread in 0..256 {
        assert_eq!(rig.heap(1, element(512 * thread), 512), pattern(512, thread));
    }
    assert_eq!((queue.posted(), queue.bytes()), (2048, 2048 * 512));
    assert!(queue.doorbells() <= queue.posted());
}

#[test]
fn only_the_last_entry_of_a_reservation_is_signalled() {
    let rig = Rig::new(Made::default());
    let (queue, shmem) = (rig.first(), rig.shmem(0));
    rig.hold(queue, true);
    shmem.p(element::<u32>(0), 1, ONE).unwrap();
    shmem.put_nbi(Thread, element::<u8>(0), element(0), 100, ONE).unwrap();
    shmem.atomic_set(element::<u64>(1), 1, ONE).unwrap();
    let (word, add) = (element(5000), SignalOp::Add);
    shmem
        .put_signal_nbi(Thread, element::<u8>(0), element::<u8>(0), 100, Signal { word, value: 1, op: add }, ONE)
        .unwrap();
    shmem.put_signal_nbi(Thread, element::<u8>(0), element::<u8>(0), 20, Signal::set(word, 1), ONE).unwrap();
    // Opcode, basic blocks, and whether it requests a completion.
    let mut seen = Vec::new();
    let mut index = 0;
    while index < queue.posted() {
        let [first, second, third, ..] = queue.block(index);
        assert_eq!((first >> 8 & 0xffff, second >> 8), (index as u32, queue.qpn()));
        let blocks = u64::from(second & 0x3f).div_ceil(4);
        seen.push(((first & 0xff) as u8, blocks, third & 0xc != 0));
        index += blocks;
    }
    let (write, add, swap) = (opcode::RDMA_WRITE, opcode::ATOMIC_FA, opcode::MASKED_CS);
    let expected = [
        (write, 1, true),
        (write, 1, true),
        (swap, 2, false),
        (opcode::NOP, 1, true),
        (write, 1, false),
        (add, 1, true),
        (write, 1, false),
        (swap, 2, false),
        (opcode::NOP, 1, true),
    ];
    assert_eq!(seen, expected);
    rig.hold(queue, false);
    shmem.quiet().unwrap();
    assert_eq!(rig.word(1, word), 1);
}

#[test]
fn a_thread_of_the_host_that_rings_loses_nothing() {
    for seed in [0, 4] {
        let mut made = slow(Knobs::from_seed(seed));
        made.config = IbgdaConfig { doorbell: DoorbellBy::Cpu, ..made.config };
        let rig = Rig::new(made);
        all_post(&rig, seed, 8);
        all_post(&rig, seed + 1, 2);
    }
}

#[test]
fn no_two_queues_share_a_register() {
    let mut made = Made { n_pes: 3, ..Made::default() };
    made.config.rows = 3;
    let mut rig = Rig::new(made);
    let handles = rig.create(2);
    let (mut registers, mut queues) = (HashSet::new(), 0);
    for me in 0..3 {
        for pe in (0..3).filter(|pe| *pe != me) {
            let defaults = (0..3).map(|row| rig.queue(me, row, pe));
            let all: Vec<Seen> = defaults.chain(handles.iter().map(|h| rig.queue_of(me, *h, pe))).collect();
            queues += all.len();
            registers.extend(all.iter().map(|queue| queue.doorbell()));
        }
    }
    assert_eq!(registers.len(), queues);
}
