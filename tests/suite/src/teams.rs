//! Teams: members, and barriers over them.

use oxshmem_hal::{ErrorKind, Launch, Pe, Sum, Team, TeamOptions, World};

use super::case::cases;
use super::rng::Rng;
use super::{Ctx, Failure, Outcome};

cases! { "teams":
    a_team_numbers_its_members_in_their_order 1,
    a_team_is_split_in_strides_and_in_rows_and_columns 1,
    members_alone_make_teams_of_which_others_know_nothing 2,
    teams_without_number_are_made_used_and_dropped 1,
    hundreds_of_teams_of_default_options_exist_and_work_at_once 1,
    a_member_that_has_dropped_a_team_keeps_no_memory_of_the_others 3,
    members_that_differ_are_told_of_each_other 2,
    memory_of_teams_that_is_used_up_is_an_error_that_says_how_much 1,
    after_a_barrier_of_a_team_its_members_see_what_all_put_before_it 1,
    blocks_meet_on_slots_of_their_own 1,
    barriers_of_teams_on_a_stream_hold 1,
}

/// Returns four teams that have this PE as a member: all PEs in order, all in reverse order, every other PE, and all in
/// an order without a common distance.
pub(super) fn teams(world: &World, options: TeamOptions) -> Result<Vec<Team<'_>>, Failure> {
    let all: Vec<Pe> = world.pes().collect();
    let reversed: Vec<Pe> = all.iter().rev().copied().collect();
    let parity = world.my_pe().number() % 2;
    let every_other: Vec<Pe> = all.iter().copied().filter(|pe| pe.number() % 2 == parity).collect();
    // No common distance between the PEs.
    let mut mixed = all.clone();
    mixed.swap(0, all.len() / 2);
    [all, reversed, every_other, mixed].iter().map(|pes| Ok(world.team(pes, options)?)).collect()
}

fn a_team_numbers_its_members_in_their_order(world: &World, ctx: &Ctx) -> Outcome {
    let teams = teams(world, TeamOptions::default())?;
    for team in &teams {
        let me = team.members().iter().position(|pe| *pe == world.my_pe());
        ctx.check(me == Some(team.my_pe() as usize), || format!("{team:?} of {}", world.my_pe()));
        for (number, pe) in (0..).zip(team.members()) {
            let in_world = team.translate(number, &teams[0]);
            ctx.check(in_world == Some(pe.number()), || {
                format!("member {number} is {pe}, and {in_world:?} in the world")
            });
            ctx.check(teams[0].translate(pe.number(), team) == Some(number), || format!("{pe} is member {number}"));
        }
        ctx.check(team.translate(team.n_pes(), team).is_none(), || "there is one member too many".into());
    }
    Ok(())
}

fn a_team_is_split_in_strides_and_in_rows_and_columns(world: &World, ctx: &Ctx) -> Outcome {
    let all = world.team_world()?;
    let (n, me) = (world.n_pes(), world.my_pe().number());
    for columns in 1..=n + 1 {
        let (row, column) = all.split_2d(columns)?;
        let width = columns.min(n);
        let numbers = |team: &Team<'_>| team.members().iter().map(|pe| pe.number()).collect::<Vec<_>>();
        let expected: Vec<u32> = (0..n).filter(|pe| pe / width == me / width).collect();
        ctx.check_same(|| format!("the row of {me} of {columns}"), &numbers(&row), &expected);
        let expected: Vec<u32> = (0..n).filter(|pe| pe % width == me % width).collect();
        ctx.check_same(|| format!("the column of {me} of {columns}"), &numbers(&column), &expected);
    }
    let backwards = all.split_strided(n - 1, -1, n)?;
    ctx.check(backwards.is_some_and(|team| team.my_pe() == n - 1 - me), || "backwards".into());
    let error = all.split_strided(0, 1, n + 1).map(drop).unwrap_err();
    ctx.check(error.kind() == ErrorKind::OutOfRange, || error.to_string());
    let error = all.split_2d(0).map(drop).unwrap_err();
    ctx.check(error.to_string().contains("at least one column"), || error.to_string());
    Ok(())
}

fn members_alone_make_teams_of_which_others_know_nothing(world: &World, ctx: &Ctx) -> Outcome {
    // Every PE but the last makes a team, so that offsets differ from then on; then all make one.
    let but_last: Vec<Pe> = world.pes().take(world.n_pes() as usize - 1).collect();
    let some = but_last.contains(&world.my_pe()).then(|| world.team(&but_last, TeamOptions::default())).transpose()?;
    let all = world.team_world()?;
    let stream = world.stream()?;
    for team in some.iter().chain([&all]) {
        team.on(&stream).barrier()?;
    }
    stream.synchronize()?;
    let outside = world.team(&but_last, TeamOptions::default());
    match some {
        Some(_) => ctx.check(outside.is_ok(), || "a member is refused".into()),
        None => {
            let error = outside.map(drop).unwrap_err().to_string();
            ctx.check(error.contains("is not in it"), || error);
        }
    }
    Ok(())
}

fn teams_without_number_are_made_used_and_dropped(world: &World, ctx: &Ctx) -> Outcome {
    let pes: Vec<Pe> = world.pes().collect();
    let stream = world.stream()?;
    let (dest, source) = (ctx.calloc::<u64>(1)?, ctx.calloc::<u64>(1)?);
    let mut last = None;
    for round in 0..ctx.rounds(300) as u32 {
        // Any subset in any order; all PEs draw the same one.
        let mut rng = Rng::new(ctx.seed() ^ u64::from(round));
        let mut members: Vec<Pe> = pes.iter().copied().filter(|_| rng.below(4) > 0).collect();
        if members.len() > 1 {
            let turn = rng.below(members.len());
            members.rotate_left(turn);
        }
        if !members.contains(&world.my_pe()) {
            continue;
        }
        let team = world.team(&members, TeamOptions::default().with_slots(1 + round % 3))?;
        let value = u64::from(round) << 8;
        ctx.write(source, &[value | u64::from(world.my_pe().number())])?;
        team.on(&stream).reduce(Sum, dest, source, 1)?;
        team.on(&stream).barrier()?;
        stream.synchronize()?;
        let expected: u64 = members.iter().map(|pe| value | u64::from(pe.number())).sum();
        let found = ctx.read(dest, 1)?[0];
        ctx.check(found == expected, || format!("round {round} of {members:?}: {found:#x} and not {expected:#x}"));
        // One team is always there, so that offsets move.
        last = Some(team);
    }
    drop(last);
    Ok(())
}

fn hundreds_of_teams_of_default_options_exist_and_work_at_once(world: &World, ctx: &Ctx) -> Outcome {
    // The least size of a team grows with its members. Of a fixed size, eight teams would fit.
    let most = if world.n_pes() <= 8 { 200 } else { 50 };
    let (pes, count) = (world.pes().collect::<Vec<_>>(), ctx.rounds(most).max(24));
    let stream = world.stream()?;
    // PE 0 has less memory left than the others, so that members have room for different numbers of slots.
    let alone = (world.my_pe().number() == 0).then(|| world.team(&pes[..1], TeamOptions::default())).transpose()?;
    let mut teams = Vec::new();
    while teams.len() < count {
        teams.push(world.team_world()?);
    }
    let shapes: Vec<u8> = teams.iter().flat_map(|team| team.slots().to_le_bytes()).collect();
    let all = world.all_gather("slots of many teams", &shapes)?;
    ctx.check(all.iter().all(|theirs| *theirs == shapes), || "members differ in slots".into());
    let (dest, source) = (ctx.calloc::<u64>(500)?, ctx.calloc::<u64>(500)?);
    for (round, team) in (0..).zip(&teams) {
        ctx.write(source, &[u64::from(team.my_pe()) + round; 500])?;
        team.on(&stream).barrier()?;
        team.on(&stream).reduce(Sum, dest, source, 500)?;
        stream.synchronize()?;
        let n = u64::from(team.n_pes());
        let sum = n * (n - 1) / 2 + n * round;
        ctx.check(ctx.read(dest, 500)? == [sum; 500], || format!("the sum in team {round} of {count}"));
    }
    let most = teams[0].slots();
    for team in teams {
        world.drop_team(team)?;
    }
    world.barrier_all()?;
    let again = world.team_world()?.slots();
    ctx.check(again >= most, || format!("a later team has {again} slots, and the first one had {most}"));
    drop(alone);
    Ok(())
}

fn a_member_that_has_dropped_a_team_keeps_no_memory_of_the_others(world: &World, ctx: &Ctx) -> Outcome {
    let (me, all) = (world.my_pe().number(), world.pes().collect::<Vec<_>>());
    // Members say good-bye to the teams of earlier cases here, so that all memory is free.
    world.barrier_all()?;
    // A team of this shape takes more than a half of the memory: of two members, as much as one of one with twice the slots.
    let shape = |slots| TeamOptions::default().with_slots(slots).with_payload(1024);
    let mut twice = 2;
    for more in [4, 3] {
        while me == 0 && world.team(&all[..1], shape(twice * more / 2)).map(drop).is_ok() {
            twice = twice * more / 2;
        }
    }
    let of_all = world.all_gather("the shape of teams", &u32::to_le_bytes(twice / 2))?;
    let slots = u32::from_le_bytes(of_all[0].as_slice().try_into().expect("four bytes"));
    let make = |other: u32| -> Result<Option<Team<'_>>, Failure> {
        let is_member = me == 0 || me == other;
        Ok(if is_member { Some(world.team(&[all[0], all[other as usize]], shape(slots))?) } else { None })
    };
    if me == 0 {
        let error = (make(1)?, world.team(&all[..1], shape(slots * 2)).map(drop).unwrap_err());
        ctx.check(error.1.kind() == ErrorKind::Exhausted, || error.1.to_string());
        error.0.map_or(Ok(()), |team| world.drop_team(team))?;
    } else {
        make(1)?.map_or(Ok(()), |team| world.drop_team(team))?;
    }
    make(2)?.map_or(Ok(()), |team| world.drop_team(team))?;
    // PE 1 makes no other team until then.
    world.sync_all()?;
    for other in [1, 2] {
        drop(make(other)?);
        world.barrier_all()?;
    }
    Ok(())
}

fn members_that_differ_are_told_of_each_other(world: &World, ctx: &Ctx) -> Outcome {
    let mut pes: Vec<Pe> = world.pes().collect();
    if world.my_pe().number() == 0 {
        pes.reverse();
    }
    let error = world.team(&pes, TeamOptions::default()).map(drop).unwrap_err();
    let named =
        if world.my_pe().number() == 0 { error.pe() != Some(Pe::new(0)) } else { error.pe() == Some(Pe::new(0)) };
    ctx.check(error.kind() == ErrorKind::Mismatch && named, || error.to_string());
    let slots = 8 + u32::from(world.my_pe().number() == 0);
    let all: Vec<Pe> = world.pes().collect();
    // The memory of teams would not suffice if each failure kept its part.
    for _ in 0..300 {
        let error = world.team(&all, TeamOptions::default().with_slots(slots)).map(drop).unwrap_err();
        let has = |what| error.to_string().contains(what);
        ctx.check(has("with 8 slots") && has("with 9 slots"), || error.to_string());
    }
    let error = world.team(&[world.my_pe(), world.my_pe()], TeamOptions::default()).map(drop).unwrap_err();
    ctx.check(error.to_string().contains("is in it twice"), || error.to_string());
    // The failures leave no trace.
    world.team(&all, TeamOptions::default())?;
    Ok(())
}

fn memory_of_teams_that_is_used_up_is_an_error_that_says_how_much(world: &World, ctx: &Ctx) -> Outcome {
    let pes: Vec<Pe> = world.pes().collect();
    let error = world.team(&pes, TeamOptions::default().with_slots(1 << 20)).map(drop).unwrap_err();
    ctx.check(error.kind() == ErrorKind::Exhausted, || error.to_string());
    ctx.check(error.to_string().contains("OXSHMEM_TEAM_MEMORY"), || error.to_string());
    world.team(&pes, TeamOptions::default())?;
    Ok(())
}

fn after_a_barrier_of_a_team_its_members_see_what_all_put_before_it(world: &World, ctx: &Ctx) -> Outcome {
    meetings(world, ctx, 1, ctx.many_rounds(200))
}

fn blocks_meet_on_slots_of_their_own(world: &World, ctx: &Ctx) -> Outcome {
    meetings(world, ctx, if world.on_host() { 20 } else { 132 }, ctx.many_rounds(20))
}

fn meetings(world: &World, ctx: &Ctx, blocks: u32, rounds: usize) -> Outcome {
    let options = TeamOptions::default().with_slots(blocks).with_payload(16);
    for team in teams(world, options)? {
        for sync_only in [0u32, 1] {
            let seen = ctx.calloc::<u64>((world.n_pes() * blocks) as usize)?;
            let wrong = ctx.calloc::<u64>(1)?;
            world.barrier_all()?;
            let launch = Launch::new(blocks, 37).collective();
            ctx.launch("team_meetings", launch, (team.handle(), sync_only, seen, wrong, rounds))?;
            world.barrier_all()?;
            let late = ctx.read(wrong, 1)?[0];
            ctx.check(late == 0, || format!("{late} numbers were late among {} members", team.n_pes()));
        }
    }
    Ok(())
}

fn barriers_of_teams_on_a_stream_hold(world: &World, ctx: &Ctx) -> Outcome {
    let stream = world.stream()?;
    for team in teams(world, TeamOptions::default().with_slots(1))? {
        let words = ctx.calloc::<u64>(world.n_pes() as usize)?;
        world.barrier_all()?;
        for round in 1..=ctx.rounds(30) as u64 {
            let own = words.add(team.my_pe() as usize);
            world.write(own, &[round])?;
            for pe in team.members() {
                stream.put(own, own, 1, *pe)?;
            }
            team.on(&stream).barrier()?;
            stream.synchronize()?;
            let seen = ctx.read(words, team.n_pes() as usize)?;
            ctx.check(seen.iter().all(|seen| *seen == round || *seen == round + 1), || {
                format!("after barrier {round}: {seen:?}")
            });
            team.on(&stream).sync()?;
        }
        stream.synchronize()?;
    }
    Ok(())
}
