//! Groups meet at the start and at the end of a call.

use oxshmem_conformance_kernels::meeting::{OVERWRITES, READS, WAITS, WRITES};
use oxshmem_conformance_kernels::place::{ANY, BLOCK, CUSTOM, DEFAULT, WARP};
use oxshmem_hal::{Launch, World};

use super::case::cases;
use super::{Ctx, Outcome};

cases! { "meeting":
    a_group_sends_data_that_its_last_thread_writes_before_the_call 1 = calls(WRITES),
    a_group_passes_on_data_for_which_its_last_thread_waits_before_the_call 2 = calls(WAITS),
    a_get_leaves_its_destination_alone_until_the_last_thread_has_come 1 = calls(READS),
    a_source_may_be_overwritten_by_the_first_thread_that_returns 1 = calls(OVERWRITES),
}

const COUNTS: [usize; 6] = [1, 8, 32, 200, 1024, 4000];

/// Makes the calls of a kind by groups of each size, with each number of elements.
fn calls(world: &World, ctx: &Ctx, kind: u32) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    let (most, record) = (COUNTS[COUNTS.len() - 1], ctx.record()?);
    let (inbox, outbox) = (ctx.calloc::<u64>(most)?, ctx.calloc::<u64>(most)?);
    for (scope, threads) in [(WARP, 32), (WARP, 21), (BLOCK, 100), (BLOCK, 256)] {
        for &count in ctx.some(&COUNTS) {
            let (view, flags) = (rng.pick(&[DEFAULT, ANY, CUSTOM]), ctx.calloc::<u64>(2)?);
            world.barrier_all()?;
            let args = (kind, scope, view, qp, inbox, outbox, count, flags, rng.next(), record);
            ctx.launch("meeting", Launch::new(1, threads).collective(), args)?;
            world.barrier_all()?;
            ctx.check_record(record, |step| {
                let (call, i) = (step >> 32, step & u64::from(u32::MAX));
                format!("element {i} of {count} after call {call} by {threads} threads, scope {scope}, queue {view}")
            })?;
        }
    }
    Ok(())
}
