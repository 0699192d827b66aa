//! Atomics on the default queues.

use oxshmem_device_api::{AmoOp, AmoType, Atomics};

use crate::args;
use crate::world::reaches;

/// The numbers of the operations, in the headers too.
#[inline(always)]
fn op(op: u32) -> AmoOp {
    match op {
        0 => AmoOp::Fetch,
        1 => AmoOp::Set,
        2 => AmoOp::CompareSwap,
        3 => AmoOp::Add,
        4 => AmoOp::And,
        5 => AmoOp::Or,
        _ => AmoOp::Xor,
    }
}

/// The numbers of the words' types, in the headers too.
#[inline(always)]
fn of(of: u32) -> AmoType {
    match of {
        0 => AmoType::B32,
        1 => AmoType::B64,
        2 => AmoType::F16,
        3 => AmoType::F32,
        _ => AmoType::F64,
    }
}

export! {
    /// Performs an atomic on a word of a PE.
    oxshmem_amo(at: *mut u8, number: u32, kind: u32, value: u64, pe: i32),
    near reaches(pe) => shmem => {
        let _ = shmem.atomic_post_any(shmem.symmetric(at).addr(), op(number), of(kind), value, args::pe(pe));
    };
    /// Performs an atomic on a word of a PE, and returns the word's previous bits.
    oxshmem_amo_fetch(at: *mut u8, number: u32, kind: u32, value: u64, compare: u64, pe: i32) -> u64,
    near reaches(pe) => shmem => {
        let at = shmem.symmetric(at).addr();
        shmem.atomic_fetch_any(at, op(number), of(kind), value, compare, args::pe(pe)).unwrap_or(0)
    };
}
