//! Writes, reads, sends and atomics that the host issues.

use std::time::Instant;

use oxshmem_core::Result;
use oxshmem_hal::{Cmp, Pe, Signal, World};
use oxshmem_perf_kernels::data::word;
use oxshmem_perf_kernels::elements::POISONED;

use super::data::Data;
use super::session::{FLAG, Session};
use super::wire::{Op, Row, Times};

/// Runs one pass of `iters` operations after `base` earlier ones, as the kernels do: in a latency one operation without
/// a time comes first.
pub(super) fn pass(session: &Session<'_>, row: &Row, base: u64, iters: u32) -> Result<Times> {
    match row.issues(session.me()) {
        false => Ok(Vec::new()),
        true if row.is_latency => latency(session, row, base, iters),
        true => bandwidth(session, row, base, iters),
    }
}

/// Enqueues all on a stream, with a quiet at the end. Atomics return their values, one after another.
fn bandwidth(session: &Session<'_>, row: &Row, base: u64, iters: u32) -> Result<Times> {
    let (stream, other, count) = (&session.stream, Pe::new(1), row.bytes as usize);
    let (dest, source, flag) = (row.place.dest, row.place.source, session.words.add(FLAG));
    let start = Instant::now();
    for n in base..base + u64::from(iters) {
        match row.op {
            Op::Write => stream.put(dest, source, count, other)?,
            Op::Read => stream.get(dest, source, count, other)?,
            Op::Send => stream.put_signal(dest, source, count, Signal::set(flag, n + 1), other)?,
            Op::FetchAdd | Op::CompareSwap => atomic(session.world, row, n)?,
        }
    }
    stream.quiet()?;
    stream.synchronize()?;
    Ok(vec![start.elapsed().as_nanos() as f64 / f64::from(iters)])
}

/// Performs one operation after another; half of a round's time for those that the peer answers.
fn latency(session: &Session<'_>, row: &Row, base: u64, iters: u32) -> Result<Times> {
    let (world, stream, me) = (session.world, &session.stream, session.me());
    let (first, other) = (me == 0, Pe::new(1 - me));
    let (dest, source, flag) = (row.place.dest, row.place.source, session.words.add(FLAG));
    let words = row.bytes / 8;
    let seed = Data::seed(me, session.row);
    let mut data: Vec<u64> = match row.op.is_atomic() {
        true => Vec::new(),
        false => (0..words).map(|k| word(seed, k)).collect(),
    };
    let wait = |round: u64| match row.op {
        Op::Write => world.wait_until(dest.cast::<u64>().add(words as usize - 1), Cmp::Eq, round).map(drop),
        _ => world.wait_until(flag, Cmp::Ge, round).map(drop),
    };
    let mut one = |n: u64| -> Result<()> {
        let round = n + 1;
        match row.op {
            Op::FetchAdd | Op::CompareSwap => return atomic(world, row, n),
            Op::Read => return world.get(&mut data, source.cast::<u64>(), other),
            _ => {}
        }
        if !first {
            wait(round)?;
        }
        if row.op == Op::Write {
            if let Some(last) = data.last_mut() {
                *last = round;
            }
            world.put(dest.cast::<u64>(), &data, other)?;
        } else {
            stream.put_signal(dest, source, row.bytes as usize, Signal::set(flag, round), other)?;
        }
        if first { wait(round) } else { Ok(()) }
    };
    one(base)?;
    let ways = if row.is_ping_pong() { 2.0 } else { 1.0 };
    let mut times = Vec::with_capacity(iters as usize);
    let mut last = Instant::now();
    for n in base + 1..=base + u64::from(iters) {
        one(n)?;
        let now = Instant::now();
        times.push((now - last).as_nanos() as f64 / ways);
        last = now;
    }
    if row.op == Op::Read {
        // The last reading is compared in the destination, as that of a kernel.
        world.write(dest.cast::<u64>(), &data)?;
    }
    world.quiet()?;
    stream.synchronize()?;
    Ok(times)
}

/// Performs atomic number `n` on PE 1's word.
fn atomic(world: &World, row: &Row, n: u64) -> Result<()> {
    let word = world.at(row.place.dest.cast::<u64>(), Pe::new(1));
    match row.op {
        Op::CompareSwap => word.compare_swap(POISONED + n, POISONED + n + 1).map(drop),
        _ => word.fetch_add(1).map(drop),
    }
}
