//! Barriers over all PEs and over a grid.

use oxshmem_conformance_kernels::place::{BLOCK, THREAD, WARP};
use oxshmem_hal::{Cmp, Launch, Signal, World};

use super::case::cases;
use super::{Ctx, Outcome};

cases! { "barrier":
    behind_a_barrier_is_what_every_thread_of_every_pe_put_before_it 1 = rounds(false),
    behind_a_sync_is_what_every_thread_of_every_pe_completed_before_it 1 = rounds(true),
    behind_a_sync_the_next_pe_reads_what_every_thread_stored_in_own_memory 1,
    no_pe_is_ever_two_barriers_ahead_of_another 1,
    behind_a_grid_barrier_is_what_every_block_wrote_before_it 1,
    kernels_behind_a_barrier_on_the_stream_see_what_all_pes_put_before_it 1,
    barriers_on_the_stream_by_the_host_and_in_kernels_can_follow_each_other 1,
    barriers_on_two_streams_one_behind_the_other_each_hold 1,
    rows_of_barriers_hold_on_streams_that_come_and_go 1,
    a_barrier_on_another_stream_waits_for_the_last_one_and_not_for_what_is_behind_it 1,
}

/// Launches of one group: a thread, a warp that is not full, a full one, a block of odd size, a large one.
const GROUPS: [(u32, u32); 5] = [(THREAD, 1), (WARP, 21), (WARP, 32), (BLOCK, 45), (BLOCK, 256)];

fn rounds(world: &World, ctx: &Ctx, sync_only: bool) -> Outcome {
    for (scope, threads) in GROUPS {
        let (len, rounds) = (37, ctx.many_rounds(300));
        let areas = ctx.calloc::<u64>(2 * world.n_pes() as usize * len)?;
        let record = ctx.record()?;
        world.barrier_all()?;
        let args = (scope, u32::from(sync_only), areas, len, rounds, record);
        ctx.launch("barrier_rounds", Launch::new(1, threads).collective(), args)?;
        world.barrier_all()?;
        ctx.check_record(record, |round| format!("behind barrier {round} of {threads} threads, scope {scope}"))?;
    }
    Ok(())
}

fn behind_a_sync_the_next_pe_reads_what_every_thread_stored_in_own_memory(world: &World, ctx: &Ctx) -> Outcome {
    for (scope, threads) in GROUPS {
        let (len, rounds) = (37, ctx.many_rounds(300));
        let (areas, record) = (ctx.calloc::<u64>(2 * len)?, ctx.record()?);
        world.barrier_all()?;
        let args = (scope, areas, len, rounds, record);
        ctx.launch("sync_rounds", Launch::new(1, threads).collective(), args)?;
        world.barrier_all()?;
        ctx.check_record(record, |round| format!("behind sync {round} of {threads} threads, scope {scope}"))?;
    }
    Ok(())
}

fn no_pe_is_ever_two_barriers_ahead_of_another(world: &World, ctx: &Ctx) -> Outcome {
    for (scope, threads) in GROUPS {
        let counters = ctx.calloc::<u64>(world.n_pes() as usize)?;
        let (record, rounds) = (ctx.record()?, ctx.many_rounds(500));
        world.barrier_all()?;
        ctx.launch("barrier_in_step", Launch::new(1, threads).collective(), (scope, counters, rounds, record))?;
        world.barrier_all()?;
        ctx.check_record(record, |round| format!("round of a PE, seen in round {round}"))?;
    }
    Ok(())
}

fn behind_a_grid_barrier_is_what_every_block_wrote_before_it(world: &World, ctx: &Ctx) -> Outcome {
    for (grid, threads) in [([1, 1, 1], 1), ([3, 1, 1], 33), ([2, 3, 2], 40), ([16, 1, 1], 64)] {
        let blocks: u32 = grid.iter().product();
        let slots = ctx.calloc::<u64>(2 * blocks as usize)?;
        let (record, rounds) = (ctx.record()?, ctx.many_rounds(150));
        world.barrier_all()?;
        let launch = Launch::shaped(grid, [threads, 1, 1]).collective();
        ctx.launch("barrier_grid", launch, (slots, rounds, record))?;
        world.barrier_all()?;
        ctx.check_record(record, |round| format!("behind grid barrier {round} of {blocks} blocks"))?;
    }
    Ok(())
}

fn kernels_behind_a_barrier_on_the_stream_see_what_all_pes_put_before_it(world: &World, ctx: &Ctx) -> Outcome {
    let launch = Launch::new(3, 70);
    let (slots, record) = (ctx.calloc::<u64>(210)?, ctx.record()?);
    for round in 0..ctx.rounds(200) as u64 {
        ctx.launch("barrier_write_right", launch, (slots, round))?;
        world.own_stream().barrier_all()?;
        ctx.launch("barrier_read_left", launch, (slots, round, record))?;
        // The values that are read now must not be written again before the reads end.
        world.own_stream().barrier_all()?;
    }
    world.barrier_all()?;
    ctx.check_record(record, |round| format!("round {round}"))
}

fn barriers_on_the_stream_by_the_host_and_in_kernels_can_follow_each_other(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    let (counters, record) = (ctx.calloc::<u64>(world.n_pes() as usize)?, ctx.record()?);
    for _ in 0..ctx.rounds(100) {
        match rng.below(4) {
            0 => world.barrier_all()?,
            1 => world.sync_all()?,
            2 => world.own_stream().barrier_all()?,
            _ => {
                let (scope, threads) = rng.pick(&GROUPS);
                world.own_stream().barrier_all()?;
                ctx.launch("barrier_in_step", Launch::new(1, threads).collective(), (scope, counters, 3usize, record))?;
            }
        }
    }
    world.barrier_all()?;
    ctx.check_record(record, |round| format!("round {round} of a kernel among other barriers"))
}

fn barriers_on_two_streams_one_behind_the_other_each_hold(world: &World, ctx: &Ctx) -> Outcome {
    let (one, other) = (world.stream()?, world.stream()?);
    let launch = Launch::new(2, 48);
    let (slots, record) = ([ctx.calloc::<u64>(96)?, ctx.calloc::<u64>(96)?], ctx.record()?);
    let (write, read) = (ctx.kernel("barrier_write_right")?, ctx.kernel("barrier_read_left")?);
    for round in 0..ctx.rounds(50) as u64 {
        // The second barrier is on its stream before anything waits for the first.
        for (stream, slots) in [&one, &other].into_iter().zip(slots) {
            stream.launch_kernel(&write, launch, (slots, round))?;
            stream.barrier_all()?;
            stream.launch_kernel(&read, launch, (slots, round, record))?;
        }
        world.barrier_all()?;
    }
    ctx.check_record(record, |round| format!("round {round}"))
}

fn rows_of_barriers_hold_on_streams_that_come_and_go(world: &World, ctx: &Ctx) -> Outcome {
    let launch = Launch::new(2, 48);
    let (slots, record) = ([ctx.calloc::<u64>(96)?, ctx.calloc::<u64>(96)?], ctx.record()?);
    let (write, read) = (ctx.kernel("barrier_write_right")?, ctx.kernel("barrier_read_left")?);
    for round in 0..ctx.rounds(50) {
        for slots in slots {
            // The next stream may get the driver's handle of this one, whose barriers have not ended yet.
            let stream = world.stream()?;
            stream.launch_kernel(&write, launch, (slots, round as u64))?;
            for _ in 0..1 + round % 5 {
                stream.barrier_all()?;
            }
            stream.launch_kernel(&read, launch, (slots, round as u64, record))?;
        }
        world.barrier_all()?;
    }
    ctx.check_record(record, |round| format!("round {round}"))
}

fn a_barrier_on_another_stream_waits_for_the_last_one_and_not_for_what_is_behind_it(
    world: &World,
    ctx: &Ctx,
) -> Outcome {
    let (streams, word) = ([world.stream()?, world.stream()?], ctx.calloc::<u64>(1)?);
    for round in 0..ctx.rounds(50) {
        let (one, other) = (&streams[round % 2], &streams[1 - round % 2]);
        one.barrier_all()?;
        // This waits for work after the next barrier, and the barrier must not wait for it.
        one.signal_wait_until(word, Cmp::Eq, round as u64 + 1)?;
        other.barrier_all()?;
        other.signal(Signal::set(word, round as u64 + 1), world.pe_after(1))?;
        world.barrier_all()?;
    }
    Ok(())
}
