//! Reductions to the largest value and its index.

use oxshmem_conformance_kernels::place::{BLOCK, THREAD, WARP};
use oxshmem_hal::{Comparable, Launch, Located, SymPtr, Team, TeamOptions, World};

use super::case::cases;
use super::rng::Rng;
use super::teams::teams;
use super::{Ctx, Failure, Outcome};

cases! { "collectives":
    the_largest_values_and_their_indices_are_found_on_streams 1,
    the_largest_values_and_their_indices_are_found_by_threads_warps_blocks_and_grids 1,
}

/// Returns elements of few values, so that many are equal; indices are in no order.
fn elements<T: Comparable>(ctx: &Ctx, member: u32, count: usize) -> Vec<Located<T>> {
    let mut rng = Rng::new(ctx.seed() ^ u64::from(member) << 32 ^ count as u64);
    let value = |small: i32| match T::NAME {
        "f32" if small == 3 => u64::from(f32::NAN.to_bits()),
        "f64" if small == 3 => f64::NAN.to_bits(),
        "f32" => u64::from((small as f32 - 1.5).to_bits()),
        "f64" => (f64::from(small) - 1.5).to_bits(),
        _ => (small as i64 - 2) as u64,
    };
    (0..count).map(|_| Located::new(T::from_bits64(value(rng.below(4) as i32)), rng.next())).collect()
}

fn words<T: Comparable>(elements: &[Located<T>]) -> Vec<u64> {
    elements.iter().flat_map(|one| one.to_words()).collect()
}

/// Writes the source, makes a call, and compares.
fn trial<T: Comparable>(
    world: &World,
    ctx: &Ctx,
    team: &Team<'_>,
    count: usize,
    name: &str,
    call: impl FnOnce(SymPtr<u64>, SymPtr<u64>) -> Result<SymPtr<u64>, Failure>,
) -> Outcome {
    let (dest, source) = (ctx.calloc::<u64>(2 * count)?, ctx.calloc::<u64>(2 * count)?);
    let all: Vec<Vec<Located<T>>> = (0..team.n_pes()).map(|member| elements(ctx, member, count)).collect();
    let largest = |i: usize| {
        // Numbers before NaN, then the largest value, then the smallest index.
        let rank = |one: &Located<T>| (one.value.partial_cmp(&one.value).is_some(), one.value);
        let better = |a: &Located<T>, b: &Located<T>| {
            let (x, y) = (rank(a), rank(b));
            let tied = x.0 == y.0 && (!x.0 || x.1 == y.1);
            if tied { a.index < b.index } else { x.0 && (!y.0 || x.1 > y.1) }
        };
        all.iter().map(|one| one[i]).reduce(|a, b| if better(&b, &a) { b } else { a }).unwrap_or_default()
    };
    world.write(source, &words(&all[team.my_pe() as usize]))?;
    world.barrier_all()?;
    let result = call(dest, source)?;
    world.barrier_all()?;
    let expected: Vec<Located<T>> = (0..count).map(largest).collect();
    let name = || format!("{name} of {count} {} of {}", T::NAME, team.n_pes());
    ctx.check_same(name, &ctx.read(result, 2 * count)?, &words(&expected));
    Ok(())
}

fn on_streams<T: Comparable>(world: &World, ctx: &Ctx, team: &Team<'_>) -> Outcome {
    let stream = &world.own_stream();
    for count in [0, 1, 33, 3000] {
        trial::<T>(world, ctx, team, count, "on a stream", |dest, source| {
            team.on(stream).reduce_maxloc::<T>(dest, source, count)?;
            Ok(dest)
        })?;
        trial::<T>(world, ctx, team, count, "in place by the host", |_, source| {
            team.reduce_maxloc::<T>(source, source, count)?;
            Ok(source)
        })?;
    }
    ctx.tidy()
}

fn the_largest_values_and_their_indices_are_found_on_streams(world: &World, ctx: &Ctx) -> Outcome {
    for team in teams(world, TeamOptions::default())? {
        let types = [on_streams::<i32>, on_streams::<i64>, on_streams::<f32>, on_streams::<f64>];
        ctx.some(&types).try_for_each(|of| of(world, ctx, &team))?;
    }
    Ok(())
}

fn in_kernels<T: Comparable>(world: &World, ctx: &Ctx, team: &Team<'_>) -> Outcome {
    for count in [0, 1, 33, 500] {
        for (scope, threads) in [(THREAD, 1), (WARP, 32), (WARP, 21), (BLOCK, 45)] {
            let name = format!("scope {scope} of {threads}");
            trial::<T>(world, ctx, team, count, &name, |dest, source| {
                let args = (team.handle(), scope, dest, source, count, ctx.rounds(3));
                ctx.launch(&format!("team_maxloc_{}", T::NAME), Launch::new(1, threads).collective(), args)?;
                Ok(dest)
            })?;
        }
        trial::<T>(world, ctx, team, count, "by 5 blocks", |dest, source| {
            let args = (team.handle(), dest, source, count);
            ctx.launch(&format!("grid_maxloc_{}", T::NAME), Launch::new(5, 40).collective(), args)?;
            Ok(dest)
        })?;
        ctx.tidy()?;
    }
    Ok(())
}

fn the_largest_values_and_their_indices_are_found_by_threads_warps_blocks_and_grids(
    world: &World,
    ctx: &Ctx,
) -> Outcome {
    for team in teams(world, TeamOptions::default().with_slots(3).with_payload(128))? {
        ctx.some(&[in_kernels::<f64>, in_kernels::<i32>]).try_for_each(|of| of(world, ctx, &team))?;
    }
    Ok(())
}
