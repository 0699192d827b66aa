//! What is wrong gets a clear error: what, where, how much of how much; on every PE that it concerns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use oxshmem_hal::bootstrap::{BootstrapConfig, RootAt, Secret, UniqueId};
use oxshmem_hal::{
    Config, DeviceChoice, Error, ErrorKind, Fault, FaultStep, KernelArgs, Launch, Pe, QpHandle, Result, SymAddr,
    SymPtr, World,
};
use oxshmem_test_kernels as _;
use oxshmem_tests::worlds::config;

const MIB: u64 = 1 << 20;

/// The kind, and every one of these words in the text.
#[track_caller]
fn says(error: &Error, kind: ErrorKind, words: &[&str]) {
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

fn far<T: oxshmem_hal::Element>(offset: u64) -> SymPtr<T> {
    SymPtr::new(SymAddr::new(offset))
}

fn launch(world: &World, name: &str, shape: Launch, args: impl KernelArgs) -> Result<()> {
    let kernel = world.load("oxshmem-test-kernels")?.kernel(name)?;
    world.launch(&kernel, shape, args)
}

/// Every PE's own outcome of `body`.
fn each<R: Send>(n_pes: u32, config: &Config, body: impl Fn(&World) -> Result<R> + Sync) -> Vec<Result<R>> {
    World::threads_each(n_pes, config, body).unwrap()
}

/// What `body` launches on PE 0 of two faults: the fault is PE 0's, is named to PE 1, and stays.
#[track_caller]
fn faults(body: impl Fn(&World, SymPtr<u64>) -> Result<()> + Sync) -> (Fault, Error) {
    let outcomes = each(2, &config(), |world| {
        let word = world.calloc::<u64>(64)?;
        world.barrier_all()?;
        if world.my_pe().number() == 1 {
            return world.barrier_all();
        }
        body(world, word)?;
        let error = world.synchronize().unwrap_err();
        let again = launch(world, "wait_equal", Launch::new(1, 1), (word, 0u64)).unwrap_err();
        assert_eq!(again.fault(), error.fault(), "a launch after a fault is refused with the same fault");
        assert_eq!(world.synchronize().unwrap_err().fault(), error.fault(), "and so is all else");
        assert_eq!(world.barrier_all_on_stream().unwrap_err().fault(), error.fault());
        Err(error)
    });
    let [Err(mine), Err(theirs)] = &outcomes[..] else { panic!("{outcomes:?}") };
    says(theirs, ErrorKind::PeerDied, &["PE 0 died: it said: ", &mine.fault().unwrap().to_string()]);
    (mine.fault().unwrap(), mine.clone())
}

const ONE: Launch = Launch::new(1, 1);
const MANY: Launch = Launch::new(2, 64);

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
        // Nothing happened: the world goes on.
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
        // The last bytes of the heap are in it, and no elements are nowhere.
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
            (world.align::<u8>(4 << 20, 1).unwrap_err(), ErrorKind::InvalidArgument, "2 MiB"),
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
        both(world.qp_create(if odd { 3 } else { 2 }).unwrap_err(), "qp_create", 2, 3);
        let handles = world.qp_create(2)?;
        both(world.qp_destroy(&handles[..if odd { 1 } else { 2 }]).unwrap_err(), "qp_destroy", 2, 1);
        // The same bytes by another type are the same.
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
            false => world.qp_create(1).map(drop).unwrap_err(),
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
        // What it says is available is, and what is more is not.
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
        says(&world.qp_create(0).unwrap_err(), ErrorKind::InvalidArgument, &["0 queue pairs", "1 to 65536"]);
        says(&world.qp_create(65537).unwrap_err(), ErrorKind::InvalidArgument, &["65537 queue pairs", "1 to 65536"]);
        says(&world.qp_create(u32::MAX).unwrap_err(), ErrorKind::InvalidArgument, &["4294967295"]);
        let made = world.qp_create(3)?;
        assert_eq!(made, [QpHandle::DEFAULT; 3]);
        let error = world.qp_destroy(&[QpHandle::from_raw(77)]).unwrap_err();
        says(&error, ErrorKind::InvalidArgument, &["queue pair 77", "not a queue pair of this world"]);
        world.qp_destroy(&made)
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

// Device calls.

#[test]
fn a_device_call_on_a_pe_that_does_not_exist_is_a_fault_that_names_it() {
    for which in 0..8u32 {
        let (fault, error) = faults(|world, word| launch(world, "one_word", MANY, (word, Pe::new(2), which)));
        assert_eq!((fault.step, fault.pe, fault.asked, fault.seen), (FaultStep::NoSuchPe, 2, 2, 2), "{which}");
        says(&error, ErrorKind::OutOfRange, &["run the kernels of PE 0", "there is no PE 2", "2 PEs"]);
    }
    let nobody = Pe::new(u32::MAX);
    for kernel in ["put_f64", "get_f64"] {
        for count in [0usize, 5] {
            let (fault, _) = faults(|world, word| {
                launch(world, kernel, MANY, (word.cast::<f64>(), word.cast::<f64>(), count, nobody))
            });
            assert_eq!((fault.step, fault.asked), (FaultStep::NoSuchPe, u64::from(u32::MAX)), "{kernel} of {count}");
        }
    }
}

#[test]
fn a_device_call_outside_the_heap_or_in_the_librarys_part_is_a_fault_that_says_where_and_how_much() {
    for at in [0, 0xfff8, MIB, MIB - 8 + 8, 1 << 50, u64::MAX - 7] {
        for which in [0u32, 1, 2, 3, 4, 7, 8, 9] {
            let (fault, error) = faults(|world, _| launch(world, "one_word", ONE, (far::<u64>(at), Pe::new(1), which)));
            assert_eq!((fault.step, fault.at, fault.asked, fault.seen), (FaultStep::OutOfHeap, at, 8, MIB), "{which}");
            says(&error, ErrorKind::OutOfRange, &["8 bytes", &format!("{at:#x}"), "1048576"]);
        }
    }
}

#[test]
fn a_device_copy_that_leaves_the_heap_at_either_end_or_overflows_is_a_fault() {
    let max = usize::MAX;
    for kernel in ["put_f64", "get_f64"] {
        // The far side, then this PE's own.
        for (dest, source, count, at) in [
            (MIB - 64, 0x10100, 9, MIB - 64),
            (0x10100, MIB - 64, 9, MIB - 64),
            (0x10100, 0x20000, max, 0),
            (0x10100, 0x20000, max / 8 + 1, 0),
            (0x10100, 0x20000, (1 << 61) + 1, 0),
        ] {
            let (fault, _) = faults(|world, _| {
                launch(world, kernel, MANY, (far::<f64>(dest), far::<f64>(source), count, Pe::new(1)))
            });
            assert_eq!(fault.step, FaultStep::OutOfHeap, "{kernel} {dest:#x} {source:#x} {count}");
            assert!(at == 0 || fault.at == at, "{fault}");
            assert_eq!(fault.asked, (count as u64).saturating_mul(8), "{fault}");
        }
    }
    for (stride, count) in [(1 << 40, 1 << 30), (max, 2), (1 << 20, 2)] {
        let (fault, _) = faults(|world, word| {
            launch(
                world,
                "iput_f64",
                MANY,
                (word.cast::<f64>(), word.cast::<f64>(), stride, count as usize, Pe::new(1)),
            )
        });
        assert_eq!(fault.step, FaultStep::OutOfHeap, "every {stride}th of {count}");
    }
}

#[test]
fn a_misaligned_device_call_is_a_fault_that_says_where_and_to_what() {
    let odd = 0x1_0104;
    for which in [0u32, 1, 2, 3, 4, 7, 8, 9] {
        let (fault, error) = faults(|world, _| launch(world, "one_word", ONE, (far::<u64>(odd), Pe::new(1), which)));
        assert_eq!((fault.step, fault.at, fault.asked), (FaultStep::Misaligned, odd, 8), "{which}");
        says(&error, ErrorKind::InvalidArgument, &["0x10104", "8 bytes"]);
    }
    for (dest, source) in [(odd, 0x10200), (0x10200, odd)] {
        for kernel in ["put_f64", "get_f64"] {
            let (fault, _) = faults(|world, _| {
                launch(world, kernel, ONE, (far::<f64>(dest), far::<f64>(source), 1usize, Pe::new(1)))
            });
            assert_eq!((fault.step, fault.at), (FaultStep::Misaligned, odd), "{kernel}");
        }
    }
}

#[test]
fn a_signal_word_inside_the_data_is_a_fault_and_one_beside_it_is_fine() {
    for inside in [0x10200, 0x10208, 0x10218] {
        let (fault, error) = faults(|world, _| {
            let args = (far::<u8>(0x10204), far::<u8>(0x10800), 24usize, far::<u64>(inside), Pe::new(1));
            launch(world, "put_with_signal", MANY, args)
        });
        assert_eq!((fault.step, fault.at, fault.asked, fault.seen), (FaultStep::SignalOverlap, inside, 24, 0x10204));
        says(&error, ErrorKind::InvalidArgument, &["signal word", &format!("{inside:#x}"), "24 bytes", "0x10204"]);
    }
    World::threads(2, &config(), |world| {
        // Beside it on either side; and no data overlaps nothing.
        for (data, bytes, word) in [(0x10208, 24usize, 0x10200), (0x10200, 24, 0x10218), (0x10204, 0, 0x10200)] {
            let args = (far::<u8>(data), far::<u8>(0x10800), bytes, far::<u64>(word), world.pe_after(1));
            launch(world, "put_with_signal", MANY, args)?;
            world.barrier_all()?;
            assert_eq!(world.g(far::<u64>(word), world.my_pe())?, 1);
            world.barrier_all()?;
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn an_index_outside_of_local_memory_is_a_fault() {
    let (fault, error) = faults(|world, word| launch(world, "write_local", ONE, (word, 4usize, 4usize)));
    assert_eq!((fault.step, fault.asked, fault.seen), (FaultStep::OutOfLocal, 40, 32));
    says(&error, ErrorKind::OutOfRange, &["40 bytes", "32"]);
    let (fault, _) = faults(|world, word| launch(world, "write_local", ONE, (word, 1usize << 40, 0usize)));
    assert_eq!((fault.step, fault.seen), (FaultStep::OutOfHeap, MIB));
}

// Modules and launches.

#[test]
fn an_unknown_module_and_an_unknown_kernel_say_which_there_are() {
    World::threads(1, &config(), |world| {
        let error = world.load("no-such-kernels").unwrap_err();
        says(&error, ErrorKind::NotFound, &["`no_such_kernels`", "oxshmem_test_kernels"]);
        let module = world.load("oxshmem-test-kernels")?;
        says(&module.kernel("rong").unwrap_err(), ErrorKind::NotFound, &["`rong`", "oxshmem_test_kernels", "ring"]);
        says(&world.load_file("/nonexistent/k.ptx").unwrap_err(), ErrorKind::NotFound, &["/nonexistent/k.ptx"]);
        let error = world.load_image("k", b".version 8.0").unwrap_err();
        says(&error, ErrorKind::InvalidArgument, &["`k`", "GPU", "host threads"]);
        Ok(())
    })
    .unwrap();
}

#[test]
fn wrong_arguments_are_named_with_their_place_and_both_types_before_anything_runs() {
    World::threads(1, &config(), |world| {
        let (floats, word) = (world.malloc::<f32>(4)?, world.calloc::<u64>(1)?);
        let wrong = launch(world, "wait_equal", ONE, (floats, 1u64)).unwrap_err();
        says(&wrong, ErrorKind::InvalidArgument, &["`wait_equal`", "argument 1", "SymPtr<f32>", "SymPtr<u64>"]);
        let wrong = launch(world, "wait_equal", ONE, (word, 1u32)).unwrap_err();
        says(&wrong, ErrorKind::InvalidArgument, &["argument 2", "u32", "u64"]);
        let wrong = launch(world, "wait_equal", ONE, (word,)).unwrap_err();
        says(&wrong, ErrorKind::InvalidArgument, &["takes 2 arguments", "given 1"]);
        let wrong = launch(world, "wait_equal", ONE, (word, 1u64, 1u64)).unwrap_err();
        says(&wrong, ErrorKind::InvalidArgument, &["takes 2 arguments", "given 3"]);
        let wrong = launch(world, "one_barrier", ONE, (word,)).unwrap_err();
        says(&wrong, ErrorKind::InvalidArgument, &["takes 0 arguments", "given 1"]);
        launch(world, "wait_equal", ONE, (word, 0u64))?;
        world.synchronize()
    })
    .unwrap();
}

#[test]
fn a_shape_that_nothing_can_run_is_refused_at_the_launch_and_the_world_goes_on() {
    World::threads(1, &config(), |world| {
        let word = world.calloc::<u64>(1)?;
        let try_shape = |shape| launch(world, "wait_equal", shape, (word, 0u64));
        let error = try_shape(Launch::new(1, 1025)).unwrap_err();
        says(&error, ErrorKind::InvalidArgument, &["`wait_equal`", "1025", "1024", "threads of a block"]);
        let error = try_shape(Launch::shaped([1; 3], [u32::MAX; 3])).unwrap_err();
        says(&error, ErrorKind::InvalidArgument, &["1024", "threads of a block"]);
        for shape in [Launch::new(0, 32), Launch::new(1, 0), Launch::shaped([1, 0, 1], [1; 3]).collective()] {
            says(&try_shape(shape).unwrap_err(), ErrorKind::InvalidArgument, &["no number may be 0"]);
        }
        let error = try_shape(Launch::new(1 << 20, 512).collective()).unwrap_err();
        says(&error, ErrorKind::Exhausted, &["collectively", "resident", "blocks", "1048576"]);
        let fits = error.how_much().unwrap().limit;
        assert!(fits > 0 && fits < 1 << 20);
        let error = try_shape(Launch::shaped([u32::MAX; 3], [1; 3]).collective()).unwrap_err();
        says(&error, ErrorKind::Exhausted, &["blocks"]);
        // The largest that fits is told rightly: one more is refused, and so many are taken.
        assert!(try_shape(Launch::new(fits as u32 + 1, 512).collective()).is_err());
        try_shape(Launch::new(1, 1024))?;
        world.synchronize()?;
        try_shape(Launch::new(2, 512).collective())?;
        world.synchronize()
    })
    .unwrap();
}

#[test]
fn a_stream_of_another_world_is_refused() {
    World::threads(1, &config(), |world| {
        let stream = world.stream()?;
        World::threads(1, &config(), |inner| {
            let word = inner.calloc::<u64>(1)?;
            let kernel = inner.load("oxshmem-test-kernels")?.kernel("wait_equal")?;
            let error = inner.launch_on(&stream, &kernel, ONE, (word, 0u64)).unwrap_err();
            says(&error, ErrorKind::InvalidArgument, &["`wait_equal`", "another world"]);
            says(&inner.barrier_all_on(&stream).unwrap_err(), ErrorKind::InvalidArgument, &["another world"]);
            Ok(())
        })
        .map(drop)
    })
    .unwrap();
}

// Making a world.

#[test]
fn asking_for_gpus_where_there_are_none_says_what_to_do_and_auto_takes_host_threads() {
    let auto = World::threads(2, &config().with_device(DeviceChoice::Auto), |world| Ok(world.on_host())).unwrap();
    if auto != [true, true] {
        eprintln!("this machine has a GPU: what is said without one can't be seen here");
        return;
    }
    for device in [DeviceChoice::Gpu, DeviceChoice::GpuOrdinal(3)] {
        for outcome in each(2, &config().with_device(device), |_| Ok(())) {
            let error = outcome.unwrap_err();
            says(&error, ErrorKind::NotFound, &["CUDA driver", "libcuda.so.1"]);
            says(&error, ErrorKind::NotFound, &["OXSHMEM_DEVICE=host"]);
        }
    }
}

#[test]
fn a_configuration_that_cannot_be_is_refused_on_every_pe_before_anything_is_made() {
    let impossible = config().with_heap_bytes(8 * MIB).with_heap_limit(4 * MIB);
    for outcome in each(2, &impossible, |_| Ok(())) {
        says(&outcome.unwrap_err(), ErrorKind::OutOfRange, &["OXSHMEM_HEAP_LIMIT", "4", "8"]);
    }
    for n_pes in [0, 1 << 15, u32::MAX] {
        let error = World::threads_each(n_pes, &config(), |_| Ok(())).unwrap_err();
        says(&error, ErrorKind::OutOfRange, &["PEs", &n_pes.to_string()]);
    }
}

#[test]
fn an_unreachable_rendezvous_is_an_error_at_the_limit_that_says_where() {
    // A port that was free a moment ago, and to which nobody listens.
    let (id, listener) = UniqueId::listen(std::net::Ipv4Addr::LOCALHOST.into()).unwrap();
    let address = id.address();
    drop(listener);
    let limit = Duration::from_millis(700);
    let started = Instant::now();
    for root in [
        RootAt::Id { id: UniqueId::new(address, &Secret::fresh().unwrap()), listener: None },
        RootAt::Address { address: address.to_string(), secret: Secret::fresh().unwrap() },
    ] {
        let bootstrap = BootstrapConfig { pe: Pe::new(1), n_pes: 2, root, limit: Some(limit), host: None };
        let error = World::join(config(), &bootstrap).unwrap_err();
        says(&error, ErrorKind::Unreachable, &["PE 0", &address.to_string(), "700ms", "check that PE 0 runs"]);
        assert_eq!(error.pe(), Some(Pe::new(0)));
    }
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

// Waits that nobody satisfies, and kernels that fail.

#[test]
fn a_wait_that_nobody_satisfies_ends_at_the_limit_and_says_who_waited_for_what() {
    let config = config().with_wait_limit(Duration::from_millis(400));
    let (started, ended) = (Instant::now(), AtomicBool::new(false));
    let outcomes = each(2, &config, |world| {
        let word = world.calloc::<u64>(1)?;
        world.write(word, &[41])?;
        world.barrier_all()?;
        if world.my_pe().number() == 1 {
            launch(world, "wait_equal", ONE, (word, 42u64))?;
            let error = world.synchronize().unwrap_err();
            let fault = error.fault().unwrap();
            assert_eq!((fault.step, fault.at), (FaultStep::Wait, word.addr().offset()));
            assert_eq!((fault.asked, fault.seen, fault.detail & 0xff), (42, 41, oxshmem_core::Cmp::Eq as u32));
            let offset = format!("{:#x}", fault.at);
            says(&error, ErrorKind::Timeout, &["PE 1", &offset, "== 42", "it was 41", "limit"]);
            ended.store(true, Ordering::Release);
            return Err(error);
        }
        // The other PE is not held up by anything of its own, and hears of it with the same words.
        while !ended.load(Ordering::Acquire) && started.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        world.barrier_all()
    });
    let heard = outcomes[0].as_ref().unwrap_err();
    says(heard, ErrorKind::PeerDied, &["PE 1 died", "== 42", "it was 41"]);
    assert!(started.elapsed() >= Duration::from_millis(400) && started.elapsed() < Duration::from_secs(20));
}

#[test]
fn every_waiter_of_a_pe_gets_the_same_fault_in_whichever_block_and_stream_it_waits() {
    let config = config().with_wait_limit(Duration::from_millis(300));
    for seed in 0..5 {
        World::threads_each(1, &config.clone().with_seed(seed), |world| {
            let (blocks, threads) = (3, 40);
            let count = (blocks * threads) as usize;
            let words = world.calloc::<u64>(2 * count)?;
            let said = world.calloc::<u64>(2 * count)?;
            let kernel = world.load("oxshmem-test-kernels")?.kernel("all_wait")?;
            let other = world.stream()?;
            world.launch(&kernel, Launch::new(blocks, threads), (words, said))?;
            world.launch_on(&other, &kernel, Launch::new(blocks, threads), (words.add(count), said.add(count)))?;
            let error = world.synchronize().unwrap_err();
            let elsewhere = world.synchronize_stream(&other).unwrap_err();
            assert_eq!(error.fault(), elsewhere.fault());
            let mut all = vec![0; 2 * count];
            world.read(said, &mut all)?;
            let fault = error.fault().unwrap();
            assert!(all.iter().all(|&at| at == fault.at), "{:#x} of {all:x?}", fault.at);
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn a_barrier_with_a_pe_missing_names_that_pe() {
    let limit = Duration::from_millis(500);
    let outcomes = each(3, &config().with_wait_limit(limit), |world| {
        world.barrier_all()?;
        if world.my_pe().number() != 1 {
            launch(world, "one_barrier", Launch::new(1, 32).collective(), ())?;
            return world.synchronize();
        }
        // Long enough away from the barrier, and still there: nobody may take it for dead.
        let (start, alone) = (Instant::now(), limit * 4);
        while start.elapsed() < alone {
            std::thread::sleep(Duration::from_millis(10));
        }
        world.barrier_all()
    });
    let errors: Vec<&Error> = outcomes.iter().map(|outcome| outcome.as_ref().unwrap_err()).collect();
    // Who is first says so, and the other of the two has the same to say or hears of it.
    let named = [errors[0], errors[2]].into_iter().filter(|e| e.kind() == ErrorKind::Timeout).collect::<Vec<_>>();
    assert!(!named.is_empty(), "{errors:?}");
    for error in named {
        says(error, ErrorKind::Timeout, &["PE 1 had not arrived", "barrier"]);
        assert_eq!(error.pe(), Some(Pe::new(1)));
        assert_eq!(error.fault().unwrap().step, FaultStep::Barrier);
    }
    says(errors[1], ErrorKind::PeerDied, &["PE 1 had not arrived"]);
}

#[test]
fn a_host_call_with_a_pe_missing_names_that_pe_on_every_one() {
    let limit = Duration::from_millis(500);
    let outcomes = each(3, &config().with_wait_limit(limit), |world| {
        world.barrier_all()?;
        if world.my_pe().number() == 2 {
            let start = Instant::now();
            while start.elapsed() < limit * 3 {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        world.malloc::<u8>(1).map(drop)
    });
    for outcome in &outcomes {
        let error = outcome.as_ref().unwrap_err();
        if error.kind() == ErrorKind::Timeout {
            says(error, ErrorKind::Timeout, &["`malloc`", "PE 2 has not arrived within 500ms"]);
            assert_eq!(error.pe(), Some(Pe::new(2)));
        }
    }
    assert_eq!(outcomes[0].as_ref().unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(outcomes[1].as_ref().unwrap_err().kind(), ErrorKind::Timeout);
}

#[test]
fn a_kernel_that_panics_is_an_error_with_its_place_and_text_for_good_and_for_all() {
    let started = Instant::now();
    let outcomes = each(2, &config(), |world| {
        let word = world.calloc::<u64>(1)?;
        world.barrier_all()?;
        if world.my_pe().number() == 1 {
            launch(world, "wait_equal", ONE, (word, 1u64))?;
            return world.synchronize();
        }
        // A kernel of another stream waits for what will never be.
        let other = world.stream()?;
        let wait = world.load("oxshmem-test-kernels")?.kernel("wait_equal")?;
        world.launch_on(&other, &wait, ONE, (word, 1u64))?;
        launch(world, "panics", Launch::new(2, 32), (37usize,))?;
        let error = world.synchronize().unwrap_err();
        says(&error, ErrorKind::Fault, &["`panics`", "PE 0", "[5, 0, 0]", "[1, 0, 0]", "thread 37 was told to panic"]);
        let again = launch(world, "wait_equal", ONE, (word, 0u64)).unwrap_err();
        assert_eq!(again.to_string(), error.to_string(), "it stays");
        assert_eq!(world.synchronize_stream(&other).unwrap_err().to_string(), error.to_string());
        assert_eq!(world.barrier_all().unwrap_err().to_string(), error.to_string());
        Err::<(), _>(error)
    });
    assert_eq!(outcomes[0].as_ref().unwrap_err().kind(), ErrorKind::Fault);
    let theirs = outcomes[1].as_ref().unwrap_err();
    says(theirs, ErrorKind::PeerDied, &["PE 0 died"]);
    assert_eq!(theirs.pe(), Some(Pe::new(0)));
    assert!(started.elapsed() < Duration::from_secs(10), "no wait went to its limit: {:?}", started.elapsed());
}

#[test]
fn a_pe_that_panics_or_gives_up_is_noticed_by_the_others_with_its_reason() {
    let started = Instant::now();
    let heard = std::sync::Mutex::new(Vec::new());
    let world = std::panic::AssertUnwindSafe(|| {
        World::threads(3, &config(), |world| {
            let word = world.calloc::<u64>(1)?;
            world.barrier_all()?;
            if world.my_pe().number() == 1 {
                // Its own kernel is under way, and would wait for ever.
                launch(world, "wait_equal", ONE, (word, 1u64))?;
                panic!("out of luck");
            }
            launch(world, "wait_equal", ONE, (word, 1u64))?;
            let (kernels, barrier) = (world.synchronize().unwrap_err(), world.sync_all().unwrap_err());
            heard.lock().unwrap().push((kernels, barrier));
            Ok(())
        })
    });
    let panic = std::panic::catch_unwind(world).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"out of luck"), "the panic goes on");
    for (kernels, barrier) in heard.lock().unwrap().iter() {
        says(kernels, ErrorKind::PeerDied, &["PE 1 died", "it panicked: out of luck"]);
        says(barrier, ErrorKind::PeerDied, &["PE 1 died", "it panicked: out of luck"]);
    }
    let outcomes = each(3, &config(), |world| match world.my_pe().number() {
        2 => Err(Error::new(ErrorKind::InvalidArgument, "read the input").because("it is empty")),
        _ => world.barrier_all(),
    });
    says(outcomes[0].as_ref().unwrap_err(), ErrorKind::PeerDied, &["PE 2 died", "cannot read the input: it is empty"]);
    let first = World::threads(3, &config(), |world| match world.my_pe().number() {
        2 => Err(Error::new(ErrorKind::InvalidArgument, "read the input")),
        _ => world.barrier_all(),
    });
    says(&first.unwrap_err(), ErrorKind::InvalidArgument, &["read the input"]);
    assert!(started.elapsed() < Duration::from_secs(10), "no wait went to its limit: {:?}", started.elapsed());
}
