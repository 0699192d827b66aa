//! Collectives in kernels.

use oxshmem_conformance_kernels::place::{BLOCK, THREAD, WARP};
use oxshmem_conformance_kernels::team::{
    ALLTOALL, BROADCAST, FCOLLECT, HELD_UNITS, REDUCE, REDUCE_HELD, REDUCESCATTER,
};
use oxshmem_hal::{Launch, Sum, Team, TeamOptions, World, Xor};

use super::case::cases;
use super::collectives::{reduced, sources};
use super::teams::teams;
use super::{Ctx, Outcome};

cases! { "collectives":
    collectives_in_kernels_by_threads_warps_and_blocks_hold 1,
    blocks_use_one_team_at_once 1,
    reductions_into_registers_give_the_same_as_into_memory 1,
    sums_over_a_block_follow_each_other 1,
}

/// Runs rounds of a collective in kernels of `blocks` blocks, and checks the destination of each.
fn in_kernels(
    world: &World,
    ctx: &Ctx,
    team: &Team<'_>,
    (scope, threads, blocks): (u32, u32, u32),
    (what, way): (u32, u32),
    (count, rounds): (usize, usize),
) -> Outcome {
    let (n, me) = (team.n_pes() as usize, team.my_pe() as usize);
    let apart = count * n;
    // The same on every PE: teams may differ in size.
    let most = count * (world.n_pes() * blocks) as usize;
    let (dest, source) = (ctx.calloc::<u32>(most)?, ctx.calloc::<u32>(most)?);
    let all: Vec<Vec<u32>> = sources(ctx.seed() ^ count as u64, team, apart * blocks as usize);
    world.write(source, &all[me])?;
    world.barrier_all()?;
    let args = (team.handle(), scope, way, dest, source, count, apart, rounds);
    let kernel = match what {
        REDUCE => "team_reduce",
        REDUCESCATTER => "team_reducescatter",
        FCOLLECT => "team_fcollect",
        ALLTOALL => "team_alltoall",
        REDUCE_HELD => "team_reduce_held",
        _ => "team_broadcast",
    };
    ctx.launch(kernel, Launch::new(blocks, threads).collective(), args)?;
    world.barrier_all()?;
    let seen = ctx.read(dest, apart * blocks as usize)?;
    for block in 0..blocks as usize {
        // The last round has the sources of the first one, and as many more as rounds were between.
        let add = (rounds - 1) as u32;
        let part = |from: usize, count: usize| -> Vec<Vec<u32>> {
            let start = block * apart + from;
            all.iter()
                .map(|all| all[start..start + count].iter().map(|value| value.wrapping_add(add)).collect())
                .collect()
        };
        let expected = match what {
            REDUCE | REDUCE_HELD => reduced(Xor, &part(0, count), 0, count),
            REDUCESCATTER => reduced(Sum, &part(me * count, count), 0, count),
            FCOLLECT => part(0, count).concat(),
            ALLTOALL => part(me * count, count).concat(),
            _ => part(0, count)[(rounds - 1) % n].clone(),
        };
        let name =
            || format!("collective {what}, way {way}, scope {scope} of {threads}, {count} elements, block {block}");
        ctx.check_same(name, &seen[block * apart..block * apart + expected.len()], &expected);
    }
    Ok(())
}

const EACH: [u32; 5] = [REDUCE, REDUCESCATTER, FCOLLECT, ALLTOALL, BROADCAST];

fn collectives_in_kernels_by_threads_warps_and_blocks_hold(world: &World, ctx: &Ctx) -> Outcome {
    for team in teams(world, TeamOptions::default())? {
        let groups = [(THREAD, 1, 1), (WARP, 32, 1), (WARP, 21, 1), (BLOCK, 45, 1), (BLOCK, 256, 1)];
        for (row, group) in groups.into_iter().enumerate() {
            for (column, (what, way)) in EACH.into_iter().flat_map(|what| [1, 2].map(|way| (what, way))).enumerate() {
                // With few rounds each group and each collective still has all of them in turn.
                let mut counts = [1, 7, 300];
                counts.rotate_left((row + column) % 3);
                for &count in ctx.some(&counts) {
                    in_kernels(world, ctx, &team, group, (what, way), (count, ctx.rounds(7)))?;
                }
            }
            ctx.tidy()?;
        }
    }
    Ok(())
}

fn blocks_use_one_team_at_once(world: &World, ctx: &Ctx) -> Outcome {
    let blocks = if world.on_host() { 12 } else { 132 };
    let pes: Vec<_> = world.pes().collect();
    let team = world.team(&pes, TeamOptions::default().with_slots(blocks).with_payload(256))?;
    for (what, way) in EACH.into_iter().flat_map(|what| [1, 2].map(|way| (what, way))) {
        in_kernels(world, ctx, &team, (BLOCK, 64, blocks), (what, way), (130, ctx.rounds(9)))?;
    }
    Ok(())
}

fn reductions_into_registers_give_the_same_as_into_memory(world: &World, ctx: &Ctx) -> Outcome {
    for (scope, threads, blocks) in [(THREAD, 1, 2), (WARP, 32, 1), (WARP, 21, 1), (BLOCK, 45, 2), (BLOCK, 128, 1)] {
        // Two elements of 4 bytes are a unit.
        let most = 2 * HELD_UNITS * threads as usize;
        let options = TeamOptions::default().with_slots(blocks).with_payload((4 * most as u32).next_multiple_of(16));
        for team in teams(world, options)? {
            for count in [0, 2, most / 4 * 2, most] {
                for way in [0, 1, 2] {
                    let group = (scope, threads, blocks);
                    in_kernels(world, ctx, &team, group, (REDUCE_HELD, way), (count, ctx.rounds(7)))?;
                }
            }
        }
        ctx.tidy()?;
    }
    Ok(())
}

fn sums_over_a_block_follow_each_other(world: &World, ctx: &Ctx) -> Outcome {
    let wrong = ctx.calloc::<u64>(1)?;
    for threads in [1, 21, 32, 33, 200, 1024] {
        let launch = Launch::new(2, threads).shared_bytes(128);
        ctx.launch("block_sums", launch, (wrong, ctx.many_rounds(20) as u32))?;
        world.own_stream().synchronize()?;
        let wrong = ctx.read(wrong, 1)?[0];
        ctx.check(wrong == 0, || format!("{wrong} sums over {threads} threads are wrong"));
    }
    Ok(())
}
