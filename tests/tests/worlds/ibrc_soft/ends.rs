//! Links and processes that are lost while operations are in flight, and completions that never come.

use std::time::{Duration, Instant};

use oxshmem_core::FaultStep;
use oxshmem_device::prelude::*;
use oxshmem_fakes::under_verbs::{Wire, hold, set_link};
use oxshmem_hal::{Config, ErrorKind, Launch, World};
use oxshmem_rdma::mlx5::cqe::syndrome;
use oxshmem_tests::losses::{self, mark_failed, tell, until_failed};
use oxshmem_tests::worlds::say;

use super::faults::ONE;
use super::{SOON, note, noted, run, start, start_on};

/// Number of queues that are filled. The number of puts on each is more than the queue takes.
const QUEUES: usize = 7;
const PUTS: usize = 300;

kernel! {
    /// Fills one queue from each block, and then waits for it.
    fn fill_each(shmem: Shmem, words: SymPtr<u64>, handles: SymPtr<u64>) {
        let handle = QpHandle::from_raw(shmem.local(handles, QUEUES).read(block_idx()[0] as usize) as i32);
        let queue = shmem.qp(Qp::Custom(handle));
        let put = (0..PUTS).try_for_each(|i| queue.p(words.add(i), i as u64, ONE));
        let named = [handle];
        note(put.and_then(|()| shmem.quiet_on(Thread, PeSet::All, QpSet::Of(&named))));
    }
}

pub(crate) fn kernel_puts() {
    losses::kernel_puts(World::init().unwrap()).unwrap();
}

pub(crate) fn host_puts() {
    losses::host_puts(World::init().unwrap()).unwrap();
}

#[test]
fn a_target_killed_while_puts_to_it_are_in_flight_is_named_to_each_that_put() {
    for (body, seed, after) in
        [("kernel puts", "0", 0), ("kernel puts", "9", 7), ("host puts", "0", 3), ("host puts", "4", 20)]
    {
        let Some(wire) = Wire::new(env!("CARGO_TARGET_TMPDIR")) else { return };
        // The stand-in for sysfs is a folder. A killed process can't remove it; the next process that finds it does.
        let folder = wire.folder().to_str().unwrap();
        let variables = [("OXSHMEM_SOFTNIC_SEED", seed), ("TMPDIR", folder)];
        let world = start_on(&wire, body, losses::PUTTERS + 1, &variables, |_| Vec::new());
        losses::kill_the_target(world, Duration::from_millis(after));
        assert_eq!(wire.violations(), "", "{body}");
    }
}

pub(crate) fn losing_the_link() {
    losses::losing_the_link(World::init().unwrap(), || set_link(false)).unwrap();
}

#[test]
fn a_link_that_goes_down_is_a_fault_at_both_its_ends() {
    let Some((wire, world)) = start("link", 2, &[], |_| Vec::new()) else { return };
    losses::both_ends_tell(world);
    assert_eq!(wire.violations(), "");
}

/// The link is lost while as many operations as possible are in flight.
pub(crate) fn losing_the_link_with_full_queues() {
    let world = World::init().unwrap();
    let (words, handles) = (world.calloc::<u64>(PUTS).unwrap(), world.calloc::<u64>(QUEUES).unwrap());
    let fill = world.modules().load("worlds").unwrap().kernel("fill_each").unwrap();
    let made = world.qps().create(QUEUES as u32).unwrap();
    world.write(handles, &made.iter().map(|handle| handle.raw() as u64).collect::<Vec<_>>()).unwrap();
    world.barrier_all().unwrap();
    if world.my_pe().number() == 0 {
        hold(true);
        world.own_stream().launch_kernel(&fill, Launch::new(QUEUES as u32, 1).collective(), (words, handles)).unwrap();
        let posted =
            || world.qps().counters().unwrap().iter().filter(|queue| queue.row >= 2).map(|queue| queue.posted).sum();
        // Each queue is full; all entries come back at once.
        let since = Instant::now();
        loop {
            let sum: u64 = posted();
            if sum >= (QUEUES * 128) as u64 {
                break;
            }
            assert!(since.elapsed() < SOON, "{sum} were posted: {:?}", world.qps().counters());
            std::thread::yield_now();
        }
        set_link(false);
        hold(false);
        let since = Instant::now();
        let error = world.own_stream().synchronize().unwrap_err();
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
        // Completion queues have room only for the requested number of entries, even if libmlx5 made the send queue
        // deeper.
        let counters = world.qps().counters().unwrap();
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

/// The NIC stops doing anything: no completion, no error.
pub(crate) fn held() {
    let limit = Duration::from_secs(1);
    let world = World::init_with(Config::from_env().unwrap().with_wait_limit(limit)).unwrap();
    let (words, handles) = (world.calloc::<u64>(PUTS).unwrap(), world.calloc::<u64>(QUEUES).unwrap());
    let fill = world.modules().load("worlds").unwrap().kernel("fill_each").unwrap();
    let made = world.qps().create(1).unwrap();
    world.write(handles, &[made[0].raw() as u64]).unwrap();
    world.barrier_all().unwrap();
    if world.my_pe().number() == 0 {
        hold(true);
        let since = Instant::now();
        world.own_stream().launch_kernel(&fill, Launch::new(1, 1), (words, handles)).unwrap();
        let error = world.own_stream().synchronize().unwrap_err();
        let took = since.elapsed();
        assert!((limit..SOON).contains(&took), "it took {took:?}");
        let fault = noted()[0].unwrap_err();
        assert_eq!((fault.step, fault.pe, fault.qp), (FaultStep::Queue, 1, made[0].raw()), "{fault}");
        assert_eq!((fault.asked, fault.seen), (PUTS as u64, 0));
        tell(&error);
        let error = world.put(words, &[1], ONE).unwrap_err();
        tell(&error);
    }
    // The limit applies to the other PE too, which would time out first if it made a call.
    if world.my_pe().number() == 0 {
        mark_failed(0);
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

/// A PE ends while another one waits for the answers to its calls.
pub(crate) fn gone() {
    let limit = Duration::from_millis(300);
    let world = World::init_with(Config::from_env().unwrap().with_wait_limit(limit)).unwrap();
    let word = world.calloc::<u64>(1).unwrap();
    world.barrier_all().unwrap();
    if world.my_pe().number() == 0 {
        hold(true);
        let ends =
            [world.put(word, &[1], ONE), world.get(&mut [0], word, ONE), world.at(word, ONE).fetch_add(1).map(drop)];
        ends.into_iter().for_each(|end| tell(&end.unwrap_err()));
    }
}

#[test]
fn a_call_of_the_host_to_a_pe_that_ends_before_it_answers_names_its_death() {
    let Some(said) = run("gone", 2, &[]) else { return };
    assert_eq!(said[0].len(), 3, "{said:?}");
    for said in &said[0] {
        assert!(said.starts_with("PeerDied | PE 1 | ") && said.contains("without finalize"), "{said}");
        assert!(said.contains("made no progress"), "{said}");
    }
}
