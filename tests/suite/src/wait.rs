//! Waits and tests: every form, every comparison, every type.

use oxshmem_conformance_kernels::wait::{
    NONE, TEST, TEST_ALL, TEST_ANY, TEST_SOME, VECTOR, WAIT, WAIT_ALL, WAIT_ANY, WAIT_SOME,
};
use oxshmem_hal::{Element, Launch, SymPtr, World};

use super::case::cases;
use super::rng::Rng;
use super::typed::for_types;
use super::{Ctx, Failure, Outcome};

cases! { "wait":
    every_test_says_what_holds_for_the_words_that_count 1,
    a_wait_for_what_holds_already_ends_at_once 1,
    a_wait_ends_when_another_pe_makes_it_hold 1,
    words_at_the_ends_of_their_types_compare_with_their_sign 1,
    over_no_words_all_hold_and_none_is_found 1,
    of_several_words_that_hold_each_is_found_soon 1,
}

const CMPS: [&str; 6] = ["==", "!=", ">", "<=", "<", ">="];

fn holds<T: PartialOrd>(cmp: u32, word: T, value: T) -> bool {
    match cmp {
        0 => word == value,
        1 => word != value,
        2 => word > value,
        3 => word <= value,
        4 => word < value,
        _ => word >= value,
    }
}

/// Memory for calls over at most `N` words.
struct Room<T> {
    words: SymPtr<T>,
    status: SymPtr<i32>,
    values: SymPtr<T>,
    indices: SymPtr<usize>,
    raised: SymPtr<T>,
    order: SymPtr<u32>,
    out: SymPtr<u64>,
}

const N: usize = 24;

/// One call and its expected result.
#[derive(Clone, Debug)]
struct Call<T> {
    form: u32,
    cmp: u32,
    /// The words before the call and at its end.
    before: Vec<T>,
    after: Vec<T>,
    status: Option<Vec<i32>>,
    values: Vec<T>,
}

impl<T: Element + PartialOrd> Call<T> {
    fn holds(&self, words: &[T], i: usize) -> bool {
        let value = self.values[if self.form >= VECTOR { i } else { 0 }];
        self.status.as_ref().is_none_or(|status| status[i] == 0) && holds(self.cmp, words[i], value)
    }

    fn counts(&self, i: usize) -> bool {
        self.status.as_ref().is_none_or(|status| status[i] == 0)
    }

    /// Returns whether the call's result is right. Words change in any order, so a wait may end before all have
    /// changed.
    fn check(&self, ctx: &Ctx, got: u64, indices: &[usize]) {
        let n = self.before.len();
        let all: Vec<usize> = (0..n).filter(|&i| self.holds(&self.after, i)).collect();
        let counted = (0..n).filter(|&i| self.counts(i)).count();
        let steady = bits(&self.before) == bits(&self.after);
        let form = if self.form >= VECTOR { self.form - VECTOR } else { self.form };
        let right = match form {
            WAIT | WAIT_ALL => got == 1,
            TEST => got == u64::from(holds(self.cmp, self.after[0], self.values[0])),
            TEST_ALL => got == u64::from(all.len() == counted),
            WAIT_ANY | TEST_ANY if counted == 0 => got == NONE,
            WAIT_ANY => all.contains(&(got as usize)),
            TEST_ANY => {
                if all.is_empty() {
                    got == NONE
                } else {
                    all.contains(&(got as usize))
                }
            }
            _ => {
                let found = &indices[..(got as usize).min(n)];
                let ascending = found.windows(2).all(|pair| pair[0] < pair[1]);
                let least = usize::from(form == WAIT_SOME && counted > 0);
                let enough = if steady { found == all } else { found.len() >= least };
                got as usize <= n && ascending && enough && found.iter().all(|i| all.contains(i))
            }
        };
        ctx.check(right, || {
            format!(
                "form {} {} of {} gave {got} (indices {indices:?}): {:?} against {:?}, status {:?}",
                self.form,
                CMPS[self.cmp as usize],
                T::NAME,
                self.after,
                self.values,
                self.status
            )
        });
    }
}

fn bits<T: Element>(values: &[T]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits64()).collect()
}

impl<T: Element + PartialOrd> Room<T> {
    fn new(ctx: &Ctx) -> Result<Self, Failure> {
        Ok(Self {
            words: ctx.calloc(N)?,
            status: ctx.calloc(N)?,
            values: ctx.calloc(N)?,
            indices: ctx.calloc(N)?,
            raised: ctx.calloc(N)?,
            order: ctx.calloc(N)?,
            out: ctx.calloc(1)?,
        })
    }

    /// Makes the call, the same on every PE. If words change, the left neighbour changes them in a random order.
    fn call(&self, suffix: &str, world: &World, ctx: &Ctx, rng: &mut Rng, call: &Call<T>) -> Outcome {
        let n = call.before.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        (1..n).for_each(|i| order.swap(i, rng.below(i + 1)));
        ctx.write(self.words, &call.before)?;
        ctx.write(self.values, &call.values)?;
        ctx.write(self.status, call.status.as_deref().unwrap_or(&[]))?;
        ctx.write(self.indices, &vec![usize::MAX; n])?;
        ctx.write(self.raised, &call.after)?;
        // Words that don't change are not written.
        let order: Vec<u32> =
            order
                .into_iter()
                .map(|i| {
                    if call.before[i as usize].to_bits64() == call.after[i as usize].to_bits64() { u32::MAX } else { i }
                })
                .collect();
        ctx.write(self.order, &order)?;
        let steady = order.iter().all(|&i| i == u32::MAX);
        if !steady {
            world.barrier_all()?;
        }
        let launch = Launch::new(if steady { 1 } else { 2 }, 1).collective();
        let Self { words, status, values, indices, raised, order, out } = *self;
        let masked = u32::from(call.status.is_some());
        ctx.launch(
            &format!("wait_{suffix}"),
            launch,
            (call.form, call.cmp, words, n, status, masked, values, indices, raised, order, out),
        )?;
        if steady {
            world.own_stream().synchronize()?
        } else {
            world.barrier_all()?
        }
        call.check(ctx, ctx.read(out, 1)?[0], &ctx.read(indices, n)?);
        Ok(())
    }
}

/// Evaluates an expression for each type of words that can be waited on.
macro_rules! for_waitables {
    ($t:ident, $suffix:ident => $body:expr) => {
        for_types!($t, $suffix => $body; "i16" i16, "u16" u16, "i32" i32, "u32" u32, "i64" i64, "u64" u64,
            "isize" isize, "usize" usize)
    };
}

/// Draws a few numbers of a type that are likely to be equal, and now and then one from its ends.
fn near<T: Element>(rng: &mut Rng) -> T {
    match rng.below(6) {
        0 => T::from_bits64(u64::MAX),
        1 => T::from_bits64(1 << (8 * T::WIDTH.bytes() - 1)),
        _ => T::from_bits64(rng.below(3) as u64),
    }
}

fn draw<T: Element>(rng: &mut Rng, form: u32, cmp: u32) -> Call<T> {
    let n = if matches!(form, WAIT | TEST) { 1 } else { rng.within(1, N) };
    let before: Vec<T> = (0..n).map(|_| near(rng)).collect();
    let status = (rng.below(2) == 0).then(|| (0..n).map(|_| [0, 0, 1, -5][rng.below(4)]).collect());
    Call { form, cmp, after: before.clone(), before, status, values: (0..n).map(|_| near(rng)).collect() }
}

const TESTS: [u32; 7] = [TEST, TEST_ALL, TEST_ANY, TEST_SOME, TEST_ALL + VECTOR, TEST_ANY + VECTOR, TEST_SOME + VECTOR];
const WAITS: [u32; 7] = [WAIT, WAIT_ALL, WAIT_ANY, WAIT_SOME, WAIT_ALL + VECTOR, WAIT_ANY + VECTOR, WAIT_SOME + VECTOR];

fn every_test_says_what_holds_for_the_words_that_count(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for_waitables!(T, suffix => {
        let room = Room::<T>::new(ctx)?;
        for (form, cmp) in TESTS.into_iter().flat_map(|form| (0..6).map(move |cmp| (form, cmp))) {
            for _ in 0..ctx.rounds(4) {
                let call = draw::<T>(&mut rng, form, cmp);
                room.call(suffix, world, ctx, &mut rng, &call)?;
            }
        }
    });
    Ok(())
}

/// Draws words that satisfy `call` (or don't); `None` if no number of the type does.
fn make<T: Element + PartialOrd>(rng: &mut Rng, call: &Call<T>, i: usize, hold: bool) -> Option<T> {
    let value = call.values[if call.form >= VECTOR { i } else { 0 }];
    (0..200).map(|_| near::<T>(rng)).find(|&word| holds(call.cmp, word, value) == hold)
}

/// Makes a call whose words satisfy it at its end: all words for the forms that wait for all, otherwise at least one,
/// if any counts.
fn satisfied<T: Element + PartialOrd>(rng: &mut Rng, form: u32, cmp: u32) -> Call<T> {
    loop {
        let mut call = draw::<T>(rng, form, cmp);
        let all = matches!(form, WAIT | WAIT_ALL) || form == WAIT_ALL + VECTOR;
        let one = rng.below(call.before.len());
        let wanted: Vec<bool> = (0..call.before.len()).map(|i| all || i == one || rng.below(3) == 0).collect();
        let words: Option<Vec<T>> = wanted.iter().enumerate().map(|(i, &hold)| make(rng, &call, i, hold)).collect();
        let Some(words) = words else { continue };
        // A wait for one of several words needs that the one counts.
        if let Some(status) = call.status.as_mut().filter(|status| status.contains(&0)) {
            status[one] = 0;
        }
        (call.before, call.after) = (words.clone(), words);
        return call;
    }
}

fn a_wait_for_what_holds_already_ends_at_once(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for_waitables!(T, suffix => {
        let room = Room::<T>::new(ctx)?;
        for (form, cmp) in WAITS.into_iter().flat_map(|form| (0..6).map(move |cmp| (form, cmp))) {
            for _ in 0..ctx.rounds(4) {
                let call = satisfied::<T>(&mut rng, form, cmp);
                room.call(suffix, world, ctx, &mut rng, &call)?;
            }
        }
    });
    Ok(())
}

fn a_wait_ends_when_another_pe_makes_it_hold(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for_waitables!(T, suffix => {
        let room = Room::<T>::new(ctx)?;
        for (form, cmp) in WAITS.into_iter().flat_map(|form| (0..6).map(move |cmp| (form, cmp))) {
            for _ in 0..ctx.rounds(4) {
                let mut call = satisfied::<T>(&mut rng, form, cmp);
                // At first nothing satisfies the call, so the wait has to see the change.
                let before: Option<Vec<T>> = (0..call.after.len()).map(|i| make(&mut rng, &call, i, false)).collect();
                let Some(before) = before else { continue };
                call.before = before;
                room.call(suffix, world, ctx, &mut rng, &call)?;
            }
        }
    });
    Ok(())
}

fn words_at_the_ends_of_their_types_compare_with_their_sign(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for_waitables!(T, suffix => {
        let room = Room::<T>::new(ctx)?;
        // All bits; the sign bit; all bits but the sign bit; one; none.
        let sign = 1u64 << (8 * T::WIDTH.bytes() - 1);
        let ends = [u64::MAX, sign, sign - 1, 1, 0].map(T::from_bits64);
        for cmp in 0..6 {
            for value in ends {
                let (form, before) = (TEST_SOME, ends.to_vec());
                let call = Call { form, cmp, after: before.clone(), before, status: None, values: vec![value; ends.len()] };
                room.call(suffix, world, ctx, &mut rng, &call)?;
            }
        }
    });
    Ok(())
}

fn over_no_words_all_hold_and_none_is_found(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for_waitables!(T, suffix => {
        let room = Room::<T>::new(ctx)?;
        for form in TESTS.into_iter().chain(WAITS).filter(|form| !matches!(*form, WAIT | TEST)) {
            // No word at all, and no word that counts.
            let none = Call { form, cmp: 0, before: vec![], after: vec![], status: None, values: vec![] };
            room.call(suffix, world, ctx, &mut rng, &none)?;
            let zeros = vec![T::default(); 5];
            let masked = Call { form, cmp: 0, before: zeros.clone(), after: zeros.clone(), status: Some(vec![1; 5]), values: zeros };
            room.call(suffix, world, ctx, &mut rng, &masked)?;
        }
    });
    Ok(())
}

fn of_several_words_that_hold_each_is_found_soon(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for_waitables!(T, suffix => {
        let room = Room::<T>::new(ctx)?;
        for (form, n) in [TEST_ANY, WAIT_ANY].into_iter().flat_map(|form| [(form, 2), (form + VECTOR, 5)]) {
            // The last word is left out.
            let (words, mut status) = (vec![T::default(); n + 1], vec![0; n + 1]);
            status[n] = 1;
            let call = Call { form, cmp: 0, before: words.clone(), after: words.clone(), status: Some(status), values: words };
            let mut found = vec![0; n];
            for _ in 0..4 * n + 2 {
                room.call(suffix, world, ctx, &mut rng, &call)?;
                found[ctx.read(room.out, 1)?[0] as usize % n] += 1;
            }
            ctx.check(!found.contains(&0), || format!("form {form} found each of {n} words so often: {found:?}"));
        }
    });
    Ok(())
}
