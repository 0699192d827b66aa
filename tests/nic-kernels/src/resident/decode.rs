//! Work queue entries of an RC send queue, decoded from the format and not from the encoders' code.

use oxshmem_raw::gpu::ptx;

use super::table::{RowAt, flags, reason};

/// The ring of basic blocks.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub(super) at: u64,
    pub(super) bytes: u64,
}

impl Ring {
    /// Returns the 8-byte word at `byte` bytes after the start of block `index`. Wraps at the end of the ring.
    ///
    /// # Safety
    ///
    /// - **live**: the ring is mapped.
    #[inline(always)]
    pub(super) unsafe fn word(self, index: u64, byte: u64) -> u64 {
        let place = index.wrapping_mul(64).wrapping_add(byte) & (self.bytes - 1) & !7;
        // SAFETY: **live**: the masked offset is inside the ring, and aligned to 8.
        unsafe { ptx::ld_relaxed_sys_u64((self.at + place) as *const u64) }
    }
}

/// Kinds of operations.
pub(super) mod kind {
    pub(crate) const NOTHING: u32 = 0;
    pub(crate) const WRITE: u32 = 1;
    pub(crate) const READ: u32 = 2;
    pub(crate) const ATOMIC: u32 = 3;
    /// Reads local memory and discards it.
    pub(crate) const DUMP: u32 = 4;
}

/// The effect of an atomic on its word.
#[derive(Clone, Copy, Default)]
pub(super) struct Atomic {
    /// Whether it compares and swaps; otherwise it adds.
    pub(super) compares: bool,
    /// Width of the word: 4 or 8.
    pub(super) bytes: u64,
    /// The value to store or add.
    pub(super) operand: u64,
    /// The value to compare with; for an addition, the top bits of its fields.
    pub(super) compare: u64,
    pub(super) swap_mask: u64,
    pub(super) compare_mask: u64,
    /// Whether the 4-byte result is big-endian.
    pub(super) extended: bool,
}

/// A decoded entry.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    pub(super) kind: u32,
    pub(super) opcode: u8,
    pub(super) opmod: u8,
    pub(super) blocks: u64,
    pub(super) signalled: bool,
    /// Whether the entry has an immediate value.
    pub(super) immediate: bool,
    /// The peer's memory.
    pub(super) at: u64,
    pub(super) rkey: u32,
    /// The first data segment, and the one after the last. Inline data begins 4 bytes into the first.
    pub(super) first: u64,
    pub(super) end: u64,
    pub(super) inline: bool,
    /// Bytes of the message, or of an atomic's word.
    pub(super) bytes: u64,
}

/// A range of local memory.
#[derive(Clone, Copy)]
pub(super) struct Sge {
    pub(super) bytes: u64,
    pub(super) lkey: u32,
    pub(super) at: u64,
}

/// An invalid entry: the broken rule, one of [`reason`], and the value that was found.
pub(super) type Broken = (u64, u64);

#[inline(always)]
fn low(word: u64) -> u32 {
    (word as u32).swap_bytes()
}

#[inline(always)]
fn high(word: u64) -> u32 {
    ((word >> 32) as u32).swap_bytes()
}

/// Reads a data segment of an entry.
///
/// # Safety
///
/// - **live**: the ring is mapped.
#[inline(always)]
pub(super) unsafe fn sge(ring: Ring, index: u64, segment: u64) -> Sge {
    // SAFETY: **live**: the caller promises that the ring is mapped.
    let (head, at) = unsafe { (ring.word(index, 16 * segment), ring.word(index, 16 * segment + 8)) };
    // Bit 31 marks inline data where an address is required. The returned length exceeds every valid one, so that the
    // caller notices.
    let bytes = match low(head) {
        0 => 1 << 31,
        length if length >> 31 != 0 => length as u64 | 1 << 32,
        length => length as u64,
    };
    Sge { bytes, lkey: high(head), at: at.swap_bytes() }
}

/// Reads the opcode of an entry and its number of blocks, at least 1, whether the entry is valid or not.
///
/// # Safety
///
/// - **live**: the ring is mapped.
#[inline(always)]
pub(super) unsafe fn outline(ring: Ring, index: u64) -> (u8, u64) {
    // SAFETY: **live**: the caller promises that the ring is mapped.
    let first = unsafe { ring.word(index, 0) };
    let blocks = ((high(first) & 0x3f) as u64).div_ceil(4);
    (low(first) as u8, if blocks == 0 { 1 } else { blocks })
}

/// Decodes the entry at `index`. All entries below `limit` are posted.
///
/// # Safety
///
/// - **live**: the row's send queue is mapped.
#[inline(always)]
pub(super) unsafe fn decode(row: RowAt, ring: Ring, index: u64, limit: u64) -> Result<Entry, Broken> {
    // SAFETY: **live**: the caller promises that the ring is mapped.
    let (first, second) = unsafe { (ring.word(index, 0), ring.word(index, 8)) };
    let (what, whose, third) = (low(first), high(first), low(second));
    let (opcode, opmod) = (what as u8, (what >> 24) as u8);
    let segments = (whose & 0x3f) as u64;
    let blocks = segments.div_ceil(4);
    if (what >> 8) as u16 != index as u16 {
        return Err((reason::WQE_INDEX, (what >> 8) as u16 as u64));
    }
    if whose >> 8 != row.qpn() {
        return Err((reason::WQE_QPN, (whose >> 8) as u64));
    }
    if segments == 0 {
        return Err((reason::SEGMENT_COUNT, 0));
    }
    if index + blocks > limit {
        return Err((reason::BEYOND_PRODUCER, blocks));
    }
    let fm_ce_se = third & 0xff;
    if whose & 0xc0 != 0 || third >> 8 != 0 || fm_ce_se & 0x11 != 0 {
        return Err((reason::RESERVED_BITS, third as u64));
    }
    if fm_ce_se >> 5 > 4 {
        return Err((reason::FENCE_MODE, (fm_ce_se >> 5) as u64));
    }
    let signalled = fm_ce_se & 8 != 0;
    if signalled && blocks > 1 && row.flags() & flags::COLLAPSED != 0 {
        return Err((reason::MULTI_BLOCK_SIGNALLED, blocks));
    }
    let mut entry = Entry { opcode, opmod, blocks, signalled, end: segments, ..Entry::default() };
    let unknown = Err((reason::OPCODE, (opmod as u64) << 8 | opcode as u64));
    match opcode {
        0x00 => {
            if opmod != 0 {
                return unknown;
            }
            entry.kind = kind::NOTHING;
        }
        0x23 => {
            if opmod != 0 {
                return unknown;
            }
            if segments < 2 {
                return Err((reason::SEGMENT_COUNT, segments));
            }
            (entry.kind, entry.first) = (kind::DUMP, 1);
            // SAFETY: **live**: the caller promises that the ring is mapped.
            entry.bytes = unsafe { places(ring, index, &entry)? };
        }
        0x08 | 0x09 | 0x10 => {
            if opmod != 0 {
                return unknown;
            }
            entry.kind = if opcode == 0x10 { kind::READ } else { kind::WRITE };
            entry.immediate = opcode == 0x09;
            // SAFETY: **live**: the caller promises that the ring is mapped.
            unsafe { remote(ring, index, segments, &mut entry)? }
            // SAFETY: **live**: the caller promises that the ring is mapped.
            let length = low(unsafe { ring.word(index, 32) });
            if entry.kind == kind::WRITE && segments > 2 && length >> 31 != 0 {
                (entry.inline, entry.bytes) = (true, (length & 0x7fff_ffff) as u64);
                if entry.bytes + 4 > 16 * (segments - 2) {
                    return Err((reason::INLINE_LENGTH, entry.bytes));
                }
                if (entry.bytes + 4).div_ceil(16) + 2 != segments {
                    return Err((reason::SEGMENT_COUNT, segments));
                }
            } else {
                // SAFETY: **live**: the caller promises that the ring is mapped.
                entry.bytes = unsafe { places(ring, index, &entry)? };
            }
        }
        0x11 | 0x12 | 0x14 | 0x15 => {
            let masked = opcode >= 0x14;
            if !(masked && (opmod == 8 || opmod == 9) || !masked && opmod == 0) {
                return unknown;
            }
            entry.kind = kind::ATOMIC;
            // SAFETY: **live**: the caller promises that the ring is mapped.
            unsafe { remote(ring, index, segments, &mut entry)? }
            // SAFETY: **live**: the caller promises that the ring is mapped.
            unsafe { operands(ring, index, segments, &mut entry)? }
        }
        _ => return unknown,
    }
    if entry.bytes > row.most() {
        return Err((reason::MESSAGE_LENGTH, entry.bytes));
    }
    Ok(entry)
}

/// Decodes the remote address segment.
///
/// # Safety
///
/// - **live**: the ring is mapped.
#[inline(always)]
unsafe fn remote(ring: Ring, index: u64, segments: u64, entry: &mut Entry) -> Result<(), Broken> {
    if segments < 2 {
        return Err((reason::SEGMENT_COUNT, segments));
    }
    // SAFETY: **live**: the caller promises that the ring is mapped.
    let (at, key) = unsafe { (ring.word(index, 16), ring.word(index, 24)) };
    (entry.at, entry.rkey, entry.first) = (at.swap_bytes(), low(key), 2);
    Ok(())
}

/// Returns the number of bytes of all data segments.
///
/// # Safety
///
/// - **live**: the ring is mapped.
#[inline(always)]
unsafe fn places(ring: Ring, index: u64, entry: &Entry) -> Result<u64, Broken> {
    let (mut segment, mut bytes) = (entry.first, 0);
    while segment < entry.end {
        // SAFETY: **live**: the caller promises that the ring is mapped.
        let place = unsafe { sge(ring, index, segment) };
        if place.bytes > 1 << 31 {
            return Err((reason::INLINE_LENGTH, place.bytes));
        }
        bytes += place.bytes;
        segment += 1;
    }
    Ok(bytes)
}

/// Checks the segments of an atomic, and the place for its result.
///
/// # Safety
///
/// - **live**: the ring is mapped.
#[inline(always)]
unsafe fn operands(ring: Ring, index: u64, segments: u64, entry: &mut Entry) -> Result<(), Broken> {
    let masks = entry.opcode == 0x14 && entry.opmod == 9;
    if segments != if masks { 5 } else { 4 } {
        return Err((reason::SEGMENT_COUNT, segments));
    }
    entry.first = segments - 1;
    entry.bytes = if entry.opmod == 8 { 4 } else { 8 };
    // SAFETY: **live**: the caller promises that the ring is mapped.
    let place = unsafe { sge(ring, index, entry.first) };
    if place.bytes > 1 << 31 {
        return Err((reason::INLINE_LENGTH, place.bytes));
    }
    if place.bytes != entry.bytes {
        return Err((reason::RESULT_LENGTH, place.bytes));
    }
    Ok(())
}

/// Decodes the operands of an atomic.
///
/// # Safety
///
/// - **live**: the ring is mapped.
#[inline(always)]
pub(super) unsafe fn atomic(ring: Ring, index: u64, entry: &Entry) -> Atomic {
    let (compares, short) = (entry.opcode == 0x11 || entry.opcode == 0x14, entry.opmod == 8);
    // SAFETY: **live**: the caller promises that the ring is mapped.
    let (a, b) = unsafe { (ring.word(index, 32), ring.word(index, 40)) };
    let mut what = Atomic { compares, bytes: entry.bytes, extended: entry.opmod != 0, ..Atomic::default() };
    if short {
        (what.operand, what.compare) = (low(a) as u64, high(a) as u64);
        (what.swap_mask, what.compare_mask) = (low(b) as u64, high(b) as u64);
        return what;
    }
    (what.operand, what.compare) = (a.swap_bytes(), b.swap_bytes());
    (what.swap_mask, what.compare_mask) = (u64::MAX, u64::MAX);
    if compares && entry.opmod == 9 {
        // SAFETY: **live**: the caller promises that the ring is mapped.
        let (swap, compare) = unsafe { (ring.word(index, 48), ring.word(index, 56)) };
        (what.swap_mask, what.compare_mask) = (swap.swap_bytes(), compare.swap_bytes());
    }
    // A plain addition has one field.
    if !compares && entry.opmod == 0 {
        what.compare = 0;
    }
    what
}
