//! Lengths and addresses at the limits of messages, keys and words.

use std::mem::offset_of;

use oxshmem_core::host::Transport;
use oxshmem_core::{Element, Pe, SymPtr};
use oxshmem_device::{Atomics, Block, Local, Rma, Shmem, Signal, Signals, Thread, Warp};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::gpu::simt::{self, Grid, Schedule};
use oxshmem_raw::state::WorldState;
use oxshmem_rdma::mlx5::opcode;
use oxshmem_transport_ibgda::state::QueueState;

use crate::rig::{EXTENT, Made, Rig, element, grid, pattern};

const ONE: Pe = Pe::new(1);
const GIB: u64 = 1 << 30;

#[test]
fn messages_are_cut_at_their_limit_and_none_has_a_count_of_zero() {
    // The NIC does not run: its work is read from the queue.
    for bytes in [GIB - 1, GIB, GIB + 1, 2 * GIB - 1, 2 * GIB, 2 * GIB + 1, 3 * GIB + 29] {
        // A put's last bytes would be read now if they travelled in the entry, and there is nothing to read.
        let put = if (1..=28).contains(&(bytes % GIB)) { bytes + 28 } else { bytes };
        let mut rig = Rig::new(Made::default());
        rig.lawless = true;
        let queue = rig.first();
        assert_eq!(rig.longest(0), GIB);
        rig.hold(queue, true);
        // One key covers all of it, as with a large heap; the state that calls use is the queue's own copy.
        queue.set(offset_of!(QueueState, first_end), 1 << 40);
        let state = WorldState { heap_bytes: 1 << 40, ..rig.state(0) };
        // SAFETY: **live**: the rig owns the state and outlives the calls; heaps are not mapped, and nothing accesses
        // them. **peopled**: the rig has PEs.
        let shmem = unsafe { Shmem::from_state(state) };
        let at: SymPtr<u8> = element(3);
        shmem.put_nbi(Thread, at, at, put as usize, ONE).unwrap();
        shmem.get_nbi(Thread, at, at, bytes as usize, ONE).unwrap();
        let (mut index, mut left, mut from) = (0, [put, bytes], [at.addr().offset(); 2]);
        for (which, op) in [opcode::RDMA_WRITE, opcode::RDMA_READ].into_iter().enumerate() {
            while left[which] > 0 {
                let block = queue.block(index);
                let remote = u64::from(block[4]) << 32 | u64::from(block[5]);
                let local = u64::from(block[10]) << 32 | u64::from(block[11]);
                let count = u64::from(block[8]);
                assert_eq!(block[0] & 0xff, u32::from(op), "{bytes} bytes");
                assert_eq!((remote, local), (from[which], from[which]), "{bytes} bytes");
                assert!(count > 0 && count <= GIB && count <= left[which], "{bytes} bytes: {count}");
                (left[which], from[which], index) = (left[which] - count, from[which] + count, index + 1);
            }
        }
        assert_eq!((queue.posted(), queue.bytes()), (index, put + bytes));
        assert_eq!(index, put.div_ceil(GIB) + bytes.div_ceil(GIB));
    }
}

#[test]
fn what_straddles_keys_and_messages_arrives() {
    let small = 128 << 10;
    let mut rig = Rig::grown(Made::default(), &[EXTENT, small, small]);
    rig.grow(EXTENT);
    rig.set_limit(crate::rig::LONG);
    let ends = [EXTENT, EXTENT + small, EXTENT + 2 * small];
    for longest in [1 << 30, 4096, 64] {
        rig.set_longest(0, longest);
        let shmem = rig.shmem(0);
        let mut cases = Vec::new();
        for end in ends {
            // Short ones that an entry could hold but for the boundary, and long ones.
            cases.extend((0..=9).map(|before| (end - before, 9_u64)));
            cases.extend([(end - 1, 28), (end - 28, 28), (end - 27, 28), (end - 13, 5000), (end, 1), (end - 1, 1)]);
        }
        if longest > 64 {
            // Ranges that cross two keys, three, and four.
            cases.extend([(EXTENT - 5, small + 10), (EXTENT - 1, 2 * small + 2), (EXTENT - 77, 2 * small + 300)]);
        }
        let around = [longest - 1, longest, longest + 1, 2 * longest - 1, 2 * longest, 2 * longest + 1];
        cases.extend(around.into_iter().filter(|bytes| *bytes < 20_000).map(|bytes| (100_001, bytes)));
        for (round, (at, bytes)) in cases.into_iter().enumerate() {
            let data = pattern(bytes as usize, round as u64);
            let (there, here): (SymPtr<u8>, SymPtr<u8>) = (heap(at), heap(at - 1));
            rig.set_heap(1, heap(at - 1), &vec![0xee; bytes as usize + 2]);
            // This side crosses an extent's end at another byte than the peer's side.
            rig.set_heap(0, here, &data);
            shmem.put(Thread, there, here, bytes as usize, ONE).unwrap();
            shmem.quiet().unwrap();
            let around = [&[0xee][..], &data, &[0xee]].concat();
            assert_eq!(rig.heap(1, heap(at - 1), around.len()), around, "{bytes} bytes to {at:#x}, limit {longest}");
            let back: SymPtr<u8> = heap(at + 1);
            rig.set_heap(0, heap(at), &vec![0x11; bytes as usize + 2]);
            shmem.get(Thread, back, there, bytes as usize, ONE).unwrap();
            let around = [&[0x11][..], &data, &[0x11]].concat();
            assert_eq!(rig.heap(0, heap(at), around.len()), around, "{bytes} bytes from {at:#x}, limit {longest}");
        }
    }
    // A signal after data that crosses an end at the peer or here, or is longer than a message; and words in each extent.
    for longest in [1 << 30, 64] {
        rig.set_longest(0, longest);
        let shmem = rig.shmem(0);
        for (round, end) in (1..).zip(ends) {
            let here = end - EXTENT + 64 * 1024;
            for (number, (to, from)) in (0..).zip([(end - 100, here), (here, end - 2900), (here, here)]) {
                let (data, value) = (pattern(3000, longest + round + 10 * number), round + 10 * number);
                rig.set_heap(0, heap(from), &data);
                let word: SymPtr<u64> = heap(end + 4096);
                shmem.put_signal(Thread, heap(to), heap::<u8>(from), 3000, Signal::set(word, value), ONE).unwrap();
                shmem.quiet().unwrap();
                assert_eq!(
                    (rig.heap(1, heap(to), 3000), rig.word(1, word)),
                    (data, value),
                    "from {from:#x} to {to:#x}"
                );
            }
        }
    }
}

#[test]
fn a_warps_row_of_elements_is_one_entry_within_a_key_and_arrives_across_the_end_of_one() {
    let rig = Rig::grown(Made::default(), &[EXTENT, EXTENT]);
    for round in 0..=32_u64 {
        let row = |wide: bool, start: u64| {
            let (shmem, before) = (rig.shmem(0), rig.first().posted());
            let shape = Grid { blocks: [1; 3], threads: [32, 1, 1], dynamic_shared_bytes: 0, collective: true };
            let put = || {
                let (lane, width) = (u64::from(ptx::linear_tid()), if wide { 8 } else { 4 });
                let at = start + width * lane;
                match wide {
                    true => shmem.p(heap(at), round << 32 | lane, ONE).unwrap(),
                    false => shmem.p(heap(at), (round << 16 | lane) as u32, ONE).unwrap(),
                }
            };
            simt::run_together(&shape, &Schedule::seeded(round), &put).unwrap();
            shmem.quiet().unwrap();
            rig.first().posted() - before
        };
        let words: Vec<u8> = (0..32).flat_map(|lane| (round << 32 | lane).to_le_bytes()).collect();
        let halves: Vec<u8> = (0..32).flat_map(|lane| ((round << 16 | lane) as u32).to_le_bytes()).collect();
        let (wide, narrow) = (EXTENT - 8 * round, EXTENT - 4 * round);
        // Entries of several basic blocks, and an empty one after them; or one for each element.
        let is_within = round == 0 || round == 32;
        assert_eq!(row(true, wide), if is_within { 6 } else { 32 }, "{round} words before the end");
        assert_eq!(rig.heap(1, heap(wide), 256), words, "{round} words before the end");
        assert_eq!(row(false, narrow), if is_within { 4 } else { 32 }, "{round} halves before the end");
        assert_eq!(rig.heap(1, heap(narrow), 128), halves, "{round} halves before the end");
        // Within a key, at every place of the ring, its end among them.
        assert_eq!(row(true, EXTENT / 2), 6);
        assert_eq!(rig.heap(1, heap(EXTENT / 2), 256), words);
    }
}

#[test]
fn lanes_that_take_most_of_a_queue_together_request_each_completion() {
    let rig = Rig::new(Made::default());
    let shmem = rig.shmem(0);
    let shape = Grid { blocks: [1; 3], threads: [32, 1, 1], dynamic_shared_bytes: 0, collective: true };
    let set = || {
        let lane = u64::from(ptx::linear_tid());
        // Three basic blocks each, 96 of 128: the rig asserts that the NIC may report its progress often enough.
        shmem.atomic_set(element::<u64>(lane), lane + 1, ONE).unwrap();
    };
    simt::run_together(&shape, &Schedule::seeded(1), &set).unwrap();
    assert_eq!(rig.first().posted(), 96);
    shmem.quiet().unwrap();
    assert!((0..32).all(|lane| rig.word(1, element(lane)) == lane + 1));
}

/// Returns the element at an offset of the heap.
fn heap<T: Element>(at: u64) -> SymPtr<T> {
    SymPtr::new(oxshmem_core::SymAddr::new(at))
}

#[test]
fn nothing_is_posted_of_nothing() {
    let mut rig = Rig::new(Made::default());
    let handle = rig.create(1)[0];
    let shmem = rig.shmem(0);
    let at: SymPtr<u64> = element(0);
    let before = rig.host(0).counters().unwrap();
    grid(1, 64, 0, || {
        let queue = crate::rig::on(&shmem, handle);
        shmem.put(Thread, at, at, 0, ONE).unwrap();
        shmem.put_nbi(Warp, at, at, 0, ONE).unwrap();
        shmem.get(Block, at, at, 0, ONE).unwrap();
        queue.get_nbi(Thread, at, at, 0, ONE).unwrap();
        queue.iput(Block, at, at, 3, 2, 0, ONE).unwrap();
        shmem.iget(Warp, at, at, 1, 1, 0, ONE).unwrap();
        shmem.fence().unwrap();
        shmem.quiet().unwrap();
    });
    assert_eq!(rig.host(0).counters().unwrap(), before);
    // A put of nothing with a signal is the signal.
    shmem.put_signal(Thread, at, at, 0, Signal::add(element(5), 1), ONE).unwrap();
    shmem.quiet().unwrap();
    assert_eq!((rig.first().posted(), rig.first().bytes(), rig.word(1, element(5))), (1, 8, 1));
}

#[test]
fn short_data_of_every_length_arrives_from_and_at_every_alignment() {
    let rig = Rig::new(Made::default());
    let shmem = rig.shmem(0);
    for bytes in 1..=64 {
        for (from, to) in (0..8).flat_map(|from| [0, 1, 2, 3, 4, 7].map(|to| (from, to))) {
            let data = pattern(bytes, bytes as u64);
            rig.set_heap(0, element(4096 + from), &data);
            rig.set_heap(1, element(8191 + to), &vec![0xaa; bytes + 2]);
            shmem.put_nbi(Thread, element::<u8>(8192 + to), element(4096 + from), bytes, ONE).unwrap();
            shmem.quiet().unwrap();
            let around = [&[0xaa][..], &data, &[0xaa]].concat();
            assert_eq!(rig.heap(1, element(8191 + to), bytes + 2), around, "{bytes} bytes from {from} to {to}");
        }
    }
    for (bits, place) in [(0x0123_4567_89ab_cdef_u64, 100), (u64::MAX, 101)] {
        rig.set_word(1, element(place), 0x5555_5555_5555_5555);
        shmem.p(element(8 * place), bits as u8, ONE).unwrap();
        shmem.p(element(4 * place + 1), bits as u16, ONE).unwrap();
        shmem.p(element(2 * place + 1), bits as u32, ONE).unwrap();
        shmem.quiet().unwrap();
        let expected = bits << 32 | (bits & 0xffff) << 16 | 0x5500 | bits & 0xff;
        assert_eq!(rig.word(1, element(place)), expected);
        assert_eq!(shmem.g::<u8>(element(8 * place), ONE).unwrap(), bits as u8);
        assert_eq!(shmem.g::<u16>(element(4 * place + 1), ONE).unwrap(), bits as u16);
        assert_eq!(shmem.g::<u32>(element(2 * place + 1), ONE).unwrap(), bits as u32);
        assert_eq!(shmem.g::<u64>(element(place), ONE).unwrap(), expected);
    }
}

#[test]
fn local_memory_may_be_registered_in_parts_or_not_at_all() {
    let mut rig = Rig::new(Made::default());
    let mut buffer = vec![0_u8; 40_000];
    let start = buffer.as_ptr() as u64;
    // Two adjacent ones, then a hole, then another: 1000..9000, 9000..10000 and 12345..20000.
    for part in [(1000, 8000), (9000, 1000), (12_345, 7655)] {
        rig.host(0).register(start + part.0, part.1).unwrap();
    }
    let shmem = rig.shmem(0);
    let cases = [(0, 40), (0, 900), (1000, 8000), (500, 1000), (8990, 20), (8000, 1500), (9500, 3000), (12_340, 10)];
    for (round, (from, bytes)) in cases.into_iter().chain([(0, 40_000), (30_000, 10_000), (19_999, 2)]).enumerate() {
        for shift in [0, 3] {
            buffer.fill(0);
            let data = pattern(bytes, round as u64 + 1);
            buffer[from..from + bytes].copy_from_slice(&data);
            rig.set_heap(1, element(shift), &vec![0; bytes + 8]);
            let local = Local::of(&shmem, &mut buffer).part(from, bytes);
            shmem.put(Thread, element(shift + 1), local, bytes, ONE).unwrap();
            shmem.quiet().unwrap();
            assert_eq!(rig.heap(1, element(shift + 1), bytes), data, "{bytes} bytes from {from}");
            assert_eq!(rig.heap(1, element(shift + 1 + bytes as u64), 4), [0; 4]);
            buffer.fill(0);
            let local = Local::of(&shmem, &mut buffer).part(from, bytes);
            shmem.get(Thread, local, element(shift + 1), bytes, ONE).unwrap();
            assert_eq!(buffer[from..from + bytes], data, "{bytes} bytes to {from}");
            assert!(buffer[..from].iter().chain(&buffer[from + bytes..]).all(|byte| *byte == 0), "nothing beside");
        }
    }
    for part in [1000, 9000, 12_345] {
        rig.host(0).unregister(start + part).unwrap();
    }
    // Formerly registered memory is reached as before, though not by its key.
    let local = Local::of(&shmem, &mut buffer).part(2000, 100);
    (0..100).for_each(|i| local.write(i, 9));
    shmem.put(Thread, element(0), local, 100, ONE).unwrap();
    shmem.quiet().unwrap();
    assert_eq!(rig.heap(1, element(0), 100), [9; 100]);
}
