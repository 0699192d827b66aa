//! Copies whose local side is a `Local`.

use oxshmem_conformance_kernels::place::{BLOCK, THREAD, WARP};
use oxshmem_hal::{Element, Launch, World};

use super::case::cases;
use super::typed::for_types;
use super::{Ctx, Outcome};

cases! { "own":
    a_part_of_local_memory_is_put_got_and_put_with_a_signal 1,
    an_array_that_a_kernel_holds_is_put_and_got 1,
}

fn a_part_of_local_memory_is_put_got_and_put_with_a_signal(world: &World, ctx: &Ctx) -> Outcome {
    fn of<T: Element>(suffix: &str, world: &World, ctx: &Ctx) -> Outcome {
        for (scope, threads) in [(THREAD, 1), (WARP, 21), (BLOCK, 100)] {
            for count in [2, 3, 100, 1025] {
                let (mine, inbox, fetched) =
                    (ctx.calloc::<T>(count)?, ctx.calloc::<T>(count)?, ctx.calloc::<T>(count)?);
                let (flag, record) = (ctx.calloc::<u64>(1)?, ctx.record()?);
                world.barrier_all()?;
                let args = (scope, mine, inbox, fetched, count, flag, record);
                ctx.launch(&format!("own_part_{suffix}"), Launch::new(1, threads).collective(), args)?;
                world.barrier_all()?;
                ctx.check_record(record, |step| {
                    let (what, i) = (step >> 32, step & u64::from(u32::MAX));
                    format!("step {what}, element {i} of {count} {}, by {threads} threads", T::NAME)
                })?;
            }
        }
        Ok(())
    }
    for_types!(T, suffix => of::<T>(suffix, world, ctx)?; "u8" u8, "u64" u64, "f32" f32);
    Ok(())
}

fn an_array_that_a_kernel_holds_is_put_and_got(world: &World, ctx: &Ctx) -> Outcome {
    let (blocks, threads) = (2, 40);
    let (inbox, record) = (ctx.calloc::<u64>(3 * (blocks * threads) as usize)?, ctx.record()?);
    world.barrier_all()?;
    ctx.launch("own_array", Launch::new(blocks, threads), (inbox, record))?;
    world.barrier_all()?;
    ctx.check_record(record, |thread| format!("the array of thread {thread}"))
}
