//! Ends of worlds whose kernels still run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use oxshmem_hal::{Config, ErrorKind, FaultStep, Launch, Result, World};
use oxshmem_tests::worlds::config;

#[test]
fn a_world_waits_for_the_kernels_of_every_stream_before_its_memory_goes() {
    static ENDED: AtomicU64 = AtomicU64::new(0);
    World::threads(2, &config(), |world| {
        let words = world.calloc::<u64>(8)?;
        world.barrier_all()?;
        let kernel = world.modules().load("oxshmem-test-kernels")?.kernel("rounds")?;
        let streams = (0..8).map(|_| world.stream()).collect::<Result<Vec<_>>>()?;
        for (i, stream) in streams.iter().enumerate() {
            stream.launch_kernel(&kernel, Launch::new(1, 1), (words.add(i), 100u64))?;
        }
        world.barrier_all()?;
        let mut rounds = [0; 8];
        world.read(words, &mut rounds)?;
        assert_eq!(rounds, [100; 8], "a barrier completes the kernels of every stream");
        world.barrier_all()?;
        for (i, stream) in streams.iter().enumerate() {
            stream.launch_kernel(&kernel, Launch::new(1, 1), (words.add(i), 200u64))?;
        }
        ENDED.fetch_add(1, Ordering::Relaxed);
        // The streams outlive the world here, which ends while their kernels run.
        std::mem::forget(streams);
        Ok(())
    })
    .unwrap();
    assert_eq!(ENDED.load(Ordering::Relaxed), 2);
}

#[test]
fn without_a_limit_a_kernel_waits_until_it_is_aborted() {
    let endless: Config = config().with_wait_limit(None);
    let started = Instant::now();
    World::threads(1, &endless, |world| {
        let words = world.calloc::<u64>(2)?;
        let kernel = world.modules().load("oxshmem-test-kernels")?.kernel("arrive_and_wait")?;
        world.own_stream().launch_kernel(&kernel, Launch::new(1, 1), (words, 1u64))?;
        while world.g(words, world.my_pe())? == 0 {
            std::thread::yield_now();
        }
        let error = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| world.own_stream().synchronize());
            world.abort();
            waiting.join().unwrap().unwrap_err()
        });
        assert_eq!(error.fault().unwrap().step, FaultStep::Aborted, "{error}");
        assert!(error.to_string().contains("stopped"), "{error}");
        Ok(())
    })
    .unwrap_err();
    // A world that is dropped stops its kernels by itself, long before the limit.
    World::threads(1, &config(), |world| {
        let words = world.calloc::<u64>(2)?;
        let kernel = world.modules().load("oxshmem-test-kernels")?.kernel("arrive_and_wait")?;
        world.own_stream().launch_kernel(&kernel, Launch::new(1, 1), (words, 1u64))?;
        Err::<(), _>(oxshmem_hal::Error::new(ErrorKind::InvalidArgument, "go on"))
    })
    .unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
