//! Calls of the host, mixed with kernels and with each other.

use oxshmem_conformance_kernels::place::{BLOCK, DEFAULT, bits};
use oxshmem_conformance_kernels::rma::{GET, PUT};
use oxshmem_hal::{Element, ErrorKind, F16, Launch, Pe, QpHandle, SymAddr, SymPtr, World};

use super::case::cases;
use super::rng::bytes;
use super::typed::for_types;
use super::{Ctx, Outcome};

cases! { "host":
    what_the_host_puts_is_what_the_peers_host_gets 1,
    p_and_g_of_the_host_move_one_element 1,
    a_kernel_gets_what_a_host_put_and_a_host_gets_what_a_kernel_put 1,
    a_flag_that_the_host_puts_behind_a_fence_ends_a_kernels_wait_with_the_data_there 1,
    arguments_that_are_wrong_are_refused_with_what_is_wrong_and_nothing_is_touched 1,
    a_launch_that_is_wrong_is_refused_with_what_is_wrong 1,
    a_collective_launch_may_have_more_shared_memory_than_it_gets_unasked 1,
}

fn what_the_host_puts_is_what_the_peers_host_gets(world: &World, ctx: &Ctx) -> Outcome {
    let mut rng = ctx.rng();
    for _ in 0..ctx.rounds(30) {
        let (count, skew, room) = (rng.within(0, 5000), rng.below(16), 5100);
        let at = ctx.calloc::<u8>(room)?;
        let pattern = |pe: Pe| bytes(ctx.seed() ^ u64::from(pe.number()) ^ (count as u64) << 20, count);
        world.put(at.add(skew), &pattern(world.my_pe()), world.pe_after(1))?;
        world.barrier_all()?;
        let mut expected = vec![0; room];
        expected[skew..skew + count].copy_from_slice(&pattern(ctx.pe_before(1)));
        ctx.check_same(|| format!("{count} bytes put at {skew}"), &ctx.read(at, room)?, &expected);
        let mut got = vec![0; count];
        world.get(&mut got, at.add(skew), world.pe_after(2))?;
        let from = world.pe_after(1 + world.n_pes());
        ctx.check_same(|| format!("{count} bytes got from two PEs on"), &got, &pattern(from));
        world.barrier_all()?;
    }
    Ok(())
}

fn p_and_g_of_the_host_move_one_element(world: &World, ctx: &Ctx) -> Outcome {
    fn of<T: Element>(world: &World, ctx: &Ctx) -> Outcome {
        let at = ctx.calloc::<T>(3)?;
        let value = |pe: Pe| T::from_bits64(bits(u64::from(pe.number())) | 1);
        world.p(at.add(1), value(world.my_pe()), world.pe_after(1))?;
        world.barrier_all()?;
        let seen: Vec<u64> = ctx.read(at, 3)?.iter().map(|value| value.to_bits64()).collect();
        ctx.check_same(|| format!("p of {}", T::NAME), &seen, &[0, value(ctx.pe_before(1)).to_bits64(), 0]);
        let got = world.g(at.add(1), world.pe_after(1))?;
        ctx.check_same(|| format!("g of {}", T::NAME), &[got.to_bits64()], &[value(world.my_pe()).to_bits64()]);
        world.barrier_all()?;
        Ok(())
    }
    for_types!(T, _suffix => of::<T>(world, ctx)?; "u8" u8, "i16" i16, "f16" F16, "u32" u32, "f32" f32, "i64" i64, "f64" f64);
    Ok(())
}

fn a_kernel_gets_what_a_host_put_and_a_host_gets_what_a_kernel_put(world: &World, ctx: &Ctx) -> Outcome {
    let n = 3000;
    let (a, b, table) = (ctx.calloc::<u64>(n)?, ctx.calloc::<u64>(n)?, ctx.calloc::<u64>(5)?);
    let pattern = |pe: Pe| (0..n as u64).map(|i| bits(u64::from(pe.number()) << 32 ^ i)).collect::<Vec<_>>();
    let (me, right) = (world.my_pe(), world.pe_after(1));
    ctx.write(table, &[0, 0, n as u64, 1, 1])?;
    // The host puts to the right; a kernel there gets the value back to its origin and puts it on.
    world.put(a, &pattern(me), right)?;
    world.barrier_all()?;
    ctx.launch("rma_u64", Launch::new(2, 128), (GET, BLOCK, DEFAULT, QpHandle::DEFAULT, b, a, table, 1usize, right))?;
    world.own_stream().synchronize()?;
    ctx.check_same(|| "what a kernel got of what this host put".into(), &ctx.read(b, n)?, &pattern(me));
    world.barrier_all()?;
    ctx.launch(
        "rma_u64",
        Launch::new(2, 128),
        (PUT, BLOCK, DEFAULT, QpHandle::DEFAULT, a, b, table, 1usize, world.pe_after(2)),
    )?;
    world.barrier_all()?;
    let mut got = vec![0; n];
    world.get(&mut got, a, world.pe_after(2))?;
    ctx.check_same(|| "what this host got of what its kernel put".into(), &got, &pattern(me));
    world.barrier_all()?;
    Ok(())
}

fn a_flag_that_the_host_puts_behind_a_fence_ends_a_kernels_wait_with_the_data_there(
    world: &World,
    ctx: &Ctx,
) -> Outcome {
    let n = 500;
    let (inbox, copy, table) = (ctx.calloc::<u64>(n)?, ctx.calloc::<u64>(n)?, ctx.calloc::<u64>(5)?);
    let (word, seen) = (ctx.calloc::<u64>(1)?, ctx.calloc::<u64>(1)?);
    ctx.write(table, &[0, 0, n as u64, 1, 1])?;
    for round in 1..=ctx.rounds(20) as u64 {
        let pattern =
            |pe: Pe| (0..n as u64).map(|i| bits(round << 40 ^ u64::from(pe.number()) << 32 ^ i)).collect::<Vec<_>>();
        world.barrier_all()?;
        // The kernel may run before the host puts, and must not need the put to have happened.
        ctx.launch("host_wait_and_copy", Launch::new(1, 64).collective(), (word, round, inbox, copy, n, seen))?;
        world.put(inbox, &pattern(world.my_pe()), world.pe_after(1))?;
        world.fence()?;
        world.p(word, round, world.pe_after(1))?;
        world.barrier_all()?;
        ctx.check_same(
            || format!("what the kernel saw in round {round}"),
            &ctx.read(copy, n)?,
            &pattern(ctx.pe_before(1)),
        );
    }
    Ok(())
}

/// Checks that the call was refused with this kind of error and this text.
fn refused<T>(ctx: &Ctx, what: &str, outcome: oxshmem_hal::Result<T>, kind: ErrorKind, says: &[&str]) {
    match outcome {
        Ok(_) => ctx.wrong(format!("{what} was not refused")),
        Err(error) => {
            let text = error.to_string();
            ctx.check(error.kind() == kind && says.iter().all(|part| text.contains(part)), || {
                format!("{what} was refused as {:?}, where {kind:?} with {says:?} is expected: {text}", error.kind())
            });
        }
    }
}

fn arguments_that_are_wrong_are_refused_with_what_is_wrong_and_nothing_is_touched(world: &World, ctx: &Ctx) -> Outcome {
    let at = ctx.calloc::<u32>(4)?;
    let (n, mapped) = (world.n_pes(), world.heap().mapped);
    let nobody = Pe::new(n);
    refused(ctx, "a put to nobody", world.put(at, &[1], nobody), ErrorKind::OutOfRange, &[&format!("PE {n}")]);
    refused(ctx, "a get from nobody", world.g(at, nobody), ErrorKind::OutOfRange, &[&format!("PE {n}")]);
    refused(ctx, "a pointer to nobody", world.ptr(at, nobody), ErrorKind::OutOfRange, &[&format!("PE {n}")]);
    let end = SymPtr::<u32>::new(SymAddr::new(mapped - 4));
    refused(
        ctx,
        "a put over the end",
        world.put(end, &[1, 2], world.my_pe()),
        ErrorKind::OutOfRange,
        &[&format!("{:#x}", mapped - 4)],
    );
    let far = SymPtr::<u32>::new(SymAddr::new(u64::MAX - 3));
    refused(ctx, "a put behind all memory", world.put(far, &[1, 2], world.my_pe()), ErrorKind::OutOfRange, &[]);
    let odd = SymPtr::<u32>::new(SymAddr::new(at.addr().offset() + 2));
    refused(ctx, "a put between elements", world.p(odd, 1, world.my_pe()), ErrorKind::InvalidArgument, &["multiple"]);
    refused(ctx, "no memory", world.malloc::<u32>(0), ErrorKind::InvalidArgument, &["0"]);
    refused(
        ctx,
        "more memory than there are numbers",
        world.malloc::<u64>(usize::MAX / 4),
        ErrorKind::OutOfRange,
        &["overflow"],
    );
    refused(ctx, "an alignment of 3", world.align::<u32>(3, 1), ErrorKind::InvalidArgument, &["3", "power of two"]);
    refused(ctx, "no queue pairs", world.qps().create(0), ErrorKind::InvalidArgument, &["0"]);
    world.barrier_all()?;
    ctx.check_same(|| "memory after all that".into(), &ctx.read(at, 4)?, &[0; 4]);
    Ok(())
}

fn a_launch_that_is_wrong_is_refused_with_what_is_wrong(world: &World, ctx: &Ctx) -> Outcome {
    let kernel = ctx.kernel("reach_numbers")?;
    let (right, wrong) = (ctx.calloc::<u32>(8)?, ctx.calloc::<f64>(8)?);
    let launch = Launch::new(1, 1);
    let given = world.own_stream().launch_kernel(&kernel, launch, (wrong,));
    refused(ctx, "another type", given, ErrorKind::InvalidArgument, &["reach_numbers", "SymPtr<f64>", "SymPtr<u32>"]);
    let given = world.own_stream().launch_kernel(&kernel, launch, (right, 1u32));
    refused(ctx, "an argument too many", given, ErrorKind::InvalidArgument, &["1 arguments", "given 2"]);
    let grid = Launch::new(1 << 20, 1024).collective();
    refused(
        ctx,
        "too large a collective grid",
        world.own_stream().launch_kernel(&kernel, grid, (right,)),
        ErrorKind::Exhausted,
        &["1048576 blocks"],
    );
    ctx.check(ctx.kernel("no_such_kernel").is_err(), || "a kernel that is not there was found".into());
    // The world goes on afterwards.
    ctx.launch("reach_numbers", launch, (right,))?;
    world.own_stream().synchronize()?;
    ctx.check_same(|| "number after all that".into(), &ctx.read(right, 1)?, &[world.my_pe().number()]);
    Ok(())
}

fn a_collective_launch_may_have_more_shared_memory_than_it_gets_unasked(world: &World, ctx: &Ctx) -> Outcome {
    // Every kernel has 48 KiB; each supported GPU has 96 KiB a block for kernels that ask for it.
    for bytes in [1, 48 << 10, (48 << 10) + 1, 96 << 10] {
        let launch = Launch::new(1, 32).shared_bytes(bytes).collective();
        let (counters, record) = (ctx.calloc::<u64>(world.n_pes() as usize)?, ctx.record()?);
        world.barrier_all()?;
        // A PE whose launch is refused reports it; the others would wait for it in vain.
        let most = ctx.kernel("barrier_in_step")?.most_resident_blocks(world, launch)?;
        if world.all_gather("resident blocks", &[u8::from(most > 0)])?.concat().contains(&0) {
            ctx.wrong(format!("no block with {bytes} bytes of shared memory fits"));
            continue;
        }
        ctx.launch("barrier_in_step", launch, (BLOCK, counters, 3usize, record))?;
        world.barrier_all()?;
        ctx.check_record(record, |round| format!("round {round} with {bytes} bytes of shared memory"))?;
    }
    Ok(())
}
