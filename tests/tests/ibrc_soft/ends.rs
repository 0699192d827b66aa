//! Links and processes that go while operations are on their way, and completions that never come.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use oxshmem_core::FaultStep;
use oxshmem_device::prelude::*;
use oxshmem_hal::{Config, ErrorKind, Launch, Result, World};
use oxshmem_raw::mlx5::cqe::syndrome;
use oxshmem_test_kernels as _;
use oxshmem_tests::under_verbs::{Wire, hold, set_link};
use oxshmem_tests::worlds::say;

use crate::faults::ONE;
use crate::{SOON, note, noted, run, start, start_on, tell};

/// Elements of a put: some hundred pieces of a message are on their way at any time.
const N: usize = 32 << 10;
/// The PE to which the others put.
const TARGET: u32 = 2;
/// Queues that are filled, and what is put on each: more than it takes.
const QUEUES: usize = 7;
const PUTS: usize = 300;

kernel! {
    /// A block for each queue fills it, and then waits for it.
    fn fill_each(shmem: Shmem, words: SymPtr<u64>, handles: SymPtr<u64>) {
        let handle = QpHandle::from_raw(shmem.local(handles, QUEUES).read(block_idx()[0] as usize) as i32);
        let queue = shmem.qp(Qp::Custom(handle));
        let put = (0..PUTS).try_for_each(|i| queue.p(words.add(i), i as u64, ONE));
        let named = [handle];
        note(put.and_then(|()| shmem.quiet_on(Thread, PeSet::All, QpSet::Of(&named))));
    }
}

/// Does `round` until it fails; says so when it is under way. Then it stays until the other PEs of `of` have failed, too,
/// each for its own reason and not because this one is gone.
fn until_it_fails(me: u32, of: [u32; 2], mut round: impl FnMut(u64) -> Result<()>) {
    let ended = (0..).try_for_each(|at| {
        if at == 3 {
            say("at work");
        }
        round(at)
    });
    tell(&ended.unwrap_err());
    std::fs::write(failed(me), "").unwrap();
    of.into_iter().for_each(until_failed);
}

/// The file that says that a PE has failed.
fn failed(pe: u32) -> PathBuf {
    Path::new(&std::env::var("OXSHMEM_SOFTNIC_WIRE").unwrap()).join(format!("failed-{pe}"))
}

/// Waits for it.
fn until_failed(pe: u32) {
    while !failed(pe).exists() {
        std::thread::yield_now();
    }
}

pub(crate) fn kernel_puts() {
    let world = World::init().unwrap();
    let (to, from) = (world.malloc::<f64>(N).unwrap(), world.malloc::<f64>(N).unwrap());
    let put = world.load("oxshmem-test-kernels").unwrap().kernel("put_f64").unwrap();
    world.barrier_all().unwrap();
    let target = world.pe_after(TARGET + world.n_pes() - world.my_pe().number());
    until_it_fails(world.my_pe().number(), [0, 1], |_| {
        world.launch(&put, Launch::new(1, 32), (to, from, N, target))?;
        world.synchronize()
    });
}

pub(crate) fn host_puts() {
    let world = World::init().unwrap();
    let to = world.malloc::<f64>(N).unwrap();
    let data = vec![1.0; N];
    world.barrier_all().unwrap();
    let target = world.pe_after(TARGET + world.n_pes() - world.my_pe().number());
    until_it_fails(world.my_pe().number(), [0, 1], |_| {
        world.put(to, &data, target)?;
        world.quiet()
    });
}

#[test]
fn a_target_killed_while_puts_to_it_are_in_flight_is_named_to_each_that_put() {
    for (body, seed, after) in
        [("kernel puts", "0", 0), ("kernel puts", "9", 7), ("host puts", "0", 3), ("host puts", "4", 20)]
    {
        let Some(wire) = Wire::new(env!("CARGO_TARGET_TMPDIR")) else { return };
        // What stands in for sysfs is a folder, which nobody is left to take away; the next process that looks does.
        let folder = wire.folder().to_str().unwrap();
        let variables = [("OXSHMEM_SOFTNIC_SEED", seed), ("TMPDIR", folder)];
        let mut world = start_on(&wire, body, 3, &variables, |_| Vec::new());
        (0..3).for_each(|pe| world.until_said(pe, "at work"));
        // Not a wait for anything: the moment itself is what is tried.
        std::thread::sleep(Duration::from_millis(after));
        let killed = Instant::now();
        world.kill(TARGET);
        let ends = world.ends();
        assert!(killed.elapsed() < SOON, "{body}: the others took {:?}", killed.elapsed());
        assert!(ends[TARGET as usize].was_killed());
        for (pe, end) in ends.iter().enumerate().filter(|(pe, _)| *pe as u32 != TARGET) {
            assert!(end.status.success(), "{body}: PE {pe} ended with {}:\n{}", end.status, end.stderr);
            let error = &end.said[1];
            // By the error completion or by the notice of the death, whichever was first.
            let typed = error.starts_with("PeerDied |") || error.starts_with("Fault |");
            assert!(typed && error.contains(&format!("| PE {TARGET} |")), "{body}: PE {pe} said {error}");
        }
        assert_eq!(wire.violations(), "", "{body}");
    }
}

/// PE 1 takes its link down in the middle of its work, and goes on.
pub(crate) fn losing_the_link() {
    let world = World::init().unwrap();
    let (to, from) = (world.malloc::<f64>(N).unwrap(), world.malloc::<f64>(N).unwrap());
    let get = world.load("oxshmem-test-kernels").unwrap().kernel("get_f64").unwrap();
    world.barrier_all().unwrap();
    let (me, peer) = (world.my_pe().number(), world.pe_after(1));
    until_it_fails(me, [0, 1], |at| {
        if me == 1 && at == 5 {
            set_link(false);
        }
        world.launch(&get, Launch::new(1, 32), (to, from, N, peer))?;
        world.synchronize()
    });
}

#[test]
fn a_link_that_goes_down_is_a_fault_at_both_its_ends() {
    let Some((wire, world)) = start("link", 2, &[], |_| Vec::new()) else { return };
    let started = Instant::now();
    let ends = world.ends();
    assert!(started.elapsed() < SOON * 2, "it took {:?}", started.elapsed());
    for (pe, end) in ends.iter().enumerate() {
        assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
        // The last word: a PE that is behind loses the link before it says that it is at work.
        let (error, other) = (end.said.last().unwrap(), format!("| PE {} |", 1 - pe));
        assert!(error.contains(&other), "PE {pe} said {error}");
    }
    let said: Vec<&String> = ends.iter().flat_map(|end| end.said.last()).collect();
    assert!(said.iter().any(|error| error.starts_with("Fault |")), "{said:?}");
    assert_eq!(wire.violations(), "");
}

/// As much as can be on its way is, when the link goes.
pub(crate) fn losing_the_link_with_full_queues() {
    let world = World::init().unwrap();
    let (words, handles) = (world.calloc::<u64>(PUTS).unwrap(), world.calloc::<u64>(QUEUES).unwrap());
    let fill = world.load("ibrc_soft").unwrap().kernel("fill_each").unwrap();
    let made = world.qp_create(QUEUES as u32).unwrap();
    world.write(handles, &made.iter().map(|handle| handle.raw() as u64).collect::<Vec<_>>()).unwrap();
    world.barrier_all().unwrap();
    if world.my_pe().number() == 0 {
        hold(true);
        world.launch(&fill, Launch::new(QUEUES as u32, 1).collective(), (words, handles)).unwrap();
        let posted =
            || world.qp_counters().unwrap().iter().filter(|queue| queue.row >= 2).map(|queue| queue.posted).sum();
        // Each queue is full; all of it comes back at once.
        let since = Instant::now();
        loop {
            let sum: u64 = posted();
            if sum >= (QUEUES * 128) as u64 {
                break;
            }
            assert!(since.elapsed() < SOON, "{sum} were posted: {:?}", world.qp_counters());
            std::thread::yield_now();
        }
        set_link(false);
        hold(false);
        let since = Instant::now();
        let error = world.synchronize().unwrap_err();
        assert!(since.elapsed() < SOON, "it took {:?}", since.elapsed());
        assert_eq!((error.kind(), error.pe()), (ErrorKind::Fault, Some(ONE)), "{error}");
        let mut stopped: Vec<i32> = noted()
            .into_iter()
            .map(|ended| {
                let fault = ended.unwrap_err();
                assert_eq!((fault.step, fault.pe), (FaultStep::Completion, 1), "{fault}");
                assert_eq!((fault.detail & 0xff) as u8, syndrome::RETRIES_EXCEEDED, "{fault}");
                fault.qp
            })
            .collect();
        stopped.sort_unstable();
        assert_eq!(stopped, made.iter().map(|handle| handle.raw()).collect::<Vec<_>>());
        // For more than was asked for there is no room where completions come, whatever room libmlx5 gave.
        let counters = world.qp_counters().unwrap();
        assert!(counters.iter().all(|queue| queue.row < 2 || queue.posted == 128), "{counters:?}");
    }
    world.all_gather("done", &[]).unwrap();
    say("done");
}

#[test]
fn a_link_that_goes_down_under_full_queues_is_each_queues_fault_and_no_completion_is_overwritten() {
    for seed in ["0", "2"] {
        let variables = [("OXSHMEM_QP_DEPTH", "128"), ("OXSHMEM_SOFTNIC_SEED", seed)];
        let Some(said) = run("full queues", 2, &variables) else { return };
        assert!(said.iter().all(|said| said == &["done"]), "{said:?}");
    }
}

/// The NIC does nothing any more: no completion, no error.
pub(crate) fn held() {
    let limit = Duration::from_secs(1);
    let world = World::init_with(Config::from_env().unwrap().with_wait_limit(limit)).unwrap();
    let (words, handles) = (world.calloc::<u64>(PUTS).unwrap(), world.calloc::<u64>(QUEUES).unwrap());
    let fill = world.load("ibrc_soft").unwrap().kernel("fill_each").unwrap();
    let made = world.qp_create(1).unwrap();
    world.write(handles, &[made[0].raw() as u64]).unwrap();
    world.barrier_all().unwrap();
    if world.my_pe().number() == 0 {
        hold(true);
        let since = Instant::now();
        world.launch(&fill, Launch::new(1, 1), (words, handles)).unwrap();
        let error = world.synchronize().unwrap_err();
        let took = since.elapsed();
        assert!((limit..SOON).contains(&took), "it took {took:?}");
        let fault = noted()[0].unwrap_err();
        assert_eq!((fault.step, fault.pe, fault.qp), (FaultStep::Queue, 1, made[0].raw()), "{fault}");
        assert_eq!((fault.asked, fault.seen), (PUTS as u64, 0));
        tell(&error);
        let error = world.put(words, &[1], ONE).unwrap_err();
        tell(&error);
    }
    // The limit is the other's too, who would give up first if it called anything.
    if world.my_pe().number() == 0 {
        std::fs::write(failed(0), "").unwrap();
    }
    until_failed(0);
    let since = Instant::now();
    drop(world);
    assert!(since.elapsed() < SOON, "the end took {:?}", since.elapsed());
}

#[test]
fn completions_that_never_come_end_waits_at_their_limit_and_the_world_ends() {
    let Some(said) = run("held", 2, &[]) else { return };
    assert!(said[0][0].contains("queue pair 2 to PE 1 made no progress"), "{said:?}");
    assert!(said[0][1].contains("PE 1"), "{said:?}");
}
