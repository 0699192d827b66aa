//! Random numbers that are the same on all PEs: sizes, alignments, payloads.

use oxshmem_device::prelude::*;

/// Returns 64 well-mixed bits of a number.
#[inline(always)]
pub fn bits(of: u64) -> u64 {
    let mut z = of.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the byte at a place of a slot in a round. Two rounds less than 256 apart differ in every place, so that data
/// left from an earlier round is always found, at any size and alignment.
#[inline(always)]
pub fn byte(key: u32, place: usize, round: u64) -> u8 {
    let mut x = key ^ (place as u32).wrapping_mul(0x9e37_79b1);
    x = (x ^ (x >> 15)).wrapping_mul(0x85eb_ca6b);
    (x >> 24) as u8 ^ (round as u8)
}

/// Returns a number below `end` from 32 random bits, without a division.
#[inline(always)]
pub fn below(random: u32, end: usize) -> usize {
    ((random as u64 * end as u64) >> 32) as usize
}

/// The message of one PE in a round.
#[derive(Clone, Copy)]
pub struct Draw {
    /// Number of bytes, from 1 to the test's largest.
    pub size: usize,
    /// Offset of the payload in its destination slot: 0 to 63.
    pub to: usize,
    /// Offset in its source slot: 0 to 63.
    pub from: usize,
    /// More random bits, for the receiver's choices.
    pub choice: u32,
}

impl Draw {
    /// Draws for a group, a sender and a round.
    #[inline(always)]
    pub fn of(seed: u64, group: usize, sender: Pe, round: u64, most: usize) -> Self {
        let first = bits(seed ^ bits((round << 24) ^ ((group as u64) << 8) ^ sender.number() as u64));
        let second = bits(first);
        Self {
            size: size(first as u32, (first >> 32) as u32, most),
            to: (second & 63) as usize,
            from: from(second, (second & 63) as usize),
            choice: (second >> 32) as u32,
        }
    }
}

/// Returns the source offset of a payload for offset `to`: in every other draw both ends suit one wide access.
#[inline(always)]
fn from(random: u64, to: usize) -> usize {
    let any = ((random >> 6) & 63) as usize;
    if (random >> 12) & 1 == 0 { any } else { any & 48 | to & 15 }
}

/// Returns a size from 1 to `most` bytes: usually small, or next to a size at which a copy changes its method.
#[inline(always)]
pub fn size(class: u32, random: u32, most: usize) -> usize {
    let wish = match class & 15 {
        0..=6 => 1 + below(random, 48),
        7..=10 => {
            let edge = match (class >> 4) & 3 {
                0 => 16,
                1 => 32,
                2 => 512,
                _ => 16 << 10,
            };
            edge - 4 + below(random, 9)
        }
        11 | 12 => 1 + below(random, 600),
        13 | 14 => 1 + below(random, 5000),
        _ => 1 + below(random, if most > 64 << 10 { most } else { 64 << 10 }),
    };
    if wish <= most { wish } else { 1 + below(random, most) }
}
