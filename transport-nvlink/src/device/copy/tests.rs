//! Copies at every mutual alignment, by every kind of group, at sizes around each change of method.

use oxshmem_core::Group;
use oxshmem_raw::gpu::group::{Block, Thread, Warp};
use oxshmem_raw::gpu::simt::{self, Grid, Schedule};

use super::{From, Lent, copy};

/// Bytes around the copy that must stay as they are.
const GUARD: usize = 64;

/// Shared memory of the block.
const LENT: u32 = 40 << 10;

/// A buffer whose first byte is aligned to 256 bytes.
#[repr(align(256))]
struct Aligned([u8; 32 << 10]);

fn boxed(fill: impl Fn(usize) -> u8) -> Box<Aligned> {
    let mut all = Box::new(Aligned([0; 32 << 10]));
    all.0.iter_mut().enumerate().for_each(|(i, byte)| *byte = fill(i));
    all
}

/// Copies by one group of `threads` threads (one thread for [`Thread`]), and compares every byte.
fn check<G: Group>(group: G, threads: u32, bytes: usize, to_at: usize, from_at: usize, whose: From) {
    check_with(group, threads, bytes, to_at, from_at, whose, 0)
}

/// Does the same with `lent` bytes of the shared memory lent.
fn check_with<G: Group>(group: G, threads: u32, bytes: usize, to_at: usize, from_at: usize, whose: From, lent: u32) {
    check_by(group, threads, bytes, to_at, from_at, whose, |group, to, from| {
        // SAFETY: **readable**, **writable**, **apart**, **alone**: promised by the caller, `check_by`, and by
        // the lent memory, which no other code uses.
        unsafe { copy(group, to, from, bytes, whose, Lent::dynamic(0, lent)) }
    })
}

/// Does the same with this function, which gets the ends of two distinct buffers of `bytes` bytes.
fn check_by<G: Group>(
    group: G,
    threads: u32,
    bytes: usize,
    to_at: usize,
    from_at: usize,
    whose: From,
    by: impl Fn(G, *mut u8, *const u8),
) {
    let grid =
        Grid { blocks: [1; 3], threads: [threads, 1, 1], dynamic_shared_bytes: LENT as usize, collective: false };
    let source = boxed(|i| (i as u8).wrapping_mul(37).wrapping_add((i >> 8) as u8));
    let mut dest = boxed(|_| 0xa5);
    let (to, from) = (dest.0.as_mut_ptr() as usize + GUARD + to_at, source.0.as_ptr() as usize + GUARD + from_at);
    simt::run(&grid, &Schedule::seeded(bytes as u64), &|| {
        // Both ranges lie inside distinct buffers that outlive the run, and the group meets below before any other use of
        // the lent memory.
        by(group, to as *mut u8, from as *const u8);
        group.sync();
        // After this meeting the copy is complete for every thread of the group.
        if bytes > 0 {
            let last = bytes - 1;
            // SAFETY: byte `last` is in both buffers, and all writes to it are ordered before the meeting.
            assert_eq!(unsafe { ((to + last) as *const u8).read() }, unsafe { ((from + last) as *const u8).read() });
        }
    })
    .unwrap();
    for (i, &seen) in dest.0.iter().enumerate() {
        let expected = match i.checked_sub(GUARD + to_at) {
            Some(at) if at < bytes => source.0[GUARD + from_at + at],
            _ => 0xa5,
        };
        assert_eq!(
            seen,
            expected,
            "byte {i} of {bytes} at {to_at} from {from_at} by {:?} of {threads}, {whose:?}",
            G::SCOPE
        );
    }
}

#[test]
fn every_alignment_is_copied_whole_and_nothing_beside_it_is_written() {
    let mut draw = 1u64;
    for to_at in 0..16 {
        for from_at in 0..16 {
            for bytes in [0, 1, 2, 7, 15, 16, 17, 31, 33, 64, 95, 96, 97, 128, 130, 300, 2100] {
                // One kind of group for each size and alignment, drawn at random, so that each method meets many of
                // them.
                draw = draw.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let whose = if draw >> 40 & 1 == 0 { From::Own } else { From::Peer };
                match draw >> 41 & 3 {
                    0 => check(Thread, 1, bytes, to_at, from_at, whose),
                    1 => check(Warp, 32, bytes, to_at, from_at, whose),
                    2 => check(Block, 96, bytes, to_at, from_at, whose),
                    _ => check(Block, 37, bytes, to_at, from_at, whose),
                }
            }
        }
    }
}

#[test]
fn many_units_are_copied_whole_by_tiles_rows_and_pairs() {
    for (to_at, from_at) in [(0, 0), (8, 8), (0, 4), (4, 0), (0, 8), (8, 0), (3, 10), (15, 1), (0, 15)] {
        for bytes in [9000, 16384, 20001, 30000] {
            for whose in [From::Own, From::Peer] {
                check(Thread, 1, bytes, to_at, from_at, whose);
                check(Warp, 32, bytes, to_at, from_at, whose);
                check(Warp, 20, bytes, to_at, from_at, whose);
                check(Block, 128, bytes, to_at, from_at, whose);
                check(Block, 100, bytes, to_at, from_at, whose);
            }
        }
    }
}

#[test]
fn what_is_copied_through_lent_memory_of_any_size_is_whole() {
    for lent in [0, 1, 4000, 4224, 5000, 8000, 33_000, LENT, u32::MAX] {
        for bytes in [16, 1000, 1024, 1056, 16_384, 16_400, 20_001, 30_000] {
            for at in [0, 5, 8] {
                check_with(Thread, 1, bytes, at, at, From::Own, lent);
                check_with(Warp, 32, bytes, at, at, From::Peer, lent);
            }
        }
    }
}

#[test]
fn a_large_block_copies_little_at_any_alignment_and_meets_behind_it() {
    for bytes in [95, 96, 100, 500, 1024, 2100, 4000] {
        for (to_at, from_at) in [(0, 0), (0, 4), (8, 0), (3, 10)] {
            for whose in [From::Own, From::Peer] {
                for threads in [256, 1024] {
                    check(Block, threads, bytes, to_at, from_at, whose);
                }
            }
        }
    }
}

#[test]
fn the_edges_of_a_copy_are_whole_at_each_place_in_a_line() {
    for to_at in 0..128 {
        for bytes in [2048, 2200, 2559] {
            check(Block, 1024, bytes, to_at, (7 * to_at + 1) % 16, From::Own);
            check(Block, 256, bytes, (5 * to_at + 1) % 16, to_at, From::Peer);
        }
    }
}

#[test]
fn words_are_copied_whole_between_ends_that_are_multiples_of_them() {
    for (to_at, from_at) in [(0, 4), (4, 0), (8, 4), (0, 8), (8, 0)] {
        for bytes in [0, 4, 8, 12, 96, 100, 200, 204, 408, 508, 512, 592, 1000, 1020, 1536, 2048] {
            check(Warp, 32, bytes, to_at, from_at, From::Peer);
            check(Block, 37, bytes, to_at, from_at, From::Peer);
            check(Block, 128, bytes, to_at, from_at, From::Peer);
        }
    }
}

#[test]
fn what_few_threads_load_ahead_is_copied_whole() {
    for bytes in [255, 256, 511, 512, 513, 1023, 1040, 4000] {
        for at in [0, 5] {
            check(Thread, 1, bytes, at, at, From::Own);
        }
    }
    for bytes in [8191, 8192, 16_383, 16_384, 16_400, 24_575, 24_576, 30_000] {
        for at in [0, 5] {
            check(Warp, 32, bytes, at, at, From::Own);
            check(Warp, 20, bytes, at, at, From::Own);
        }
    }
}

#[test]
fn copies_with_a_unit_for_each_thread_and_one_more_or_less_are_whole() {
    for whose in [From::Own, From::Peer] {
        for units in [31, 32, 33, 65] {
            check(Warp, 32, units * 16, 0, 0, whose);
            check(Block, 32, units * 16, 0, 0, whose);
        }
        for units in [19, 20, 21, 127, 128, 129] {
            check(Warp, 20, units * 16, 0, 0, whose);
            check(Block, 128, units * 16, 16, 0, whose);
        }
    }
}
