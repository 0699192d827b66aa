//! Members whose calls of a collective differ.

use oxshmem_conformance_kernels::place::BLOCK;
use oxshmem_hal::{
    CallPart, Collective, CollectiveOptions, FaultStep, Launch, Max, Sum, SymPtr, Team, TeamOptions, World,
};

use super::case::cases;
use super::faults::{checked, ends_with};
use super::{Ctx, Failure, Outcome};

cases! { "faults":
    sizes_that_differ_between_the_members_of_a_collective_are_a_fault_that_names_both 2,
    two_collectives_that_meet_on_a_slot_are_a_fault_that_names_both 2,
    sizes_that_differ_between_the_grids_of_a_collective_are_a_fault_that_names_both 2,
    sizes_that_differ_on_a_stream_are_a_fault_at_the_hosts_next_call 2,
    roots_operations_and_widths_that_differ_on_a_stream_are_faults 2,
    a_call_of_no_elements_where_others_have_some_is_a_fault 2,
    small_slots_carry_what_fits_in_four_rounds_and_more_goes_directly 2,
}

/// Returns the team for the calls of a case, which lives as long as the world.
fn team(world: &World) -> Result<&Team<'_>, Failure> {
    let team = world.team(&world.pes().collect::<Vec<_>>(), TeamOptions::default().with_slots(4).with_payload(64))?;
    Ok(Box::leak(Box::new(team)))
}

/// Lets the last PE make a different call from all others: each PE's fault names a member that differs, and both values
/// of the part, `usual` or `other`.
fn differ(
    world: &World,
    ctx: &Ctx,
    (part, usual, other): (CallPart, u64, u64),
    call: impl Fn(&World, &Ctx, SymPtr<u64>, bool) -> Outcome + Sync,
) -> Outcome {
    ends_with(FaultStep::CallMismatch, |world, fault, _| {
        let last = world.n_pes() - 1;
        let (mine, theirs) = if is_last(world) { (other, usual) } else { (usual, other) };
        let named = if is_last(world) { fault.pe < last } else { fault.pe == last };
        named && fault.detail == part as u32 && (fault.asked, fault.seen) == (mine, theirs)
    })
    .on_all(world, ctx, |world, ctx, words| call(world, ctx, words, is_last(world)))
}

fn is_last(world: &World) -> bool {
    world.my_pe().number() == world.n_pes() - 1
}

/// Launches a collective of `count` elements of 4 bytes by one block.
fn launch(ctx: &Ctx, name: &str, team: &Team<'_>, words: SymPtr<u64>, count: usize) -> Outcome {
    let (dest, source) = (words.cast::<u32>(), words.add(32).cast::<u32>());
    let args = (team.handle(), BLOCK, 0u32, dest, source, count, 0usize, 1usize);
    ctx.launch(name, Launch::new(1, 32).collective(), args)
}

fn sizes_that_differ_between_the_members_of_a_collective_are_a_fault_that_names_both(
    world: &World,
    ctx: &Ctx,
) -> Outcome {
    checked(world)?;
    for name in
        ["team_reduce", "team_reducescatter", "team_fcollect", "team_alltoall", "team_broadcast", "team_reduce_held"]
    {
        differ(world, ctx, (CallPart::Bytes, 16, 24), |world, ctx, words, last| {
            launch(ctx, name, team(world)?, words, if last { 6 } else { 4 })
        })?;
    }
    Ok(())
}

fn small_slots_carry_what_fits_in_four_rounds_and_more_goes_directly(world: &World, ctx: &Ctx) -> Outcome {
    const PACKETS: u32 = 1;
    const DIRECT: u32 = 2;
    checked(world)?;
    let (team, payload) = (team(world)?, 64);
    for (count, way) in [(payload, PACKETS), (payload + 2, DIRECT)] {
        for name in ["team_reduce", "team_reducescatter", "team_fcollect", "team_alltoall", "team_broadcast"] {
            let most = count * world.n_pes() as usize;
            let (dest, source) = (ctx.calloc::<u32>(most)?, ctx.calloc::<u32>(most)?);
            // The last PE names the way that the others choose: any other one would be a fault.
            let way = if is_last(world) { way } else { 0 };
            let args = (team.handle(), BLOCK, way, dest, source, count, 0usize, 1usize);
            ctx.launch(name, Launch::new(1, 128).collective(), args)?;
            world.barrier_all()?;
        }
    }
    Ok(())
}

fn sizes_that_differ_between_the_grids_of_a_collective_are_a_fault_that_names_both(
    world: &World,
    ctx: &Ctx,
) -> Outcome {
    checked(world)?;
    // Some blocks of the smaller call have no elements.
    let (usual, other) = (40, 400);
    for name in ["grid_reduce", "grid_reducescatter", "grid_fcollect", "grid_alltoall", "grid_broadcast"] {
        differ(world, ctx, (CallPart::Bytes, 4 * usual as u64, 4 * other as u64), |world, ctx, _, last| {
            let most = other * world.n_pes() as usize;
            let [dest, seen, source] = [(); 3].map(|()| ctx.calloc::<u32>(most));
            let args = (team(world)?.handle(), dest?, seen?, source?, if last { other } else { usual }, 1usize);
            ctx.launch(name, Launch::new(3, 32).collective(), args)
        })?;
    }
    differ(world, ctx, (CallPart::Bytes, 16 * usual as u64, 16 * other as u64), |world, ctx, _, last| {
        let (dest, source) = (ctx.calloc::<u64>(2 * other)?, ctx.calloc::<u64>(2 * other)?);
        let args = (team(world)?.handle(), dest, source, if last { other } else { usual });
        ctx.launch("grid_maxloc_i32", Launch::new(3, 32).collective(), args)
    })
}

fn two_collectives_that_meet_on_a_slot_are_a_fault_that_names_both(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    let numbers = (CallPart::Collective, Collective::Reduce as u64, Collective::Fcollect as u64);
    differ(world, ctx, numbers, |world, ctx, words, last| {
        launch(ctx, if last { "team_fcollect" } else { "team_reduce" }, team(world)?, words, 2)
    })
}

/// Skips the case if the kernels of streams were built without checks.
pub(super) fn checked_on_streams(world: &World) -> Outcome {
    match world.modules().collectives_check()? {
        true => Ok(()),
        false => Err(Failure::skip("the kernels of collectives were built without `--checked`")),
    }
}

fn sizes_that_differ_on_a_stream_are_a_fault_at_the_hosts_next_call(world: &World, ctx: &Ctx) -> Outcome {
    checked_on_streams(world)?;
    // With one and with several blocks, and by packets and directly.
    for (usual, other) in [(8, 16), (2048, 4096), (1 << 16, 1 << 17)] {
        let in_bytes = (CallPart::Bytes, 8 * usual as u64, 8 * other as u64);
        differ(world, ctx, in_bytes, |world, ctx, _, last| {
            let (stream, at) = (&world.own_stream(), ctx.calloc::<u64>(2 * other)?);
            let count = if last { other } else { usual };
            Ok(team(world)?.on(stream).reduce(Sum, at, at, count)?)
        })?;
        differ(world, ctx, in_bytes, |world, ctx, _, last| {
            let (at, from) = (ctx.calloc::<u64>(other)?, ctx.calloc::<u64>(other)?);
            let count = if last { other } else { usual };
            Ok(team(world)?.on(&world.own_stream()).broadcast(at, from, count, 1)?)
        })?;
    }
    for collective in [Collective::Fcollect, Collective::Alltoall, Collective::Reducescatter, Collective::ReduceMaxloc]
    {
        let (usual, other) = (100, 3000);
        let width = if collective == Collective::ReduceMaxloc { 16 } else { 8 };
        let in_bytes = (CallPart::Bytes, width * usual as u64, width * other as u64);
        differ(world, ctx, in_bytes, |world, ctx, _, last| {
            let most = 2 * other * world.n_pes() as usize;
            let (to, from, count) =
                (ctx.calloc::<u64>(most)?, ctx.calloc::<u64>(most)?, if last { other } else { usual });
            let (stream, team, way) = (&world.own_stream(), team(world)?, CollectiveOptions::new());
            Ok(match collective {
                Collective::Fcollect => team.on(stream).with_options(way).fcollect(to, from, count),
                Collective::Alltoall => team.on(stream).with_options(way).alltoall(to, from, count),
                Collective::Reducescatter => team.on(stream).with_options(way).reducescatter(Sum, to, from, count),
                _ => team.on(stream).with_options(way).reduce_maxloc::<i64>(to, from, count),
            }?)
        })?;
    }
    Ok(())
}

fn roots_operations_and_widths_that_differ_on_a_stream_are_faults(world: &World, ctx: &Ctx) -> Outcome {
    checked_on_streams(world)?;
    let way = CollectiveOptions::new();
    differ(world, ctx, (CallPart::Root, 0, 1), |world, _, words, last| {
        Ok(team(world)?.on(&world.own_stream()).with_options(way).broadcast(words, words, 4, u32::from(last))?)
    })?;
    differ(world, ctx, (CallPart::Op, 0, 3), |world, _, words, last| {
        let (stream, team) = (&world.own_stream(), team(world)?);
        let call = match last {
            true => team.on(stream).with_options(way).reduce(Max, words, words, 4),
            false => team.on(stream).with_options(way).reduce(Sum, words, words, 4),
        };
        Ok(call?)
    })?;
    differ(world, ctx, (CallPart::Width, 8, 4), |world, _, words, last| {
        let (stream, team, halves) = (&world.own_stream(), team(world)?, words.cast::<u32>());
        let call = match last {
            true => team.on(stream).with_options(way).reduce(Sum, halves, halves, 8),
            false => team.on(stream).with_options(way).reduce(Sum, words, words, 4),
        };
        Ok(call?)
    })
}

fn a_call_of_no_elements_where_others_have_some_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked_on_streams(world)?;
    differ(world, ctx, (CallPart::Bytes, 40, 0), |world, _, words, last| {
        // A call of the host returns the fault, which `synchronize` then returns again.
        let ended = team(world)?.reduce(Sum, words, words, if last { 0 } else { 5 });
        ended.err().map(drop).ok_or_else(|| Failure::wrong("the call of the host returned no error"))
    })
}
