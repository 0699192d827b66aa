//! The memory that kernels and the courier's thread share.

use core::mem::{offset_of, size_of};

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_raw::state::abi::layout_of;

/// Slots of a mailbox.
pub const DEPTH: u64 = 64;

/// A mailbox: requests to one PE. In memory of the PE's device; mailbox number `pe` carries requests to `pe`.
///
/// The first half is set before kernels run, the second changes.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Mailbox {
    /// The address of its [`DEPTH`] slots. 0: this transport does not reach the PE.
    pub slots: u64,
    /// The address of the copy of the world's state.
    pub world: u64,
    /// The address of a word in host memory: 1 once the courier's thread has ended.
    pub ended: u64,
    /// The PE to which it carries requests.
    pub pe: u64,
    /// Number of reserved indices.
    pub reserved: u64,
    /// Unused.
    pub unused: [u64; 3],
}
const _: () = assert!(size_of::<Mailbox>() == 64 && offset_of!(Mailbox, reserved) == 32);

/// The rows that kernels see. Every operation is complete when its call returns, so that each row is the same
/// mailboxes.
#[derive(Debug)]
#[repr(C)]
pub struct Rows {
    /// Number of PEs, which is the number of mailboxes.
    pub n_pes: u32,
    /// Number of rows: those of all handles that the world can have.
    pub count: u32,
}
const _: () = assert!(size_of::<Rows>() == 8 && offset_of!(Rows, count) == 4);

/// A request and its answer. In host memory, all 0 at first.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Slot {
    /// The turn, which gives the slot's owner; see the crate's documentation.
    pub turn: u64,
    /// The request's kind, and for an atomic its operation and type: see [`Kind::word`].
    pub kind: u64,
    /// Offset in the peer's heap.
    pub remote: u64,
    /// Address of this PE's end of a copy; for an atomic the value to compare with.
    pub local: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// The element to write, or the operand of an atomic.
    pub operand: u64,
    /// The element that was read, or the previous value of the word.
    pub answer: u64,
    /// Unused.
    pub unused: u64,
}
const _: () = assert!(size_of::<Slot>() == 64);

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Copies from this PE's memory to the peer's heap.
    Put,
    /// Copies from the peer's heap to this PE's memory.
    Get,
    /// Writes one element of 1, 2, 4 or 8 bytes.
    Write,
    /// Reads one element of 1, 2, 4 or 8 bytes.
    Read,
    /// Applies an atomic and returns the previous value.
    Amo(AmoOp, AmoType),
}

const AMO: u64 = 5;

impl Kind {
    /// Encodes the kind: the kind in bits 7:0, an atomic's operation in bits 15:8 and its type in bits 23:16.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        match self {
            Self::Put => 1,
            Self::Get => 2,
            Self::Write => 3,
            Self::Read => 4,
            Self::Amo(op, of) => AMO | (op as u64) << 8 | (of as u64) << 16,
        }
    }

    /// Decodes the kind; `None` if no kernel writes such a word.
    pub fn from_word(word: u64) -> Option<Self> {
        use AmoOp::{Add, And, CompareSwap, Fetch, Or, Set, Xor};
        use AmoType::{B32, B64, F16, F32, F64};
        Some(match word & 0xff {
            1 => Self::Put,
            2 => Self::Get,
            3 => Self::Write,
            4 => Self::Read,
            AMO => {
                let op =
                    [Fetch, Set, CompareSwap, Add, And, Or, Xor].into_iter().find(|op| *op as u64 == word >> 8 & 0xff);
                let of = [B32, B64, F16, F32, F64].into_iter().find(|of| *of as u64 == word >> 16 & 0xff);
                Self::Amo(op?, of?)
            }
            _ => return None,
        })
    }
}

/// Hash of the layout that both halves use. The last number is the version of the protocol.
pub const LAYOUT: u64 = layout_of(&[
    size_of::<Mailbox>(),
    offset_of!(Mailbox, reserved),
    size_of::<Slot>(),
    offset_of!(Slot, answer),
    DEPTH as usize,
    size_of::<Rows>(),
    2,
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_decoded_from_its_word_and_no_other_word_is_one() {
        for kind in [
            Kind::Put,
            Kind::Get,
            Kind::Write,
            Kind::Read,
            Kind::Amo(AmoOp::Fetch, AmoType::B32),
            Kind::Amo(AmoOp::Xor, AmoType::F64),
        ] {
            assert_eq!(Kind::from_word(kind.word()), Some(kind));
        }
        for word in [0, 6, AMO | 7 << 8, AMO | 5 << 16] {
            assert_eq!(Kind::from_word(word), None, "{word:#x}");
        }
    }
}
