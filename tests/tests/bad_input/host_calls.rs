//! Calls of the host: PEs, addresses, sizes, counts.

use super::config;
use oxshmem_hal::{Error, ErrorKind, FaultStep, Pe, QpHandle, World};

use super::{MIB, ONE, far, faults, launch, says};

// Host calls.

#[test]
fn a_host_call_on_a_pe_that_does_not_exist_names_it_and_those_that_do() {
    let outcome = World::threads(2, &config(), |world| {
        let at = world.malloc::<u32>(4)?;
        let nobody = Pe::new(2);
        let errors = [
            world.put(at, &[1], nobody).unwrap_err(),
            world.get(&mut [0], at, nobody).unwrap_err(),
            world.p(at, 1, nobody).unwrap_err(),
            world.g(at, Pe::new(u32::MAX)).unwrap_err(),
            world.ptr(at, nobody).unwrap_err(),
        ];
        for (error, call) in errors.iter().zip(["put", "get", "put", "get", "ptr"]) {
            says(error, ErrorKind::OutOfRange, &[call, "there is no PE", "PEs 0 to 1"]);
        }
        assert_eq!(errors[3].how_much().unwrap().asked, u64::from(u32::MAX));
        // The calls had no effect, and the world goes on.
        world.put(at, &[7], world.pe_after(1))?;
        world.barrier_all()
    });
    outcome.unwrap();
}

#[test]
fn a_host_call_outside_the_heap_or_in_the_librarys_part_says_where_and_how_much() {
    World::threads(2, &config(), |world| {
        let other = world.pe_after(1);
        for (at, count) in [(0, 1), (8, 1), (0xfff8, 2), (MIB - 8, 2), (MIB, 1), (u64::MAX - 7, 1), (0x10000, 1 << 17)]
        {
            let (mut into, from) = (vec![0u64; count], vec![0u64; count]);
            let there = format!("{at:#x}");
            let words = [there.as_str(), "outside the symmetric heap", "0x10000 to 0x100000"];
            says(&world.put(far(at), &from, other).unwrap_err(), ErrorKind::OutOfRange, &words);
            says(&world.get(&mut into, far(at), other).unwrap_err(), ErrorKind::OutOfRange, &words);
            says(&world.write(far(at), &from).unwrap_err(), ErrorKind::OutOfRange, &words);
            says(&world.read(far(at), &mut into).unwrap_err(), ErrorKind::OutOfRange, &words);
        }
        says(&world.ptr::<u64>(far(MIB), other).unwrap_err(), ErrorKind::OutOfRange, &["ptr", "0x100000"]);
        says(&world.ptr::<u64>(far(64), other).unwrap_err(), ErrorKind::OutOfRange, &["ptr", "0x40"]);
        let error = world.put(far(MIB - 16), &[0u64; 3], other).unwrap_err();
        let how_much = error.how_much().unwrap();
        assert_eq!((how_much.asked, how_much.limit), (24, 16), "{error}");
        // The last bytes of the heap are inside it, and an empty range needs no memory.
        world.put(far(MIB - 8), &[1u64], other)?;
        world.put::<u64>(far(!7), &[], other)
    })
    .unwrap();
}

#[test]
fn a_misaligned_host_call_says_where_and_to_what() {
    World::threads(1, &config(), |world| {
        for error in [
            world.write(far(0x10004), &[1u64]).unwrap_err(),
            world.read(far(0x10004), &mut [0u64]).unwrap_err(),
            world.ptr::<u64>(far(0x10004), Pe::new(0)).map(drop).unwrap_err(),
        ] {
            says(&error, ErrorKind::InvalidArgument, &["0x10004", "8 bytes", "not a multiple"]);
        }
        world.write(far(0x10004), &[1u32])
    })
    .unwrap();
}

// Allocation.

#[test]
fn sizes_that_overflow_are_none_or_not_whole_are_refused_on_every_pe_and_the_world_goes_on() {
    let all = World::threads(2, &config(), |world| {
        let errors = [
            (world.malloc::<u64>(usize::MAX / 8 + 1).unwrap_err(), ErrorKind::OutOfRange, "overflows"),
            (world.calloc::<u64>(usize::MAX).unwrap_err(), ErrorKind::OutOfRange, "overflows"),
            (world.malloc::<u8>(usize::MAX).unwrap_err(), ErrorKind::Exhausted, "18446744073709551615"),
            (world.align::<u8>(1 << 20, usize::MAX - 5).unwrap_err(), ErrorKind::Exhausted, "bytes in one piece"),
            (world.malloc::<u64>(usize::MAX / 8).unwrap_err(), ErrorKind::Exhausted, "OXSHMEM_HEAP_LIMIT"),
            (world.malloc::<u64>(0).unwrap_err(), ErrorKind::InvalidArgument, "0 bytes"),
            (world.align::<u8>(48, 1).unwrap_err(), ErrorKind::InvalidArgument, "alignment 48"),
            (world.align::<u8>(0, 1).unwrap_err(), ErrorKind::InvalidArgument, "alignment 0"),
            (world.align::<u8>(2 << 30, 1).unwrap_err(), ErrorKind::InvalidArgument, "OXSHMEM_HEAP_LIMIT"),
        ];
        for (error, kind, word) in &errors {
            says(error, *kind, &[word]);
        }
        let at = world.align::<u64>(4096, 3)?;
        assert!(at.addr().offset().is_multiple_of(4096));
        world.barrier_all()?;
        Ok(at)
    })
    .unwrap();
    assert_eq!(all[0], all[1]);
}

#[test]
fn sizes_and_counts_that_differ_are_named_with_both_values_on_every_pe_and_the_world_goes_on() {
    World::threads(3, &config(), |world| {
        let odd = world.my_pe().number() == 2;
        let at = world.malloc::<u64>(8)?;
        let both = |error: Error, call: &str, of_0: u64, of_2: u64| {
            let values = [format!("PE 0 gave {of_0}"), format!("PE 2 gave {of_2}")];
            says(&error, ErrorKind::Mismatch, &[call, &values[0], &values[1]]);
            assert_eq!(error.pe(), Some(Pe::new(2)));
        };
        both(world.malloc::<u64>(if odd { 5 } else { 4 }).unwrap_err(), "malloc", 32, 40);
        both(world.calloc::<u64>(if odd { 5 } else { 4 }).unwrap_err(), "calloc", 32, 40);
        both(world.align::<u8>(if odd { 512 } else { 256 }, 64).unwrap_err(), "align", 256, 512);
        both(world.align::<u8>(256, if odd { 64 } else { 65 }).unwrap_err(), "align", 65, 64);
        let (start, inside) = (at.addr().offset(), at.add(1).addr().offset());
        both(world.free(if odd { at.add(1) } else { at }).unwrap_err(), "free", start, inside);
        both(world.qps().create(if odd { 3 } else { 2 }).unwrap_err(), "qp_create", 2, 3);
        let handles = world.qps().create(2)?;
        both(world.qps().destroy(&handles[..if odd { 1 } else { 2 }]).unwrap_err(), "qp_destroy", 2, 1);
        // The same bytes under another type are the same allocation.
        let (_, _) =
            (world.calloc::<u64>(1)?, if odd { world.malloc::<u64>(2)?.cast() } else { world.malloc::<u32>(4)? });
        world.free(at)
    })
    .unwrap();
}

#[test]
fn different_calls_at_once_are_named_on_every_pe_and_the_world_goes_on() {
    World::threads(3, &config(), |world| {
        let odd = world.my_pe().number() == 1;
        let error = match odd {
            true => world.barrier_all().unwrap_err(),
            false => world.malloc::<u8>(1).unwrap_err(),
        };
        says(&error, ErrorKind::Mismatch, &["`malloc`", "`barrier_all`", "PE 1"]);
        let error = match odd {
            true => world.calloc::<u8>(1).map(drop).unwrap_err(),
            false => world.qps().create(1).map(drop).unwrap_err(),
        };
        says(&error, ErrorKind::Mismatch, &["`calloc`", "`qp_create`", "PE 1"]);
        let error = match odd {
            true => world.all_gather("mine", &[1]).map(drop).unwrap_err(),
            false => world.sync_all().unwrap_err(),
        };
        says(&error, ErrorKind::Mismatch, &["`mine`", "`sync_all`", "PE 1"]);
        world.malloc::<u8>(1).map(drop)
    })
    .unwrap();
}

#[test]
fn a_used_up_heap_says_how_much_of_how_much_and_smaller_allocations_still_work() {
    let config = config().with_heap_limit(4 * MIB);
    World::threads(2, &config, |world| {
        let first = world.malloc::<u8>(2 * MIB as usize)?;
        let error = world.malloc::<u8>(3 * MIB as usize).unwrap_err();
        says(&error, ErrorKind::Exhausted, &["3145728", "2097152 are in use", "4194304", "OXSHMEM_HEAP_LIMIT"]);
        let how_much = error.how_much().unwrap();
        assert_eq!(how_much.asked, 3 * MIB);
        assert!(how_much.limit > MIB / 2 && how_much.limit < 2 * MIB, "{error}");
        // The size that the error names as available is available, and more is not.
        let second = world.malloc::<u8>(how_much.limit as usize)?;
        world.write(second, &vec![1u8; how_much.limit as usize])?;
        let mut small = Vec::new();
        let error = loop {
            match world.malloc::<u8>(60_000) {
                Ok(at) => small.push(at),
                Err(error) => break error,
            }
        };
        says(&error, ErrorKind::Exhausted, &["60000 bytes"]);
        assert!(error.how_much().unwrap().limit < 60_000, "{error}");
        world.malloc::<u8>(256)?;
        for at in small {
            world.free(at)?;
        }
        world.free(first)?;
        let again = world.malloc::<u8>(2 * MIB as usize - 256 * 1024)?;
        world.write(again, &[2])
    })
    .unwrap();
}

#[test]
fn freeing_what_is_not_allocated_says_what_is_there_on_every_pe() {
    World::threads(2, &config(), |world| {
        let at = world.malloc::<u64>(100)?;
        says(&world.free(at.add(1)).unwrap_err(), ErrorKind::InvalidArgument, &["inside the 800 bytes"]);
        world.free(at)?;
        says(&world.free(at).unwrap_err(), ErrorKind::InvalidArgument, &["freed already"]);
        says(&world.free(far::<u8>(0)).unwrap_err(), ErrorKind::InvalidArgument, &["0x0"]);
        says(&world.free(far::<u8>(1 << 40)).unwrap_err(), ErrorKind::InvalidArgument, &["has 1048576 bytes"]);
        world.barrier_all()
    })
    .unwrap();
}

// Queue pairs.

#[test]
fn no_queue_pairs_and_too_many_are_refused_on_every_pe_alike() {
    World::threads(2, &config(), |world| {
        says(&world.qps().create(0).unwrap_err(), ErrorKind::InvalidArgument, &["0 queue pairs", "1 to 65536"]);
        says(&world.qps().create(65537).unwrap_err(), ErrorKind::InvalidArgument, &["65537 queue pairs", "1 to 65536"]);
        says(&world.qps().create(u32::MAX).unwrap_err(), ErrorKind::InvalidArgument, &["4294967295"]);
        let made = world.qps().create(3)?;
        assert_eq!(made, [QpHandle::DEFAULT; 3]);
        let error = world.qps().destroy(&[QpHandle::from_raw(77)]).unwrap_err();
        says(&error, ErrorKind::InvalidArgument, &["queue pair 77", "not a queue pair of this world"]);
        world.qps().destroy(&made)
    })
    .unwrap();
}

#[test]
fn a_handle_of_another_world_is_a_fault_on_the_device() {
    for raw in [0, 2, 17, -1, i32::MAX] {
        for which in 0..3u32 {
            let handle = QpHandle::from_raw(raw);
            let (fault, error) =
                faults(|world, word| launch(world, "on_queue", ONE, (word, Pe::new(1), handle, which)));
            assert_eq!((fault.step, fault.qp), (FaultStep::NoSuchQp, raw));
            says(&error, ErrorKind::OutOfRange, &[&format!("queue pair {raw} "), "not one of this world"]);
        }
    }
}
