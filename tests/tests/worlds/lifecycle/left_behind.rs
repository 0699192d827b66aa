//! Worlds leave no resources when they end.

use std::time::{Duration, Instant};

use oxshmem_fakes::soft_nic;
use oxshmem_hal::launcher::Launcher;
use oxshmem_hal::{Config, ErrorKind, Launch, Pe, World};
use oxshmem_tests::worlds::{self, Processes, config, say};

use super::{MIB, ring_by};

/// Resources of a process that a world could leave.
#[derive(Debug, PartialEq)]
struct Belongings {
    descriptors: usize,
    threads: usize,
    shared_files: usize,
    /// Ranges of addresses of 16 GiB and more: a world reserves 64 GiB for each heap, and nothing else reserves as
    /// much.
    reservations: usize,
    mappings: usize,
}

fn belongings() -> Belongings {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    Belongings {
        descriptors: std::fs::read_dir("/proc/self/fd").unwrap().count(),
        threads: std::fs::read_dir("/proc/self/task").unwrap().count(),
        shared_files: maps.lines().filter(|line| line.contains("memfd:")).count(),
        reservations: maps.lines().filter(|line| bytes_of(line).is_some_and(|bytes| bytes >= 1 << 34)).count(),
        mappings: maps.lines().count(),
    }
}

/// Returns the size of a mapping by its line, which begins `from-to ` in hexadecimal digits.
fn bytes_of(line: &str) -> Option<u64> {
    let (from, to) = line.split_once(' ')?.0.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    number(to)?.checked_sub(number(from)?)
}

/// Checks that the worlds since `before` left nothing. The kernel takes a joined thread off its list shortly after
/// the join.
fn assert_nothing_left(before: &Belongings) {
    let start = Instant::now();
    while belongings().threads > before.threads && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let after = belongings();
    assert_eq!(after.descriptors, before.descriptors, "descriptors");
    assert!(after.threads <= before.threads, "{} threads, {} before", after.threads, before.threads);
    assert_eq!(after.shared_files, 0, "mappings of shared memory");
    assert_eq!(after.reservations, before.reservations, "reserved ranges of addresses");
    // The system's allocator and the pool of GPU threads' stacks keep mappings for as many threads as ever ran at the
    // same time, which is chance. One mapping left by each PE of a world would be far more.
    assert!(after.mappings < before.mappings + 60, "{} mappings, {} before", after.mappings, before.mappings);
}

pub(crate) fn a_hundred_worlds() {
    hundred_of(config());
}

/// The PEs are threads that reach each other by the queues of a software NIC.
pub(crate) fn a_hundred_worlds_over_a_nic() {
    soft_nic::install().unwrap();
    hundred_of(soft_nic::by_nic(config()));
}

fn hundred_of(config: Config) {
    // As threads, and over sockets as processes do.
    let by_threads = || drop(World::threads(3, &config, |world| ring_by(world, 1000, 1)).unwrap());
    let launcher = Launcher::new(2).unwrap();
    let by_sockets = || {
        std::thread::scope(|scope| {
            for pe in 0..2 {
                let (config, bootstrap) = (config.clone(), worlds::join_as(&launcher, pe, 2));
                scope.spawn(move || {
                    let world = World::join(config, &bootstrap).unwrap();
                    ring_by(&world, 1000, 1).unwrap();
                    // More than the heap has, so that it grows and descriptors are exchanged.
                    let large = world.malloc::<u8>(3 * MIB).unwrap();
                    world.free(large).unwrap();
                    world.finalize().unwrap();
                });
            }
        });
    };
    for _ in 0..10 {
        by_threads();
        by_sockets();
    }
    let before = belongings();
    for _ in 0..50 {
        by_threads();
        by_sockets();
    }
    assert_nothing_left(&before);
    say("nothing left");
}

#[test]
fn a_hundred_worlds_leave_no_descriptor_thread_mapping_or_file() {
    // In a process of its own, because it counts everything of the process.
    let said = Processes::start("hundred", 1, &[]).all_succeed();
    assert_eq!(said, [["nothing left"]]);
}

#[test]
fn a_hundred_worlds_over_a_nic_leave_no_descriptor_thread_mapping_or_file() {
    let said = Processes::start("hundred over a NIC", 1, &[]).all_succeed();
    assert_eq!(said, [["nothing left"]]);
}

/// A PE of a world whose partner survives: works until it is killed.
pub(crate) fn a_partner() {
    let world = World::init().unwrap();
    let rounds = world.modules().load("oxshmem-test-kernels").unwrap().kernel("rounds").unwrap();
    let word = world.calloc::<u64>(1).unwrap();
    let large = world.malloc::<u8>(2 * MIB).unwrap();
    world.write(large, &[1]).unwrap();
    world.barrier_all().unwrap();
    world.own_stream().launch_kernel(&rounds, Launch::new(1, 1).collective(), (word, u64::MAX)).unwrap();
    say("at work");
    let _ = world.own_stream().synchronize();
}

/// One round of a process that goes on while the other PE of its world is killed.
fn survive_one(pe: u32) {
    let launcher = Launcher::new(2).unwrap();
    let bootstrap = worlds::join_as(&launcher, pe, 2);
    let other = 1 - pe;
    let mut partner =
        Processes::start_with("partner", other..other + 1, &[], |pe, command| launcher.prepare(Pe::new(pe), command));
    let world = World::join(config(), &bootstrap).unwrap();
    let rounds = world.modules().load("oxshmem-test-kernels").unwrap().kernel("rounds").unwrap();
    let word = world.calloc::<u64>(1).unwrap();
    let large = world.malloc::<u8>(2 * MIB).unwrap();
    world.write(large, &[1]).unwrap();
    world.barrier_all().unwrap();
    world.own_stream().launch_kernel(&rounds, Launch::new(1, 1).collective(), (word, u64::MAX)).unwrap();
    partner.until_said(0, "at work");
    partner.kill(0);
    let error = world.own_stream().synchronize().unwrap_err();
    assert_eq!((error.kind(), error.pe()), (ErrorKind::PeerDied, Some(Pe::new(other))), "{error}");
    // Memory of a dead PE stays readable for the others.
    world.g(large, Pe::new(other)).unwrap();
    assert_eq!(world.finalize().unwrap_err().kind(), ErrorKind::PeerDied);
    assert!(partner.ends()[0].was_killed());
}

pub(crate) fn surviving_twenty_deaths() {
    for round in 0..4 {
        survive_one(round % 2);
    }
    let before = belongings();
    for round in 0..20 {
        survive_one(round % 2);
    }
    assert_nothing_left(&before);
    say("nothing left");
}

#[test]
fn twenty_worlds_in_which_a_pe_was_killed_leave_nothing_in_the_survivor() {
    let said = Processes::start("survivor", 1, &[]).all_succeed();
    assert_eq!(said, [["nothing left"]]);
}
