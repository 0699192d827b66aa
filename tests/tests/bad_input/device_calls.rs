//! Calls of kernels.

use super::config;
use oxshmem_hal::{ErrorKind, FaultStep, Launch, Pe, World};

use super::{MANY, MIB, ONE, each, far, faults, launch, says};

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
        // The remote side first, then this PE's own.
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
        // Neighbouring ranges, and empty ranges, don't overlap.
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

#[test]
fn shared_memory_that_the_launch_does_not_provide_or_an_index_outside_of_it_is_a_fault() {
    let of = ONE.shared_bytes(100);
    for (from, count, index, asked, seen) in [
        (0u32, 13usize, 0usize, 104, 100),
        (1, 12, 0, 104, 100),
        (101, 0, 0, 8, 0),
        (u32::MAX, 1, 0, (1 << 32) + 8, 100),
        (0, usize::MAX, 0, u64::MAX, 100),
        (0, 12, 12, 104, 96),
        (96, 0, 0, 8, 0),
    ] {
        let (fault, error) = faults(|world, _| launch(world, "write_shared", of, (from, count, index)));
        assert_eq!((fault.step, fault.asked, fault.seen), (FaultStep::OutOfLocal, asked, seen), "{from} {count}");
        says(&error, ErrorKind::OutOfRange, &[&format!("{asked} bytes"), &seen.to_string()]);
    }
    World::threads(1, &config(), |world| {
        launch(world, "write_shared", of, (8u32, 11usize, 10usize))?;
        world.own_stream().synchronize()
    })
    .unwrap();
}

#[test]
fn a_fault_names_the_kernel_the_block_and_the_thread() {
    let (_, error) = faults(|world, word| {
        let source = word.cast::<f64>();
        launch(world, "put_f64", Launch::shaped([1, 2, 1], [3, 2, 2]), (source, source, usize::MAX, Pe::new(1)))
    });
    let text = error.to_string();
    let place = text.rsplit_once(" (thread ").unwrap().1;
    let (thread, rest) = place.split_once(" of block ").unwrap();
    let (block, kernel) = rest.split_once(" of kernel ").unwrap();
    let numbers = |text: &str| -> Vec<u32> {
        text.trim_matches(['[', ']']).split(", ").map(|number| number.parse().unwrap()).collect()
    };
    let inside = |at: Vec<u32>, of: [u32; 3]| at.len() == 3 && at.iter().zip(of).all(|(at, of)| *at < of);
    assert!(inside(numbers(thread), [3, 2, 2]) && inside(numbers(block), [1, 2, 1]), "{text}");
    assert_eq!(kernel, "`put_f64`)", "{text}");
    // One thread of many, of a kernel that is not the last one.
    let (_, error) = faults(|world, word| {
        launch(world, "one_word", ONE, (word, Pe::new(1), 0u32))?;
        launch(world, "put_of_one", Launch::new(3, 40), (word, 85usize))?;
        launch(world, "one_word", ONE, (word, Pe::new(1), 0u32)).or(Ok(()))
    });
    says(&error, ErrorKind::OutOfRange, &["(thread [5, 0, 0] of block [2, 0, 0] of kernel `put_of_one`)"]);
}

#[test]
fn a_barrier_of_a_kernel_that_was_not_launched_collectively_is_a_fault_unless_it_waits_for_nobody() {
    for shape in [ONE, MANY] {
        let (fault, error) = faults(|world, _| launch(world, "one_barrier", shape, ()));
        assert_eq!(fault.step, FaultStep::NotCollective);
        says(&error, ErrorKind::InvalidArgument, &["launch it collectively", "of kernel `one_barrier`"]);
    }
    World::threads(1, &config(), |world| {
        launch(world, "one_barrier", ONE, ())?;
        world.own_stream().synchronize()
    })
    .unwrap();
}

#[test]
fn a_call_of_a_group_of_which_a_thread_has_ended_is_an_error_that_names_both() {
    for (by_warp, group, left) in [(0u32, "block", 0usize), (0, "block", 69), (1, "warp", 33), (1, "warp", 69)] {
        let outcomes = each(1, &config(), |world| {
            let words = world.calloc::<u64>(2)?;
            launch(world, "put_but_one", Launch::new(1, 70), (words, left, by_warp))?;
            world.own_stream().synchronize()
        });
        let error = outcomes[0].as_ref().unwrap_err();
        let thread = format!("1 thread ({left}) ended without");
        says(error, ErrorKind::Fault, &["`put_but_one`", "block [0, 0, 0]", &thread, &format!("its {group}")]);
    }
}
