//! Slices of symmetric memory: parts of them, and calls that would leave them.

use oxshmem_conformance_kernels::slices::BEYOND;
use oxshmem_hal::{Element, ErrorKind, Fault, FaultStep, Launch, Sum, SymSlice, World};

use super::case::cases;
use super::faults::ends_with;
use super::{Ctx, Failure, Outcome};

cases! { "slices":
    shares_of_a_slice_arrive_in_the_parts_that_are_for_them 1,
    the_chunks_of_a_half_are_fetched_and_nothing_beside_them 1,
    a_call_of_a_kernel_that_would_leave_a_slice_is_a_fault_and_does_nothing 1,
    a_call_of_the_host_that_would_leave_a_slice_is_an_error_and_does_nothing 1,
    a_count_of_all_is_that_of_the_slice 1,
}

/// Returns zeroed elements, which are freed at the end of the case.
fn zeroed<T: Element>(ctx: &Ctx, count: usize) -> Result<SymSlice<T>, Failure> {
    Ok(SymSlice::new(ctx.calloc(count)?, count))
}

/// Returns element `i` of the outbox of PE `pe`.
fn element(pe: usize, i: usize) -> u32 {
    (pe << 20 ^ i) as u32 + 1
}

fn shares_of_a_slice_arrive_in_the_parts_that_are_for_them(world: &World, ctx: &Ctx) -> Outcome {
    let (n, me) = (world.n_pes() as usize, world.my_pe().index());
    // Equal shares, unequal ones, and fewer elements than PEs.
    for len in [4 * n, 5 * n + n / 2, n / 2, 1] {
        let largest = len.div_ceil(n);
        // Each sender has a part, with an element more than it uses.
        let (inbox, outbox) = (zeroed::<u32>(ctx, n * (largest + 1))?, zeroed::<u32>(ctx, len.max(1))?);
        let (outbox, flags) = (outbox.try_range(..len)?, zeroed::<u64>(ctx, n)?);
        world.write(outbox, &(0..len).map(|i| element(me, i)).collect::<Vec<_>>())?;
        world.barrier_all()?;
        ctx.launch("slice_shares", Launch::new(1, 50).collective(), (inbox, outbox, flags))?;
        world.barrier_all()?;
        let first = me * (len / n) + me.min(len % n);
        let mine = len / n + usize::from(me < len % n);
        let mut expected = Vec::new();
        for pe in 0..n {
            expected.extend((first..first + mine).map(|i| element(pe, i)));
            expected.resize((pe + 1) * (largest + 1), 0);
        }
        ctx.check_same(|| format!("shares of {len} elements"), &world.read_vec(inbox)?, &expected);
    }
    Ok(())
}

fn the_chunks_of_a_half_are_fetched_and_nothing_beside_them(world: &World, ctx: &Ctx) -> Outcome {
    let (me, right) = (world.my_pe().index(), world.pe_after(1).index());
    for (len, chunk) in [(100, 7usize), (101, 51), (64, 1), (30, 1000)] {
        let (source, dest) = (zeroed::<u32>(ctx, len)?, zeroed::<u32>(ctx, len)?);
        world.write(source, &(0..len).map(|i| element(me, i)).collect::<Vec<_>>())?;
        world.barrier_all()?;
        ctx.launch("slice_fetch", Launch::new(1, 40), (dest, source, chunk))?;
        world.barrier_all()?;
        let mut expected: Vec<u32> = (len / 2..len).map(|i| 2 * element(right, i)).collect();
        expected.resize(len, 0);
        ctx.check_same(|| format!("half of {len} elements by {chunk}"), &world.read_vec(dest)?, &expected);
    }
    Ok(())
}

fn a_call_of_a_kernel_that_would_leave_a_slice_is_a_fault_and_does_nothing(world: &World, ctx: &Ctx) -> Outcome {
    for (what, name) in BEYOND.iter().enumerate() {
        let right = |world: &World, fault: &Fault, words| {
            // Half of the 16 words are 8, less one in a slice that is too short.
            let (asked, seen) = match *name {
                "put_nbi from a shorter slice"
                | "get_nbi to a shorter slice"
                | "put_signal_nbi from a shorter slice" => (8, 7),
                _ => (9, 8),
            };
            let unchanged = world.read_vec(SymSlice::new(words, 16)).is_ok_and(|all| all == [0; 16]);
            (fault.detail, fault.asked, fault.seen) == (Fault::OF_SLICE, 8 * asked, 8 * seen) && unchanged
        };
        ends_with(FaultStep::OutOfHeap, right).on_all(world, ctx, |_, ctx, words| {
            let words = SymSlice::new(words, 16);
            ctx.launch("slice_beyond", Launch::new(1, 32).collective(), (words, what as u32))
        })?;
    }
    Ok(())
}

fn a_call_of_the_host_that_would_leave_a_slice_is_an_error_and_does_nothing(world: &World, ctx: &Ctx) -> Outcome {
    let (n, next) = (world.n_pes() as usize, world.pe_after(1));
    let (all, beside) = (zeroed::<u64>(ctx, 5 + 5 * n)?, zeroed::<u64>(ctx, 5 + 5 * n)?);
    let (four, three) = (all.try_range(..4)?, all.try_range(1..4)?);
    let (team, stream) = (world.team_world()?, world.own_stream());
    let refused = |what: &str, call: oxshmem_hal::Result<()>, asked: usize, limit: usize| {
        let told = match &call {
            Ok(()) => "it was accepted".into(),
            Err(error) if error.kind() == ErrorKind::OutOfRange => error.to_string(),
            Err(error) => format!("another kind: {error}"),
        };
        let says = format!("the range leaves the slice: {asked} elements asked, {limit} available");
        ctx.check(told.contains(&says), || format!("{what}: {told}"));
    };
    refused("write", world.write(four, &[1; 5]), 5, 4);
    refused("put", world.put(four, &[1; 5], next), 5, 4);
    refused("get", world.get(&mut [1; 5], four, next), 5, 4);
    refused("put of a count", stream.put(four, beside, 5, next), 5, 4);
    refused("put from a shorter slice", stream.put(four, three, .., next), 4, 3);
    refused("get to a shorter slice", stream.get(three, four, .., next), 4, 3);
    refused("iput", stream.iput(four, beside, 2, 1, 3, next), 5, 4);
    refused("iget", stream.iget(beside, four, 1, 3, 3, next), 7, 4);
    refused("reduce", team.on(&stream).reduce(Sum, four, three, ..), 4, 3);
    refused("broadcast", team.on(&stream).broadcast(three, beside, 4, 0), 4, 3);
    refused("fcollect", team.on(&stream).fcollect(four, beside.try_range(..5)?, ..), 5 * n, 4);
    refused("alltoall", team.on(&stream).alltoall(four, beside.try_range(..5 * n)?, ..), 5 * n, 4);
    refused("reducescatter", team.on(&stream).reducescatter(Sum, beside.try_range(..4)?, three, ..), 4 * n, 3);
    stream.synchronize()?;
    world.barrier_all()?;
    ctx.check_same(|| "memory after refused calls".into(), &world.read_vec(all)?, &vec![0; 5 + 5 * n]);
    Ok(())
}

fn a_count_of_all_is_that_of_the_slice(world: &World, ctx: &Ctx) -> Outcome {
    let (n, me) = (world.n_pes() as usize, world.my_pe().index() as u64);
    let (source, dest) = (zeroed::<u64>(ctx, 2 * n)?, zeroed::<u64>(ctx, 2 * n + 1)?);
    let (team, stream) = (world.team_world()?, world.own_stream());
    let numbers: Vec<u64> = (0..2 * n as u64).map(|i| 100 * me + i).collect();
    let of = |pe: usize, i: usize| (100 * pe + i) as u64;
    let compare = |what: &str, expected: Vec<u64>| -> Outcome {
        let mut whole = expected;
        whole.resize(2 * n + 1, 0);
        ctx.check_same(|| what.into(), &world.read_vec(dest)?, &whole);
        world.write(dest, &vec![0; 2 * n + 1])?;
        Ok(world.barrier_all()?)
    };
    world.write(source, &numbers)?;
    world.barrier_all()?;
    let (pair, left) = (dest.try_range(..2)?, (world.my_pe().index() + n - 1) % n);
    stream.put(pair, source, .., world.pe_after(1))?;
    world.barrier_all()?;
    compare("put of all", (0..2).map(|i| of(left, i)).collect())?;
    team.fcollect(dest, source.try_range(..2)?, ..)?;
    compare("all-gather of all", (0..2 * n).map(|i| of(i / 2, i % 2)).collect())?;
    team.alltoall(dest, source, ..)?;
    let mine = 2 * me as usize;
    compare("all-to-all of all", (0..2 * n).map(|i| of(i / 2, mine + i % 2)).collect())?;
    let uneven = team.alltoall(dest, source.try_range(..2 * n - 1)?, ..).map_err(|error| error.kind());
    ctx.check(n == 1 || uneven == Err(ErrorKind::InvalidArgument), || format!("no equal shares: {uneven:?}"));
    if n == 1 {
        compare("all-to-all of one", vec![of(0, 0)])?;
    }
    team.reduce(Sum, pair, source, ..)?;
    compare("reduction of all", (0..2).map(|i| (0..n).map(|pe| of(pe, i)).sum()).collect())?;
    team.reducescatter(Sum, pair, source, ..)?;
    compare("reduce-scatter of all", (mine..mine + 2).map(|i| (0..n).map(|pe| of(pe, i)).sum()).collect())
}
