//! Atomics: one word for each thread, and many threads on one word.

use crate::kernel;
use oxshmem_device::prelude::*;
use oxshmem_device::{AtomicAdd, AtomicInt, AtomicWord, Element};

use crate::place::queue;

/// `atomic_fetch`.
pub const FETCH: u32 = 0;
/// `atomic_set`.
pub const SET: u32 = 1;
/// `atomic_swap`.
pub const SWAP: u32 = 2;
/// `atomic_compare_swap`.
pub const COMPARE_SWAP: u32 = 3;
/// `atomic_inc`.
pub const INC: u32 = 4;
/// `atomic_fetch_inc`.
pub const FETCH_INC: u32 = 5;
/// `atomic_add`.
pub const ADD: u32 = 6;
/// `atomic_fetch_add`.
pub const FETCH_ADD: u32 = 7;
/// `atomic_and`.
pub const AND: u32 = 8;
/// `atomic_fetch_and`.
pub const FETCH_AND: u32 = 9;
/// `atomic_or`.
pub const OR: u32 = 10;
/// `atomic_fetch_or`.
pub const FETCH_OR: u32 = 11;
/// `atomic_xor`.
pub const XOR: u32 = 12;
/// `atomic_fetch_xor`.
pub const FETCH_XOR: u32 = 13;
/// Number of operations.
pub const OPS: u32 = 14;

/// The operands of one atomic.
#[derive(Clone, Copy)]
struct Ask<T> {
    op: u32,
    at: SymPtr<T>,
    operand: T,
    compare: T,
    pe: Pe,
}

/// Applies fetch, set or swap; does nothing for other operations.
#[inline(always)]
fn word<T: AtomicWord, I: Atomics>(on: &I, ask: Ask<T>) -> Result<T, Fault> {
    let Ask { op, at, operand, pe, .. } = ask;
    match op {
        FETCH => on.atomic_fetch(at, pe),
        SET => on.atomic_set(at, operand, pe).map(|()| T::default()),
        SWAP => on.atomic_swap(at, operand, pe),
        _ => Ok(T::default()),
    }
}

/// Applies an addition; does nothing for other operations.
#[inline(always)]
fn sum<T: AtomicAdd, I: Atomics>(on: &I, ask: Ask<T>) -> Result<T, Fault> {
    let Ask { op, at, operand, pe, .. } = ask;
    match op {
        ADD => on.atomic_add(at, operand, pe).map(|()| T::default()),
        FETCH_ADD => on.atomic_fetch_add(at, operand, pe),
        _ => Ok(T::default()),
    }
}

/// Applies all operations but the additions of an amount, fetch, set and swap; does nothing for those.
#[inline(always)]
fn int<T: AtomicInt, I: Atomics>(on: &I, ask: Ask<T>) -> Result<T, Fault> {
    let Ask { op, at, operand, compare, pe } = ask;
    match op {
        COMPARE_SWAP => on.atomic_compare_swap(at, compare, operand, pe),
        INC => on.atomic_inc(at, pe).map(|()| T::default()),
        FETCH_INC => on.atomic_fetch_inc(at, pe),
        AND => on.atomic_and(at, operand, pe).map(|()| T::default()),
        FETCH_AND => on.atomic_fetch_and(at, operand, pe),
        OR => on.atomic_or(at, operand, pe).map(|()| T::default()),
        FETCH_OR => on.atomic_fetch_or(at, operand, pe),
        XOR => on.atomic_xor(at, operand, pe).map(|()| T::default()),
        FETCH_XOR => on.atomic_fetch_xor(at, operand, pe),
        _ => Ok(T::default()),
    }
}

#[inline(always)]
fn word_or_sum<T: AtomicWord + AtomicAdd, I: Atomics>(on: &I, ask: Ask<T>) -> Result<T, Fault> {
    if ask.op < COMPARE_SWAP { word(on, ask) } else { sum(on, ask) }
}

#[inline(always)]
fn any_int<T: AtomicInt + AtomicAdd, I: Atomics>(on: &I, ask: Ask<T>) -> Result<T, Fault> {
    match ask.op {
        FETCH | SET | SWAP => word(on, ask),
        ADD | FETCH_ADD => sum(on, ask),
        _ => int(on, ask),
    }
}

/// The words of a launch.
#[derive(Clone, Copy)]
struct Words<T> {
    at: SymPtr<T>,
    /// Elements between adjacent threads' words; 0: all threads use one word.
    stride: usize,
    operands: SymPtr<T>,
    compares: SymPtr<T>,
    olds: SymPtr<T>,
    count: usize,
}

/// Applies the operation by thread `i` to word `i`, and stores the result.
#[inline(always)]
fn each<T: Element>(
    shmem: &Shmem,
    op: u32,
    words: Words<T>,
    pe: Pe,
    apply: impl Fn(Ask<T>) -> Result<T, Fault>,
) -> Result<(), Fault> {
    let Words { at, stride, operands, compares, olds, count } = words;
    let (operands, compares, olds) =
        (shmem.local(operands, count), shmem.local(compares, count), shmem.local(olds, count));
    for i in grid_stride(count) {
        let ask = Ask { op, at: at.add(i * stride), operand: operands.read(i), compare: compares.read(i), pe };
        olds.write(i, apply(ask)?);
    }
    // Operations without a result may still be in flight.
    shmem.quiet()
}

macro_rules! atomics {
    ($($name:ident $t:ty, $apply:ident;)+) => { $( kernel! {
        /// Applies an atomic by each thread: to a word of its own, or with stride 0 to one word for all.
        pub fn $name(
            shmem: Shmem, op: u32, view: u32, handle: QpHandle, at: SymPtr<$t>, stride: usize,
            operands: SymPtr<$t>, compares: SymPtr<$t>, olds: SymPtr<$t>, count: usize, pe: Pe,
        ) -> Result<(), Fault> {
            let on = shmem.qp(queue(view, handle));
            let words = Words { at, stride, operands, compares, olds, count };
            each(&shmem, op, words, pe, |ask| $apply(&on, ask))
        }
    } )+ };
}
atomics! {
    amo_i32 i32, any_int; amo_u32 u32, any_int; amo_i64 i64, any_int; amo_u64 u64, any_int;
    amo_isize isize, any_int; amo_usize usize, any_int;
    amo_f32 f32, word_or_sum; amo_f64 f64, word_or_sum; amo_f16 F16, sum;
}

/// Adds one by compare-and-swap in a loop.
#[inline(always)]
fn add_one_by_swaps<T: AtomicInt, I: Atomics>(on: &I, at: SymPtr<T>, pe: Pe) -> Result<(), Fault> {
    let mut seen = on.atomic_fetch(at, pe)?;
    loop {
        let was = on.atomic_compare_swap(at, seen, T::from_bits64(seen.to_bits64().wrapping_add(1)), pe)?;
        if was == seen {
            return Ok(());
        }
        seen = was;
    }
}

kernel! {
    /// Adds one to the word by every thread, `times` times, by compare-and-swap in a loop.
    pub fn amo_swap_loop_u32(shmem: Shmem, view: u32, handle: QpHandle, at: SymPtr<u32>, times: usize, pe: Pe) -> Result<(), Fault> {
        for _ in span(0, times) {
            add_one_by_swaps(&shmem.qp(queue(view, handle)), at, pe)?;
        }
        Ok(())
    }

    /// Performs [`amo_swap_loop_u32`] on a 64-bit word.
    pub fn amo_swap_loop_u64(shmem: Shmem, view: u32, handle: QpHandle, at: SymPtr<u64>, times: usize, pe: Pe) -> Result<(), Fault> {
        for _ in span(0, times) {
            add_one_by_swaps(&shmem.qp(queue(view, handle)), at, pe)?;
        }
        Ok(())
    }

    /// Draws `times` tickets by every thread from the word on `pe`, and counts each in `taken` there.
    pub fn amo_tickets(shmem: Shmem, at: SymPtr<u64>, taken: SymPtr<u32>, times: usize, pe: Pe) -> Result<(), Fault> {
        for _ in span(0, times) {
            let ticket = shmem.atomic_fetch_inc(at, pe)?;
            shmem.atomic_inc(taken.add(ticket as usize), pe)?;
        }
        shmem.quiet()
    }
}
