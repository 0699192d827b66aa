//! Atomics on a mapped word, each as wide as its type.

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_raw::gpu::ptx;

/// Applies `op` to the word at `at` and returns the word's previous bits.
///
/// # Safety
///
/// - **live**: `at` points to a mapped word of type `of`, aligned to its size.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) unsafe fn fetch(at: *mut u8, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> u64 {
    // SAFETY: **live**: `at` points to a mapped, aligned word of type `of`; each arm uses the instruction for that
    // type.
    unsafe {
        match of {
            AmoType::B32 => {
                let (at, v) = (at.cast::<u32>(), operand as u32);
                (match op {
                    AmoOp::Fetch => ptx::ld_relaxed_sys_u32(at),
                    AmoOp::Set => ptx::atom_exch_relaxed_sys_u32(at, v),
                    AmoOp::CompareSwap => ptx::atom_cas_relaxed_sys_u32(at, compare as u32, v),
                    AmoOp::Add => ptx::atom_add_relaxed_sys_u32(at, v),
                    AmoOp::And => ptx::atom_and_relaxed_sys_u32(at, v),
                    AmoOp::Or => ptx::atom_or_relaxed_sys_u32(at, v),
                    AmoOp::Xor => ptx::atom_xor_relaxed_sys_u32(at, v),
                }) as u64
            }
            AmoType::B64 => {
                let (at, v) = (at.cast::<u64>(), operand);
                match op {
                    AmoOp::Fetch => ptx::ld_relaxed_sys_u64(at),
                    AmoOp::Set => ptx::atom_exch_relaxed_sys_u64(at, v),
                    AmoOp::CompareSwap => ptx::atom_cas_relaxed_sys_u64(at, compare, v),
                    AmoOp::Add => ptx::atom_add_relaxed_sys_u64(at, v),
                    AmoOp::And => ptx::atom_and_relaxed_sys_u64(at, v),
                    AmoOp::Or => ptx::atom_or_relaxed_sys_u64(at, v),
                    AmoOp::Xor => ptx::atom_xor_relaxed_sys_u64(at, v),
                }
            }
            // Floating point types have additions only; a compare-and-swap works on bits.
            AmoType::F16 => ptx::atom_add_relaxed_sys_f16(at.cast(), operand as u16) as u64,
            AmoType::F32 => ptx::atom_add_relaxed_sys_f32(at.cast(), operand as u32) as u64,
            AmoType::F64 => ptx::atom_add_relaxed_sys_f64(at.cast(), operand),
        }
    }
}

/// Applies `op` to the word at `at`.
///
/// # Safety
///
/// - **live**: `at` points to a mapped word of type `of`, aligned to its size.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn post(at: *mut u8, op: AmoOp, of: AmoType, operand: u64) {
    // SAFETY: **live**: `at` points to a mapped, aligned word of type `of`; each arm uses the instruction for that
    // type.
    unsafe {
        match of {
            AmoType::B32 => {
                let (at, v) = (at.cast::<u32>(), operand as u32);
                match op {
                    AmoOp::Fetch | AmoOp::CompareSwap => {}
                    AmoOp::Set => ptx::st_relaxed_sys_u32(at, v),
                    AmoOp::Add => ptx::red_add_relaxed_sys_u32(at, v),
                    AmoOp::And => ptx::red_and_relaxed_sys_u32(at, v),
                    AmoOp::Or => ptx::red_or_relaxed_sys_u32(at, v),
                    AmoOp::Xor => ptx::red_xor_relaxed_sys_u32(at, v),
                }
            }
            AmoType::B64 => {
                let (at, v) = (at.cast::<u64>(), operand);
                match op {
                    AmoOp::Fetch | AmoOp::CompareSwap => {}
                    AmoOp::Set => ptx::st_relaxed_sys_u64(at, v),
                    AmoOp::Add => ptx::red_add_relaxed_sys_u64(at, v),
                    AmoOp::And => ptx::red_and_relaxed_sys_u64(at, v),
                    AmoOp::Or => ptx::red_or_relaxed_sys_u64(at, v),
                    AmoOp::Xor => ptx::red_xor_relaxed_sys_u64(at, v),
                }
            }
            AmoType::F16 => ptx::red_add_relaxed_sys_f16(at.cast(), operand as u16),
            AmoType::F32 => ptx::red_add_relaxed_sys_f32(at.cast(), operand as u32),
            AmoType::F64 => ptx::red_add_relaxed_sys_f64(at.cast(), operand),
        }
    }
}
