//! Errors of collectives on the device.

use oxshmem_conformance_kernels::place::BLOCK;
use oxshmem_hal::{CollectiveOptions, Fault, FaultStep, Launch, Lists, SymPtr, TeamHandle, TeamOptions, World};
use oxshmem_raw::state::team::TeamParts;

use super::case::cases;
use super::faults::{checked, ends_with};
use super::{Ctx, Failure, Outcome};

cases! { "faults":
    a_collective_that_a_member_stays_away_from_is_a_fault_that_names_it 2,
    a_slot_that_a_team_does_not_have_is_a_fault 1,
    a_team_that_was_dropped_is_a_fault 1,
    a_handle_of_which_one_part_is_changed_is_a_fault 1,
    a_handle_of_another_world_is_a_fault 1,
    a_member_that_a_team_does_not_have_is_a_fault_also_where_its_pe_is_asked_for 1,
    a_handle_of_another_member_is_a_fault_of_its_own 2,
    a_root_that_a_team_does_not_have_is_a_fault 1,
    a_collective_whose_destination_overlaps_its_source_is_a_fault 1,
    an_alltoallv_whose_parts_arrive_in_data_that_is_sent_is_a_fault 1,
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
fn launch(ctx: &Ctx, name: &str, blocks: u32, team: TeamHandle, words: SymPtr<u64>) -> Outcome {
    launch_of(ctx, name, blocks, team, words, 2)
}

/// Launches the same with this number of elements of 4 bytes.
fn launch_of(ctx: &Ctx, name: &str, blocks: u32, team: TeamHandle, words: SymPtr<u64>, count: usize) -> Outcome {
    launch_at(ctx, name, blocks, team, (words.cast(), words.add(32).cast()), count)
}

/// Launches the same from the source to the destination.
fn launch_at(
    ctx: &Ctx,
    name: &str,
    blocks: u32,
    team: TeamHandle,
    (dest, source): (SymPtr<u32>, SymPtr<u32>),
    count: usize,
) -> Outcome {
    ctx.launch(name, Launch::new(blocks, 32).collective(), (team, BLOCK, 1u32, dest, source, count, 0usize, 1usize))
}

fn a_collective_that_a_member_stays_away_from_is_a_fault_that_names_it(world: &World, ctx: &Ctx) -> Outcome {
    ends_with(FaultStep::Collective, |_, fault, _| fault.pe == 0 && fault.asked == 1).on_all_but_pe_0(
        world,
        ctx,
        |world, ctx, words| {
            let team = team(world)?;
            if world.my_pe().number() == 0 { Ok(()) } else { launch(ctx, "team_reduce", 1, team, words) }
        },
    )
}

fn a_slot_that_a_team_does_not_have_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    ends_with(FaultStep::NoSuchSlot, |_, fault, _| (fault.asked, fault.seen) == (2, 2)).on_all(
        world,
        ctx,
        |world, ctx, words| launch(ctx, "team_fcollect", 3, team(world)?, words),
    )
}

fn a_team_that_was_dropped_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    ends_with(FaultStep::NoSuchTeam, |_, fault, _| fault.detail == 0).on_all(world, ctx, |world, ctx, words| {
        let gone = world.team_world()?.handle();
        // The making of a later team announces that the first one was dropped.
        team(world)?;
        launch(ctx, "team_reduce", 1, gone, words)
    })
}

fn a_handle_of_another_member_is_a_fault_of_its_own(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    // Two processes can have their heaps at one address.
    for at_one_address in [false, true] {
        ends_with(FaultStep::NoSuchTeam, |_, fault, _| fault.detail == Fault::OTHERS_HANDLE).on_all(
            world,
            ctx,
            |world, ctx, words| {
                let own = team(world)?;
                let all = world.all_gather("the tables of members", &own.members.to_le_bytes())?;
                let next = world.pe_after(1).index();
                let members = all[next].as_slice().try_into().map_err(|_| Failure::wrong("not a word"))?;
                let members = if at_one_address { own.members } else { u64::from_le_bytes(members) };
                // All areas of this world's first team are at one offset.
                let theirs = TeamParts { members, me: next as u32, ..*own };
                // SAFETY: **whole**: kernels that check refuse it.
                let theirs = unsafe { TeamHandle::new(theirs) };
                launch(ctx, "team_reduce", 1, theirs, words)
            },
        )?;
    }
    Ok(())
}

fn a_handle_of_which_one_part_is_changed_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    let changes: [fn(&mut TeamParts); 12] = [
        |parts| parts.n_pes += 1,
        |parts| parts.me ^= 1,
        |parts| parts.first += 1,
        |parts| parts.stride += 1,
        |parts| parts.slots += 1,
        |parts| parts.payload += 16,
        |parts| parts.flags ^= TeamParts::UNIFORM,
        |parts| parts.number += 1,
        |parts| parts.first_slot += 128,
        |parts| parts.slot_bytes += 128,
        |parts| parts.packets_at += 128,
        |parts| parts.half_bytes += 128,
    ];
    for change in changes {
        ends_with(FaultStep::NoSuchTeam, |_, _, _| true).on_all(world, ctx, |world, ctx, words| {
            let mut parts = *team(world)?;
            change(&mut parts);
            // SAFETY: **whole**: kernels that check refuse it.
            launch(ctx, "team_reduce", 1, unsafe { TeamHandle::new(parts) }, words)
        })?;
    }
    Ok(())
}

fn a_handle_of_another_world_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    // Its memory is behind the end of the inner world's.
    let (first, second) = (world.team_world()?, world.team_world()?);
    for other in [first.handle(), second.handle()] {
        ends_with(FaultStep::NoSuchTeam, |_, _, _| true).on_all(world, ctx, |_, ctx, words| {
            let launch = Launch::new(1, 32).collective();
            ctx.launch("team_meetings", launch, (other, 1_u32, words, words.add(32), 1_usize))
        })?;
    }
    Ok(())
}

fn a_member_that_a_team_does_not_have_is_a_fault_also_where_its_pe_is_asked_for(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    ends_with(FaultStep::NoSuchMember, |_, _, _| true).on_all(world, ctx, |world, ctx, words| {
        ctx.launch("reach_member", Launch::new(1, 1), (team(world)?, world.n_pes(), words))
    })
}

fn a_root_that_a_team_does_not_have_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    for whole in [0u32, 1] {
        ends_with(FaultStep::NoSuchMember, |world, fault, _| {
            (fault.asked, fault.seen) == (u64::from(world.n_pes()), u64::from(world.n_pes()))
        })
        .on_all(world, ctx, |world, ctx, words| {
            let (dest, source, root) = (words.cast::<u32>(), words.add(32).cast::<u32>(), world.n_pes());
            let args = (team(world)?, whole, dest, source, 2usize, root);
            ctx.launch("grid_broadcast_from", Launch::new(1, 32).collective(), args)
        })?;
    }
    Ok(())
}

fn a_collective_whose_destination_overlaps_its_source_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    checked(world)?;
    for name in ["team_reduce", "team_reducescatter", "team_fcollect", "team_alltoall", "team_broadcast"] {
        // The source ends one element into the destination, or begins in its last element.
        for source_first in [true, false] {
            let ends = |world: &World, words: SymPtr<u64>| {
                let n = world.n_pes() as usize;
                let of_all = |all| if all { 3 * n } else { 3 };
                let at = words.cast::<u32>();
                let sends = of_all(["team_reducescatter", "team_alltoall"].contains(&name));
                let gets = of_all(["team_fcollect", "team_alltoall"].contains(&name));
                if source_first { (at.add(sends - 1), at) } else { (at, at.add(gets - 1)) }
            };
            ends_with(FaultStep::Overlap, |world, fault, words| {
                let (dest, source) = ends(world, words);
                (fault.at, fault.seen) == (dest.addr().offset(), source.addr().offset())
            })
            .on_all(world, ctx, |world, ctx, words| launch_at(ctx, name, 1, team(world)?, ends(world, words), 3))?;
        }
    }
    Ok(())
}

fn an_alltoallv_whose_parts_arrive_in_data_that_is_sent_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    if !world.modules().collectives_check()? {
        return Err(Failure::skip("the kernels of collectives were built without `--checked`"));
    }
    // 4 bytes go to each member. Those of the last member arrive in the last byte that this member sends to the first
    // one.
    ends_with(FaultStep::Overlap, |_, fault, _| fault.asked == 4 && fault.at == fault.seen + 3).on_all(
        world,
        ctx,
        |world, ctx, words| {
            let (n, team) = (world.n_pes() as usize, world.team_world()?);
            let lists = ctx.calloc::<u64>(3 * n)?;
            let sent_from = |to: usize| 64 + 8 * to as u64;
            let arrives_at = |from: usize| if from == n - 1 { 64 + 3 } else { 8 * from as u64 };
            world.write(lists, &vec![4; n])?;
            world.write(lists.add(n), &(0..n).map(sent_from).collect::<Vec<_>>())?;
            world.write(lists.add(2 * n), &(0..n).map(arrives_at).collect::<Vec<_>>())?;
            world.barrier_all()?;
            let (bytes, way, stream) = (words.cast::<u8>(), CollectiveOptions::new(), &world.own_stream());
            let lists = Lists { counts: lists, source_starts: lists.add(n), dest_starts: lists.add(2 * n) };
            let call = team.on(stream).with_options(way).alltoallv(bytes, bytes, lists);
            // It lives as long as the world.
            std::mem::forget(team);
            Ok(call?)
        },
    )
}

fn a_row_that_exceeds_the_registers_is_a_fault_that_says_how_much_fits(world: &World, ctx: &Ctx) -> Outcome {
    // Packets carry the payload, and puts between remote members twice as much.
    ends_with(FaultStep::RoundTooLarge, |_, fault, _| fault.asked == 1200 && (fault.seen == 64 || fault.seen == 128))
        .on_all(world, ctx, |world, ctx, words| launch_of(ctx, "team_reduce_held", 1, team(world)?, words, 300))
}

fn a_row_of_parts_of_units_is_a_fault(world: &World, ctx: &Ctx) -> Outcome {
    ends_with(FaultStep::Misaligned, |_, fault, _| fault.asked == 8)
        .on_all(world, ctx, |world, ctx, words| launch_of(ctx, "team_reduce_held", 1, team(world)?, words, 3))
}
