//! Single elements, signals and atomics. For load/store PEs the headers have them inline.

use oxshmem_core::Element;
use oxshmem_device_api::{AmoOp, AmoType, Atomics, Rma, Signal, Signals};

use crate::args::{self, QP_DEFAULT};
use crate::world::reaches;

export! {
    /// Writes an element of `width` bytes to a PE.
    oxshmem_p(dest: *mut u8, bits: u64, width: u32, pe: i32, qp: i32),
    if reaches(pe) => shmem, on => args::by_width!(width, T => {
        let _ = on(qp).p(shmem.symmetric(dest.cast::<T>()), bits as T, args::pe(pe));
    });
    /// Reads an element of `width` bytes from a PE.
    oxshmem_g(source: *const u8, width: u32, pe: i32, qp: i32) -> u64,
    if reaches(pe) => shmem, on => args::by_width!(width, T => {
        on(qp).g(shmem.symmetric(source.cast::<T>()), args::pe(pe)).map_or(0, Element::to_bits64)
    });
    /// Changes the signal word on a PE.
    oxshmem_signal(word: *mut u64, value: u64, op: i32, pe: i32, qp: i32),
    if reaches(pe) => shmem, on => {
        let _ = on(qp).signal(Signal { word: shmem.symmetric(word), value, op: args::signal_op(op) }, args::pe(pe));
    };
}

/// Returns the operation with this number, which the headers use too.
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

/// Returns the type with this number, which the headers use too.
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
    if reaches(pe) => shmem, on => {
        let _ = on(QP_DEFAULT).atomic_post_any(shmem.symmetric(at).addr(), op(number), of(kind), value, args::pe(pe));
    };
    /// Performs an atomic on a word of a PE, and returns the word's previous bits.
    oxshmem_amo_fetch(at: *mut u8, number: u32, kind: u32, value: u64, compare: u64, pe: i32) -> u64,
    if reaches(pe) => shmem, on => {
        let at = shmem.symmetric(at).addr();
        on(QP_DEFAULT).atomic_fetch_any(at, op(number), of(kind), value, compare, args::pe(pe)).unwrap_or(0)
    };
}
