//! An element that is read while it is written has its old or its new value, never parts of both.

use oxshmem_conformance_kernels::place::{BLOCK, THREAD, WARP};
use oxshmem_conformance_kernels::whole::{FROM_HOST, GET, PUT};
use oxshmem_hal::{Element, Launch, World};

use super::case::cases;
use super::typed::for_types;
use super::{Ctx, Outcome};

cases! { "whole":
    an_element_is_never_seen_in_part_while_it_is_put 2 = writes_meet_reads(PUT),
    an_element_is_never_got_in_part_while_it_is_written 2 = writes_meet_reads(GET),
    a_word_that_the_host_puts_is_seen_whole_by_the_wait_that_it_ends 1,
}

/// One group each: a thread, a warp, a block.
const GROUPS: [(u32, u32); 3] = [(THREAD, 1), (WARP, 32), (BLOCK, 64)];

/// The number of elements, and the distances in elements of source and destination from a multiple of 16 bytes: one
/// element alone, and arrays with equal and unequal alignment.
const SHAPES: [(usize, usize, usize); 5] = [(1, 0, 0), (1, 1, 0), (5, 1, 1), (37, 0, 1), (40, 1, 0)];

fn writes_meet_reads(world: &World, ctx: &Ctx, how: u32) -> Outcome {
    fn of<T: Element>(suffix: &str, world: &World, ctx: &Ctx, how: u32) -> Outcome {
        let rounds = ctx.many_rounds(300);
        for (scope, threads) in GROUPS {
            for (count, to, from) in SHAPES {
                let (words, other) = (ctx.calloc::<T>(count + 1)?.add(to), ctx.calloc::<T>(count + 1)?.add(from));
                let record = ctx.record()?;
                world.barrier_all()?;
                let args = (how, scope, words, other, count, rounds, record);
                ctx.launch(&format!("whole_{suffix}"), Launch::new(1, threads).collective(), args)?;
                world.barrier_all()?;
                ctx.check_record(record, |i| {
                    format!(
                        "element {i} of {count} {}, {from} behind 16 bytes here and {to} there, by {threads} threads",
                        T::NAME
                    )
                })?;
            }
        }
        Ok(())
    }
    for_types!(T, suffix => of::<T>(suffix, world, ctx, how)?; "u16" u16, "u32" u32, "u64" u64);
    Ok(())
}

fn a_word_that_the_host_puts_is_seen_whole_by_the_wait_that_it_ends(world: &World, ctx: &Ctx) -> Outcome {
    let count = ctx.many_rounds(2000);
    let (words, record) = (ctx.calloc::<u64>(count)?, ctx.record()?);
    world.barrier_all()?;
    ctx.launch("whole_from_host", Launch::new(1, 1).collective(), (words, count, record))?;
    for i in 0..count {
        match i % 2 {
            0 => world.p(words.add(i), FROM_HOST, world.pe_after(1))?,
            _ => world.put(words.add(i), &[FROM_HOST], world.pe_after(1))?,
        }
    }
    world.barrier_all()?;
    ctx.check_record(record, |i| format!("word {i} that the host put"))
}
