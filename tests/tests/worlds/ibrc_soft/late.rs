//! Queue pairs that are connected at their first use.

use std::time::Instant;

use oxshmem_device::prelude::*;
use oxshmem_hal::World;
use oxshmem_tests::losses::tell;
use oxshmem_tests::worlds::say;

use super::faults::ONE;
use super::{SOON, run, start};

const LAZY: &[(&str, &str)] = &[("OXSHMEM_QP_CONNECT", "lazy")];

/// Waits until all threads of a process are stopped.
fn until_stopped(process: u32) {
    let since = Instant::now();
    let is_stopped = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line.starts_with("State:") && line.contains("(stopped)"))
    };
    while !is_stopped() {
        assert!(since.elapsed() < SOON, "it does not stop");
        std::thread::yield_now();
    }
}

/// PE 1 stops before any queue leads to it, and is killed while PE 0 waits for the connection.
pub(crate) fn stopped() {
    let world = World::init().unwrap();
    let words = world.calloc::<u64>(1).unwrap();
    let processes = world.all_gather("processes", &std::process::id().to_le_bytes()).unwrap();
    match world.my_pe().number() {
        0 => {
            let stopped = u32::from_le_bytes(processes[1].as_slice().try_into().unwrap());
            until_stopped(stopped);
            // The queues to PE 2 are others.
            world.put(words, &[7], Pe::new(2)).unwrap();
            say("puts");
            let since = Instant::now();
            tell(&world.put(words, &[1], ONE).unwrap_err());
            assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
        }
        1 => {
            nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP).unwrap();
        }
        _ => tell(&world.all_gather("the end", &[]).unwrap_err()),
    }
}

#[test]
fn a_pe_that_is_killed_while_another_connects_to_it_is_named_and_the_wait_ends() {
    let Some((_wire, mut world)) = start("stopped", 3, LAZY, |_| Vec::new()) else { return };
    world.until_said(0, "puts");
    world.kill(1);
    world.until_said(0, "Fault");
    world.until_said(2, "PeerDied");
    // The software NIC of a killed process leaves its files to the next one, and there is none here.
    for entry in std::fs::read_dir(world.folder()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.rsplit('-').nth(1).map(|process| std::path::Path::new("/proc").join(process));
        if process.is_some_and(|process| !process.exists()) {
            // Those of the other PEs, which end now, may be gone already. `ends` checks that nothing is left.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let ends = world.ends();
    for pe in [0, 2] {
        let said = ends[pe].said.last().unwrap();
        assert!(said.contains("| PE 1 |"), "{said}");
    }
}

/// Puts by the host to the next PE, which makes no call meanwhile, and back.
pub(crate) fn to_the_next() {
    let world = World::init().unwrap();
    let words = world.calloc::<u64>(64).unwrap();
    let posted = |world: &World| world.qps().counters().unwrap().iter().map(|queue| queue.posted).sum::<u64>();
    world.all_gather("begin", &[]).unwrap();
    assert_eq!(posted(&world), 0);
    let next = world.pe_after(1);
    world.put(words, &[u64::from(world.my_pe().number()) + 5; 64], next).unwrap();
    let mut back = [0; 64];
    world.get(&mut back, words, next).unwrap();
    assert_eq!(back, [u64::from(world.my_pe().number()) + 5; 64]);
    world.all_gather("end", &[]).unwrap();
    say("done");
    world.finalize().unwrap();
}

#[test]
fn processes_connect_when_they_first_put_and_all_data_arrive() {
    for seed in ["0", "5"] {
        let variables = [LAZY, &[("OXSHMEM_SOFTNIC_SEED", seed)]].concat();
        let Some(said) = run("to the next", 4, &variables) else { return };
        assert!(said.iter().all(|said| said == &["done"]), "{said:?}");
    }
}
