//! Collectives as calls of the host.

use oxshmem_hal::{Lists, TeamOptions, World};

use super::case::cases;
use super::collectives::sources;
use super::teams::teams;
use super::{Ctx, Outcome};

cases! { "collectives":
    an_alltoall_of_the_host_with_counts_is_complete_on_return 1,
    a_sync_of_a_team_on_the_host_waits_for_every_member 1,
}

fn an_alltoall_of_the_host_with_counts_is_complete_on_return(world: &World, ctx: &Ctx) -> Outcome {
    let (team, n, me, most) = (world.team_world()?, world.n_pes() as usize, world.my_pe().index(), 90);
    let all = sources::<i32>(ctx.seed(), &team, n * most);
    let (lists, dest, source) = (ctx.calloc::<u64>(2 * n)?, ctx.calloc::<i32>(n * most)?, ctx.calloc::<i32>(n * most)?);
    let count = |from: usize, to: usize| (7 * from + 3 * to) % most;
    let (counts, starts) = (lists, lists.add(n));
    world.write(source, &all[me])?;
    world.write(counts, &(0..n).map(|to| count(me, to) as u64).collect::<Vec<_>>())?;
    world.write(starts, &(0..n).map(|member| (member * most) as u64).collect::<Vec<_>>())?;
    team.alltoallv(dest, source, Lists { counts, source_starts: starts, dest_starts: starts })?;
    let mut expected = vec![0; n * most];
    for (from, data) in all.iter().enumerate() {
        let count = count(from, me);
        expected[from * most..][..count].copy_from_slice(&data[me * most..][..count]);
    }
    ctx.check_same(|| "alltoallv".into(), &ctx.read(dest, n * most)?, &expected);
    // No member frees its lists before all have read theirs.
    team.sync()?;
    Ok(())
}

fn a_sync_of_a_team_on_the_host_waits_for_every_member(world: &World, ctx: &Ctx) -> Outcome {
    for team in teams(world, TeamOptions::default().with_slots(1))? {
        let words = ctx.calloc::<u64>(world.n_pes() as usize)?;
        world.barrier_all()?;
        for round in 1..=ctx.rounds(20) as u64 {
            for pe in team.members() {
                world.p(words.add(team.my_pe() as usize), round, *pe)?;
            }
            world.quiet()?;
            team.sync()?;
            let seen = ctx.read(words, team.n_pes() as usize)?;
            ctx.check(seen.iter().all(|seen| *seen == round || *seen == round + 1), || {
                format!("after sync {round}: {seen:?}")
            });
        }
    }
    Ok(())
}
