//! Signals, and puts with a signal: a thread that sees the signal sees the data.

use oxshmem_conformance_kernels::place::{ANY, BLOCK, CUSTOM, DEFAULT, THREAD, WARP};
use oxshmem_conformance_kernels::signal::{ADD, ADD_NBI, SET, SET_NBI};
use oxshmem_hal::{Launch, World};

use super::case::cases;
use super::{Ctx, Outcome};

cases! { "signal":
    who_sees_the_signal_of_a_put_sees_its_data_in_every_round 1 = streams(&[SET]),
    who_sees_the_added_signal_of_a_put_sees_its_data_in_every_round 1 = streams(&[ADD]),
    who_sees_the_signal_of_a_nonblocking_put_sees_its_data_in_every_round 1 = streams(&[SET_NBI, ADD_NBI]),
    added_signals_of_all_pes_are_all_counted 1,
    a_set_signal_leaves_a_value_that_somebody_set 1,
    a_put_with_signal_of_nothing_is_a_signal_alone 1,
    a_wait_on_a_signal_gives_the_word_that_ended_it 1,
}

/// Streams data around the ring in one way, by every group on every queue.
fn streams(world: &World, ctx: &Ctx, hows: &[u32]) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for (&how, scope) in hows.iter().flat_map(|how| [THREAD, WARP, BLOCK].map(|scope| (how, scope))) {
        for view in [DEFAULT, ANY, CUSTOM] {
            let (launch, groups, most) = match scope {
                THREAD => (Launch::new(1, 24), 24, 40),
                WARP => (Launch::new(1, 80), 3, rng.within(100, 700)),
                _ => (Launch::new(2, 96), 2, rng.within(500, 3000)),
            };
            let (inbox, outbox) = (ctx.calloc::<u32>(groups * most)?, ctx.calloc::<u32>(groups * most)?);
            let (flags, acks) = (ctx.calloc::<u64>(groups)?, ctx.calloc::<u64>(groups)?);
            let (record, rounds) = (ctx.record()?, ctx.many_rounds(150));
            world.barrier_all()?;
            let args = (how | scope << 8, view, qp, inbox, outbox, most, flags, acks, rounds, rng.next(), record);
            ctx.launch("signal_stream", launch.collective(), args)?;
            world.barrier_all()?;
            ctx.check_record(record, |step| match step {
                1 => format!("signal word, way {how}, scope {scope}, queue {view}"),
                _ => format!("element {} behind the signal, way {how}, scope {scope}, queue {view}", step - 2),
            })?;
            let expected = vec![rounds as u64; groups];
            ctx.check_same(|| "signal words at the end".into(), &ctx.read(flags, groups)?, &expected);
        }
    }
    Ok(())
}

fn added_signals_of_all_pes_are_all_counted(world: &World, ctx: &Ctx) -> Outcome {
    ctx.one_kind_of_atomics(world)?;
    let (qp, times) = (ctx.custom_qp()?, ctx.many_rounds(10));
    let words = ctx.calloc::<u64>(9)?;
    // Together they need more than 32 bits, so that a narrower addition shows.
    let value = (1 << 33) + 5;
    for (i, view) in [DEFAULT, ANY, CUSTOM].into_iter().enumerate() {
        ctx.launch("signal_storm", Launch::new(2, 50), (1u32, view, qp, words.add(3 * i + 1), value, times))?;
    }
    world.barrier_all()?;
    let all = value * 100 * times as u64 * u64::from(world.n_pes());
    ctx.check_same(|| "signal words and their neighbours".into(), &ctx.read(words, 9)?, &[[0, all, 0]; 3].concat());
    Ok(())
}

fn a_set_signal_leaves_a_value_that_somebody_set(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, times) = (ctx.custom_qp()?, ctx.rounds(5));
    let words = ctx.calloc::<u64>(9)?;
    let value = |pe: u64| (pe + 1) | (pe + 1) << 40;
    for (i, view) in [DEFAULT, ANY, CUSTOM].into_iter().enumerate() {
        let mine = value(world.my_pe().number().into());
        ctx.launch("signal_storm", Launch::new(1, 40), (0u32, view, qp, words.add(3 * i + 1), mine, times))?;
    }
    world.barrier_all()?;
    let seen = ctx.read(words, 9)?;
    for (i, &word) in seen.iter().enumerate() {
        let is_one = (0..world.n_pes().into()).any(|pe| value(pe) == word);
        ctx.check(if i % 3 == 1 { is_one } else { word == 0 }, || format!("word {i} is {word:#x}, which nobody set"));
    }
    Ok(())
}

fn a_put_with_signal_of_nothing_is_a_signal_alone(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for (add, view) in [(0u32, DEFAULT), (1, DEFAULT), (0, ANY), (1, ANY), (0, CUSTOM), (1, CUSTOM)] {
        let (data, word, fetched) = (ctx.calloc::<u32>(8)?, ctx.calloc::<u64>(1)?, ctx.calloc::<u64>(1)?);
        ctx.write(data, &[0xdead_beef; 8])?;
        world.barrier_all()?;
        let value = rng.next() | 1;
        ctx.launch("signal_alone", Launch::new(1, 64).collective(), (add, view, qp, data, word, value, fetched))?;
        world.barrier_all()?;
        ctx.check_same(|| "data".into(), &ctx.read(data, 8)?, &[0xdead_beef; 8]);
        // One signal, although every thread of the block made the call.
        ctx.check_same(
            || "signal word and what signal_fetch gave".into(),
            &[ctx.read(word, 1)?[0], ctx.read(fetched, 1)?[0]],
            &[value; 2],
        );
    }
    Ok(())
}

fn a_wait_on_a_signal_gives_the_word_that_ended_it(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for _ in 0..ctx.rounds(20) {
        let (word, seen) = (ctx.calloc::<u64>(1)?, ctx.calloc::<u64>(1)?);
        world.barrier_all()?;
        let value = (rng.next() >> 1) | 1;
        ctx.launch("signal_returns_the_word", Launch::new(1, 1).collective(), (word, value, seen))?;
        world.barrier_all()?;
        ctx.check_same(|| "what the wait gave".into(), &ctx.read(seen, 1)?, &[value]);
    }
    Ok(())
}
