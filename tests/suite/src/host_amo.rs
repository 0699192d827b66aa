//! Atomics of the host.

use std::sync::atomic::AtomicU64;

use oxshmem_conformance_kernels::amo::FETCH_ADD;
use oxshmem_conformance_kernels::place::DEFAULT;
use oxshmem_core::{AmoOp, AmoType};
use oxshmem_hal::{
    AtomicAdd, AtomicInt, AtomicWord, Element, ErrorKind, F16, Launch, Pe, QpHandle, Result as Called, SymAddr, SymPtr,
    World,
};

use super::case::cases;
use super::rng::Rng;
use super::typed::for_types;
use super::{Ctx, Failure, Outcome};

cases! { "host":
    each_atomic_of_the_host_does_what_the_model_says_to_its_word_alone 1,
    what_a_host_and_its_kernels_add_to_one_word_is_all_there_and_each_ticket_is_given_once 1,
    tickets_that_all_hosts_draw_from_one_word_are_each_drawn_once 1,
    the_kernel_for_words_of_gpus_does_what_the_processor_does 1,
    an_atomic_of_the_host_that_is_wrong_is_refused_with_what_is_wrong 1,
}

/// The bits of a word after an operation (those above its width don't count), and the old value that the call
/// returned.
struct Did<T> {
    name: &'static str,
    after: u64,
    said: Option<T>,
}

fn did<T>(name: &'static str, after: u64, said: Option<T>) -> Did<T> {
    Did { name, after, said }
}

/// Does operation `n` of the words of any kind.
fn of_words<T: AtomicWord>(n: u32, world: &World, (at, pe): (SymPtr<T>, Pe), was: T, by: T) -> Called<Option<Did<T>>> {
    let by_bits = by.to_bits64();
    Ok(Some(match n {
        0 => did("fetch", was.to_bits64(), Some(world.at(at, pe).fetch()?)),
        1 => {
            world.at(at, pe).set(by)?;
            did("set", by_bits, None)
        }
        2 => did("swap", by_bits, Some(world.at(at, pe).swap(by)?)),
        _ => return Ok(None),
    }))
}

/// Does operation `n` of integers.
fn of_ints<T: AtomicInt>(n: u32, world: &World, (at, pe): (SymPtr<T>, Pe), was: T, by: T) -> Called<Option<Did<T>>> {
    let (old, new) = (was.to_bits64(), by.to_bits64());
    Ok(Some(match n {
        0 => did("compare_swap of another", old, Some(world.at(at, pe).compare_swap(T::from_bits64(!old), by)?)),
        1 => did("compare_swap", new, Some(world.at(at, pe).compare_swap(was, by)?)),
        2 => {
            world.at(at, pe).inc()?;
            did("inc", old.wrapping_add(1), None)
        }
        3 => did("fetch_inc", old.wrapping_add(1), Some(world.at(at, pe).fetch_inc()?)),
        4 => {
            world.at(at, pe).and(by)?;
            did("and", old & new, None)
        }
        5 => did("fetch_and", old & new, Some(world.at(at, pe).fetch_and(by)?)),
        6 => {
            world.at(at, pe).or(by)?;
            did("or", old | new, None)
        }
        7 => did("fetch_or", old | new, Some(world.at(at, pe).fetch_or(by)?)),
        8 => {
            world.at(at, pe).xor(by)?;
            did("xor", old ^ new, None)
        }
        9 => did("fetch_xor", old ^ new, Some(world.at(at, pe).fetch_xor(by)?)),
        _ => return Ok(None),
    }))
}

/// Does the addition, whose right result is `sum`.
fn of_sums<T: AtomicAdd>(n: u32, world: &World, (at, pe): (SymPtr<T>, Pe), by: T, sum: T) -> Called<Option<Did<T>>> {
    Ok(Some(match n {
        0 => {
            world.at(at, pe).add(by)?;
            did("add", sum.to_bits64(), None)
        }
        1 => did("fetch_add", sum.to_bits64(), Some(world.at(at, pe).fetch_add(by)?)),
        _ => return Ok(None),
    }))
}

/// Does all operations of `act` on a word of the right neighbour, with an unrelated word on each side.
fn each<T: Element>(
    world: &World,
    ctx: &Ctx,
    rng: &mut Rng,
    draw: impl Fn(&mut Rng) -> T,
    act: impl Fn(u32, (SymPtr<T>, Pe), T, T) -> Called<Option<Did<T>>>,
) -> Outcome {
    // Narrow words are tried in the lower and in the upper half of 8 bytes.
    let (words, right) = (ctx.calloc::<T>(4)?, world.pe_after(1));
    let middles = if T::WIDTH.bytes() == 8 { 1..2 } else { 1..3 };
    for middle in middles {
        for n in 0.. {
            let before: [T; 4] = std::array::from_fn(|_| draw(rng));
            world.put(words, &before, right)?;
            world.quiet()?;
            let (was, by) = (before[middle], draw(rng));
            let Some(Did { name, after, said }) = act(n, (words.add(middle), right), was, by)? else { break };
            let mut now = before;
            world.get(&mut now, words, right)?;
            let mut expected = before;
            expected[middle] = T::from_bits64(after);
            let bits = |of: &[T]| of.iter().map(|one| one.to_bits64()).collect::<Vec<_>>();
            ctx.check_same(|| format!("words after {name} of {}", T::NAME), &bits(&now), &bits(&expected));
            if let Some(said) = said {
                ctx.check_same(|| format!("what {name} of {} returned", T::NAME), &bits(&[said]), &bits(&[was]));
            }
        }
    }
    world.barrier_all()?;
    Ok(())
}

fn each_atomic_of_the_host_does_what_the_model_says_to_its_word_alone(world: &World, ctx: &Ctx) -> Outcome {
    let rng = &mut ctx.rng();
    fn ints<T: AtomicInt + AtomicAdd>(world: &World, ctx: &Ctx, rng: &mut Rng) -> Outcome {
        let draw = |rng: &mut Rng| T::from_bits64(rng.next());
        each(world, ctx, rng, draw, |n, at, was, by| of_words(n, world, at, was, by))?;
        each(world, ctx, rng, draw, |n, at, was, by| of_ints(n, world, at, was, by))?;
        let sum = |a: T, b: T| T::from_bits64(a.to_bits64().wrapping_add(b.to_bits64()));
        each(world, ctx, rng, draw, |n, at, was, by| of_sums(n, world, at, by, sum(was, by)))
    }
    for_types!(T, _suffix => ints::<T>(world, ctx, rng)?;
        "i32" i32, "u32" u32, "i64" i64, "u64" u64, "isize" isize, "usize" usize);
    // Sums of small whole numbers are exact in all types.
    let small = |rng: &mut Rng| rng.below(500) as f32;
    each(world, ctx, rng, small, |n, at, was, by| of_words(n, world, at, was, by))?;
    each(world, ctx, rng, small, |n, at, was, by| of_sums(n, world, at, by, was + by))?;
    let small = |rng: &mut Rng| rng.below(500) as f64;
    each(world, ctx, rng, small, |n, at, was, by| of_words(n, world, at, was, by))?;
    each(world, ctx, rng, small, |n, at, was, by| of_sums(n, world, at, by, was + by))?;
    let small = |rng: &mut Rng| F16::from_f32(rng.below(500) as f32);
    let sum = |a: F16, b: F16| F16::from_f32(a.to_f32() + b.to_f32());
    each(world, ctx, rng, small, |n, at, was, by| of_sums(n, world, at, by, sum(was, by)))
}

fn what_a_host_and_its_kernels_add_to_one_word_is_all_there_and_each_ticket_is_given_once(
    world: &World,
    ctx: &Ctx,
) -> Outcome {
    let (by_kernel, by_host) = (ctx.up_to(200), ctx.up_to(200));
    let (word, ones, olds) = (ctx.calloc::<u64>(1)?, ctx.calloc::<u64>(by_kernel)?, ctx.calloc::<u64>(by_kernel)?);
    let right = world.pe_after(1);
    ctx.write(ones, &vec![1; by_kernel])?;
    world.barrier_all()?;
    let args = (FETCH_ADD, DEFAULT, QpHandle::DEFAULT, word, 0usize, ones, ones, olds, by_kernel, right);
    ctx.launch("amo_u64", Launch::new(2, 72), args)?;
    let mut tickets = (0..by_host).map(|_| world.at(word, right).fetch_inc()).collect::<Called<Vec<u64>>>()?;
    world.own_stream().synchronize()?;
    tickets.extend(ctx.read(olds, by_kernel)?);
    tickets.sort_unstable();
    let all: Vec<u64> = (0..(by_kernel + by_host) as u64).collect();
    ctx.check_same(|| "tickets of this host and its kernel".into(), &tickets, &all);
    world.barrier_all()?;
    ctx.check_same(|| "the word".into(), &ctx.read(word, 1)?, &[all.len() as u64]);
    Ok(())
}

fn tickets_that_all_hosts_draw_from_one_word_are_each_drawn_once(world: &World, ctx: &Ctx) -> Outcome {
    ctx.one_kind_of_atomics(world)?;
    let (count, word) = (ctx.up_to(300), ctx.calloc::<u32>(2)?.add(1));
    world.barrier_all()?;
    let mine = (0..count).map(|_| world.at(word, Pe::new(0)).fetch_inc()).collect::<Called<Vec<u32>>>()?;
    let bytes: Vec<u8> = mine.iter().flat_map(|ticket| ticket.to_ne_bytes()).collect();
    let all = world.all_gather("tickets of all hosts", &bytes)?.concat();
    let mut all: Vec<u32> = all.as_chunks().0.iter().map(|ticket| u32::from_ne_bytes(*ticket)).collect();
    all.sort_unstable();
    let expected: Vec<u32> = (0..count as u32 * world.n_pes()).collect();
    ctx.check_same(|| "tickets of all hosts".into(), &all, &expected);
    Ok(())
}

fn the_kernel_for_words_of_gpus_does_what_the_processor_does(world: &World, ctx: &Ctx) -> Outcome {
    use AmoOp::{Add, And, CompareSwap, Fetch, Or, Set, Xor};
    if !world.on_host() {
        return Err(Failure::skip("on a GPU each atomic of the host is this kernel"));
    }
    let right = world.pe_after(1);
    let module = world.modules().load("oxshmem-device");
    if module.as_ref().is_err_and(|error| error.to_string().contains("two crates of this name")) {
        return Err(Failure::skip("this program links the kernel twice: with and without a transport of its own"));
    }
    // SAFETY: **arguments**: the launches below pass the addresses of words that live until the world has synchronized.
    let kernel = unsafe { module?.kernel_of_library("oxshmem_atomic_of_host") }?;
    // A PE uses other words of its own than its left neighbour does.
    let both = ctx.calloc::<u64>(6)?;
    let (pe, words) = if ctx.is_remote(right) { (world.my_pe(), both.add(3)) } else { (right, both) };
    let at = words.add(1).addr();
    // Small floats, and integers in the lower halves.
    let (was, by) = (0x4008_0000_4040_4200, 0x4010_0000_40a0_4400);
    let half = |kept: u64, new: u64, bits: u32| kept >> bits << bits | new;
    let int = |op: AmoOp, was: u64| match op {
        Fetch => was,
        Set | CompareSwap => by,
        Add => was.wrapping_add(by),
        And => was & by,
        Or => was | by,
        Xor => was ^ by,
    };
    let mut trials = Vec::new();
    for op in [Fetch, Set, CompareSwap, Add, And, Or, Xor] {
        trials.push((op, AmoType::B64, was, int(op, was), was));
        trials.push((op, AmoType::B32, was, half(was, int(op, was) & 0xffff_ffff, 32), was & 0xffff_ffff));
    }
    for (of, compare, after) in [(AmoType::B64, !was, was), (AmoType::B32, !was, was)] {
        trials.push((CompareSwap, of, compare, after, if of == AmoType::B64 { was } else { was & 0xffff_ffff }));
    }
    let sum = f64::from_bits(was) + f64::from_bits(by);
    trials.push((Add, AmoType::F64, 0, sum.to_bits(), was));
    let sum = f32::from_bits(was as u32) + f32::from_bits(by as u32);
    trials.push((Add, AmoType::F32, 0, half(was, sum.to_bits().into(), 32), was & 0xffff_ffff));
    let sum = F16::from_bits(was as u16).to_f32() + F16::from_bits(by as u16).to_f32();
    trials.push((Add, AmoType::F16, 0, half(was, F16::from_f32(sum).to_bits().into(), 16), was & 0xffff));
    for (number, (op, of, compare, after, found)) in (1u64..).zip(trials) {
        world.put(words, &[7, was, 9], pe)?;
        let answer = [AtomicU64::new(0), AtomicU64::new(0)];
        let code = op as u32 | (of as u32) << 8;
        let args = (code, at, pe, by, compare, answer.as_ptr() as u64, number);
        world.own_stream().launch_kernel(&kernel, Launch::new(1, 1), args)?;
        world.own_stream().synchronize()?;
        let mut now = [0; 3];
        world.get(&mut now, words, pe)?;
        ctx.check_same(|| format!("words after {op:?} of {of:?}"), &now, &[7, after, 9]);
        let answer = answer.map(AtomicU64::into_inner);
        ctx.check_same(|| format!("answer of {op:?} of {of:?}"), &answer, &[number, found]);
    }
    Ok(())
}

fn an_atomic_of_the_host_that_is_wrong_is_refused_with_what_is_wrong(world: &World, ctx: &Ctx) -> Outcome {
    let word = ctx.calloc::<u64>(1)?;
    let aside = SymPtr::<u64>::new(SymAddr::new(word.addr().offset() + 4));
    let behind = SymPtr::<u64>::new(SymAddr::new(world.heap().mapped));
    for (what, kind, called) in [
        ("a PE that there is not", ErrorKind::OutOfRange, world.at(word, Pe::new(world.n_pes())).inc()),
        ("a word that is not aligned", ErrorKind::InvalidArgument, world.at(aside, world.my_pe()).set(1)),
        ("a word behind the heap", ErrorKind::OutOfRange, world.at(behind, world.my_pe()).fetch().map(drop)),
    ] {
        ctx.check(called.as_ref().is_err_and(|error| error.kind() == kind), || format!("{what}: {called:?}"));
    }
    ctx.check_same(|| "the word".into(), &ctx.read(word, 1)?, &[0]);
    Ok(())
}
