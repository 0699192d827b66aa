//! Collectives of so much data that one block moves it in several steps.

use oxshmem_hal::{Algorithm, TeamOptions, World};

use super::case::cases;
use super::collectives::{AROUND, ends, options, trial};
use super::teams::teams;
use super::{Ctx, Outcome};

cases! { "collectives":
    a_large_broadcast_reaches_every_member_in_place_and_elsewhere 1,
}

/// Elements and blocks: one step of a broadcast in parts, several of which the last is shorter, and whole shares.
const LARGE: [(usize, u32); 2] = [(262_144, 16), (262_144 + 4 * 1001, 2)];

fn a_large_broadcast_reaches_every_member_in_place_and_elsewhere(world: &World, ctx: &Ctx) -> Outcome {
    let (mut rng, way) = (ctx.rng(), options(Algorithm::Direct));
    for team in teams(world, TeamOptions::default())? {
        let ends = ends::<u32>(ctx, LARGE[1].0, LARGE[1].0)?;
        // From the first member and from the last one.
        for ((count, blocks), root) in LARGE.into_iter().zip([0, team.n_pes() - 1]) {
            let way = way.with_blocks(blocks);
            let draw = rng.next() as u32 | 1;
            let of = |member: u32| (0..count as u32).map(move |i| i.wrapping_mul(draw) ^ member << 24);
            let (me, expected) = (of(team.my_pe()).collect::<Vec<_>>(), of(root).collect::<Vec<_>>());
            let name = || format!("{count} elements of member {root} of {}", team.n_pes());
            trial(world, ctx, &ends, 0, &me, &expected, &name, &|to, from| {
                team.on(&world.own_stream()).with_options(way).broadcast(to, from, count, root)
            })?;
            let at = ends.source.add(AROUND);
            team.on(&world.own_stream()).with_options(way).broadcast(at, at, count, root)?;
            world.own_stream().synchronize()?;
            ctx.check_same(|| format!("{}, in place", name()), &ctx.read(at, count)?, &expected);
        }
    }
    Ok(())
}
