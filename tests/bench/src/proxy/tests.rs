//! The waiting threads when a proxy or one of its queues fails: each gets a fault, long before the limit of waits.

use std::mem::offset_of;
use std::time::{Duration, Instant};

use oxshmem_core::FaultStep;
use oxshmem_core::host::Transport;
use oxshmem_proxy_kernels::ask::AskJob;
use oxshmem_raw::state::WorldState;
use oxshmem_transport_ibrc::state::ProxyQueue;

use super::KERNELS;
use super::request::Request;
use super::world::World;
use oxshmem_machine::Machine;

/// A wait without a fault would last 10 s.
const SOON: Duration = Duration::from_secs(8);

fn shape(ctas: u32, qps: u32) -> Request {
    Request { ctas, threads: 32, qps, ring: 64, ..Request::default() }
}

/// The threads' operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// To write.
    P,
    /// To read.
    G,
}

/// Runs a kernel whose threads each repeat the operation, and returns the step at which each failed, if it did.
fn ask(world: &World<'_>, what: Ask, grid: [u32; 2], iters: u32) -> Vec<Option<u64>> {
    ask_as(world, world.state, what, grid, iters)
}

fn ask_as(world: &World<'_>, state: WorldState, what: Ask, grid: [u32; 2], iters: u32) -> Vec<Option<u64>> {
    let begun = Instant::now();
    let job = AskJob { iters, bytes: u64::from(what == Ask::G), ..world.job() };
    world.run_as(state, "proxy_told", grid, job).unwrap();
    assert!(begun.elapsed() < SOON, "it took {:?}", begun.elapsed());
    let told = world.ticks(grid[0] * grid[1]);
    assert!(told.iter().all(|[ended, _]| *ended == 1));
    told.iter().map(|[_, step]| step.checked_sub(1)).collect()
}

fn all(told: &[Option<u64>], step: FaultStep) -> bool {
    told.iter().all(|one| *one == Some(step as u64))
}

#[test]
fn a_request_that_names_no_queue_stops_the_queues_of_its_ring_and_is_counted() {
    for what in [Ask::P, Ask::G] {
        let machine = Machine::host(KERNELS);
        let world = World::new(&machine, &shape(1, 2)).unwrap();
        assert_eq!(ask(&world, what, [1, 4], 4), [None; 4]);
        let queue = world.state.paths[0].queues + size_of::<ProxyQueue>() as u64;
        let number = queue + offset_of!(ProxyQueue, number) as u64;
        // SAFETY: **mapped**: a field of the queue to PE 1, in memory of this process; no kernel runs.
        unsafe { machine.memory.write(number, &77u32.to_ne_bytes()).unwrap() }
        let told = ask(&world, what, [1, 4], 1);
        assert!(all(&told, FaultStep::Completion), "{what:?}: {told:?}");
        let strays: u64 = world.ibrc.ring_counters().unwrap().iter().map(|ring| ring.strays).sum();
        assert!((1..=4).contains(&strays), "{strays}");
        let faults = world.ibrc.faults().unwrap();
        assert_eq!(faults.iter().map(|fault| fault.step).collect::<Vec<_>>(), [FaultStep::Completion; 2]);
    }
}

#[test]
fn a_proxy_that_dies_within_a_batch_is_a_fault_for_all_who_wait_for_room_or_an_answer() {
    for (what, after) in [(Ask::P, 0), (Ask::P, 3), (Ask::P, 10), (Ask::G, 0), (Ask::G, 3)] {
        let machine = Machine::host(KERNELS);
        let world = World::new(&machine, &shape(2, 2)).unwrap();
        world.sink.panic_after(after);
        // More than the ring has room for, on both of its queues.
        let told = ask(&world, what, [2, 32], 100);
        assert!(all(&told, FaultStep::HostThread), "{what:?} after {after}: {told:?}");
        // A later thread gets the fault at once.
        let told = ask(&world, what, [1, 1], 1);
        assert!(all(&told, FaultStep::HostThread), "{what:?} after {after}: {told:?}");
        let errors: u64 = world.counters().unwrap().iter().map(|one| one.errors).sum();
        assert_eq!((errors, world.ibrc.faults().unwrap().len()), (2, 2));
    }
}

#[test]
fn a_completion_that_fails_stops_its_queue_alone_and_every_waiter_is_told_why() {
    for what in [Ask::P, Ask::G] {
        let machine = Machine::host(KERNELS);
        let world = World::new(&machine, &shape(2, 2)).unwrap();
        // The first is that of the first row.
        world.sink.fail(0);
        // Blocks take turns at rows: the first has the one that fails.
        let told = ask(&world, what, [2, 32], 100);
        assert!(all(&told[..32], FaultStep::Completion), "{what:?}: {told:?}");
        let faults = world.ibrc.faults().unwrap();
        assert_eq!(faults.iter().map(|fault| fault.step).collect::<Vec<_>>(), [FaultStep::Completion]);
        // Row 1 goes on: as if its queue were the first.
        let queues = world.state.paths[0].queues + 2 * size_of::<ProxyQueue>() as u64;
        let mut other = WorldState { default_rows: 1, ..world.state };
        other.paths[0].queues = queues;
        assert_eq!(ask_as(&world, other, what, [1, 32], 100), [None; 32]);
        let counters = world.counters().unwrap();
        assert_eq!(counters.iter().map(|one| one.errors).collect::<Vec<_>>(), [1, 0]);
        assert!(counters[1].posted >= 3200 && counters[1].posted == counters[1].completed, "{counters:?}");
    }
}

#[test]
fn rings_and_queues_count_what_was_asked() {
    let machine = Machine::host(KERNELS);
    let world = World::new(&machine, &Request { proxies: 2, ..shape(2, 2) }).unwrap();
    world.run("proxy_p_rate", [2, 32], AskJob { iters: 50, ..world.job() }).unwrap();
    for one in world.counters().unwrap() {
        assert_eq!((one.posted, one.completed, one.bytes, one.errors), (1600, 1600, 12_800, 0));
        assert!(one.doorbells > 0 && one.doorbells <= 1600);
    }
    for ring in world.ibrc.ring_counters().unwrap().iter().filter(|ring| !ring.of_host) {
        assert_eq!((ring.requests, ring.depth, ring.occupied, ring.strays), (1600, 64, 0, 0));
        // A ring of 64 has no larger batch.
        let least: u64 = ring.batches.iter().zip(0..).map(|(count, size)| count << size).sum();
        let most: u64 = ring.batches.iter().zip(0..).map(|(count, size)| count * ((2 << size) - 1)).sum();
        assert!((least..=most).contains(&1600) && ring.batches[7] == 0, "{ring:?}");
    }
}
