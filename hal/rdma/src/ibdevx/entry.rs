//! Work requests as entries of a send queue.

use oxshmem_core::{AmoOp, AmoType};

use crate::fabric::{AtomicRequest, AtomicSet, INLINE_BYTES, Local, Operation, WorkRequest};
use crate::mlx5::{Key, NativeAtomic, Segment, ce, ctrl, data, fm, inline_head, opcode, raddr};

/// Segments of the longest entry: a masked compare-and-swap of 8 bytes, or 32 bytes of payload.
pub(super) const MOST_SEGMENTS: usize = 5;
/// Basic blocks of the longest entry.
pub(super) const MOST_BLOCKS: u64 = 2;
/// Segments of a basic block.
pub(super) const SEGMENTS_OF_BLOCK: usize = 4;

/// Which masked atomics a NIC has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Masked {
    pub(super) of_4: bool,
    pub(super) of_8: bool,
}

impl Masked {
    /// Returns them as bits, for peers.
    pub(super) fn bits(self) -> u8 {
        u8::from(self.of_4) | u8::from(self.of_8) << 1
    }

    /// Returns the atomics that are one entry on a NIC.
    pub(super) fn atomics(self) -> AtomicSet {
        use AmoOp::{Add, And, CompareSwap, Fetch, Or, Set, Xor};
        let mut set = AtomicSet::VERBS.with(Fetch, AmoType::B64);
        if self.of_8 {
            set =
                [Set, And, Or, Xor].into_iter().fold(set, |set, op| set.with(op, AmoType::B64)).with(Set, AmoType::F64);
        }
        if self.of_4 {
            let all = [Fetch, Set, CompareSwap, Add, And, Or, Xor];
            set = all.into_iter().fold(set, |set, op| set.with(op, AmoType::B32)).with(Set, AmoType::F32);
        }
        set
    }
}

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    segments: [Segment; MOST_SEGMENTS],
    count: usize,
    /// The key and the address of a result of 4 bytes, which the NIC writes big-endian.
    pub(super) short_result: Option<(u32, u64)>,
}

impl Entry {
    /// Returns its segments.
    #[inline(always)]
    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments[..self.count]
    }

    /// Returns the number of its basic blocks.
    #[inline(always)]
    pub(super) fn blocks(&self) -> u64 {
        self.count.div_ceil(SEGMENTS_OF_BLOCK) as u64
    }

    /// Makes the entry of a work request, at block `index` of queue pair `qpn`. `None`: the request is malformed, or
    /// not one of this NIC.
    #[inline]
    pub(super) fn new(wr: &WorkRequest, index: u64, qpn: u32, masked: Masked) -> Option<Self> {
        let mut entry = Self { segments: [Segment::ZERO; MOST_SEGMENTS], count: 2, short_result: None };
        entry.segments[1] = raddr(wr.remote, key(wr.remote_key));
        let (opmod, opcode) = match (&wr.op, &wr.local) {
            (Operation::Write, Local::Inline { data, bytes }) => {
                entry.payload(data, *bytes)?;
                (0, opcode::RDMA_WRITE)
            }
            (Operation::Write, local) => {
                entry.memory(local)?;
                (0, opcode::RDMA_WRITE)
            }
            (Operation::Read, local) => {
                entry.memory(local)?;
                (0, opcode::RDMA_READ)
            }
            (Operation::Atomic(atomic), local) => {
                let native = native(atomic, masked)?;
                if !wr.remote.is_multiple_of(native.bytes.into()) {
                    return None;
                }
                entry.atomic(&native, local)?;
                (native.opmod, native.opcode)
            }
        };
        let ce = if wr.signalled { ce::ALWAYS } else { ce::ON_ERROR };
        entry.segments[0] = ctrl(opmod, opcode, index, qpn, entry.count as u8, fm::NONE | ce);
        Some(entry)
    }

    #[inline(always)]
    fn add(&mut self, segment: Segment) {
        self.segments[self.count] = segment;
        self.count += 1;
    }

    /// Adds the segment of memory of this side; none for no bytes, since the NIC takes 0 for 2 GiB.
    #[inline(always)]
    fn memory(&mut self, local: &Local) -> Option<()> {
        let Local::Memory { address, bytes, key: local_key } = *local else { return None };
        if bytes >> 31 != 0 {
            return None;
        }
        if bytes != 0 {
            self.add(data(bytes, key(local_key), address));
        }
        Some(())
    }

    /// Adds payload.
    #[inline(always)]
    fn payload(&mut self, bytes_of: &[u8; INLINE_BYTES], bytes: u8) -> Option<()> {
        let word = |at: usize| u32::from_ne_bytes([bytes_of[at], bytes_of[at + 1], bytes_of[at + 2], bytes_of[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        match bytes {
            0 => return Some(()),
            1..=INLINE_MOST => self.add(inline_head(bytes.into(), [word(0), word(4), word(8)])),
            _ => return None,
        }
        if bytes > 12 {
            self.add(Segment(long(12), long(20)));
        }
        if bytes > 28 {
            self.add(Segment(word(28).into(), 0));
        }
        Some(())
    }

    /// Adds an atomic and the place of its result.
    #[inline(always)]
    fn atomic(&mut self, native: &NativeAtomic, local: &Local) -> Option<()> {
        let Local::Memory { address, bytes, key: local_key } = *local else { return None };
        if bytes != native.bytes {
            return None;
        }
        self.add(native.operands);
        if let Some(masks) = native.masks {
            self.add(masks);
        }
        self.add(data(bytes, key(local_key), address));
        self.short_result = (bytes == 4).then_some((local_key as u32, address));
        Some(())
    }
}

const INLINE_MOST: u8 = INLINE_BYTES as u8;

/// Returns a key as entries have it. Keys of this fabric have 32 bits.
#[inline(always)]
fn key(key: u64) -> Key {
    Key::new(key as u32)
}

/// Returns the native form of an atomic. A value of a floating-point type is stored as its bits.
#[inline(always)]
fn native(atomic: &AtomicRequest, masked: Masked) -> Option<NativeAtomic> {
    let AtomicRequest { op, of, operand, compare } = *atomic;
    match (of, op) {
        (AmoType::B64, _) | (AmoType::F64, AmoOp::Set) => NativeAtomic::of_64(op, operand, compare, || masked.of_8),
        (AmoType::B32, _) | (AmoType::F32, AmoOp::Set) if masked.of_4 => {
            Some(NativeAtomic::of_32(op, operand as u32, compare as u32))
        }
        _ => None,
    }
}
