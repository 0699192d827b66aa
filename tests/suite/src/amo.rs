//! Atomics, each against a model and under contention.

use oxshmem_conformance_kernels::amo::{
    ADD, AND, COMPARE_SWAP, FETCH, FETCH_ADD, FETCH_AND, FETCH_INC, FETCH_OR, FETCH_XOR, INC, OPS, OR, SET, SWAP, XOR,
};
use oxshmem_conformance_kernels::place::{ANY, CUSTOM, DEFAULT};
use oxshmem_hal::{Element, F16, Launch, Pe, QpHandle, SymPtr, World};

use super::case::cases;
use super::rng::Rng;
use super::typed::for_types;
use super::{Ctx, Failure, Outcome};

cases! { "amo":
    each_atomic_of_each_type_does_what_the_model_says_to_its_word_alone 1,
    sums_under_contention_are_exact 1,
    every_ticket_of_a_fetch_inc_is_handed_out_once 1,
    tickets_of_every_pe_at_once_are_each_taken_once 1,
    a_swap_under_contention_loses_no_value 1,
    bits_under_contention_are_those_of_every_operand 1,
    a_counter_kept_by_compare_swap_counts_every_thread 1,
}

const NAMES: [&str; OPS as usize] = [
    "fetch",
    "set",
    "swap",
    "compare_swap",
    "inc",
    "fetch_inc",
    "add",
    "fetch_add",
    "and",
    "fetch_and",
    "or",
    "fetch_or",
    "xor",
    "fetch_xor",
];
const INT_OPS: [u32; OPS as usize] =
    [FETCH, SET, SWAP, COMPARE_SWAP, INC, FETCH_INC, ADD, FETCH_ADD, AND, FETCH_AND, OR, FETCH_OR, XOR, FETCH_XOR];
const FLOAT_OPS: [u32; 5] = [FETCH, SET, SWAP, ADD, FETCH_ADD];
const HALF_OPS: [u32; 2] = [ADD, FETCH_ADD];
const VIEWS: [u32; 3] = [DEFAULT, ANY, CUSTOM];

/// The operations of a type, for the model.
trait Word: Element {
    const OPS: &'static [u32];
    fn plus(self, other: Self) -> Self;
    /// Makes a value from a whole number.
    fn whole(number: u32) -> Self;
}

macro_rules! words {
    (ints: $($int:ty)*; floats: $($float:ty)*) => {
        $( impl Word for $int {
            const OPS: &'static [u32] = &INT_OPS;
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            fn whole(number: u32) -> Self { number as $int }
        } )*
        $( impl Word for $float {
            const OPS: &'static [u32] = &FLOAT_OPS;
            fn plus(self, other: Self) -> Self { self + other }
            fn whole(number: u32) -> Self { number as $float }
        } )*
    };
}
words! { ints: i32 u32 i64 u64 isize usize; floats: f32 f64 }

impl Word for F16 {
    const OPS: &'static [u32] = &HALF_OPS;
    fn plus(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() + other.to_f32())
    }
    fn whole(number: u32) -> Self {
        F16::from_f32(number as f32)
    }
}

/// Evaluates an expression for each type that has atomics.
macro_rules! for_atomics {
    ($t:ident, $suffix:ident => $body:expr) => {
        for_types!($t, $suffix => $body;
            "i32" i32, "u32" u32, "i64" i64, "u64" u64, "isize" isize, "usize" usize, "f32" f32, "f64" f64, "f16" F16)
    };
}
macro_rules! for_ints {
    ($t:ident, $suffix:ident => $body:expr) => {
        for_types!($t, $suffix => $body; "i32" i32, "u32" u32, "i64" i64, "u64" u64, "isize" isize, "usize" usize)
    };
}

/// Returns the word after the operation.
fn model<T: Word>(op: u32, word: T, operand: T, compare: T) -> T {
    let bitwise = |f: fn(u64, u64) -> u64| T::from_bits64(f(word.to_bits64(), operand.to_bits64()));
    match op {
        FETCH => word,
        SET | SWAP => operand,
        COMPARE_SWAP if word == compare => operand,
        COMPARE_SWAP => word,
        INC | FETCH_INC => word.plus(T::whole(1)),
        ADD | FETCH_ADD => word.plus(operand),
        AND | FETCH_AND => bitwise(|a, b| a & b),
        OR | FETCH_OR => bitwise(|a, b| a | b),
        _ => bitwise(|a, b| a ^ b),
    }
}

fn returns_the_old(op: u32) -> bool {
    !matches!(op, SET | INC | ADD | AND | OR | XOR)
}

fn bits<T: Element>(values: &[T]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits64()).collect()
}

/// Draws a word for the operation: any bits, or for sums of floats a number that adds without a NaN.
fn draw<T: Word>(rng: &mut Rng, op: u32) -> T {
    if T::OPS.len() < INT_OPS.len() && matches!(op, ADD | FETCH_ADD) {
        return T::whole(rng.below(1000) as u32);
    }
    T::from_bits64(rng.next())
}

/// Memory for a launch of an atomic: words, operands, compares and old values, `count` elements of each but the
/// words.
struct Room<T> {
    words: SymPtr<T>,
    operands: SymPtr<T>,
    compares: SymPtr<T>,
    olds: SymPtr<T>,
    count: usize,
}

impl<T: Word> Room<T> {
    fn new(ctx: &Ctx, words: usize, count: usize) -> Result<Self, Failure> {
        let operands = ctx.calloc(count)?;
        Ok(Self { words: ctx.calloc(words)?, operands, compares: ctx.calloc(count)?, olds: ctx.calloc(count)?, count })
    }

    fn launch(&self, ctx: &Ctx, suffix: &str, (op, view, qp): (u32, u32, QpHandle), stride: usize, pe: Pe) -> Outcome {
        // Some launches have more words than threads, others more threads than words; the last warp is not full.
        let launch = Launch::new(2, 72);
        let Self { words, operands, compares, olds, count } = *self;
        ctx.launch(&format!("amo_{suffix}"), launch, (op, view, qp, words, stride, operands, compares, olds, count, pe))
    }
}

fn each_atomic_of_each_type_does_what_the_model_says_to_its_word_alone(world: &World, ctx: &Ctx) -> Outcome {
    fn of<T: Word>(suffix: &str, world: &World, ctx: &Ctx, qp: QpHandle) -> Outcome {
        // Two unrelated words beside each word must stay as they are.
        let (count, stride) = (ctx.up_to(200), 3);
        let room = Room::<T>::new(ctx, count * stride + 1, count)?;
        let mut rng = ctx.rng();
        for (&op, view) in T::OPS.iter().flat_map(|op| VIEWS.map(|view| (op, view))) {
            let distance = rng.below(world.n_pes() as usize) as u32;
            let before: Vec<T> = (0..count * stride + 1).map(|_| draw(&mut rng, op)).collect();
            let operands: Vec<T> = (0..count).map(|_| draw(&mut rng, op)).collect();
            // Half of the swaps find their compare value.
            let compares: Vec<T> = (0..count)
                .map(|i| if rng.below(2) == 0 { before[1 + i * stride] } else { draw(&mut rng, op) })
                .collect();
            let at_words = Room { words: room.words.add(1), ..room };
            ctx.write(room.words, &before)?;
            ctx.write(room.operands, &operands)?;
            ctx.write(room.compares, &compares)?;
            world.barrier_all()?;
            at_words.launch(ctx, suffix, (op, view, qp), stride, world.pe_after(distance))?;
            world.barrier_all()?;
            let mut after = before.clone();
            for i in 0..count {
                let word = &mut after[1 + i * stride];
                *word = model(op, *word, operands[i], compares[i]);
            }
            let name = || format!("{} of {} {distance} PEs on", NAMES[op as usize], T::NAME);
            ctx.check_same(
                || format!("words after {}", name()),
                &bits(&ctx.read(room.words, before.len())?),
                &bits(&after),
            );
            if returns_the_old(op) {
                let old: Vec<T> = (0..count).map(|i| before[1 + i * stride]).collect();
                ctx.check_same(
                    || format!("what {} returned", name()),
                    &bits(&ctx.read(room.olds, count)?),
                    &bits(&old),
                );
            }
            world.barrier_all()?;
        }
        Ok(())
    }
    let qp = ctx.custom_qp()?;
    for_atomics!(T, suffix => of::<T>(suffix, world, ctx, qp)?);
    Ok(())
}

/// Applies the operation on every PE to one word of PE 0, from many threads. Returns the word, and on PE 0 all values
/// that the calls returned.
fn on_one_word<T: Word>(
    suffix: &str,
    world: &World,
    ctx: &Ctx,
    (op, view, qp): (u32, u32, QpHandle),
    first: T,
    operands: &[T],
) -> Result<(T, Vec<T>), Failure> {
    let room = Room::<T>::new(ctx, 1, operands.len())?;
    ctx.write(room.words, &[first])?;
    ctx.write(room.operands, operands)?;
    world.barrier_all()?;
    room.launch(ctx, suffix, (op, view, qp), 0, Pe::new(0))?;
    world.barrier_all()?;
    let last = world.g(room.words, Pe::new(0))?;
    let mut olds = Vec::new();
    for pe in world.pes() {
        let mut theirs = vec![T::default(); operands.len()];
        world.get(&mut theirs, room.olds, pe)?;
        olds.extend(theirs);
    }
    world.barrier_all()?;
    Ok((last, olds))
}

/// Returns the number of operations of each PE, few enough that a half can count those of all PEs.
fn per_pe(world: &World, ctx: &Ctx) -> usize {
    (2000 / world.n_pes() as usize).min(ctx.up_to(400))
}

fn sums_under_contention_are_exact(world: &World, ctx: &Ctx) -> Outcome {
    ctx.one_kind_of_atomics(world)?;
    fn of<T: Word>(suffix: &str, world: &World, ctx: &Ctx, qp: QpHandle) -> Outcome {
        let mut rng = ctx.rng();
        for op in [INC, FETCH_INC, ADD, FETCH_ADD] {
            if !T::OPS.contains(&op) {
                continue;
            }
            let whole = if T::NAME == F16::NAME { 1 } else { rng.within(1, 7) as u32 };
            let (count, what) = (per_pe(world, ctx), (op, rng.pick(&VIEWS), qp));
            let (last, olds) = on_one_word::<T>(suffix, world, ctx, what, T::whole(0), &vec![T::whole(whole); count])?;
            let step = if matches!(op, INC | FETCH_INC) { 1 } else { whole };
            let all = count as u32 * world.n_pes();
            ctx.check(last == T::whole(all * step), || {
                format!("{all} times {} of {} by {step}: {last:?}", NAMES[op as usize], T::NAME)
            });
            if returns_the_old(op) {
                // Whole numbers are in the order of their bits.
                let mut seen = bits(&olds);
                seen.sort_unstable();
                let expected: Vec<u64> = (0..all).map(|i| T::whole(i * step).to_bits64()).collect();
                ctx.check_same(
                    || format!("what {} of {} returned, sorted", NAMES[op as usize], T::NAME),
                    &seen,
                    &expected,
                );
            }
        }
        Ok(())
    }
    let qp = ctx.custom_qp()?;
    for_atomics!(T, suffix => of::<T>(suffix, world, ctx, qp)?);
    Ok(())
}

fn every_ticket_of_a_fetch_inc_is_handed_out_once(world: &World, ctx: &Ctx) -> Outcome {
    ctx.one_kind_of_atomics(world)?;
    fn of<T: Word>(suffix: &str, world: &World, ctx: &Ctx, qp: QpHandle) -> Outcome {
        let count = ctx.many_rounds(600);
        // The sum crosses the end of the type's numbers, where a 64-bit word must carry and a 32-bit word must not.
        let first = T::from_bits64((1u64 << 32) - 100);
        let (last, olds) =
            on_one_word::<T>(suffix, world, ctx, (FETCH_INC, CUSTOM, qp), first, &vec![T::default(); count])?;
        let all = (count * world.n_pes() as usize) as u64;
        let from_first = |value: T| T::from_bits64(value.to_bits64().wrapping_sub(first.to_bits64())).to_bits64();
        let mut tickets: Vec<u64> = olds.into_iter().map(from_first).collect();
        tickets.sort_unstable();
        ctx.check_same(|| format!("tickets of {}, sorted", T::NAME), &tickets, &(0..all).collect::<Vec<_>>());
        ctx.check(from_first(last) == all, || {
            format!("the next ticket of {} after {all} is {}", T::NAME, from_first(last))
        });
        Ok(())
    }
    let qp = ctx.custom_qp()?;
    for_ints!(T, suffix => of::<T>(suffix, world, ctx, qp)?);
    Ok(())
}

fn tickets_of_every_pe_at_once_are_each_taken_once(world: &World, ctx: &Ctx) -> Outcome {
    ctx.one_kind_of_atomics(world)?;
    let (threads, times) = (128, ctx.many_rounds(50));
    let all = threads as usize * times * world.n_pes() as usize;
    let (word, taken) = (ctx.calloc::<u64>(1)?, ctx.calloc::<u32>(all)?);
    // All PEs draw tickets from each PE in turn.
    for pe in world.pes() {
        ctx.launch("amo_tickets", Launch::new(2, threads / 2), (word, taken, times, pe))?;
    }
    world.barrier_all()?;
    ctx.check_same(|| "how often each ticket was taken".into(), &ctx.read(taken, all)?, &vec![1; all]);
    Ok(())
}

fn a_swap_under_contention_loses_no_value(world: &World, ctx: &Ctx) -> Outcome {
    ctx.one_kind_of_atomics(world)?;
    fn of<T: Word>(suffix: &str, world: &World, ctx: &Ctx, qp: QpHandle) -> Outcome {
        let (count, mut rng) = (300, ctx.rng());
        let values: Vec<Vec<T>> =
            world.pes().map(|_| (0..count).map(|_| T::from_bits64(rng.next())).collect()).collect();
        let first = T::from_bits64(rng.next());
        let what = (SWAP, rng.pick(&VIEWS), qp);
        let (last, mut olds) = on_one_word::<T>(suffix, world, ctx, what, first, &values[world.my_pe().index()])?;
        olds.push(last);
        let mut seen = bits(&olds);
        let mut expected = bits(&values.concat());
        expected.push(first.to_bits64());
        seen.sort_unstable();
        expected.sort_unstable();
        ctx.check_same(|| format!("all that swaps of {} returned and left, sorted", T::NAME), &seen, &expected);
        Ok(())
    }
    let qp = ctx.custom_qp()?;
    for_ints!(T, suffix => of::<T>(suffix, world, ctx, qp)?);
    for_types!(T, suffix => of::<T>(suffix, world, ctx, qp)?; "f32" f32, "f64" f64);
    Ok(())
}

fn bits_under_contention_are_those_of_every_operand(world: &World, ctx: &Ctx) -> Outcome {
    ctx.one_kind_of_atomics(world)?;
    fn of<T: Word>(suffix: &str, world: &World, ctx: &Ctx, qp: QpHandle) -> Outcome {
        let mut rng = ctx.rng();
        for op in [AND, FETCH_AND, OR, FETCH_OR, XOR, FETCH_XOR] {
            // An `and` clears one bit of each operand, an `or` sets one; none of them may get lost.
            let operand = |rng: &mut Rng| {
                let bit = 1u64 << rng.below(64);
                T::from_bits64(match op {
                    AND | FETCH_AND => !bit,
                    OR | FETCH_OR => bit,
                    _ => rng.next(),
                })
            };
            let values: Vec<Vec<T>> = world.pes().map(|_| (0..12).map(|_| operand(&mut rng)).collect()).collect();
            let first = T::from_bits64(rng.next());
            let what = (op, rng.pick(&VIEWS), qp);
            let (last, _) = on_one_word::<T>(suffix, world, ctx, what, first, &values[world.my_pe().index()])?;
            let expected = values.concat().into_iter().fold(first, |word, value| model(op, word, value, word));
            ctx.check(last == expected, || {
                format!("{} of {}: {last:?}, where {expected:?} is expected", NAMES[op as usize], T::NAME)
            });
        }
        Ok(())
    }
    let qp = ctx.custom_qp()?;
    for_ints!(T, suffix => of::<T>(suffix, world, ctx, qp)?);
    Ok(())
}

fn a_counter_kept_by_compare_swap_counts_every_thread(world: &World, ctx: &Ctx) -> Outcome {
    ctx.one_kind_of_atomics(world)?;
    let (qp, times) = (ctx.custom_qp()?, ctx.rounds(3));
    let (narrow, wide) = (ctx.calloc::<u32>(3)?, ctx.calloc::<u64>(1)?);
    // Both sums cross the end of 32 bits.
    ctx.write(narrow, &[u32::MAX; 3])?;
    ctx.write(wide, &[u64::from(u32::MAX)])?;
    world.barrier_all()?;
    let launch = Launch::new(2, 40);
    ctx.launch("amo_swap_loop_u32", launch, (DEFAULT, qp, narrow.add(1), times, Pe::new(0)))?;
    ctx.launch("amo_swap_loop_u64", launch, (CUSTOM, qp, wide, times, Pe::new(0)))?;
    world.barrier_all()?;
    let all = (80 * times * world.n_pes() as usize) as u32;
    if world.my_pe().number() == 0 {
        ctx.check_same(
            || "the 32-bit counter between its neighbours".into(),
            &ctx.read(narrow, 3)?,
            &[u32::MAX, all - 1, u32::MAX],
        );
        ctx.check_same(|| "the 64-bit counter".into(), &ctx.read(wide, 1)?, &[u64::from(u32::MAX) + u64::from(all)]);
    }
    Ok(())
}
