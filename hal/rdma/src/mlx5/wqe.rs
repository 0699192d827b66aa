//! Segments of work queue entries: control, remote address, data, inline data.

use core::mem::{align_of, size_of};

use static_assertions::const_assert_eq;

#[cfg(not(target_endian = "little"))]
compile_error!("inline payload is taken from values in little-endian order: no other target has been thought of");

/// Bytes of a basic block, the unit that WQE indices count.
pub const BLOCK_BYTES: usize = 64;

/// 16 bytes of a WQE. Both words are stored as they are: their bytes in memory are the big-endian fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Segment(pub u64, pub u64);
const_assert_eq!(size_of::<Segment>(), 16);
const_assert_eq!(align_of::<Segment>(), 16);

impl Segment {
    /// All zeros.
    pub const ZERO: Self = Self(0, 0);

    /// Builds a segment from four fields of 32 bits, in the order of the wire.
    #[inline(always)]
    pub(super) const fn of_u32(a: u32, b: u32, c: u32, d: u32) -> Self {
        Self::of_u64((a as u64) << 32 | b as u64, (c as u64) << 32 | d as u64)
    }

    /// Builds a segment from two fields of 64 bits.
    #[inline(always)]
    pub(super) const fn of_u64(a: u64, b: u64) -> Self {
        Self(a.to_be(), b.to_be())
    }
}

/// A memory key as it is on the wire: big-endian in memory, so that kernels don't swap it for each WQE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Key(u32);

impl Key {
    /// Takes a key as registration returned it.
    #[inline(always)]
    pub const fn new(host_order: u32) -> Self {
        Self(host_order.to_be())
    }

    /// Takes a word that [`Key::wire`] returned.
    #[inline(always)]
    pub const fn from_wire(wire: u32) -> Self {
        Self(wire)
    }

    /// Returns the word as it is stored.
    #[inline(always)]
    pub const fn wire(self) -> u32 {
        self.0
    }

    /// Returns the key as registration returned it.
    #[inline(always)]
    pub const fn host(self) -> u32 {
        u32::from_be(self.0)
    }
}

/// Operations of WQEs: the low byte of the first word.
pub mod opcode {
    /// No operation; it completes like any other.
    pub const NOP: u8 = 0x00;
    /// Writes the peer's memory.
    pub const RDMA_WRITE: u8 = 0x08;
    /// Writes the peer's memory and completes a receive of the peer with an immediate word.
    pub const RDMA_WRITE_IMM: u8 = 0x09;
    /// Reads the peer's memory.
    pub const RDMA_READ: u8 = 0x10;
    /// Compares and swaps 8 bytes of the peer's memory.
    pub const ATOMIC_CS: u8 = 0x11;
    /// Adds to 8 bytes of the peer's memory.
    pub const ATOMIC_FA: u8 = 0x12;
    /// Compares and swaps under masks; the size is in opmod.
    pub const MASKED_CS: u8 = 0x14;
    /// Adds without carries over the marked bits; the size is in opmod.
    pub const MASKED_FA: u8 = 0x15;
    /// Reads local memory and discards it: data written there by earlier operations is then in place.
    pub const DUMP: u8 = 0x23;
}

/// Whether a WQE makes a completion: bits 3:2 of `fm_ce_se`.
pub mod ce {
    /// Only if the WQE fails.
    pub const ON_ERROR: u8 = 0;
    /// Always.
    pub const ALWAYS: u8 = 8;
}

/// The operations that a WQE waits for: bits 7:5 of `fm_ce_se`.
pub mod fm {
    /// Nothing.
    pub const NONE: u8 = 0;
    /// Initiator small fence.
    pub const SMALL: u8 = 0x20;
    /// Reads and atomics before it.
    pub const FENCE: u8 = 0x40;
    /// All operations before it.
    pub const STRONG: u8 = 0x60;
    /// [`FENCE`] and [`SMALL`] together.
    pub const FENCE_SMALL: u8 = 0x80;
}

/// Returns the control segment, first of every WQE.
///
/// `index` is that of the WQE's first basic block, and only its low 16 bits are sent; `ds` counts the segments of the
/// WQE, including this one, 1 to 63; `fm_ce_se` is a word of [`fm`] and one of [`ce`] or'ed.
///
/// ```text
/// byte  0      1      3   4      7    8    9         11        12       16
///       opmod | index |op | qpn | ds | sig | 0 | 0 | fm_ce_se | 0        |
/// ```
#[inline(always)]
pub const fn ctrl(opmod: u8, opcode: u8, index: u64, qpn: u32, ds: u8, fm_ce_se: u8) -> Segment {
    ctrl_imm(opmod, opcode, index, qpn, ds, fm_ce_se, 0)
}

/// [`ctrl`] with the immediate word, in host order, of operations that have one.
#[inline(always)]
pub const fn ctrl_imm(opmod: u8, opcode: u8, index: u64, qpn: u32, ds: u8, fm_ce_se: u8, imm: u32) -> Segment {
    Segment::of_u32(
        (opmod as u32) << 24 | (index as u16 as u32) << 8 | opcode as u32,
        qpn << 8 | (ds & 0x3f) as u32,
        fm_ce_se as u32,
        imm,
    )
}

/// Returns the remote address segment: address (or offset, as the key was registered) and key of the peer's memory.
///
/// ```text
/// byte  0               8      12       16
///       remote address | rkey | 0        |
/// ```
#[inline(always)]
pub const fn raddr(at: u64, key: Key) -> Segment {
    Segment(at.to_be(), key.wire() as u64)
}

/// Returns the data segment: address, key and size of this side's memory. `bytes` is 1 to 2^31 - 1 (the NIC takes 0 for
/// 2^31).
///
/// ```text
/// byte  0       4      8              16
///       bytes | lkey | local address  |
/// ```
#[inline(always)]
pub const fn data(bytes: u32, key: Key, at: u64) -> Segment {
    Segment(bytes.to_be() as u64 | (key.wire() as u64) << 32, at.to_be())
}

/// Bit 31 of a byte count: the payload itself follows.
const INLINE: u32 = 1 << 31;

/// Returns a payload of `bytes` bytes, 1 to 8, within the WQE: the value's low bytes in the order that they have in
/// memory.
///
/// ```text
/// byte  0                  4        12       16
///       1 << 31 | bytes   | payload | 0       |
/// ```
#[inline(always)]
pub const fn inline_word(bytes: u32, value: u64) -> Segment {
    let kept = if bytes < 8 { value & ((1 << (8 * bytes)) - 1) } else { value };
    inline_head(bytes, [kept as u32, (kept >> 32) as u32, 0])
}

/// Returns a payload of `bytes` bytes within the WQE, and its first 12 as three words that are stored as they are. The
/// rest of a longer payload is in the following segments.
///
/// ```text
/// byte  0                  4                 16
///       1 << 31 | bytes   | first 12 bytes   |
/// ```
#[inline(always)]
pub const fn inline_head(bytes: u32, first12: [u32; 3]) -> Segment {
    let [a, b, c] = first12;
    Segment((INLINE | bytes).to_be() as u64 | (a as u64) << 32, b as u64 | (c as u64) << 32)
}
