//! Numbers, pointers and indices; rings and exchanges of all with all; queue pairs.

use oxshmem_conformance_kernels::place::bits;
use oxshmem_hal::{Launch, QpHandle, World};

use super::case::cases;
use super::{Ctx, Failure, Outcome};

cases! { "reach":
    every_pe_knows_its_number_and_its_neighbours 1,
    a_peers_memory_is_loaded_and_stored_by_its_pointer 1,
    every_thread_of_a_grid_in_three_directions_knows_where_it_is 1,
    a_token_goes_around_the_ring_as_often_as_asked 1,
    what_all_send_to_all_arrives_once_and_in_place 1,
    queue_pairs_are_created_and_destroyed_alike_on_every_pe 1,
    what_one_stream_puts_a_kernel_of_another_stream_sees_behind_a_barrier 1,
}

fn every_pe_knows_its_number_and_its_neighbours(world: &World, ctx: &Ctx) -> Outcome {
    let notes = ctx.calloc::<u32>(8)?;
    ctx.launch("reach_numbers", Launch::new(1, 1), (notes,))?;
    world.own_stream().synchronize()?;
    let (n, me) = (world.n_pes(), world.my_pe().number());
    let after = |distance: u32| (me + distance) % n;
    let before = |distance: u32| (me + n - distance % n) % n;
    let expected = [me, n, after(0), after(1), after(5), before(0), before(1), before(5)];
    ctx.check_same(|| "number, PEs, PEs after and before".into(), &ctx.read(notes, 8)?, &expected);
    let numbers: Vec<u32> = world.all_gather("numbers", &me.to_le_bytes())?.iter().map(|b| u32::from(b[0])).collect();
    ctx.check_same(|| "the numbers of all".into(), &numbers, &(0..n).collect::<Vec<_>>());
    Ok(())
}

fn a_peers_memory_is_loaded_and_stored_by_its_pointer(world: &World, ctx: &Ctx) -> Outcome {
    let count = 500;
    let (words, record) = (ctx.calloc::<u64>(2 * count)?, ctx.record()?);
    if world.pes().any(|pe| !matches!(world.ptr(words, pe), Ok(Some(_)))) {
        return Err(Failure::skip("not every PE is reached by load and store"));
    }
    let me = u64::from(world.my_pe().number());
    ctx.write(words, &(0..count as u64).map(|i| bits(me << 40 ^ i)).collect::<Vec<_>>())?;
    world.barrier_all()?;
    ctx.launch("reach_ptr", Launch::new(2, 96), (words, count, record))?;
    world.barrier_all()?;
    ctx.check_record(record, |i| format!("load of the right neighbour's element {i}"))?;
    let left = u64::from(ctx.pe_before(1).number());
    let expected: Vec<u64> = (0..count as u64).map(|i| bits(left << 32 ^ i)).collect();
    ctx.check_same(|| "what the left neighbour stored".into(), &ctx.read(words.add(count), count)?, &expected);
    Ok(())
}

fn every_thread_of_a_grid_in_three_directions_knows_where_it_is(world: &World, ctx: &Ctx) -> Outcome {
    for (grid, block) in
        [([1, 1, 1], [1, 1, 1]), ([3, 2, 4], [5, 3, 2]), ([1, 5, 1], [1, 1, 33]), ([7, 1, 2], [32, 2, 1])]
    {
        let threads = (grid.iter().product::<u32>() * block.iter().product::<u32>()) as usize;
        let (notes, visits) = (ctx.calloc::<u32>(14 * threads)?, ctx.calloc::<u32>(threads)?);
        ctx.launch("reach_indices", Launch::shaped(grid, block), (notes, visits))?;
        world.own_stream().synchronize()?;
        ctx.check_same(
            || format!("visits of each number, {grid:?} blocks of {block:?}"),
            &ctx.read(visits, threads)?,
            &vec![1; threads],
        );
        let mut expected = Vec::new();
        let places = |[nx, ny, nz]: [u32; 3]| {
            (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
        };
        for at in places(grid) {
            for (i, thread) in places(block).enumerate() {
                expected.extend([thread, at, block, grid].concat());
                expected.extend([i as u32, threads as u32]);
            }
        }
        ctx.check_same(|| format!("notes, {grid:?} blocks of {block:?}"), &ctx.read(notes, 14 * threads)?, &expected);
    }
    Ok(())
}

fn a_token_goes_around_the_ring_as_often_as_asked(world: &World, ctx: &Ctx) -> Outcome {
    let (token, flag, record) = (ctx.calloc::<u64>(2)?, ctx.calloc::<u64>(1)?, ctx.record()?);
    let turns = ctx.many_rounds(1000);
    world.barrier_all()?;
    ctx.launch("reach_ring", Launch::new(1, 1).collective(), (token, flag, turns, record))?;
    world.barrier_all()?;
    ctx.check_record(record, |turn| format!("the token in turn {turn}"))?;
    if world.my_pe().number() == 0 {
        let last = turns as u64 * u64::from(world.n_pes());
        ctx.check_same(
            || "token and signal at the end".into(),
            &[ctx.read(token, 1)?[0], ctx.read(flag, 1)?[0]],
            &[bits(last), last],
        );
    }
    Ok(())
}

fn what_all_send_to_all_arrives_once_and_in_place(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for _ in 0..ctx.rounds(20) {
        let (len, n) = (rng.within(1, 2000), world.n_pes() as usize);
        let (inbox, outbox, record) = (ctx.calloc::<u32>(n * len)?, ctx.calloc::<u32>(n * len)?, ctx.record()?);
        world.barrier_all()?;
        let launch = Launch::new(1, rng.within(1, 200) as u32).collective();
        ctx.launch("reach_all_to_all", launch, (inbox, outbox, len, record))?;
        world.barrier_all()?;
        ctx.check_record(record, |pe| format!("{len} elements from PE {pe}"))?;
    }
    Ok(())
}

fn queue_pairs_are_created_and_destroyed_alike_on_every_pe(world: &World, ctx: &Ctx) -> Outcome {
    for count in [1, 2, 7] {
        let handles = world.qps().create(count)?;
        ctx.check(handles.len() == count as usize, || {
            format!("asked for {count} queue pairs, given {}", handles.len())
        });
        let raw: Vec<i32> = handles.iter().map(|handle| handle.raw()).collect();
        // Handles are a stride of the number of PEs apart, or all are the default one.
        let all_default = handles.iter().all(|&handle| handle == QpHandle::DEFAULT);
        let strided = raw.windows(2).all(|pair| pair[1] == pair[0] + world.n_pes() as i32);
        ctx.check(all_default || strided, || format!("handles {raw:?}"));
        let bytes: Vec<u8> = raw.iter().flat_map(|raw| raw.to_le_bytes()).collect();
        let all = world.all_gather("handles", &bytes)?;
        ctx.check(all.iter().all(|theirs| *theirs == bytes), || "PEs were given different handles".into());
        world.qps().destroy(&handles)?;
    }
    Ok(())
}

fn what_one_stream_puts_a_kernel_of_another_stream_sees_behind_a_barrier(world: &World, ctx: &Ctx) -> Outcome {
    let (one, other) = (world.stream()?, world.stream()?);
    let launch = Launch::new(2, 64);
    let (slots, record) = (ctx.calloc::<u64>(128)?, ctx.record()?);
    let (write, read) = (ctx.kernel("barrier_write_right")?, ctx.kernel("barrier_read_left")?);
    for round in 0..ctx.rounds(10) as u64 {
        one.launch_kernel(&write, launch, (slots, round))?;
        one.synchronize()?;
        world.barrier_all()?;
        other.launch_kernel(&read, launch, (slots, round, record))?;
        other.barrier_all()?;
        other.synchronize()?;
    }
    ctx.check_record(record, |round| format!("round {round}"))
}
