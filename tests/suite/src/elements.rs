//! Single elements, strided copies, waits, syncs and events on streams.

use oxshmem_conformance_kernels::place::bits;
use oxshmem_hal::{Cmp, Element, ErrorKind, Pe, SymAddr, SymPtr, Waitable, World};

use super::case::cases;
use super::typed::{for_all_types, for_types};
use super::{Ctx, Outcome};

cases! { "elements":
    p_and_g_on_a_stream_move_one_element_of_each_type 1,
    strided_copies_on_a_stream_move_their_elements_and_touch_no_others 1,
    a_wait_on_a_stream_ends_by_the_order_of_the_words_type 1,
    behind_a_sync_on_a_stream_every_pe_sees_what_was_completed_before 1,
    a_stream_that_waits_for_an_event_runs_behind_it 1,
    wrong_elements_on_a_stream_are_refused_and_nothing_is_touched 1,
}

/// Returns element `i` of a PE, of any type.
fn element<T: Element>(pe: Pe, i: usize) -> T {
    T::from_bits64(bits(u64::from(pe.number()) << 32 ^ i as u64) & 0x3f3f_3f3f_3f3f_3f3f)
}

fn p_and_g_on_a_stream_move_one_element_of_each_type(world: &World, ctx: &Ctx) -> Outcome {
    fn of<T: Element>(world: &World, ctx: &Ctx) -> Outcome {
        let (stream, at, got) = (world.stream()?, ctx.calloc::<T>(3)?, ctx.calloc::<T>(3)?);
        stream.p(at.add(1), element::<T>(world.my_pe(), 1), world.pe_after(1))?;
        stream.barrier_all()?;
        stream.g(got.add(1), at.add(1), world.pe_after(1))?;
        world.barrier_all()?;
        let zero = T::default();
        ctx.check_same(
            || format!("p of {}", T::NAME),
            &ctx.read(at, 3)?,
            &[zero, element::<T>(ctx.pe_before(1), 1), zero],
        );
        ctx.check_same(
            || format!("g of {}", T::NAME),
            &ctx.read(got, 3)?,
            &[zero, element::<T>(world.my_pe(), 1), zero],
        );
        world.barrier_all()?;
        Ok(())
    }
    for_all_types!(T, _suffix => of::<T>(world, ctx)?);
    Ok(())
}

fn strided_copies_on_a_stream_move_their_elements_and_touch_no_others(world: &World, ctx: &Ctx) -> Outcome {
    fn of<T: Element>(world: &World, ctx: &Ctx, n: usize, there: usize, here: usize) -> Outcome {
        let (stream, room, right) = (world.stream()?, 4 * n + 2, world.pe_after(1));
        let (source, sent, got) = (ctx.calloc::<T>(room)?, ctx.calloc::<T>(room)?, ctx.calloc::<T>(room)?);
        let all = |pe: Pe| (0..room).map(|i| element::<T>(pe, i)).collect::<Vec<_>>();
        ctx.write(source, &all(world.my_pe()))?;
        world.barrier_all()?;
        stream.iput(sent.add(1), source, there, here, n, right)?;
        stream.iget(got.add(1), source, here, there, n, right)?;
        stream.quiet()?;
        world.barrier_all()?;
        let expected = |of: Pe, to_stride: usize, from_stride: usize| {
            let (from, mut to) = (all(of), vec![T::default(); room]);
            (0..n).for_each(|i| to[1 + i * to_stride] = from[i * from_stride]);
            to
        };
        let what = |call: &str| format!("{call} of {n} {}, strides {there} there and {here} here", T::NAME);
        ctx.check_same(|| what("iput"), &ctx.read(sent, room)?, &expected(ctx.pe_before(1), there, here));
        ctx.check_same(|| what("iget"), &ctx.read(got, room)?, &expected(right, here, there));
        world.barrier_all()?;
        Ok(())
    }
    // Toward a remote PE each element is a request.
    let most = ctx.rounds(1000);
    for (n, there, here) in [(1, 1, 1), (5, 2, 1), (40, 1, 4), (333.min(most), 3, 2), (most, 1, 1)] {
        for_types!(T, _suffix => of::<T>(world, ctx, n, there, here)?; "u8" u8, "i16" i16, "f32" f32, "f64" f64);
    }
    Ok(())
}

fn a_wait_on_a_stream_ends_by_the_order_of_the_words_type(world: &World, ctx: &Ctx) -> Outcome {
    /// Waits for the first of the values that the left neighbour writes in turn, and notes the word at that time.
    fn of<T: Waitable>(world: &World, ctx: &Ctx, cmp: Cmp, value: T, from: T, to: T) -> Outcome {
        let (stream, other, right) = (world.stream()?, world.stream()?, world.pe_after(1));
        let (word, seen) = (ctx.calloc::<T>(1)?, ctx.calloc::<T>(2)?);
        ctx.write(word, &[from])?;
        world.barrier_all()?;
        stream.wait_until(word, cmp, value)?;
        stream.get(seen, word, 1, world.my_pe())?;
        other.p(word, to, right)?;
        world.barrier_all()?;
        let what = || format!("{} {cmp:?} {value:?}, from {from:?} to {to:?}", T::NAME);
        ctx.check_same(what, &ctx.read(seen, 2)?, &[to, T::default()]);
        world.barrier_all()?;
        Ok(())
    }
    of::<i32>(world, ctx, Cmp::Lt, 0, 5, -3)?;
    of::<i16>(world, ctx, Cmp::Ge, -7, -8, -7)?;
    of::<i64>(world, ctx, Cmp::Gt, -1, i64::MIN, 0)?;
    of::<u32>(world, ctx, Cmp::Gt, 7, 7, u32::MAX)?;
    of::<u16>(world, ctx, Cmp::Le, 9, 60_000, 9)?;
    of::<u64>(world, ctx, Cmp::Ne, 3, 3, 1 << 63)?;
    of::<isize>(world, ctx, Cmp::Eq, -5, 5, -5)?;
    of::<usize>(world, ctx, Cmp::Ge, 1 << 40, 1, 1 << 40)
}

fn behind_a_sync_on_a_stream_every_pe_sees_what_was_completed_before(world: &World, ctx: &Ctx) -> Outcome {
    let (streams, n) = ([world.stream()?, world.stream()?], world.n_pes() as usize);
    let (words, seen) = (ctx.calloc::<u64>(n)?, ctx.calloc::<u64>(n)?);
    for round in 0..ctx.rounds(20) {
        let (stream, value) = (&streams[round % 2], |of: Pe| element::<u64>(of, round));
        stream.sync_all()?;
        for pe in world.pes() {
            stream.p(words.add(world.my_pe().index()), value(world.my_pe()), pe)?;
        }
        stream.sync_all()?;
        stream.get(seen, words, n, world.my_pe())?;
        stream.synchronize()?;
        let expected: Vec<u64> = world.pes().map(value).collect();
        ctx.check_same(|| format!("the words of round {round}"), &ctx.read(seen, n)?, &expected);
    }
    world.barrier_all()?;
    Ok(())
}

fn a_stream_that_waits_for_an_event_runs_behind_it(world: &World, ctx: &Ctx) -> Outcome {
    let (one, other, me) = (world.stream()?, world.stream()?, world.my_pe());
    let (go, word, seen) = (ctx.calloc::<u64>(1)?, ctx.calloc::<u64>(1)?, ctx.calloc::<u64>(1)?);
    let event = one.record()?;
    for round in 1..=ctx.rounds(20) as u64 {
        one.signal_wait_until(go, Cmp::Eq, round)?;
        one.p(word, round, me)?;
        one.record_event(&event)?;
        other.wait_event(&event)?;
        other.g(seen, word, me)?;
        world.p(go, round, me)?;
        other.synchronize()?;
        ctx.check_same(|| format!("the word behind event {round}"), &ctx.read(seen, 1)?, &[round]);
    }
    one.synchronize()?;
    Ok(())
}

fn wrong_elements_on_a_stream_are_refused_and_nothing_is_touched(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, at, me) = (world.stream()?, ctx.calloc::<u32>(8)?, world.my_pe());
    let end = SymPtr::<u32>::new(SymAddr::new(world.heap().mapped - 4));
    let nobody = Pe::new(world.n_pes());
    let outside = ErrorKind::OutOfRange;
    for (what, given, kind, says) in [
        ("a p to nobody", stream.p(at, 1, nobody), outside, "PE "),
        ("a g over the end", stream.g(at, end.add(1), me), outside, "outside"),
        ("an iput over the end", stream.iput(end, at, 2, 1, 2, me), outside, "iput 3"),
        ("an iput from over the end", stream.iput(at, end, 1, 2, 2, me), outside, "outside"),
        ("too long a stride", stream.iget(at, at, usize::MAX, 1, 3, me), outside, "overflows"),
        ("a wait over the end", stream.wait_until(end.add(1), Cmp::Eq, 1), outside, "outside"),
    ] {
        match given {
            Ok(()) => ctx.wrong(format!("{what} was not refused")),
            Err(error) => ctx.check(error.kind() == kind && error.to_string().contains(says), || {
                format!("{what} was refused as {:?}, where {kind:?} with {says:?} is expected: {error}", error.kind())
            }),
        }
    }
    stream.iput(at, at, 1, 1, 0, me)?;
    stream.synchronize()?;
    ctx.check_same(|| "elements after all that".into(), &ctx.read(at, 8)?, &[0; 8]);
    Ok(())
}
