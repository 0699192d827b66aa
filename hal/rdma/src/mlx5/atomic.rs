//! Atomic segments. They stand between the remote address segment and the data segment, which names the place of the
//! old value.
//!
//! The plain ones and the extended ones of 8 bytes return the old value in host order if the NIC's
//! `atomic_req_8B_endianness_mode` is on. **The extended ones of 4 bytes return it big-endian.**

use super::wqe::Segment;

/// Opmod of [`MASKED_CS`](super::opcode::MASKED_CS) and [`MASKED_FA`](super::opcode::MASKED_FA) on 4 bytes.
pub const OPMOD_EXT_32: u8 = 8;

/// Opmod of [`MASKED_CS`](super::opcode::MASKED_CS) and [`MASKED_FA`](super::opcode::MASKED_FA) on 8 bytes.
pub const OPMOD_EXT_64: u8 = 9;

/// Returns the segment of [`ATOMIC_FA`](super::opcode::ATOMIC_FA), which adds to 8 bytes.
///
/// ```text
/// byte  0     8       16
///       add | ignored |
/// ```
#[inline(always)]
pub const fn fetch_add(add: u64) -> Segment {
    Segment::of_u64(add, 0)
}

/// Returns the segment of [`ATOMIC_CS`](super::opcode::ATOMIC_CS), which stores `swap` to 8 bytes that equal `compare`.
///
/// ```text
/// byte  0      8         16
///       swap | compare |
/// ```
#[inline(always)]
pub const fn compare_swap(compare: u64, swap: u64) -> Segment {
    Segment::of_u64(swap, compare)
}

/// Returns the segment of [`MASKED_FA`](super::opcode::MASKED_FA) on 4 bytes. A carry out of a bit that is set in
/// `boundary` is dropped: 0 adds as usual, all ones is exclusive or.
///
/// ```text
/// byte  0     4          8         16
///       add | boundary | ignored |
/// ```
#[inline(always)]
pub const fn masked_fetch_add_32(add: u32, boundary: u32) -> Segment {
    Segment::of_u32(add, boundary, 0, 0)
}

/// Returns the segment of [`MASKED_FA`](super::opcode::MASKED_FA) on 8 bytes; see [`masked_fetch_add_32`].
///
/// ```text
/// byte  0     8          16
///       add | boundary |
/// ```
#[inline(always)]
pub const fn masked_fetch_add_64(add: u64, boundary: u64) -> Segment {
    Segment::of_u64(add, boundary)
}

/// Returns the segment of [`MASKED_CS`](super::opcode::MASKED_CS) on 4 bytes: if the bits of `compare_mask` are as in
/// `compare`, it stores the bits of `swap_mask` from `swap`.
///
/// ```text
/// byte  0      4         8           12             16
///       swap | compare | swap mask | compare mask |
/// ```
#[inline(always)]
pub const fn masked_compare_swap_32(swap: u32, compare: u32, swap_mask: u32, compare_mask: u32) -> Segment {
    Segment::of_u32(swap, compare, swap_mask, compare_mask)
}

/// Returns the first of the two segments of [`MASKED_CS`](super::opcode::MASKED_CS) on 8 bytes;
/// [`masked_compare_swap_64_masks`] returns the second.
///
/// ```text
/// byte  0      8         16
///       swap | compare |
/// ```
#[inline(always)]
pub const fn masked_compare_swap_64(swap: u64, compare: u64) -> Segment {
    Segment::of_u64(swap, compare)
}

/// Returns the second of the two segments; see [`masked_compare_swap_64`].
///
/// ```text
/// byte  0           8              16
///       swap mask | compare mask |
/// ```
#[inline(always)]
pub const fn masked_compare_swap_64_masks(swap_mask: u64, compare_mask: u64) -> Segment {
    Segment::of_u64(swap_mask, compare_mask)
}
