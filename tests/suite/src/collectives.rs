//! Collectives on streams and in kernels.

use oxshmem_hal::{
    Algorithm, And, AnyOp, Bf16, Bits, CollectiveOptions, E4m3, E5m2, Element, F16, Lists, Max, Min, Number, Or, Prod,
    ReduceOp, Reducible, Sum, SymPtr, Team, TeamOptions, World, Xor,
};

use super::case::cases;
use super::rng::Rng;
use super::teams::teams;
use super::{Ctx, Failure, Outcome};

cases! { "collectives":
    a_broadcast_gives_every_member_the_elements_of_its_root 1,
    an_fcollect_gives_every_member_the_elements_of_all_in_their_order 1,
    an_alltoall_gives_every_member_its_part_of_each 1,
    an_alltoall_with_counts_puts_each_part_where_its_receiver_wants_it 1,
    a_reduction_gives_every_member_the_same_bits_for_every_type_and_operation 1,
    a_reducescatter_gives_every_member_the_result_of_its_part 1,
    reductions_in_place_and_of_odd_and_misaligned_ranges_hold 1,
    collectives_back_to_back_on_two_teams_and_two_streams_hold 1,
    collectives_of_the_host_are_complete_on_return 1,
    arguments_that_make_no_sense_are_refused 1,
}

/// Numbers of elements: none, one, odd, whole and more than a round of packets.
const COUNTS: [usize; 7] = [0, 1, 3, 64, 1000, 4097, 20_011];
const WAYS: [Algorithm; 3] = [Algorithm::Auto, Algorithm::Packets, Algorithm::Direct];
/// Every byte of a destination before a call; the bytes around it keep this value.
const POISON: u8 = 0xb5;
/// Elements around a destination.
pub(super) const AROUND: usize = 40;

pub(super) fn options(way: Algorithm) -> CollectiveOptions {
    CollectiveOptions::default().with_algorithm(way)
}

/// Returns element `index` of a member's source: small enough for exact sums in every type, and a number in each.
fn element<T: Number>(seed: u64, member: u32, index: usize) -> T {
    let mut rng = Rng::new(seed ^ (u64::from(member) << 40) ^ index as u64);
    let small = rng.below(13) as f32 - 6.0;
    let bits = match T::NAME {
        "f32" => u64::from(small.to_bits()),
        "f64" => f64::from(small).to_bits(),
        "F16" => u64::from(F16::from_f32(small).to_bits()),
        "Bf16" => u64::from(Bf16::from_f32(small).to_bits()),
        "E4m3" => u64::from(E4m3::from_f32(small).to_bits()),
        "E5m2" => u64::from(E5m2::from_f32(small).to_bits()),
        _ => rng.next(),
    };
    T::from_bits64(bits)
}

/// Memory of a trial: a source and a destination, each with elements around it.
pub(super) struct Ends<T> {
    pub(super) dest: SymPtr<T>,
    pub(super) source: SymPtr<T>,
}

pub(super) fn ends<T: Element>(ctx: &Ctx, dest: usize, source: usize) -> Result<Ends<T>, Failure> {
    Ok(Ends { dest: ctx.calloc(dest + 2 * AROUND)?, source: ctx.calloc(source + 2 * AROUND)? })
}

/// Fills the source, poisons the destination, makes one call, and compares the destination and the elements around it.
#[allow(clippy::too_many_arguments, reason = "the parts of a trial")]
pub(super) fn trial<T: Number>(
    world: &World,
    ctx: &Ctx,
    ends: &Ends<T>,
    shift: usize,
    source: &[T],
    expected: &[T],
    name: &dyn Fn() -> String,
    call: &dyn Fn(SymPtr<T>, SymPtr<T>) -> Result<(), oxshmem_hal::Error>,
) -> Outcome {
    let poison = T::from_bits64(u64::from_le_bytes([POISON; 8]) >> (64 - 8 * T::WIDTH.bytes()));
    let (from, to) = (ends.source.add(AROUND + shift), ends.dest.add(AROUND));
    world.write(from, source)?;
    let whole = expected.len() + 2 * AROUND;
    world.write(ends.dest, &vec![poison; whole])?;
    call(to, from)?;
    world.own_stream().synchronize()?;
    let mut wanted = vec![poison; whole];
    wanted[AROUND..AROUND + expected.len()].copy_from_slice(expected);
    let bits = |values: &[T]| values.iter().map(|value| value.to_bits64()).collect::<Vec<_>>();
    ctx.check_same(name, &bits(&ctx.read(ends.dest, whole)?), &bits(&wanted));
    Ok(())
}

pub(super) fn sources<T: Number>(seed: u64, team: &Team<'_>, count: usize) -> Vec<Vec<T>> {
    (0..team.n_pes()).map(|member| (0..count).map(|index| element(seed, member, index)).collect()).collect()
}

fn counts(ctx: &Ctx) -> Vec<usize> {
    let most = ctx.up_to(20_011);
    COUNTS.into_iter().filter(|count| *count <= most.max(64)).collect()
}

fn a_broadcast_gives_every_member_the_elements_of_its_root(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for team in teams(world, TeamOptions::default())? {
        let ends = ends::<u8>(ctx, 20_011, 20_011)?;
        for (count, way) in counts(ctx).into_iter().flat_map(|count| WAYS.map(|way| (count, way))) {
            let (root, shift, seed) = (rng.below(team.n_pes() as usize) as u32, rng.below(9), rng.next());
            let all = sources::<u8>(seed, &team, count);
            let me = &all[team.my_pe() as usize];
            let name = || format!("{count} bytes of member {root} of {}, {way:?}", team.n_pes());
            trial(world, ctx, &ends, shift, me, &all[root as usize], &name, &|to, from| {
                team.on(&world.own_stream()).with_options(options(way)).broadcast(to, from, count, root)
            })?;
        }
    }
    Ok(())
}

fn an_fcollect_gives_every_member_the_elements_of_all_in_their_order(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for team in teams(world, TeamOptions::default())? {
        let ends = ends::<u16>(ctx, 20_011 * world.n_pes() as usize, 20_011)?;
        for (count, way) in counts(ctx).into_iter().flat_map(|count| WAYS.map(|way| (count, way))) {
            let (shift, all) = (rng.below(9), sources::<u16>(rng.next(), &team, count));
            let name = || format!("{count} elements of each of {}, {way:?}", team.n_pes());
            trial(world, ctx, &ends, shift, &all[team.my_pe() as usize], &all.concat(), &name, &|to, from| {
                team.on(&world.own_stream()).with_options(options(way)).fcollect(to, from, count)
            })?;
        }
    }
    Ok(())
}

fn an_alltoall_gives_every_member_its_part_of_each(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for team in teams(world, TeamOptions::default())? {
        let (n, me) = (team.n_pes() as usize, team.my_pe() as usize);
        let ends = ends::<u32>(ctx, 20_011 * world.n_pes() as usize, 20_011 * world.n_pes() as usize)?;
        for (count, way) in counts(ctx).into_iter().flat_map(|count| WAYS.map(|way| (count, way))) {
            let (shift, all) = (rng.below(9), sources::<u32>(rng.next(), &team, count * n));
            let expected: Vec<u32> =
                all.iter().flat_map(|source| source[me * count..(me + 1) * count].to_vec()).collect();
            let name = || format!("{count} elements of each of {n} to each, {way:?}");
            trial(world, ctx, &ends, shift, &all[me], &expected, &name, &|to, from| {
                team.on(&world.own_stream()).with_options(options(way)).alltoall(to, from, count)
            })?;
        }
    }
    Ok(())
}

fn an_alltoall_with_counts_puts_each_part_where_its_receiver_wants_it(world: &World, ctx: &Ctx) -> Outcome {
    const MOST: usize = 900;
    let mut rng = ctx.rng();
    for team in teams(world, TeamOptions::default())? {
        let (n, me, all_pes) = (team.n_pes() as usize, team.my_pe() as usize, world.n_pes() as usize);
        let lists = ctx.calloc::<u64>(3 * all_pes)?;
        let ends = ends::<u16>(ctx, MOST * all_pes, MOST * all_pes)?;
        for _ in 0..ctx.rounds(6) {
            // By sender and receiver; none is in the order of the members.
            let draw = rng.next();
            let count =
                |from: usize, to: usize| Rng::new(draw ^ ((from as u64) << 20) ^ to as u64).below(MOST + 1) / 2 * 2;
            let source_start = |to: usize| MOST * (n - 1 - to) + 3;
            let dest_start = |from: usize| MOST * ((from + 1) % n);
            let all = sources::<u16>(rng.next(), &team, MOST * n + 3);
            let list = |of: &dyn Fn(usize) -> usize| (0..n).map(|member| of(member) as u64).collect::<Vec<_>>();
            let lists = Lists { counts: lists, source_starts: lists.add(n), dest_starts: lists.add(2 * n) };
            world.write(lists.counts, &list(&|to| count(me, to)))?;
            world.write(lists.source_starts, &list(&source_start))?;
            world.write(lists.dest_starts, &list(&dest_start))?;
            let poison = u16::from_le_bytes([POISON; 2]);
            let mut expected = vec![poison; MOST * n];
            for (from, data) in all.iter().enumerate() {
                let (count, start) = (count(from, me), source_start(me));
                expected[dest_start(from)..][..count].copy_from_slice(&data[start..start + count]);
            }
            let name = || format!("counts for each pair of {n}");
            trial(world, ctx, &ends, 0, &all[me], &expected, &name, &|to, from| {
                let way = CollectiveOptions::default();
                let stream = &world.own_stream();
                team.on(stream).with_options(way).alltoallv(to, from, lists)
            })?;
            // No member writes its lists or its destination anew before all have read theirs.
            team.barrier()?;
        }
    }
    Ok(())
}

/// Reduces in the order of the members.
pub(super) fn reduced<T: Number, O: ReduceOp<T>>(op: O, all: &[Vec<T>], from: usize, count: usize) -> Vec<T> {
    let one = |index: usize| {
        let operands = all.iter().map(|source| source[index].widen());
        T::narrow(operands.reduce(|a, b| op.combine(a, b)).unwrap_or_else(|| T::default().widen()))
    };
    (from..from + count).map(one).collect()
}

fn reduce_type<T: Reducible, O: ReduceOp<T> + Into<AnyOp>>(
    world: &World,
    ctx: &Ctx,
    team: &Team<'_>,
    ends: &Ends<T>,
    op: O,
    count: usize,
    way: Algorithm,
) -> Outcome {
    let all = sources::<T>(ctx.seed() ^ count as u64, team, count);
    let name = || format!("{:?} of {count} {} of {}, {way:?}", op.into(), T::NAME, team.n_pes());
    trial(world, ctx, ends, count % 5, &all[team.my_pe() as usize], &reduced(op, &all, 0, count), &name, &|to, from| {
        team.on(&world.own_stream()).with_options(options(way)).reduce(op, to, from, count)
    })
}

fn numbers<T: Reducible>(world: &World, ctx: &Ctx, teams: &[Team<'_>]) -> Outcome {
    let ends = ends::<T>(ctx, 3000, 3000)?;
    for team in teams {
        for way in [Algorithm::Packets, Algorithm::Direct] {
            reduce_type::<T, _>(world, ctx, team, &ends, Sum, 2777, way)?;
            reduce_type::<T, _>(world, ctx, team, &ends, Min, 5, way)?;
            reduce_type::<T, _>(world, ctx, team, &ends, Max, 40, way)?;
            reduce_type::<T, _>(world, ctx, team, &ends, Prod, 33, way)?;
        }
    }
    Ok(())
}

fn integers<T: Bits + Reducible>(world: &World, ctx: &Ctx, teams: &[Team<'_>]) -> Outcome {
    numbers::<T>(world, ctx, teams)?;
    let ends = ends::<T>(ctx, 3000, 3000)?;
    for team in teams {
        reduce_type::<T, _>(world, ctx, team, &ends, And, 70, Algorithm::Auto)?;
        reduce_type::<T, _>(world, ctx, team, &ends, Or, 71, Algorithm::Direct)?;
        reduce_type::<T, _>(world, ctx, team, &ends, Xor, 72, Algorithm::Packets)?;
    }
    Ok(())
}

fn a_reduction_gives_every_member_the_same_bits_for_every_type_and_operation(world: &World, ctx: &Ctx) -> Outcome {
    let all = teams(world, TeamOptions::default())?;
    let teams = &all[..2];
    let types = [
        integers::<i8>,
        integers::<u8>,
        integers::<i16>,
        integers::<u16>,
        integers::<i32>,
        integers::<u32>,
        integers::<i64>,
        integers::<u64>,
        integers::<isize>,
        integers::<usize>,
        numbers::<E4m3>,
        numbers::<E5m2>,
        numbers::<F16>,
        numbers::<Bf16>,
        numbers::<f32>,
        numbers::<f64>,
    ];
    ctx.some(&types).try_for_each(|of| of(world, ctx, teams))
}

fn a_reducescatter_gives_every_member_the_result_of_its_part(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for team in teams(world, TeamOptions::default())? {
        let (n, me) = (team.n_pes() as usize, team.my_pe() as usize);
        let ends = ends::<f32>(ctx, 20_011, 20_011 * world.n_pes() as usize)?;
        for (count, way) in counts(ctx).into_iter().flat_map(|count| WAYS.map(|way| (count, way))) {
            let (shift, all) = (rng.below(9), sources::<f32>(rng.next(), &team, count * n));
            let expected = reduced(Sum, &all, me * count, count);
            let name = || format!("{count} elements for each of {n}, {way:?}");
            trial(world, ctx, &ends, shift, &all[me], &expected, &name, &|to, from| {
                team.on(&world.own_stream()).with_options(options(way)).reducescatter(Sum, to, from, count)
            })?;
        }
    }
    Ok(())
}

fn reductions_in_place_and_of_odd_and_misaligned_ranges_hold(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for team in ctx.some(&teams(world, TeamOptions::default())?) {
        let (n, me) = (team.n_pes() as usize, team.my_pe() as usize);
        let at = ctx.calloc::<u16>(20_011 * world.n_pes() as usize + 64)?;
        for (count, way) in counts(ctx).into_iter().flat_map(|count| WAYS.map(|way| (count, way))) {
            let (at, all) = (at.add(rng.below(9)), sources::<u16>(rng.next(), team, count * n));
            let stream = &world.own_stream();
            world.write(at, &all[me])?;
            team.on(stream).with_options(options(way)).reduce(Sum, at, at, count * n)?;
            world.own_stream().synchronize()?;
            let name = |what: &str| format!("{what} {count} elements of {n} in place, {way:?}");
            ctx.check_same(|| name("reduce"), &ctx.read(at, count * n)?, &reduced(Sum, &all, 0, count * n));

            let own = at.add(me * count);
            world.write(at, &all[me])?;
            team.on(stream).with_options(options(way)).reducescatter(Sum, own, at, count)?;
            world.own_stream().synchronize()?;
            let expected = reduced(Sum, &all, me * count, count);
            ctx.check_same(|| name("reducescatter"), &ctx.read(own, count)?, &expected);

            world.write(own, &all[me][..count])?;
            team.on(stream).with_options(options(way)).fcollect(at, own, count)?;
            world.own_stream().synchronize()?;
            let expected: Vec<u16> = all.iter().flat_map(|source| source[..count].to_vec()).collect();
            ctx.check_same(|| name("fcollect"), &ctx.read(at, count * n)?, &expected);
        }
    }
    Ok(())
}

fn collectives_back_to_back_on_two_teams_and_two_streams_hold(world: &World, ctx: &Ctx) -> Outcome {
    let teams = [world.team_world()?, world.team_world()?];
    let streams = [world.stream()?, world.stream()?];
    let n = world.n_pes() as usize;
    let most = 3000;
    let at = [ctx.calloc::<u64>(most * n)?, ctx.calloc::<u64>(most * n)?];
    let mut rng = ctx.rng();
    for _ in 0..ctx.rounds(4) {
        let values: Vec<Vec<u64>> = sources(rng.next(), &teams[0], most);
        for at in at {
            world.write(at, &values[world.my_pe().index()])?;
        }
        world.barrier_all()?;
        let mut expected = [values.clone(), values];
        for step in 0..ctx.rounds(25) {
            let which = rng.below(2);
            let (team, stream, at) = (&teams[which], &streams[which], at[which]);
            let (way, count, root) = (rng.pick(&WAYS), rng.within(1, most), rng.below(n) as u32);
            let values = &mut expected[which];
            if step % 3 == 0 {
                team.on(stream).with_options(options(way)).broadcast(at, at, count, root)?;
                let from = values[root as usize][..count].to_vec();
                values.iter_mut().for_each(|values| values[..count].copy_from_slice(&from));
            } else {
                team.on(stream).with_options(options(way)).reduce(Sum, at, at, count)?;
                let sums = reduced(Sum, values, 0, count);
                values.iter_mut().for_each(|values| values[..count].copy_from_slice(&sums));
            }
        }
        for (which, at) in at.into_iter().enumerate() {
            streams[which].synchronize()?;
            let expected = &expected[which][world.my_pe().index()];
            ctx.check_same(|| format!("after the calls on stream {which}"), &ctx.read(at, most)?, expected);
        }
    }
    Ok(())
}

fn collectives_of_the_host_are_complete_on_return(world: &World, ctx: &Ctx) -> Outcome {
    let (team, n, count) = (world.team_world()?, world.n_pes() as usize, 700);
    let me = world.my_pe().index();
    let all = sources::<i32>(ctx.seed(), &team, n * count);
    let (dest, source) = (ctx.calloc::<i32>(n * count)?, ctx.calloc::<i32>(n * count)?);
    world.write(source, &all[me])?;
    team.reduce(Max, dest, source, count)?;
    ctx.check_same(|| "reduce".into(), &ctx.read(dest, count)?, &reduced(Max, &all, 0, count));
    team.reducescatter(Sum, dest, source, count)?;
    ctx.check_same(|| "reducescatter".into(), &ctx.read(dest, count)?, &reduced(Sum, &all, me * count, count));
    team.fcollect(dest, source, count)?;
    let expected: Vec<i32> = all.iter().flat_map(|one| one[..count].to_vec()).collect();
    ctx.check_same(|| "fcollect".into(), &ctx.read(dest, n * count)?, &expected);
    team.alltoall(dest, source, count)?;
    let expected: Vec<i32> = all.iter().flat_map(|one| one[me * count..(me + 1) * count].to_vec()).collect();
    ctx.check_same(|| "alltoall".into(), &ctx.read(dest, n * count)?, &expected);
    team.broadcast(dest, source, count, team.n_pes() - 1)?;
    ctx.check_same(|| "broadcast".into(), &ctx.read(dest, count)?, &all[n - 1][..count]);
    team.barrier()?;
    Ok(())
}

fn arguments_that_make_no_sense_are_refused(world: &World, ctx: &Ctx) -> Outcome {
    let team = world.team_world()?;
    let (stream, n) = (&world.own_stream(), world.n_pes() as usize);
    let at = ctx.calloc::<u32>(8 * n)?;
    let way = CollectiveOptions::default();
    let refused = |what: &str, outcome: Result<(), oxshmem_hal::Error>| match outcome {
        Ok(()) => ctx.wrong(format!("{what} was taken")),
        Err(error) => ctx.check(error.to_string().contains(what), || error.to_string()),
    };
    let root = team.n_pes();
    refused("the team has members 0 to", team.on(stream).with_options(way).broadcast(at, at, 4, root));
    refused("overlap", team.on(stream).with_options(way).alltoall(at, at, 4));
    refused("overlap", team.on(stream).with_options(way).broadcast(at, at.add(3), 4, 0));
    refused("overlap", team.on(stream).with_options(way).reduce(Sum, at, at.add(1), 4));
    let outside = at.add(1 << 40);
    refused("outside the symmetric heap", team.on(stream).with_options(way).fcollect(outside, at, 4));
    team.on(stream).with_options(way).reduce(Sum, at, at, 4)?;
    world.own_stream().synchronize()?;
    Ok(())
}
