//! Copies and signals on streams.

use oxshmem_conformance_kernels::place::{BLOCK, DEFAULT};
use oxshmem_conformance_kernels::rma::PUT;
use oxshmem_hal::{Cmp, ErrorKind, Launch, Pe, QpHandle, Signal, SignalOp, SymAddr, SymPtr, World};

use super::case::cases;
use super::rng::bytes;
use super::{Ctx, Outcome};

cases! { "stream":
    a_put_on_a_stream_lands_where_it_was_sent_and_nowhere_else 1,
    a_get_on_a_stream_brings_what_the_peer_has_and_touches_nothing_else 1,
    who_sees_the_signal_of_a_put_on_a_stream_sees_its_data 1,
    added_signals_on_streams_are_all_counted 1,
    a_put_on_a_stream_takes_what_the_kernel_before_it_wrote 1,
    a_signal_on_a_stream_comes_behind_what_was_put_on_it_before 1,
    wrong_arguments_on_a_stream_are_refused_and_nothing_is_touched 1,
}

/// Sizes in bytes of both methods of copying, and around the limit between them.
const EDGE: usize = 64 << 10;

fn sizes(ctx: &Ctx) -> Vec<usize> {
    let mut rng = ctx.rng();
    let mut all = vec![0, 1, 7, 16, 31, 512, EDGE - 1, EDGE, EDGE + 1, 300_001];
    all.extend((0..ctx.rounds(10)).map(|_| rng.within(1, 2 * EDGE)));
    all
}

/// Returns the data that a PE sends in a round, and offers for gets.
fn pattern(ctx: &Ctx, of: Pe, round: usize, count: usize) -> Vec<u8> {
    bytes(ctx.seed() ^ u64::from(of.number()) << 32 ^ round as u64, count)
}

fn a_put_on_a_stream_lands_where_it_was_sent_and_nowhere_else(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, mut rng, room) = (world.stream()?, ctx.rng(), 310_000);
    let (dest, source) = (ctx.calloc::<u8>(room)?, ctx.calloc::<u8>(room)?);
    for (round, count) in sizes(ctx).into_iter().enumerate() {
        let (to, from) = (rng.below(64), rng.below(64));
        ctx.write(dest, &vec![0xee; room])?;
        ctx.write(source.add(from), &pattern(ctx, world.my_pe(), round, count))?;
        world.barrier_all()?;
        stream.put(dest.add(to), source.add(from), count, world.pe_after(1))?;
        stream.quiet()?;
        stream.barrier_all()?;
        stream.synchronize()?;
        let mut expected = vec![0xee; room];
        expected[to..to + count].copy_from_slice(&pattern(ctx, ctx.pe_before(1), round, count));
        ctx.check_same(|| format!("{count} bytes put from {from} to {to}"), &ctx.read(dest, room)?, &expected);
        world.barrier_all()?;
    }
    Ok(())
}

fn a_get_on_a_stream_brings_what_the_peer_has_and_touches_nothing_else(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, mut rng, room) = (world.stream()?, ctx.rng(), 310_000);
    let (dest, source) = (ctx.calloc::<u8>(room)?, ctx.calloc::<u8>(room)?);
    for (round, count) in sizes(ctx).into_iter().enumerate() {
        let (to, from) = (rng.below(64), rng.below(64));
        ctx.write(dest, &vec![0xee; room])?;
        ctx.write(source.add(from), &pattern(ctx, world.my_pe(), round, count))?;
        world.barrier_all()?;
        stream.get(dest.add(to), source.add(from), count, world.pe_after(1))?;
        stream.synchronize()?;
        let mut expected = vec![0xee; room];
        expected[to..to + count].copy_from_slice(&pattern(ctx, world.pe_after(1), round, count));
        ctx.check_same(|| format!("{count} bytes got from {from} to {to}"), &ctx.read(dest, room)?, &expected);
        world.barrier_all()?;
    }
    Ok(())
}

fn who_sees_the_signal_of_a_put_on_a_stream_sees_its_data(world: &World, ctx: &Ctx) -> Outcome {
    let (stream, mut rng, room) = (world.stream()?, ctx.rng(), 310_000);
    let (inbox, outbox) = (ctx.calloc::<u8>(room)?, ctx.calloc::<u8>(room)?);
    let (seen, word) = (ctx.calloc::<u8>(room)?, ctx.calloc::<u64>(1)?);
    for (round, count) in sizes(ctx).into_iter().enumerate() {
        let (to, value, add) = (rng.below(64), round as u64 + 1, rng.below(2) == 1);
        ctx.write(outbox, &pattern(ctx, world.my_pe(), round, count))?;
        world.barrier_all()?;
        let (op, signal) = if add { (SignalOp::Add, 1) } else { (SignalOp::Set, value) };
        let right = world.pe_after(1);
        stream.put_signal(inbox.add(to), outbox, count, Signal { word, value: signal, op }, right)?;
        stream.signal_wait_until(word, Cmp::Ge, value)?;
        // The stream itself reads the data after the wait.
        stream.get(seen, inbox.add(to), count, world.my_pe())?;
        stream.synchronize()?;
        let expected = pattern(ctx, ctx.pe_before(1), round, count);
        ctx.check_same(|| format!("{count} bytes behind signal {value}"), &ctx.read(seen, count)?, &expected);
        ctx.check_same(|| "the signal word".into(), &ctx.read(word, 1)?, &[value]);
        world.barrier_all()?;
    }
    Ok(())
}

fn added_signals_on_streams_are_all_counted(world: &World, ctx: &Ctx) -> Outcome {
    let (one, other) = (world.stream()?, world.stream()?);
    let (words, times, value) = (ctx.calloc::<u64>(3)?, ctx.rounds(50) as u64, (1 << 33) + 3);
    for _ in 0..times {
        for stream in [&one, &other] {
            stream.signal(Signal::add(words.add(1), value), world.pe_after(1))?;
        }
    }
    world.barrier_all()?;
    ctx.check_same(|| "the word and its neighbours".into(), &ctx.read(words, 3)?, &[0, 2 * times * value, 0]);
    Ok(())
}

fn a_put_on_a_stream_takes_what_the_kernel_before_it_wrote(world: &World, ctx: &Ctx) -> Outcome {
    let stream = world.stream()?;
    for count in [40usize, 3000, 40_000] {
        let (first, middle) = (ctx.calloc::<u64>(count)?, ctx.calloc::<u64>(count)?);
        let (last, table) = (ctx.calloc::<u64>(count)?, ctx.calloc::<u64>(5)?);
        ctx.write(table, &[0, 0, count as u64, 1, 1])?;
        let pattern = |pe: Pe| (0..count as u64).map(|i| u64::from(pe.number()) << 40 | i).collect::<Vec<_>>();
        ctx.write(first, &pattern(world.my_pe()))?;
        world.barrier_all()?;
        let kernel = ctx.kernel("rma_u64")?;
        let args = (PUT, BLOCK, DEFAULT, QpHandle::DEFAULT, middle, first, table, 1usize, world.my_pe());
        stream.launch_kernel(&kernel, Launch::new(1, 128), args)?;
        stream.put(last, middle, count, world.pe_after(1))?;
        world.barrier_all()?;
        let expected = pattern(ctx.pe_before(1));
        ctx.check_same(|| format!("{count} elements by way of a kernel"), &ctx.read(last, count)?, &expected);
        world.barrier_all()?;
    }
    Ok(())
}

fn a_signal_on_a_stream_comes_behind_what_was_put_on_it_before(world: &World, ctx: &Ctx) -> Outcome {
    let stream = world.stream()?;
    let (sizes, room) = ([3, 5000, 2 * EDGE, 200_000], 200_000);
    let (inbox, outbox) = (ctx.calloc::<u8>(4 * room)?, ctx.calloc::<u8>(4 * room)?);
    let word = ctx.calloc::<u64>(1)?;
    for round in 0..ctx.rounds(10) {
        for (i, &count) in sizes.iter().enumerate() {
            ctx.write(outbox.add(i * room), &pattern(ctx, world.my_pe(), 4 * round + i, count))?;
        }
        world.barrier_all()?;
        for (i, &count) in sizes.iter().enumerate() {
            let at = i * room;
            stream.put(inbox.add(at), outbox.add(at), count, world.pe_after(1))?;
        }
        stream.signal(Signal::set(word, round as u64 + 1), world.pe_after(1))?;
        stream.signal_wait_until(word, Cmp::Eq, round as u64 + 1)?;
        stream.synchronize()?;
        for (i, &count) in sizes.iter().enumerate() {
            let expected = pattern(ctx, ctx.pe_before(1), 4 * round + i, count);
            ctx.check_same(|| format!("put {i} of round {round}"), &ctx.read(inbox.add(i * room), count)?, &expected);
        }
        world.barrier_all()?;
    }
    Ok(())
}

fn wrong_arguments_on_a_stream_are_refused_and_nothing_is_touched(world: &World, ctx: &Ctx) -> Outcome {
    let stream = world.stream()?;
    let (at, words, me) = (ctx.calloc::<u32>(8)?, ctx.calloc::<u64>(4)?, world.my_pe());
    let end = SymPtr::<u32>::new(SymAddr::new(world.heap().mapped - 4));
    let odd = SymPtr::<u32>::new(SymAddr::new(at.addr().offset() + 2));
    let nobody = Pe::new(world.n_pes());
    let refused = |what: &str, given: oxshmem_hal::Result<()>, kind: ErrorKind, says: &str| match given {
        Ok(()) => ctx.wrong(format!("{what} was not refused")),
        Err(error) => ctx.check(error.kind() == kind && error.to_string().contains(says), || {
            format!("{what} was refused as {:?}, where {kind:?} with {says:?} is expected: {error}", error.kind())
        }),
    };
    let (outside, invalid) = (ErrorKind::OutOfRange, ErrorKind::InvalidArgument);
    let name = format!("{nobody}");
    refused("a put to nobody", stream.put(at, at.add(4), 2, nobody), outside, &name);
    refused("a get from nobody", stream.get(at, at.add(4), 2, nobody), outside, &name);
    refused("a put over the end", stream.put(end, at, 2, me), outside, "put 2 elements");
    refused("a put from over the end", stream.put(at, end, 2, me), outside, "outside");
    refused("a get over the end", stream.get(end, at, 2, me), outside, "get 2 elements");
    refused("more than there is", stream.put(at, at, usize::MAX / 2, me), outside, "overflows");
    refused("a put between elements", stream.put(odd, at, 1, me), invalid, "multiple");
    let inside = stream.put_signal(words, words.add(2), 2, Signal::set(words.add(1), 1), me);
    refused("a signal inside its data", inside, invalid, "inside the data");
    let nowhere = stream.signal(Signal::set(words, 1), nobody);
    refused("a signal to nobody", nowhere, outside, &name);
    stream.synchronize()?;
    ctx.check_same(|| "elements after all that".into(), &ctx.read(at, 8)?, &[0; 8]);
    ctx.check_same(|| "words after all that".into(), &ctx.read(words, 4)?, &[0; 4]);
    Ok(())
}
