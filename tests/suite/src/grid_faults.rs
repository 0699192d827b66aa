//! Errors of collectives by whole grids.

use oxshmem_hal::{FaultStep, Launch, TeamHandle, TeamOptions, World};

use super::case::cases;
use super::faults::{checked, faults};
use super::{Ctx, Failure};

cases! { "faults":
    a_grid_of_whose_blocks_one_writes_the_source_of_another_is_a_fault 1,
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
fn launch(world: &World, ctx: &Ctx<'_>, name: &str, team: TeamHandle, apart: usize) -> Result<(), Failure> {
    let n = world.n_pes() as usize;
    let (source, seen) = (ctx.calloc::<u32>(2 * n * COUNT + apart)?, ctx.calloc::<u32>(n * COUNT)?);
    let (dest, launch) = (source.add(apart), Launch::new(BLOCKS as u32, 32).collective());
    match name {
        // An element has 16 bytes.
        "grid_maxloc_i32" => ctx.launch(name, launch, (team, dest.cast::<u64>(), source.cast::<u64>(), COUNT / 4)),
        _ => ctx.launch(name, launch, (team, dest, seen, source, COUNT, 1usize)),
    }
}

fn a_grid_of_whose_blocks_one_writes_the_source_of_another_is_a_fault(
    world: &World,
    ctx: &Ctx<'_>,
) -> Result<(), Failure> {
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
        faults(
            world,
            ctx,
            |_| true,
            |world, ctx, _| launch(world, ctx, name, team(world)?, apart),
            FaultStep::Overlap,
            |world, fault, _| fault.at == fault.seen + 4 * apart as u64 && fault.asked == bytes(world) as u64,
        )?;
    }
    Ok(())
}
