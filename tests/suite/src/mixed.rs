//! Threads of a warp that make the same call with different arguments, and a block with a queue of its own.

use oxshmem_conformance_kernels::mixed::{HELD, ROW};
use oxshmem_conformance_kernels::place::{CUSTOM, DEFAULT};
use oxshmem_conformance_kernels::rma::{GET, GET_NBI, PUT, PUT_NBI};
use oxshmem_hal::{EXCLUSIVE_BYTES, Launch, World};

use super::bytes::size;
use super::case::cases;
use super::rng::bytes;
use super::{Ctx, Outcome};

cases! { "mixed":
    lanes_with_other_sizes_memories_and_peers_each_copy_their_own 1,
    a_block_with_a_queue_of_its_own_does_what_any_other_does 1,
}

/// Bytes of a thread's slot.
const SLOT: usize = 2048;

/// The copy of one thread.
#[derive(Clone, Copy)]
struct Part {
    bytes: usize,
    distance: u32,
    held: bool,
    first: usize,
}

fn lanes_with_other_sizes_memories_and_peers_each_copy_their_own(world: &World, ctx: &Ctx) -> Outcome {
    let (qp, mut rng) = (ctx.custom_qp()?, ctx.rng());
    for round in 0..ctx.rounds(4) {
        for (op, view) in [(PUT, DEFAULT), (PUT_NBI, CUSTOM), (GET, CUSTOM), (GET_NBI, DEFAULT)] {
            let (blocks, threads) = (rng.within(1, 2), rng.within(1, 96));
            let n = blocks * threads;
            let parts: Vec<Part> = (0..n)
                .map(|_| {
                    let held = rng.below(2) == 1;
                    let first = rng.below(40);
                    let bytes = size(&mut rng, if held { HELD } else { SLOT - first });
                    Part { bytes, distance: rng.below(world.n_pes() as usize) as u32, held, first }
                })
                .collect();
            let table: Vec<u64> = parts
                .iter()
                .flat_map(|part| [part.bytes as u64, part.distance.into(), part.held.into(), part.first as u64])
                .collect();
            debug_assert_eq!(table.len(), n * ROW);
            let at = ctx.calloc::<u64>(table.len())?;
            let (dest, source) = (ctx.calloc::<u8>(n * SLOT)?, ctx.calloc::<u8>(n * SLOT)?);
            let seed = rng.next();
            let contents = |pe: u32, salt: u64| bytes(seed ^ u64::from(pe) << 32 ^ salt, n * SLOT);
            let me = world.my_pe().number();
            ctx.write(at, &table)?;
            ctx.write(dest, &contents(me, 1))?;
            ctx.write(source, &contents(me, 2))?;
            world.barrier_all()?;
            let launch = Launch::new(blocks as u32, threads as u32);
            ctx.launch("mixed_lanes", launch, (op, view, qp, at, dest, source, SLOT))?;
            world.barrier_all()?;
            let mut expected = contents(me, 1);
            for (thread, part) in parts.iter().enumerate() {
                // The PE that puts to this one, or that this one gets from. All PEs have one table.
                let pulls = op == GET || op == GET_NBI;
                let from = if pulls { world.pe_after(part.distance) } else { ctx.pe_before(part.distance) };
                let range = thread * SLOT + part.first..thread * SLOT + part.first + part.bytes;
                expected[range.clone()].copy_from_slice(&contents(from.number(), 2)[range]);
            }
            let seen = ctx.read(dest, n * SLOT)?;
            if let Some(byte) = seen.iter().zip(&expected).position(|(seen, expected)| seen != expected) {
                let Part { bytes, distance, held, first } = parts[byte / SLOT];
                ctx.wrong(format!(
                    "op {op} in round {round}, {blocks} blocks of {threads}: byte {} of the slot of thread {} is {:#04x}, \
                     where {:#04x} is expected; it has {bytes} bytes from {first} on, {distance} PEs further, held: {held}",
                    byte % SLOT,
                    byte / SLOT,
                    seen[byte],
                    expected[byte]
                ));
            }
            ctx.check_same(|| format!("sources of op {op}"), &ctx.read(source, n * SLOT)?, &contents(me, 2));
        }
    }
    Ok(())
}

fn a_block_with_a_queue_of_its_own_does_what_any_other_does(world: &World, ctx: &Ctx) -> Outcome {
    let qp = ctx.custom_qp()?;
    for threads in [1, 32, 77, 256] {
        let (count, rounds) = (500, ctx.up_to(6) as u64);
        let words = ctx.calloc::<u64>(4 * (threads as usize + 1))?;
        let (data, record) = (ctx.calloc::<u32>(2 * count)?, ctx.record()?);
        let sent = |pe: u32| (0..count as u32).map(move |i| (pe << 16 | i) + threads).collect::<Vec<_>>();
        ctx.write(data.add(count), &sent(world.my_pe().number()))?;
        (0..threads as usize).try_for_each(|thread| ctx.write(words.add(4 * thread + 3), &[7 + thread as u64]))?;
        world.barrier_all()?;
        let launch = Launch::new(1, threads).shared_bytes(EXCLUSIVE_BYTES);
        ctx.launch("mixed_exclusive", launch, (qp, words, data, count, rounds, record))?;
        world.barrier_all()?;
        ctx.check_record(record, |thread| format!("a fetch by thread {thread} of {threads}"))?;
        let mut expected = Vec::new();
        // A warp's put uses the arguments of its first lane.
        (0..u64::from(threads)).for_each(|thread| expected.extend([thread << 32 | rounds, rounds, 0, 7 + thread]));
        let all = u64::from(threads);
        expected.extend([all * rounds, rounds, all, 0]);
        let mut seen = ctx.read(words, expected.len())?;
        for thread in 0..threads as usize {
            let put = std::mem::take(&mut seen[4 * thread + 2]);
            let leads = thread % 32 == 0;
            ctx.check(put == if leads { 7 + thread as u64 } else { 0 }, || {
                format!("{put} was put by the warp of thread {thread} of {threads}")
            });
        }
        ctx.check_same(|| format!("what {threads} threads wrote and added"), &seen, &expected);
        let from = ctx.pe_before(1).number();
        ctx.check_same(|| format!("what {threads} threads put together"), &ctx.read(data, count)?, &sent(from));
    }
    Ok(())
}
