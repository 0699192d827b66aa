//! Symmetric memory.

use oxshmem_conformance_kernels::place::{BLOCK, DEFAULT};
use oxshmem_conformance_kernels::rma::{GET, PUT};
use oxshmem_hal::{Launch, QpHandle, SymPtr, World};

use super::case::cases;
use super::rng::bytes;
use super::{Ctx, Failure, Outcome};

cases! { "heap":
    memory_from_calloc_is_zero_also_where_it_was_used_before 1,
    memory_from_align_is_aligned_and_its_own 1,
    every_pe_is_given_the_same_places 1,
    allocations_lie_apart_and_outlive_each_other 1,
    growth_moves_nothing_and_kernels_reach_the_new_memory_of_every_peer 1,
}

fn memory_from_calloc_is_zero_also_where_it_was_used_before(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for _ in 0..ctx.rounds(10) {
        let count = rng.within(1, 20_000);
        let used = world.malloc::<u8>(count)?;
        ctx.write(used, &vec![0xa5; count])?;
        world.free(used)?;
        let at = world.calloc::<u8>(count)?;
        // A peer may write at once, because nothing zeroes the memory any more.
        let right = world.pe_after(1);
        world.p(at.add(count - 1), 7u8, right)?;
        world.barrier_all()?;
        let mut expected = vec![0; count];
        expected[count - 1] = 7;
        ctx.check_same(|| format!("{count} bytes of calloc"), &ctx.read(at, count)?, &expected);
        world.free(at)?;
    }
    Ok(())
}

fn memory_from_align_is_aligned_and_its_own(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    let mut all: Vec<(SymPtr<u8>, usize, u8)> = Vec::new();
    let most = if world.heap().can_grow { 24 } else { 21 };
    for shift in (0..=16).chain([21, most]) {
        let (alignment, count) = (1usize << shift, rng.within(1, 3000));
        let at = world.align::<u8>(alignment, count)?;
        ctx.check(at.addr().offset().is_multiple_of(alignment as u64), || {
            format!("asked for {alignment}, given offset {:#x}", at.addr().offset())
        });
        // The address in a kernel is aligned too.
        if let Some(pointer) = world.ptr(at, world.pe_after(1))? {
            ctx.check((pointer as usize).is_multiple_of(alignment), || {
                format!("asked for {alignment}, mapped at {pointer:p}")
            });
        }
        ctx.write(at, &vec![shift as u8 + 1; count])?;
        all.push((at, count, shift as u8 + 1));
    }
    for (at, count, mark) in all {
        ctx.check_same(|| format!("the allocation marked {mark}"), &ctx.read(at, count)?, &vec![mark; count]);
        world.free(at)?;
    }
    Ok(())
}

fn every_pe_is_given_the_same_places(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    let mut held: Vec<SymPtr<u8>> = Vec::new();
    let mut places = Vec::new();
    for _ in 0..ctx.rounds(60) {
        if !held.is_empty() && rng.below(3) == 0 {
            world.free(held.swap_remove(rng.below(held.len())))?;
        } else {
            let at = match rng.below(2) {
                0 => world.malloc::<u8>(rng.within(1, 5000))?,
                _ => world.align::<u8>(1 << rng.below(13), rng.within(1, 5000))?,
            };
            places.extend(at.addr().offset().to_le_bytes());
            held.push(at);
        }
    }
    let all = world.all_gather("places of allocations", &places)?;
    ctx.check(all.iter().all(|theirs| *theirs == places), || "PEs were given different places".into());
    held.into_iter().try_for_each(|at| world.free(at))?;
    Ok(())
}

fn allocations_lie_apart_and_outlive_each_other(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    let mut held: Vec<(SymPtr<u8>, usize, u64)> = Vec::new();
    let check = |&(at, count, seed): &(SymPtr<u8>, usize, u64)| {
        ctx.read(at, count)
            .map(|seen| ctx.check_same(|| format!("{count} bytes at {at:?}"), &seen, &bytes(seed, count)))
    };
    for _ in 0..ctx.rounds(100) {
        if held.len() > 5 && rng.below(2) == 0 {
            let gone = held.swap_remove(rng.below(held.len()));
            check(&gone)?;
            world.free(gone.0)?;
        }
        let (count, seed) = (rng.within(1, 9000), rng.next() ^ u64::from(world.my_pe().number()));
        let at = world.malloc::<u8>(count)?;
        ctx.write(at, &bytes(seed, count))?;
        held.push((at, count, seed));
    }
    for one in held {
        check(&one)?;
        world.free(one.0)?;
    }
    Ok(())
}

fn growth_moves_nothing_and_kernels_reach_the_new_memory_of_every_peer(world: &World, ctx: &Ctx) -> Outcome {
    if !world.heap().can_grow {
        return Err(Failure::skip("the heap is one allocation, shared by legacy IPC handles, which can't grow"));
    }
    ctx.own_world(
        // On a GPU an extent is a multiple of 2 MiB.
        |config| config.with_heap_bytes(2 << 20).with_heap_limit(256 << 20),
        |world, ctx| {
            let me = u64::from(world.my_pe().number());
            let kept = ctx.calloc::<u8>(100_000)?;
            let first = world.ptr(kept, world.pe_after(1))?;
            ctx.write(kept, &bytes(me, 100_000))?;
            let before = world.heap().mapped;
            let mut last = before;
            for megabytes in [3, 9, 20] {
                let n = megabytes << 17;
                let (dest, source) = (ctx.calloc::<u64>(n)?, ctx.calloc::<u64>(n)?);
                let mapped = world.heap().mapped;
                ctx.check(mapped > last, || format!("the heap stayed at {mapped} bytes"));
                last = mapped;
                let table = ctx.calloc::<u64>(5)?;
                // A kernel sends the last elements of the new memory there and back.
                let row = [n as u64 - 3000, n as u64 - 3001, 3000, 1, 1];
                ctx.write(table, &row)?;
                let sent: Vec<u64> = (0..3001).map(|i| me << 32 | i).collect();
                ctx.write(source.add(n - 3001), &sent)?;
                world.barrier_all()?;
                let right = world.pe_after(1);
                let args =
                    |op: u32, dest, source| (op, BLOCK, DEFAULT, QpHandle::DEFAULT, dest, source, table, 1usize, right);
                ctx.launch("rma_u64", Launch::new(2, 64), args(PUT, dest, source))?;
                world.barrier_all()?;
                let left = ctx.pe_before(1).number();
                let expected: Vec<u64> = (0..3000).map(|i| u64::from(left) << 32 | i).collect();
                ctx.check_same(
                    || format!("put into {megabytes} MiB of new memory"),
                    &ctx.read(dest.add(n - 3000), 3000)?,
                    &expected,
                );
                world.barrier_all()?;
                ctx.launch("rma_u64", Launch::new(2, 64), args(GET, dest, source))?;
                world.barrier_all()?;
                let expected: Vec<u64> = (0..3000).map(|i| u64::from(right.number()) << 32 | i).collect();
                ctx.check_same(
                    || format!("got from {megabytes} MiB of new memory"),
                    &ctx.read(dest.add(n - 3000), 3000)?,
                    &expected,
                );
            }
            ctx.check(world.ptr(kept, world.pe_after(1))? == first, || "what was allocated before has moved".into());
            ctx.check_same(|| "what was allocated before".into(), &ctx.read(kept, 100_000)?, &bytes(me, 100_000));
            world.barrier_all()?;
            Ok(())
        },
    )
}
