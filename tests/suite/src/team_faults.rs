//! Errors of collectives on the device.

use oxshmem_conformance_kernels::place::BLOCK;
use oxshmem_hal::{Fault, FaultStep, Launch, SymPtr, TeamHandle, TeamOptions, World};

use super::case::cases;
use super::faults::{checked, faults};
use super::{Ctx, Failure};

cases! { "faults":
    a_collective_that_a_member_stays_away_from_is_a_fault_that_names_it 2,
    a_slot_that_a_team_does_not_have_is_a_fault 1,
    a_team_that_was_dropped_is_a_fault 1,
    an_alltoall_of_overlapping_ranges_is_a_fault 1,
    a_row_that_exceeds_the_registers_is_a_fault_that_says_how_much_fits 1,
    a_row_of_parts_of_units_is_a_fault 1,
}

fn team(world: &World) -> Result<TeamHandle, Failure> {
    let team = world.team(&world.pes().collect::<Vec<_>>(), TeamOptions::default().with_slots(2).with_payload(64))?;
    let handle = team.handle();
    // It lives as long as the world.
    std::mem::forget(team);
    Ok(handle)
}

/// Launches a collective of a few words by one block.
fn launch(ctx: &Ctx<'_>, name: &str, blocks: u32, team: TeamHandle, words: SymPtr<u64>) -> Result<(), Failure> {
    launch_of(ctx, name, blocks, team, words, 2)
}

/// The same, of so many elements of 4 bytes.
fn launch_of(
    ctx: &Ctx<'_>,
    name: &str,
    blocks: u32,
    team: TeamHandle,
    words: SymPtr<u64>,
    count: usize,
) -> Result<(), Failure> {
    let (dest, source) = (words.cast::<u32>(), words.add(32).cast::<u32>());
    let source = if name == "team_alltoall" { dest } else { source };
    ctx.launch(name, Launch::new(blocks, 32).collective(), (team, BLOCK, 1u32, dest, source, count, 0usize, 1usize))
}

fn a_collective_that_a_member_stays_away_from_is_a_fault_that_names_it(
    world: &World,
    ctx: &Ctx<'_>,
) -> Result<(), Failure> {
    faults(
        world,
        ctx,
        |world| world.my_pe().number() != 0,
        |world, ctx, words| {
            let team = team(world)?;
            if world.my_pe().number() == 0 { Ok(()) } else { launch(ctx, "team_reduce", 1, team, words) }
        },
        FaultStep::Collective,
        |_, fault, _| fault.pe == 0 && fault.asked == 1,
    )
}

/// Every PE makes a call that is wrong, and gets this fault.
fn refused(
    world: &World,
    ctx: &Ctx<'_>,
    call: impl Fn(&World, &Ctx<'_>, SymPtr<u64>) -> Result<(), Failure> + Sync,
    step: FaultStep,
    right: impl Fn(&Fault) -> bool + Sync,
) -> Result<(), Failure> {
    faults(world, ctx, |_| true, call, step, |_, fault, _| right(fault))
}

fn a_slot_that_a_team_does_not_have_is_a_fault(world: &World, ctx: &Ctx<'_>) -> Result<(), Failure> {
    refused(
        world,
        ctx,
        |world, ctx, words| launch(ctx, "team_fcollect", 3, team(world)?, words),
        FaultStep::NoSuchSlot,
        |fault| (fault.asked, fault.seen) == (2, 2),
    )
}

fn a_team_that_was_dropped_is_a_fault(world: &World, ctx: &Ctx<'_>) -> Result<(), Failure> {
    checked(world)?;
    refused(
        world,
        ctx,
        |world, ctx, words| {
            let gone = world.team_world()?.handle();
            // A later team's making tells that the first one was dropped.
            team(world)?;
            launch(ctx, "team_reduce", 1, gone, words)
        },
        FaultStep::NoSuchTeam,
        |_| true,
    )
}

fn an_alltoall_of_overlapping_ranges_is_a_fault(world: &World, ctx: &Ctx<'_>) -> Result<(), Failure> {
    checked(world)?;
    refused(
        world,
        ctx,
        |world, ctx, words| launch(ctx, "team_alltoall", 1, team(world)?, words),
        FaultStep::Overlap,
        |_| true,
    )
}

fn a_row_that_exceeds_the_registers_is_a_fault_that_says_how_much_fits(
    world: &World,
    ctx: &Ctx<'_>,
) -> Result<(), Failure> {
    refused(
        world,
        ctx,
        |world, ctx, words| launch_of(ctx, "team_reduce_held", 1, team(world)?, words, 300),
        FaultStep::RoundTooLarge,
        // Packets carry the payload, and puts between remote members twice as much.
        |fault| fault.asked == 1200 && (fault.seen == 64 || fault.seen == 128),
    )
}

fn a_row_of_parts_of_units_is_a_fault(world: &World, ctx: &Ctx<'_>) -> Result<(), Failure> {
    refused(
        world,
        ctx,
        |world, ctx, words| launch_of(ctx, "team_reduce_held", 1, team(world)?, words, 3),
        FaultStep::Misaligned,
        |fault| fault.asked == 8,
    )
}
