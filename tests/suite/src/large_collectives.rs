//! Collectives of so much data that one block moves it in several steps.

use oxshmem_hal::{Algorithm, TeamOptions, World};

use super::case::cases;
use super::collectives::{AROUND, ends, options, sources, trial};
use super::rng::Rng;
use super::teams::teams;
use super::{Ctx, Failure};

cases! { "collectives":
    a_large_broadcast_reaches_every_member_from_each_root_and_in_place 1,
}

/// Elements and blocks: one step of a broadcast in parts, several of which the last is shorter, and whole shares.
const LARGE: [(usize, u32); 2] = [(262_144, 16), (262_144 + 4 * 1001, 2)];

fn a_large_broadcast_reaches_every_member_from_each_root_and_in_place(
    world: &World,
    ctx: &Ctx<'_>,
) -> Result<(), Failure> {
    let (seed, way) = (ctx.rng().next(), options(Algorithm::Direct));
    for team in teams(world, TeamOptions::default())? {
        let ends = ends::<u32>(ctx, LARGE[1].0, LARGE[1].0)?;
        let calls = LARGE.into_iter().flat_map(|large| (0..team.n_pes()).map(move |root| (large, root)));
        for ((count, blocks), root) in calls {
            let way = way.with_blocks(blocks);
            // PEs in teams of different sizes make different numbers of calls, so that each is drawn by itself.
            let all = sources::<u32>(Rng::new(seed ^ count as u64 ^ u64::from(root)).next(), &team, count);
            let me = &all[team.my_pe() as usize];
            let name = || format!("{count} elements of member {root} of {}", team.n_pes());
            trial(world, ctx, &ends, 0, me, &all[root as usize], &name, &|to, from| {
                world.broadcast_on(world.own_stream(), &team, way, to, from, count, root)
            })?;
            let at = ends.source.add(AROUND);
            world.broadcast_on(world.own_stream(), &team, way, at, at, count, root)?;
            world.synchronize()?;
            ctx.check_same(|| format!("{}, in place", name()), &ctx.read(at, count)?, &all[root as usize]);
        }
    }
    Ok(())
}
