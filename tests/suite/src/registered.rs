//! Memory of the program as symmetric memory.

use oxshmem_conformance_kernels::place::{BLOCK, DEFAULT};
use oxshmem_conformance_kernels::rma::{GET, PUT};
use oxshmem_hal::{DevicePtr, Error, ErrorKind, Launch, QpHandle, ShareableMemory, SymAddr, SymPtr, World};

use super::case::cases;
use super::rng::bytes;
use super::{Ctx, Failure, Outcome};

cases! { "registered":
    every_operation_reaches_memory_of_the_program_until_it_is_unregistered 1,
    places_are_used_again_and_no_other_memory_moves 1,
    a_wrong_call_is_an_error_on_every_pe_and_changes_nothing 1,
}

const MIB: usize = 1 << 20;

fn check_supported(world: &World) -> Outcome {
    match world.heap().can_grow {
        true => Ok(()),
        false => Err(Failure::skip("the heap is one allocation, shared by legacy IPC handles")),
    }
}

/// Registers memory that no reference covers.
fn register(world: &World, memory: &ShareableMemory) -> Result<SymPtr<u8>, Error> {
    // SAFETY: **mapped** and **unshared**: the memory is mapped until it is dropped, and used by its address alone.
    unsafe { world.user_memory().register_symmetric(memory.address(), memory.bytes()) }
}

/// Registers memory with a wish.
fn register_at(world: &World, memory: &ShareableMemory, wish: SymPtr<u8>) -> Result<SymPtr<u8>, Error> {
    // SAFETY: **mapped** and **unshared**: as above.
    unsafe { world.user_memory().register_symmetric_at(memory.address(), memory.bytes(), Some(wish.addr())) }
}

/// Takes memory out that no kernel uses.
fn unregister(world: &World, at: SymPtr<u8>, memory: &ShareableMemory) -> Result<(), Error> {
    // SAFETY: **unused**: the kernels of the cases have ended.
    unsafe { world.user_memory().unregister_symmetric(at, memory.bytes()) }
}

/// Sends the last elements of memory around the ring and back by kernels.
fn exchange(world: &World, ctx: &Ctx, what: &str, at: SymPtr<u8>, size: usize) -> Outcome {
    let n = size / 16;
    let (dest, source) = (at.cast::<u64>(), at.cast::<u64>().add(n));
    let (me, right, left) = (world.my_pe().number(), world.pe_after(1), ctx.pe_before(1).number());
    let of = |pe: u32| (0..3001).map(|i| u64::from(pe) << 32 | i).collect::<Vec<u64>>();
    let table = ctx.calloc::<u64>(5)?;
    ctx.write(table, &[n as u64 - 3000, n as u64 - 3001, 3000, 1, 1])?;
    ctx.write(source.add(n - 3001), &of(me))?;
    world.barrier_all()?;
    for (op, from) in [(PUT, left), (GET, right.number())] {
        let args = (op, BLOCK, DEFAULT, QpHandle::DEFAULT, dest, source, table, 1usize, right);
        ctx.launch("rma_u64", Launch::new(2, 64), args)?;
        world.barrier_all()?;
        ctx.check_same(
            || format!("{what}, by operation {op}"),
            &ctx.read(dest.add(n - 3000), 3000)?,
            &of(from)[..3000],
        );
        world.barrier_all()?;
    }
    Ok(())
}

fn every_operation_reaches_memory_of_the_program_until_it_is_unregistered(world: &World, ctx: &Ctx) -> Outcome {
    check_supported(world)?;
    let memory = world.user_memory().shareable(3 * MIB)?;
    let (me, right, left) = (world.my_pe().number(), world.pe_after(1), ctx.pe_before(1).number());
    for round in 0..3u64 {
        let at = register(world, &memory)?;
        exchange(world, ctx, "memory of the program", at, memory.bytes())?;
        // Of the host, from the one kind of memory into the other.
        let other = ctx.calloc::<u8>(5000)?;
        world.put(at.add(77), &bytes(u64::from(me) + round, 5000), right)?;
        world.quiet()?;
        world.barrier_all()?;
        let expected = bytes(u64::from(left) + round, 5000);
        ctx.check_same(|| "put of the host".into(), &ctx.read(at.add(77), 5000)?, &expected);
        let stream = world.own_stream();
        stream.get(other, at.add(77), 5000, right)?;
        world.own_stream().synchronize()?;
        ctx.check_same(|| "get on a stream".into(), &ctx.read(other, 5000)?, &bytes(u64::from(me) + round, 5000));
        // The program's own mapping leads to the same memory.
        let mut own = vec![0; 5000];
        // SAFETY: **mapped** and **unshared**: the range is in the memory, and nothing writes it.
        world.user_memory().read(unsafe { DevicePtr::<u8>::new(memory.address() + 77) }, &mut own)?;
        ctx.check_same(|| "the program's own mapping".into(), &own, &expected);
        let is_near = world.transport_to(right)? == "nvlink";
        ctx.check(world.ptr(at, right)?.is_some() == is_near, || "a pointer to the peer's memory".into());
        let words = at.cast::<u64>().add(1000);
        ctx.write(words, &[5])?;
        world.barrier_all()?;
        world.at(words, right).add(10 + u64::from(me))?;
        world.quiet()?;
        world.barrier_all()?;
        ctx.check_same(|| "an atomic".into(), &ctx.read(words, 1)?, &[15 + u64::from(left)]);
        let (gathered, n_pes) = (at.cast::<u64>().add(2000), world.n_pes() as usize);
        ctx.write(words, &[100 + u64::from(me)])?;
        world.barrier_all()?;
        world.team_world()?.fcollect(gathered, words, 1)?;
        let all: Vec<u64> = (0..n_pes as u64).map(|pe| 100 + pe).collect();
        ctx.check_same(|| "a collective".into(), &ctx.read(gathered, n_pes)?, &all);
        world.barrier_all()?;
        unregister(world, at, &memory)?;
        for (call, outcome) in [
            ("put", world.put(at, &[1], right)),
            ("get", world.get(&mut [0], at, right)),
            ("ptr", world.ptr(at, right).map(drop)),
        ] {
            ctx.check(outcome.is_err_and(|error| error.kind() == ErrorKind::OutOfRange), || {
                format!("{call} reaches memory that is unregistered")
            });
        }
    }
    Ok(())
}

fn places_are_used_again_and_no_other_memory_moves(_: &World, ctx: &Ctx) -> Outcome {
    // On a GPU an extent is a multiple of 2 MiB.
    let change = |config: oxshmem_hal::Config| config.with_heap_bytes(2 * MIB as u64).with_heap_limit(256 * MIB as u64);
    ctx.own_world(change, |world, ctx| {
        check_supported(world)?;
        let me = u64::from(world.my_pe().number());
        let kept = ctx.calloc::<u8>(100_000)?;
        ctx.write(kept, &bytes(me, 100_000))?;
        let end = world.heap().mapped;
        let sizes = [4, 2, 6].map(|size| size * MIB);
        let made = sizes.map(|size| world.user_memory().shareable(size));
        let [Ok(first), Ok(second), Ok(third)] = made else {
            return Err(Failure::wrong("memory can't be allocated"));
        };
        let places = [&first, &second, &third].map(|memory| register(world, memory));
        let [a, b, c] = [places[0].clone()?, places[1].clone()?, places[2].clone()?];
        ctx.check(a.addr().offset() == end, || format!("{a:?} is not at the heap's end, {end:#x}"));
        unregister(world, a, &first)?;
        // The heap grows after them, and kernels reach both sides of the gap.
        let grown = ctx.calloc::<u8>(8 * MIB)?;
        ctx.check(grown.addr().offset() > c.addr().offset(), || format!("{grown:?} is not after {c:?}"));
        exchange(world, ctx, "memory before a gap", kept, 98_304)?;
        exchange(world, ctx, "memory after a gap", c, third.bytes())?;
        exchange(world, ctx, "grown memory after a gap", grown, 8 * MIB)?;
        ctx.write(kept, &bytes(me, 100_000))?;
        let across = world.put(b, &[1], world.pe_after(1)).is_ok();
        let gap = world.put(SymPtr::<u8>::new(SymAddr::new(b.addr().offset() - 1)), &[1, 2], world.pe_after(1));
        ctx.check(across && gap.is_err_and(|error| error.to_string().contains("registered before")), || {
            "a range that begins in the gap is not refused".into()
        });
        world.quiet()?;
        world.barrier_all()?;
        unregister(world, b, &second)?;
        // Both gaps are one now, of which two registrations get a part each.
        let there = register_at(world, &second, SymPtr::new(SymAddr::new(end + 4 * MIB as u64)))?;
        ctx.check(there == b, || format!("{there:?} is not the wish {b:?}"));
        let again = register(world, &first)?;
        ctx.check(again == a, || format!("{again:?} is not in the gap at {a:?}"));
        exchange(world, ctx, "memory in a former gap", again, first.bytes())?;
        exchange(world, ctx, "memory at the place of a wish", there, second.bytes())?;
        exchange(world, ctx, "memory that stayed", c, third.bytes())?;
        for (at, memory) in [(c, &third), (there, &second), (again, &first)] {
            unregister(world, at, memory)?;
        }
        ctx.check_same(|| "what was allocated before".into(), &ctx.read(kept, 100_000)?, &bytes(me, 100_000));
        exchange(world, ctx, "grown memory after all of it", grown, 8 * MIB)?;
        Ok(())
    })
}

fn a_wrong_call_is_an_error_on_every_pe_and_changes_nothing(_: &World, ctx: &Ctx) -> Outcome {
    let change = |config: oxshmem_hal::Config| config.with_heap_bytes(2 * MIB as u64).with_heap_limit(32 * MIB as u64);
    ctx.own_world(change, |world, ctx| {
        check_supported(world)?;
        let me = world.my_pe().number();
        let heap = ctx.calloc::<u64>(1)?;
        let before = world.heap().mapped;
        let (memory, other) = (world.user_memory().shareable(4 * MIB)?, world.user_memory().shareable(4 * MIB)?);
        let (address, size) = (memory.address(), memory.bytes());
        let last = world.n_pes() - 1;
        // On the last PE alone, so that the others get its error.
        let on_last = |wrong: u64, right: u64| if me == last { wrong } else { right };
        let heap_address = world.ptr(heap, world.my_pe())?.map_or(0, |at| at as u64) / size as u64 * size as u64;
        let calls = [
            ("null", on_last(0, address), size, ErrorKind::InvalidArgument, "the address is null"),
            ("no bytes", address, 0, ErrorKind::InvalidArgument, "positive multiple"),
            ("part of a page", address, 4 * MIB - 5, ErrorKind::InvalidArgument, "positive multiple"),
            ("part of it", address, size / 2, ErrorKind::InvalidArgument, "has 4194304 bytes from"),
            (
                "from the middle",
                address + size as u64 / 2,
                size / 2,
                ErrorKind::InvalidArgument,
                "has 4194304 bytes from",
            ),
            ("the heap", on_last(heap_address, address), size, ErrorKind::InvalidArgument, "in the symmetric heap"),
        ];
        let is_said = |what: &str, outcome: Result<(), Error>, kind: ErrorKind, reason: &str| {
            let text = outcome.as_ref().map_or_else(ToString::to_string, |()| "no error".into());
            ctx.check(outcome.is_err_and(|error| error.kind() == kind) && text.contains(reason), || {
                format!("{what}: `{reason}` is not in: {text}")
            });
        };
        for (what, at, bytes, kind, reason) in calls {
            // SAFETY: **mapped** and **unshared**: the memory at `address` is; no other range is registered.
            let outcome = unsafe { world.user_memory().register_symmetric(at, bytes) }.map(drop);
            is_said(what, outcome, kind, reason);
        }
        if last > 0 {
            let bytes = if me == last { 2 * size } else { size };
            // SAFETY: **mapped** and **unshared**: the call fails.
            let outcome = unsafe { world.user_memory().register_symmetric(address, bytes) }.map(drop);
            is_said("sizes that differ", outcome, ErrorKind::Mismatch, "the size in bytes");
        }
        let at = register(world, &memory)?;
        is_said("twice", register(world, &memory).map(drop), ErrorKind::InvalidArgument, "registered already");
        let large = world.user_memory().shareable(32 * MIB)?;
        is_said("too much", register(world, &large).map(drop), ErrorKind::Exhausted, "OXSHMEM_HEAP_LIMIT");
        // SAFETY: **unused**: each of these calls fails.
        unsafe {
            let wrong = |at, bytes| world.user_memory().unregister_symmetric(at, bytes);
            is_said("half", wrong(at, size / 2), ErrorKind::InvalidArgument, "4194304 bytes are registered there");
            is_said("inside", wrong(at.add(64), size), ErrorKind::InvalidArgument, "it lies inside");
            is_said("the heap's", wrong(heap.cast(), 8), ErrorKind::InvalidArgument, "no memory of the program");
        }
        is_said("free", world.free(at), ErrorKind::InvalidArgument, "unregistered and not freed");
        let second = register(world, &other)?;
        exchange(world, ctx, "memory after all errors", at, size)?;
        exchange(world, ctx, "memory that was registered after the errors", second, size)?;
        unregister(world, at, &memory)?;
        let gone = unregister(world, at, &memory);
        is_said("unregistered twice", gone, ErrorKind::InvalidArgument, "unregistered already");
        unregister(world, second, &other)?;
        ctx.check(world.heap().mapped == before, || format!("the heap ends at {}, not {before}", world.heap().mapped));
        Ok(())
    })
}
