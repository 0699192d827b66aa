//! Errors of collectives by whole grids, and of calls on teams that were dropped.

use oxshmem_hal::{Cmp, FaultStep, Launch, Sum, Team, TeamHandle, TeamOptions, World};

use super::case::cases;
use super::faults::{checked, ends_with};
use super::team_calls::checked_on_streams;
use super::{Ctx, Failure, Outcome};

cases! { "faults":
    a_grid_of_whose_blocks_one_writes_the_source_of_another_is_a_fault 1,
    a_grid_of_a_team_that_was_dropped_is_a_fault 1,
    a_call_on_a_stream_that_runs_after_its_team_was_dropped_is_a_fault 1,
    a_replay_of_a_call_whose_team_was_dropped_is_a_fault 1,
}

const BLOCKS: usize = 4;
/// Elements of 4 bytes: a share of a cache line for each block.
const COUNT: usize = 32 * BLOCKS;

/// Returns a team with a slot for each block, which lives as long as the world.
fn team(world: &World) -> Result<TeamHandle, Failure> {
    let options = TeamOptions::default().with_slots(BLOCKS as u32).with_payload(64);
    let team = world.team(&world.pes().collect::<Vec<_>>(), options)?;
    let handle = team.handle();
    std::mem::forget(team);
    Ok(handle)
}

/// Makes a collective by a whole grid, with this distance in elements between source and destination.
fn launch(world: &World, ctx: &Ctx, name: &str, team: TeamHandle, apart: usize) -> Outcome {
    let n = world.n_pes() as usize;
    let (source, seen) = (ctx.calloc::<u32>(2 * n * COUNT + apart)?, ctx.calloc::<u32>(n * COUNT)?);
    let (dest, launch) = (source.add(apart), Launch::new(BLOCKS as u32, 32).collective());
    match name {
        "grid_barrier" => ctx.launch(name, launch, (team,)),
        // An element has 16 bytes.
        "grid_maxloc_i32" => ctx.launch(name, launch, (team, dest.cast::<u64>(), source.cast::<u64>(), COUNT / 4)),
        _ => ctx.launch(name, launch, (team, dest, seen, source, COUNT, 1usize)),
    }
}

fn a_grid_of_whose_blocks_one_writes_the_source_of_another_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    // The destination of each block is the source of the next one, so that no block's own ends overlap.
    let apart = COUNT / BLOCKS;
    for name in
        ["grid_broadcast", "grid_reduce", "grid_maxloc_i32", "grid_fcollect", "grid_alltoall", "grid_reducescatter"]
    {
        let bytes = |world: &World| match name {
            "grid_fcollect" | "grid_alltoall" => 4 * COUNT * world.n_pes() as usize,
            _ => 4 * COUNT,
        };
        ends_with(FaultStep::Overlap, |world, fault, _| {
            fault.at == fault.seen + 4 * apart as u64 && fault.asked == bytes(world) as u64
        })
        .on_all(world, ctx, |world, ctx, _| launch(world, ctx, name, team(world)?, apart))?;
    }
    Ok(())
}

/// Drops a team on every PE. None goes on, and perhaps ends with its fault, before all have.
fn drop_on_all(world: &World, team: Team<'_>) -> Outcome {
    world.drop_team(team)?;
    Ok(world.all_gather("that the team was dropped", &[]).map(drop)?)
}

/// Returns the handle of a team that was dropped.
fn dropped(world: &World) -> Result<TeamHandle, Failure> {
    let team = world.team_world()?;
    let handle = team.handle();
    drop_on_all(world, team)?;
    Ok(handle)
}

fn a_grid_of_a_team_that_was_dropped_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    for name in ["grid_reduce", "grid_maxloc_i32", "grid_alltoall", "grid_barrier"] {
        ends_with(FaultStep::NoSuchTeam, |_, fault, _| fault.detail == 0).on_all(world, ctx, |world, ctx, _| {
            launch(world, ctx, name, dropped(world)?, COUNT * world.n_pes() as usize)
        })?;
    }
    Ok(())
}

fn a_call_on_a_stream_that_runs_after_its_team_was_dropped_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked_on_streams(world)?;
    ends_with(FaultStep::NoSuchTeam, |_, fault, _| fault.detail == 0).on_all(world, ctx, |world, ctx, words| {
        let (stream, team) = (world.stream()?, world.team_world()?);
        // The first collective of a world loads its kernels, which takes long.
        team.barrier()?;
        let (go, data) = (words, ctx.calloc::<u64>(8)?);
        stream.signal_wait_until(go, Cmp::Eq, 1)?;
        team.on(&stream).reduce(Sum, data, data, 8)?;
        drop_on_all(world, team)?;
        world.p(go, 1, world.my_pe())?;
        // `synchronize` returns the fault again.
        let ended = stream.synchronize();
        ended.err().map(drop).ok_or_else(|| Failure::wrong("the stream ended without an error"))
    })
}

fn a_replay_of_a_call_whose_team_was_dropped_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked_on_streams(world)?;
    ends_with(FaultStep::NoSuchTeam, |_, fault, _| fault.detail == 0).on_all(world, ctx, |world, ctx, _| {
        let (stream, team, data) = (world.stream()?, world.team_world()?, ctx.calloc::<u64>(8)?);
        let reduce = || team.on(&stream).reduce(Sum, data, data, 8);
        // The first collective of a world loads its kernels: before the capture, as programs do.
        reduce()?;
        let graph = stream.capture(|_| reduce())?;
        graph.launch(&stream)?;
        stream.synchronize()?;
        drop_on_all(world, team)?;
        graph.launch(&stream)?;
        let ended = stream.synchronize();
        ended.err().map(drop).ok_or_else(|| Failure::wrong("the replay ended without an error"))
    })
}
