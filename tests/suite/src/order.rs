//! Fence orders, quiet completes.

use oxshmem_conformance_kernels::order::{FENCE, FENCE_ON_ALL, FENCE_ON_ONE, QUIET, QUIET_ON_DEFAULT, QUIET_ON_ONE};
use oxshmem_conformance_kernels::place::{ANY, BLOCK, CUSTOM, DEFAULT, THREAD, WARP};
use oxshmem_hal::{Launch, World};

use super::case::cases;
use super::{Ctx, Outcome};

cases! { "order":
    a_flag_behind_a_fence_never_overtakes_the_message 1 = messages(FENCE, &[THREAD], &[DEFAULT, ANY, CUSTOM]),
    a_flag_behind_a_quiet_never_overtakes_the_message 1 =
        messages(QUIET, &[THREAD, WARP, BLOCK], &[DEFAULT, ANY, CUSTOM]),
    a_flag_behind_a_fence_over_chosen_pes_and_queues_never_overtakes_the_message 1,
    a_flag_behind_a_quiet_over_chosen_pes_and_queues_never_overtakes_the_message 1,
    of_two_pes_that_write_quiet_and_read_one_sees_the_other 2,
    a_fence_orders_what_went_on_different_queues 1,
}

/// Passes messages around the ring by these groups, with this call before the flag.
fn messages(world: &World, ctx: &Ctx, how: u32, scopes: &[u32], views: &[u32]) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for (&scope, &view) in scopes.iter().flat_map(|scope| views.iter().map(move |view| (scope, view))) {
        let (launch, groups) = match scope {
            THREAD => (Launch::new(1, 20), 20),
            WARP => (Launch::new(1, 80), 3),
            _ => (Launch::new(2, 64), 2),
        };
        let (len, rounds) = (rng.within(1, 100), ctx.many_rounds(300));
        let (inbox, outbox) = (ctx.calloc::<u64>(groups * len)?, ctx.calloc::<u64>(groups * len)?);
        let (flags, acks, record) = (ctx.calloc::<u64>(groups)?, ctx.calloc::<u64>(groups)?, ctx.record()?);
        world.barrier_all()?;
        let args = (how | scope << 8, view, qp, inbox, outbox, len, flags, acks, rounds, record);
        ctx.launch("order_pass", launch.collective(), args)?;
        world.barrier_all()?;
        ctx.check_record(record, |round| format!("message of round {round}, scope {scope}, queue {view}"))?;
    }
    Ok(())
}

fn a_flag_behind_a_fence_over_chosen_pes_and_queues_never_overtakes_the_message(world: &World, ctx: &Ctx) -> Outcome {
    messages(world, ctx, FENCE_ON_ONE, &[THREAD, WARP, BLOCK], &[CUSTOM])?;
    messages(world, ctx, FENCE_ON_ALL, &[THREAD, WARP, BLOCK], &[DEFAULT, ANY, CUSTOM])
}

fn a_flag_behind_a_quiet_over_chosen_pes_and_queues_never_overtakes_the_message(world: &World, ctx: &Ctx) -> Outcome {
    messages(world, ctx, QUIET_ON_ONE, &[THREAD, WARP, BLOCK], &[CUSTOM])?;
    messages(world, ctx, QUIET_ON_DEFAULT, &[THREAD, WARP, BLOCK], &[DEFAULT])
}

fn of_two_pes_that_write_quiet_and_read_one_sees_the_other(world: &World, ctx: &Ctx) -> Outcome {
    for how in [QUIET, QUIET_ON_DEFAULT] {
        let rounds = ctx.many_rounds(20_000);
        let (words, seen) = (ctx.calloc::<u64>(rounds)?, ctx.calloc::<u64>(rounds)?);
        world.barrier_all()?;
        ctx.launch("order_store_buffering", Launch::new(1, 1).collective(), (how, words, seen, rounds))?;
        world.barrier_all()?;
        let of = |pe| {
            let mut of = vec![0; rounds];
            world.get(&mut of, seen, oxshmem_hal::Pe::new(pe)).map(|()| of)
        };
        let (zero, one) = (of(0)?, of(1)?);
        let neither = zero.iter().zip(&one).position(|(a, b)| a + b == 0);
        ctx.check(neither.is_none(), || format!("in round {} neither PE saw the other's word", neither.unwrap_or(0)));
        world.barrier_all()?;
    }
    Ok(())
}

fn a_fence_orders_what_went_on_different_queues(world: &World, ctx: &Ctx) -> Outcome {
    let qp = ctx.custom_qp()?;
    let (words, done) = (ctx.calloc::<u64>(2 * world.n_pes() as usize)?, ctx.calloc::<u64>(1)?);
    let (record, rounds) = (ctx.record()?, ctx.many_rounds(3000));
    world.barrier_all()?;
    // The first thread writes; threads of other warps and blocks read.
    let launch = Launch::shaped([2, 1, 1], [33, 1, 1]).collective();
    ctx.launch("order_two_words", launch, (qp, words, done, rounds, 20 * rounds, record))?;
    world.barrier_all()?;
    ctx.check_record(record, |pe| format!("first word of PE {pe} behind its second"))?;
    let expected = vec![rounds as u64; 2 * world.n_pes() as usize];
    ctx.check_same(|| "words at the end".into(), &ctx.read(words, expected.len())?, &expected);
    Ok(())
}
