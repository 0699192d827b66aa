//! Waits that are never satisfied, and kernels that fail.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::config;
use oxshmem_hal::{Error, ErrorKind, FaultStep, Launch, Pe, World};

use super::{ONE, each, launch, says};

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
            let error = world.own_stream().synchronize().unwrap_err();
            let fault = error.fault().unwrap();
            assert_eq!((fault.step, fault.at), (FaultStep::Wait, word.addr().offset()));
            assert_eq!((fault.asked, fault.seen, fault.detail & 0xff), (42, 41, oxshmem_core::Cmp::Eq as u32));
            let offset = format!("{:#x}", fault.at);
            says(&error, ErrorKind::Timeout, &["PE 1", &offset, "== 42", "it was 41", "limit"]);
            ended.store(true, Ordering::Release);
            return Err(error);
        }
        // The other PE has no wait that fails by itself, and gets the same text.
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
            let kernel = world.modules().load("oxshmem-test-kernels")?.kernel("all_wait")?;
            let other = world.stream()?;
            world.own_stream().launch_kernel(&kernel, Launch::new(blocks, threads), (words, said))?;
            other.launch_kernel(&kernel, Launch::new(blocks, threads), (words.add(count), said.add(count)))?;
            let error = world.own_stream().synchronize().unwrap_err();
            let elsewhere = other.synchronize().unwrap_err();
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
            return world.own_stream().synchronize();
        }
        // This PE is away from the barrier for long enough, and alive: no PE may report it as dead.
        let (start, alone) = (Instant::now(), limit * 4);
        while start.elapsed() < alone {
            std::thread::sleep(Duration::from_millis(10));
        }
        world.barrier_all()
    });
    let errors: Vec<&Error> = outcomes.iter().map(|outcome| outcome.as_ref().unwrap_err()).collect();
    // The first PE reports the timeout; the other one reports the same itself, or gets it from the first.
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
    // The late one too, although the others have ended their worlds by then.
    for outcome in &outcomes {
        let error = outcome.as_ref().unwrap_err();
        says(error, ErrorKind::Timeout, &["`malloc`", "PE 2 has not arrived within 500ms"]);
        assert_eq!(error.pe(), Some(Pe::new(2)));
    }
}

#[test]
fn a_kernel_that_panics_is_an_error_with_its_place_and_text_for_good_and_for_all() {
    let started = Instant::now();
    let outcomes = each(2, &config(), |world| {
        let word = world.calloc::<u64>(1)?;
        world.barrier_all()?;
        if world.my_pe().number() == 1 {
            launch(world, "wait_equal", ONE, (word, 1u64))?;
            return world.own_stream().synchronize();
        }
        // A kernel of another stream waits for a word that never comes.
        let other = world.stream()?;
        let wait = world.modules().load("oxshmem-test-kernels")?.kernel("wait_equal")?;
        other.launch_kernel(&wait, ONE, (word, 1u64))?;
        launch(world, "panics", Launch::new(2, 32), (37usize,))?;
        let error = world.own_stream().synchronize().unwrap_err();
        says(&error, ErrorKind::Fault, &["`panics`", "PE 0", "[5, 0, 0]", "[1, 0, 0]", "thread 37 was told to panic"]);
        let again = launch(world, "wait_equal", ONE, (word, 0u64)).unwrap_err();
        assert_eq!(again.to_string(), error.to_string(), "it stays");
        assert_eq!(other.synchronize().unwrap_err().to_string(), error.to_string());
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
                // Its own kernel is running, and would wait without end.launch("wait_equal", ONE, (word, 1u64))?;
                panic!("out of luck");
            }
            launch(world, "wait_equal", ONE, (word, 1u64))?;
            let (kernels, barrier) = (world.own_stream().synchronize().unwrap_err(), world.sync_all().unwrap_err());
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
