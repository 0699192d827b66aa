//! Entries, room, doorbells and completion of a send queue.

use std::sync::atomic::Ordering;

use super::*;
use crate::fabric::{Handle, MemoryRequest, PostErrorKind, Region};
use crate::mlx5::{self, BLOCK_BYTES, ce, opcode};

#[test]
fn inline_bytes_of_every_length_are_in_the_entry_and_in_as_few_blocks_as_they_need() {
    for bytes in 0..=INLINE_BYTES as u8 {
        let mut bench = Bench::new(4, false);
        bench.add(&inline(0, bytes));
        let entry = bench.bytes(0..2);
        let ds = bench.ctrl(0).qpn_ds.get() & 0x3f;
        let blocks = bench.queue_next();
        assert_eq!(
            (ds, blocks),
            match bytes {
                0 => (2, 1),
                1..=12 => (3, 1),
                13..=28 => (4, 1),
                _ => (5, 2),
            }
        );
        if bytes > 0 {
            assert_eq!(entry[32..36], (1 << 31 | u32::from(bytes)).to_be_bytes());
            assert_eq!(entry[36..][..bytes.into()], payload()[..bytes.into()]);
        }
    }
}

#[test]
fn an_entry_of_two_blocks_goes_on_at_the_beginning_of_the_ring() {
    let mut bench = Bench::new(8, false);
    for id in 0..7 {
        bench.add(&write(id, 8));
    }
    assert_eq!(bench.queue.complete(6, true, &bench.regions), Some(6));
    bench.add(&inline(7, 32));
    bench.ring();
    assert_eq!(bench.record(), 9, "seven blocks and two");
    assert_eq!(bench.ctrl(7).qpn_ds.get(), QPN << 8 | 5);
    // The first 12 bytes of payload are in the third segment of the last block; the last 4 are in the first block.
    let ring = bench.bytes(0..8);
    assert_eq!(ring[7 * BLOCK_BYTES + 36..], payload()[..28]);
    assert_eq!(ring[..4], payload()[28..]);
    assert_eq!(bench.ctrl(1).opmod_idx_opcode.get() >> 8 & 0xffff, 1, "the block after it is as it was");
    assert_eq!(bench.queue.complete(7, true, &bench.regions), Some(7));
}

#[test]
fn a_full_queue_takes_an_entry_when_its_blocks_are_free_and_no_earlier() {
    let mut bench = Bench::new(4, false);
    (0..3).for_each(|id| bench.add(&write(id, 8)));
    let two_blocks = inline(3, 32);
    assert_eq!(bench.queue.add(&two_blocks, &bench.regions), Err(PostErrorKind::Full), "one block is free");
    assert_eq!(bench.queue_next(), 3, "the refused entry took no room");
    bench.add(&write(3, 8));
    assert_eq!(bench.queue.add(&write(4, 8), &bench.regions), Err(PostErrorKind::Full));
    assert_eq!(bench.queue.complete(0, true, &bench.regions), Some(0));
    assert_eq!(bench.queue.add(&two_blocks, &bench.regions), Err(PostErrorKind::Full));
    assert_eq!(bench.queue.complete(1, true, &bench.regions), Some(1));
    bench.add(&two_blocks);
    assert_eq!(bench.queue.add(&write(4, 8), &bench.regions), Err(PostErrorKind::Full));
}

#[test]
fn a_list_is_announced_by_one_doorbell_with_the_index_after_it() {
    let mut bench = Bench::new(8, true);
    (0..3).for_each(|id| bench.add(&WorkRequest { signalled: id == 2, ..write(id, 8) }));
    assert_eq!((bench.record(), bench.register.take(0)), (0, vec![]), "nothing is announced yet");
    bench.ring();
    assert_eq!(bench.record(), 3);
    assert_eq!(bench.register.take(0), [mlx5::doorbell(3, QPN)]);
    let ces: Vec<u8> = (0..3).map(|block| bench.ctrl(block).fm_ce_se).collect();
    assert_eq!(ces, [ce::ON_ERROR, ce::ON_ERROR, ce::ALWAYS]);
    bench.ring();
    assert_eq!((bench.register.take(0), bench.register.take(1)), (vec![], vec![]), "there is nothing new");
}

#[test]
fn a_single_entry_of_one_block_goes_with_its_doorbell_to_the_halves_in_turn() {
    let mut bench = Bench::new(16, true);
    for round in 0..4 {
        bench.add(&inline(round, 28));
        bench.ring();
        let block = bench.ring.block(round).each_ref().map(|word| word.load(Ordering::Relaxed));
        let [written, other] = [0, 1].map(|half| bench.register.take((round as usize + half) % 2));
        assert_eq!(written, block, "64 bytes, the first of which are the control segment");
        assert_eq!(other, [0; 0]);
        assert_eq!(bench.record(), round as u32 + 1, "the record has the index too");
    }
    // An entry of two blocks and a list get plain doorbells, also in turn.
    bench.add(&inline(4, 32));
    bench.ring();
    assert_eq!((bench.register.take(0), bench.register.take(1)), (vec![mlx5::doorbell(6, QPN)], vec![]));
    bench.add(&write(5, 8));
    bench.add(&write(6, 8));
    bench.ring();
    assert_eq!((bench.register.take(0), bench.register.take(1)), (vec![], vec![mlx5::doorbell(8, QPN)]));
}

#[test]
fn a_register_that_takes_no_entries_is_rung_at_its_beginning_always() {
    let mut bench = Bench::new(16, false);
    for round in 0..3 {
        bench.add(&inline(round, 8));
        bench.ring();
        assert_eq!(bench.register.take(0), [mlx5::doorbell(round + 1, QPN)]);
        assert_eq!(bench.register.take(1), [0; 0]);
    }
}

#[test]
fn counters_of_16_bits_name_their_entries_for_ever() {
    // The deepest ring has half as many blocks as there are counters.
    for blocks in [4, 1 << 15] {
        let mut bench = Bench::new(blocks, false);
        let (mut id, mut next) = (0, 0_u64);
        let mut in_flight = std::collections::VecDeque::new();
        while next < 3 << 16 {
            // Entries of one and of two blocks, until there is no room.
            loop {
                let wr = if id % 3 == 0 { inline(id, 32) } else { write(id, 8) };
                match bench.queue.add(&wr, &bench.regions) {
                    Ok(()) => in_flight.push_back((id, next)),
                    Err(why) => break assert_eq!(why, PostErrorKind::Full),
                }
                next += if id % 3 == 0 { 2 } else { 1 };
                id += 1;
            }
            assert!(next - in_flight[0].1 + 2 > blocks.into(), "there was room at {next}");
            bench.ring();
            assert_eq!(bench.record(), next as u32 & 0xffff);
            // The completion of one entry is one of all before it.
            let count = (id as usize * 7 % in_flight.len()) + 1;
            let (last, index) = in_flight.drain(..count).next_back().unwrap();
            assert_eq!(bench.queue.complete(index as u16, true, &bench.regions), Some(last));
        }
        let beyond = (next as u16).wrapping_add(1);
        assert_eq!(bench.queue.complete(beyond, true, &bench.regions), None, "no entry begins there");
    }
}

#[test]
fn a_counter_of_no_entry_in_flight_is_none() {
    let mut bench = Bench::new(8, false);
    assert_eq!(bench.queue.complete(0, true, &bench.regions), None, "nothing was posted");
    bench.add(&inline(0, 32));
    bench.add(&write(1, 8));
    assert_eq!(bench.queue.complete(1, true, &bench.regions), None, "it is the second block of an entry");
    assert_eq!(bench.queue.complete(3, true, &bench.regions), None);
    assert_eq!(bench.queue.complete(2, true, &bench.regions), Some(1));
    assert_eq!(bench.queue.complete(2, true, &bench.regions), None, "it was completed before");
}

#[test]
fn requests_that_are_malformed_or_not_native_are_refused_and_leave_nothing() {
    let mut bench = Bench::new(8, false);
    let native = atomic(AmoOp::Add, AmoType::B64, 8, 0, 0);
    let long = inline(0, INLINE_BYTES as u8 + 1);
    let read = WorkRequest { op: Operation::Read, ..inline(0, 8) };
    let odd = WorkRequest { remote: 0x1_0004, ..native };
    let short = WorkRequest { local: Local::Memory { address: 0, bytes: 4, key: 0 }, ..native };
    let half = atomic(AmoOp::Add, AmoType::F16, 2, 0, 0);
    for wr in [long, read, odd, short, half, write(0, 1 << 31)] {
        assert_eq!(bench.queue.add(&wr, &bench.regions), Err(PostErrorKind::Failed), "{wr:?}");
    }
    assert_eq!(bench.queue_next(), 0);
}

#[test]
fn a_queue_takes_the_atomics_that_are_native_and_no_others() {
    use AmoOp::{Add, And, CompareSwap, Fetch, Or, Set, Xor};
    let request = MemoryRequest {
        region: Region::Address(0),
        bytes: 64,
        address: 0,
        wanted_base: 0,
        remote: false,
        of_gpu: false,
    };
    for masked in [(false, false), (false, true), (true, false), (true, true)] {
        let masked = Masked { of_4: masked.0, of_8: masked.1 };
        let bench = Bench::new(128, false);
        // SAFETY: **until**: no completion is taken, so that nothing is converted.
        unsafe { bench.regions.add(0, Handle(1), 0, &request) };
        let mut queue = SendQueue::new(bench.ring.clone(), QPN, masked);
        for op in [Fetch, Set, CompareSwap, Add, And, Or, Xor] {
            for (of, bytes) in
                [(AmoType::B32, 4), (AmoType::B64, 8), (AmoType::F16, 2), (AmoType::F32, 4), (AmoType::F64, 8)]
            {
                let taken = queue.add(&atomic(op, of, bytes, 0, 0), &bench.regions).is_ok();
                assert_eq!(masked.atomics().has(op, of), taken, "{op:?} {of:?} {masked:?}");
            }
        }
    }
}

#[test]
fn a_write_or_read_of_no_bytes_names_no_memory_since_the_nic_takes_0_for_2_gib() {
    let mut bench = Bench::new(4, false);
    bench.add(&write(0, 0));
    bench.add(&WorkRequest { op: Operation::Read, ..write(1, 0) });
    assert_eq!([0, 1].map(|block| bench.ctrl(block).qpn_ds.get() & 0x3f), [2, 2]);
}

#[test]
fn every_native_atomic_is_an_entry_of_its_opcode() {
    let masked = [AmoOp::Set, AmoOp::And, AmoOp::Or];
    for op in [AmoOp::Fetch, AmoOp::Set, AmoOp::CompareSwap, AmoOp::Add, AmoOp::And, AmoOp::Or, AmoOp::Xor] {
        let mut bench = Bench::new(8, false);
        bench.add(&atomic(op, AmoType::B64, 8, 0x100, 0x9));
        let ctrl = bench.ctrl(0).opmod_idx_opcode.get();
        let expected = match op {
            AmoOp::Fetch | AmoOp::Add => u32::from(opcode::ATOMIC_FA),
            AmoOp::CompareSwap => opcode::ATOMIC_CS.into(),
            AmoOp::Xor => 9 << 24 | u32::from(opcode::MASKED_FA),
            _ => 9 << 24 | u32::from(opcode::MASKED_CS),
        };
        assert_eq!(ctrl, expected, "{op:?}");
        assert_eq!(bench.queue_next(), if masked.contains(&op) { 2 } else { 1 }, "{op:?}");
    }
}

#[test]
fn results_of_4_bytes_are_in_the_hosts_order_when_their_completion_is_taken_and_only_then() {
    let mut words = [0x1122_3344_u32.to_be(), 0x1122_3344_u32.to_be(), 0x1122_3344_u32.to_be(), 7];
    let at = words.as_mut_ptr().expose_provenance() as u64;
    let mut bench = Bench::new(8, false);
    let (base, key) = (0x10_0000, 0x77);
    let request = MemoryRequest {
        region: Region::Address(at),
        bytes: 16,
        address: at,
        wanted_base: base,
        remote: false,
        of_gpu: false,
    };
    let word = |number: u64| {
        // SAFETY: the array is longer, and lives to the end of the test.
        unsafe { (at as *const u32).add(number as usize).read_volatile() }
    };
    let fetch = |number: u64| atomic(AmoOp::Add, AmoType::B32, 4, base + 4 * number, key);
    assert_eq!(bench.queue.add(&fetch(0), &bench.regions), Err(PostErrorKind::Failed), "the memory is unknown");
    // SAFETY: **until**: the array lives longer.
    unsafe { bench.regions.add(key as u32, Handle(1), base, &request) };
    (0..3).for_each(|number| bench.add(&fetch(number)));
    assert_eq!(bench.queue.add(&fetch(4), &bench.regions), Err(PostErrorKind::Failed), "it ends before that");
    assert_eq!(word(0), 0x1122_3344_u32.to_be());
    assert!(bench.queue.complete(1, true, &bench.regions).is_some());
    assert_eq!([0, 1, 2, 3].map(word), [0x1122_3344, 0x1122_3344, 0x1122_3344_u32.to_be(), 7]);
    // The third one fails, and nothing after it takes effect.
    (0..2).for_each(|number| bench.add(&fetch(number)));
    assert!(bench.queue.complete(2, false, &bench.regions).is_some());
    assert!(bench.queue.complete(4, false, &bench.regions).is_some());
    assert_eq!([0, 2].map(word), [0x1122_3344, 0x1122_3344_u32.to_be()]);

    let mut bench = Bench { regions: bench.regions, ..Bench::new(8, false) };
    bench.add(&fetch(2));
    bench.regions.remove(Handle(1));
    assert!(bench.queue.complete(0, true, &bench.regions).is_some());
    assert_eq!(word(2), 0x1122_3344_u32.to_be(), "memory that is not registered any more is left alone");
}
