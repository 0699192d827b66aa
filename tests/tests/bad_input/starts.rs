//! Modules, launches, and the creation of worlds.

use std::time::{Duration, Instant};

use super::config;
use oxshmem_hal::bootstrap::{BootstrapConfig, RootAt, Secret, UniqueId};
use oxshmem_hal::{DeviceChoice, ErrorKind, Launch, Pe, World};

use super::{MIB, ONE, each, launch, says};

// Modules and launches.

#[test]
fn an_unknown_module_and_an_unknown_kernel_say_which_there_are() {
    World::threads(1, &config(), |world| {
        let error = world.modules().load("no-such-kernels").unwrap_err();
        says(&error, ErrorKind::NotFound, &["`no_such_kernels`", "oxshmem_test_kernels"]);
        let module = world.modules().load("oxshmem-test-kernels")?;
        says(&module.kernel("rong").unwrap_err(), ErrorKind::NotFound, &["`rong`", "oxshmem_test_kernels", "ring"]);
        let error = module.kernel("oxshmem_put_on_stream").unwrap_err();
        says(&error, ErrorKind::InvalidArgument, &["`oxshmem_put_on_stream`", "library's own"]);
        // SAFETY: **code**: there is no such file.
        let error = unsafe { world.modules().load_file("/nonexistent/k.ptx") }.unwrap_err();
        says(&error, ErrorKind::NotFound, &["/nonexistent/k.ptx"]);
        // SAFETY: **code**: the image has no kernel.
        let error = unsafe { world.modules().load_image("k", b".version 8.0") }.unwrap_err();
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
        world.own_stream().synchronize()
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
        for bytes in [(227 << 10) + 1, u32::MAX] {
            let error = try_shape(Launch::new(1, 32).shared_bytes(bytes)).unwrap_err();
            says(&error, ErrorKind::InvalidArgument, &["`wait_equal`", "232448 available", "bytes of shared memory"]);
            assert_eq!(error.how_much().unwrap().asked, u64::from(bytes));
        }
        try_shape(Launch::new(1, 32).shared_bytes(227 << 10))?;
        let error = try_shape(Launch::new(1 << 20, 512).collective()).unwrap_err();
        says(&error, ErrorKind::Exhausted, &["collectively", "resident", "blocks", "1048576"]);
        let fits = error.how_much().unwrap().limit;
        assert!(fits > 0 && fits < 1 << 20);
        let error = try_shape(Launch::shaped([u32::MAX; 3], [1; 3]).collective()).unwrap_err();
        says(&error, ErrorKind::Exhausted, &["blocks"]);
        // The error names the largest grid that fits: one more block is refused, and that number is accepted.
        assert!(try_shape(Launch::new(fits as u32 + 1, 512).collective()).is_err());
        try_shape(Launch::new(1, 1024))?;
        world.own_stream().synchronize()?;
        try_shape(Launch::new(2, 512).collective())?;
        world.own_stream().synchronize()
    })
    .unwrap();
}

// Creation of a world.

#[test]
fn asking_for_gpus_where_there_are_none_says_what_to_do_and_auto_takes_host_threads() {
    let auto = World::threads(2, &config().with_device(DeviceChoice::Auto), |world| Ok(world.on_host())).unwrap();
    if auto != [true, true] {
        eprintln!("skipped: this machine has a GPU, and the test looks for the message of one without");
        return;
    }
    for device in [DeviceChoice::Gpu, DeviceChoice::GpuOrdinal(3)] {
        for outcome in each(2, &config().with_device(device), |_| Ok(())) {
            let error = outcome.unwrap_err();
            says(&error, ErrorKind::NoGpu, &["CUDA driver", "libcuda.so.1"]);
            says(&error, ErrorKind::NoGpu, &["OXSHMEM_DEVICE=host"]);
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
    // A port that was free a moment ago, on which nothing listens.
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
