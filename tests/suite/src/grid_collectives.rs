//! Collectives that all blocks of a grid make together, and those of much data by few blocks.

use oxshmem_hal::{Bf16, CollectiveOptions, F16, Launch, Reducible, Sum, TeamOptions, World};

use super::case::cases;
use super::collectives::{reduced, sources};
use super::rng::Rng;
use super::teams::teams;
use super::{Ctx, Outcome};

cases! { "collectives":
    collectives_by_whole_grids_hold_with_any_number_of_blocks 1,
    an_alltoall_with_counts_by_whole_grids_holds 1,
    reductions_of_much_data_by_few_blocks_hold 1,
}

/// Blocks of the grids, and slots of the teams: also fewer slots than blocks.
const GRIDS: [(u32, u32); 4] = [(1, 4), (3, 4), (9, 4), (24, 24)];
/// Threads of a block.
const THREADS: u32 = 48;

/// Returns the expected destination, from every PE's source before the first round.
fn expected(name: &str, all: &[Vec<u32>], me: usize, count: usize, rounds: usize) -> Vec<u32> {
    let (n, grown) = (all.len(), rounds as u32);
    let all: Vec<Vec<u32>> =
        all.iter().map(|one| one.iter().map(|value| value.wrapping_add(grown)).collect()).collect();
    match name {
        "grid_reduce" => reduced(Sum, &all, 0, count),
        "grid_reducescatter" => reduced(Sum, &all, me * count, count),
        "grid_fcollect" => all.iter().flat_map(|one| one[..count].to_vec()).collect(),
        "grid_alltoall" => all.iter().flat_map(|one| one[me * count..(me + 1) * count].to_vec()).collect(),
        _ => all[(rounds - 1) % n][..count].to_vec(),
    }
}

fn collectives_by_whole_grids_hold_with_any_number_of_blocks(world: &World, ctx: &Ctx) -> Outcome {
    for &(blocks, slots) in ctx.some(&GRIDS) {
        for team in teams(world, TeamOptions::default().with_slots(slots).with_payload(256))? {
            let (n, me) = (team.n_pes() as usize, team.my_pe() as usize);
            for name in ["grid_reduce", "grid_reducescatter", "grid_fcollect", "grid_alltoall", "grid_broadcast"] {
                // Less than a share for each block, and more than a round of packets.
                for count in [0, 5, 700, ctx.up_to(9001)] {
                    let most = count * world.n_pes() as usize;
                    let [dest, seen, source] = [(); 3].map(|()| ctx.calloc::<u32>(most));
                    let (dest, seen, source, rounds) = (dest?, seen?, source?, ctx.rounds(4));
                    let all: Vec<Vec<u32>> = sources(ctx.seed() ^ count as u64, &team, count * n);
                    world.write(source, &all[me])?;
                    world.barrier_all()?;
                    let launch = Launch::new(blocks, THREADS).collective();
                    ctx.launch(name, launch, (team.handle(), dest, seen, source, count, rounds))?;
                    world.barrier_all()?;
                    let expected = expected(name, &all, me, count, rounds);
                    let call = || format!("{name} of {count} elements by {blocks} blocks with {slots} slots");
                    ctx.check_same(call, &ctx.read(seen, expected.len())?, &expected);
                }
                ctx.tidy()?;
            }
        }
    }
    Ok(())
}

fn an_alltoall_with_counts_by_whole_grids_holds(world: &World, ctx: &Ctx) -> Outcome {
    const MOST: usize = 500;
    for (blocks, slots) in GRIDS {
        let team = world.team(&world.pes().collect::<Vec<_>>(), TeamOptions::default().with_slots(slots))?;
        let (n, me) = (team.n_pes() as usize, team.my_pe() as usize);
        let count = |from: usize, to: usize| Rng::new(ctx.seed() ^ ((from as u64) << 20) ^ to as u64).below(MOST + 1);
        let all: Vec<Vec<u32>> = sources(ctx.seed(), &team, MOST * n);
        let (dest, source, lists) =
            (ctx.calloc::<u32>(MOST * n)?, ctx.calloc::<u32>(MOST * n)?, ctx.calloc::<u64>(3 * n)?);
        let starts = (0..n).map(|member| (MOST * member) as u64);
        let counts = (0..n).map(|to| count(me, to) as u64);
        world.write(lists, &counts.chain(starts.clone()).chain(starts).collect::<Vec<_>>())?;
        world.write(source, &all[me])?;
        world.barrier_all()?;
        ctx.launch("grid_alltoallv", Launch::new(blocks, THREADS).collective(), (team.handle(), dest, source, lists))?;
        world.barrier_all()?;
        let mut expected = vec![0; MOST * n];
        for (from, data) in all.iter().enumerate() {
            let count = count(from, me);
            expected[MOST * from..][..count].copy_from_slice(&data[MOST * me..][..count]);
        }
        ctx.check_same(|| format!("counts, by {blocks} blocks"), &ctx.read(dest, MOST * n)?, &expected);
    }
    Ok(())
}

fn reductions_of_much_data_by_few_blocks_hold(world: &World, ctx: &Ctx) -> Outcome {
    fn of<T: Reducible>(world: &World, ctx: &Ctx) -> Outcome {
        let (team, n, me) = (world.team_world()?, world.n_pes() as usize, world.my_pe().index());
        // A megabyte and more for each block.
        let count = (2 << 20) / T::WIDTH.bytes() + 77;
        let (all, few) =
            (sources::<T>(ctx.rng().next(), &team, count * n), CollectiveOptions::default().with_blocks(2));
        let (source, dest) = (ctx.calloc::<T>(count * n)?, ctx.calloc::<T>(count)?);
        let stream = &world.own_stream();
        world.write(source, &all[me])?;
        team.on(stream).with_options(few).reduce(Sum, dest, source, count)?;
        world.own_stream().synchronize()?;
        ctx.check_same(|| format!("{count} sums"), &ctx.read(dest, count)?, &reduced(Sum, &all, 0, count));
        team.on(stream).with_options(few).reducescatter(Sum, dest, source, count)?;
        world.own_stream().synchronize()?;
        let expected = reduced(Sum, &all, me * count, count);
        ctx.check_same(|| format!("this member's {count} sums"), &ctx.read(dest, count)?, &expected);
        ctx.tidy()
    }
    ctx.some(&[of::<f32>, of::<Bf16>, of::<F16>]).try_for_each(|of| of(world, ctx))
}
