//! Values that the threads of a block share.

use oxshmem_conformance_kernels::place::{BLOCK, WARP};
use oxshmem_hal::{Bf16, Element, Launch, World};

use super::case::cases;
use super::typed::for_types;
use super::{Ctx, Outcome};

cases! { "block":
    elements_of_shared_memory_are_those_that_the_threads_of_the_block_wrote 1,
    the_value_of_a_groups_leader_reaches_its_threads_and_votes_count_each_of_them 1,
}

/// Numbers of threads of a block: one, a part of a warp, warps, and a part of the last one.
const THREADS: [u32; 5] = [1, 21, 64, 100, 256];

fn elements_of_shared_memory_are_those_that_the_threads_of_the_block_wrote(world: &World, ctx: &Ctx) -> Outcome {
    fn of<T: Element>(suffix: &str, world: &World, ctx: &Ctx) -> Outcome {
        let (record, rounds) = (ctx.record()?, ctx.many_rounds(5));
        for &threads in ctx.some(&THREADS) {
            for (from, count) in [(0, 1usize), (8, 33), (13, 500)] {
                let bytes = u32::next_multiple_of(from, 8) + 8 * count as u32 + 8;
                let launch = Launch::new(3, threads).shared_bytes(bytes);
                ctx.launch(&format!("block_shared_{suffix}"), launch, (from, count, rounds, record))?;
                world.own_stream().synchronize()?;
                ctx.check_record(record, |step| {
                    let (round, i) = (step >> 32, step & u64::from(u32::MAX));
                    format!("round {round}, element {i} of {count} {} from byte {from}, by {threads} threads", T::NAME)
                })?;
            }
        }
        Ok(())
    }
    for_types!(T, suffix => of::<T>(suffix, world, ctx)?; "u8" u8, "bf16" Bf16, "f32" f32, "i64" i64);
    Ok(())
}

fn the_value_of_a_groups_leader_reaches_its_threads_and_votes_count_each_of_them(world: &World, ctx: &Ctx) -> Outcome {
    fn of<T: Element>(suffix: &str, world: &World, ctx: &Ctx) -> Outcome {
        let (record, rounds) = (ctx.record()?, ctx.many_rounds(50));
        for (scope, threads) in [WARP, BLOCK].into_iter().flat_map(|scope| THREADS.map(|threads| (scope, threads))) {
            let words = ctx.calloc::<u64>(3 * threads as usize)?;
            ctx.launch(&format!("block_broadcast_{suffix}"), Launch::new(3, threads), (scope, words, rounds, record))?;
            world.own_stream().synchronize()?;
            ctx.check_record(record, |step| {
                let (round, thread) = (step >> 32, step & u64::from(u32::MAX));
                format!("round {round}, thread {thread} of blocks of {threads}, scope {scope}, of {}", T::NAME)
            })?;
        }
        Ok(())
    }
    for_types!(T, suffix => of::<T>(suffix, world, ctx)?; "u8" u8, "u32" u32, "i64" i64, "f64" f64);
    Ok(())
}
