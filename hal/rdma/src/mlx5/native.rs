//! The forms in which a NIC performs an atomic itself.

use oxshmem_core::AmoOp;

use super::atomic::{
    OPMOD_EXT_32, OPMOD_EXT_64, compare_swap, fetch_add, masked_compare_swap_32, masked_compare_swap_64,
    masked_compare_swap_64_masks, masked_fetch_add_32, masked_fetch_add_64,
};
use super::wqe::{Segment, opcode};

/// An atomic as an entry has it, between the remote address segment and the data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeAtomic {
    /// The opmod of the control segment.
    pub opmod: u8,
    /// The opcode of the control segment.
    pub opcode: u8,
    /// The segment of operands.
    pub operands: Segment,
    /// The masks of a masked compare-and-swap of 8 bytes, whose entry has two blocks.
    pub masks: Option<Segment>,
    /// Bytes of the word, and of the result.
    pub bytes: u32,
}

impl NativeAtomic {
    /// Returns the compare-and-swap of 8 bytes that every NIC has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn compare_swap(compare: u64, swap: u64) -> Self {
        Self { opmod: 0, opcode: opcode::ATOMIC_CS, operands: compare_swap(compare, swap), masks: None, bytes: 8 }
    }

    /// Returns the form of an atomic of 8 bytes. `masked` reports whether the NIC has masked ones; without them
    /// [`AmoOp::Set`], [`AmoOp::And`], [`AmoOp::Or`] and [`AmoOp::Xor`] have no form.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn of_64(op: AmoOp, operand: u64, compare: u64, masked: impl FnOnce() -> bool) -> Option<Self> {
        let add = |add| Self { opmod: 0, opcode: opcode::ATOMIC_FA, operands: fetch_add(add), masks: None, bytes: 8 };
        // Replaces the bits in `mask` by the operand's bits.
        let replace = |mask| Self {
            opmod: OPMOD_EXT_64,
            opcode: opcode::MASKED_CS,
            operands: masked_compare_swap_64(operand, 0),
            masks: Some(masked_compare_swap_64_masks(mask, 0)),
            bytes: 8,
        };
        match op {
            AmoOp::Fetch => return Some(add(0)),
            AmoOp::Add => return Some(add(operand)),
            AmoOp::CompareSwap => return Some(Self::compare_swap(compare, operand)),
            _ => {}
        }
        if !masked() {
            return None;
        }
        Some(match op {
            AmoOp::Set => replace(u64::MAX),
            AmoOp::And => replace(!operand),
            AmoOp::Or => replace(operand),
            // An addition in which every bit is a field of its own has no carries, so it is an exclusive or.
            _ => Self {
                opmod: OPMOD_EXT_64,
                opcode: opcode::MASKED_FA,
                operands: masked_fetch_add_64(operand, u64::MAX),
                masks: None,
                bytes: 8,
            },
        })
    }

    /// Returns the form of an atomic of 4 bytes, which is masked always. Its result is big-endian.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn of_32(op: AmoOp, operand: u32, compare: u32) -> Self {
        let swap = |mask, compare, compare_mask| {
            (opcode::MASKED_CS, masked_compare_swap_32(operand, compare, mask, compare_mask))
        };
        let (opcode, operands) = match op {
            AmoOp::Fetch => (opcode::MASKED_FA, masked_fetch_add_32(0, 0)),
            AmoOp::Add => (opcode::MASKED_FA, masked_fetch_add_32(operand, 0)),
            AmoOp::Xor => (opcode::MASKED_FA, masked_fetch_add_32(operand, u32::MAX)),
            AmoOp::Set => swap(u32::MAX, 0, 0),
            AmoOp::And => swap(!operand, 0, 0),
            AmoOp::Or => swap(operand, 0, 0),
            AmoOp::CompareSwap => swap(u32::MAX, compare, u32::MAX),
        };
        Self { opmod: OPMOD_EXT_32, opcode, operands, masks: None, bytes: 4 }
    }
}
