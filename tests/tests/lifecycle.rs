//! Worlds come, go, grow and stand side by side, and leave nothing behind.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use oxshmem_hal::bootstrap::{Launcher, RootAt, UniqueId};
use oxshmem_hal::{Config, ErrorKind, FaultStep, Launch, Pe, Result, SymPtr, World};
use oxshmem_test_kernels as _;
use oxshmem_tests::soft_nic;
use oxshmem_tests::worlds::{self, Body, Processes, config, say};

const BODIES: &[Body] = &[
    ("hundred", a_hundred_worlds),
    ("hundred over a NIC", a_hundred_worlds_over_a_nic),
    ("survivor", surviving_twenty_deaths),
    ("partner", a_partner),
    ("one after the other", one_after_the_other),
    ("ring", one_ring),
    ("short", short_of_descriptors),
    ("exits", threads_and_a_world_of_one),
];

#[test]
fn enter() {
    worlds::enter(BODIES);
}

const MIB: usize = 1 << 20;

/// Sends a block around the ring with a kernel and looks at what came, at the last byte of what was allocated too.
fn ring(world: &World, n: usize) -> Result<()> {
    ring_by(world, n, 64)
}

/// [`ring`] by a kernel of so many threads.
fn ring_by(world: &World, n: usize, threads: u32) -> Result<()> {
    let (block, inbox, flag) = (world.malloc::<f32>(n)?, world.malloc::<f32>(n)?, world.calloc::<u64>(1)?);
    let of = |pe: u32| (0..n).map(|i| pe as f32 * 1000.0 + i as f32).collect::<Vec<_>>();
    world.write(block, &of(world.my_pe().number()))?;
    world.barrier_all()?;
    let kernel = world.load("oxshmem-test-kernels")?.kernel("ring")?;
    world.launch(&kernel, Launch::new(1, threads).collective(), (block, inbox, n, flag))?;
    world.barrier_all()?;
    let mut got = vec![0.0; n];
    world.read(inbox, &mut got)?;
    assert_eq!(got, of(world.pe_after(world.n_pes() - 1).number()));
    world.free(flag)?;
    world.free(inbox)?;
    world.free(block)
}

/// What a process has that a world could leave behind.
#[derive(Debug, PartialEq)]
struct Belongings {
    descriptors: usize,
    threads: usize,
    shared_files: usize,
    /// Ranges of addresses of 16 GiB and more: a world reserves 64 for each heap, and nobody else as many.
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

/// The size of a mapping by its line, which begins `from-to ` in hexadecimal digits.
fn bytes_of(line: &str) -> Option<u64> {
    let (from, to) = line.split_once(' ')?.0.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    number(to)?.checked_sub(number(from)?)
}

/// The hundred or twenty worlds since `before` left nothing. The kernel takes a joined thread off its list a moment after the join.
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
    // The system's allocator and the pool of GPU threads' stacks keep some for as many as ever ran at the same
    // time, which is chance. A mapping left by each PE of a world would be far above.
    assert!(after.mappings < before.mappings + 60, "{} mappings, {} before", after.mappings, before.mappings);
}

fn a_hundred_worlds() {
    hundred_of(config());
}

/// The PEs are threads that reach each other by the queues of a software NIC.
fn a_hundred_worlds_over_a_nic() {
    soft_nic::install().unwrap();
    hundred_of(soft_nic::by_nic(config()));
}

fn hundred_of(config: Config) {
    // By threads, and over sockets as processes do.
    let by_threads = || drop(World::threads(3, &config, |world| ring_by(world, 1000, 1)).unwrap());
    let launcher = Launcher::new(2).unwrap();
    let by_sockets = || {
        std::thread::scope(|scope| {
            for pe in 0..2 {
                let (config, bootstrap) = (config.clone(), worlds::join_as(&launcher, pe, 2));
                scope.spawn(move || {
                    let world = World::join(config, &bootstrap).unwrap();
                    ring_by(&world, 1000, 1).unwrap();
                    // More than there is: the heap grows, with descriptors going around.
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
    // In a process of its own: it counts all that the process has.
    let said = Processes::start("hundred", 1, &[]).all_succeed();
    assert_eq!(said, [["nothing left"]]);
}

#[test]
fn a_hundred_worlds_over_a_nic_leave_no_descriptor_thread_mapping_or_file() {
    let said = Processes::start("hundred over a NIC", 1, &[]).all_succeed();
    assert_eq!(said, [["nothing left"]]);
}

/// A PE of a world that its partner survives: works until it is killed.
fn a_partner() {
    let world = World::init().unwrap();
    let rounds = world.load("oxshmem-test-kernels").unwrap().kernel("rounds").unwrap();
    let word = world.calloc::<u64>(1).unwrap();
    let large = world.malloc::<u8>(2 * MIB).unwrap();
    world.write(large, &[1]).unwrap();
    world.barrier_all().unwrap();
    world.launch(&rounds, Launch::new(1, 1).collective(), (word, u64::MAX)).unwrap();
    say("at work");
    let _ = world.synchronize();
}

/// One round of a process that goes on while its world's other PE is killed.
fn survive_one(pe: u32) {
    let launcher = Launcher::new(2).unwrap();
    let bootstrap = worlds::join_as(&launcher, pe, 2);
    let other = 1 - pe;
    let mut partner =
        Processes::start_with("partner", other..other + 1, &[], |pe, command| launcher.prepare(Pe::new(pe), command));
    let world = World::join(config(), &bootstrap).unwrap();
    let rounds = world.load("oxshmem-test-kernels").unwrap().kernel("rounds").unwrap();
    let word = world.calloc::<u64>(1).unwrap();
    let large = world.malloc::<u8>(2 * MIB).unwrap();
    world.write(large, &[1]).unwrap();
    world.barrier_all().unwrap();
    world.launch(&rounds, Launch::new(1, 1).collective(), (word, u64::MAX)).unwrap();
    partner.until_said(0, "at work");
    partner.kill(0);
    let error = world.synchronize().unwrap_err();
    assert_eq!((error.kind(), error.pe()), (ErrorKind::PeerDied, Some(Pe::new(other))), "{error}");
    // What it wrote stays readable: nobody takes memory away under the others.
    world.g(large, Pe::new(other)).unwrap();
    assert_eq!(world.finalize().unwrap_err().kind(), ErrorKind::PeerDied);
    assert!(partner.ends()[0].was_killed());
}

fn surviving_twenty_deaths() {
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

fn one_after_the_other() {
    for round in 0..5 {
        let world = World::init().unwrap();
        ring(&world, 100 + round).unwrap();
        world.finalize().unwrap();
    }
    say("five worlds");
}

#[test]
fn worlds_follow_one_another_in_the_same_processes() {
    for said in Processes::start("one after the other", 3, &[]).all_succeed() {
        assert_eq!(said, ["five worlds"]);
    }
}

fn one_ring() {
    let world = World::init().unwrap();
    ring(&world, 10_000).unwrap();
    say(format!("{} of {}", world.my_pe(), world.n_pes()));
    world.finalize().unwrap();
}

#[test]
fn eight_processes_and_eight_threads_make_worlds_of_eight() {
    let said = Processes::start("ring", 8, &[]).all_succeed();
    for (pe, said) in said.iter().enumerate() {
        assert_eq!(said, &[format!("PE {pe} of 8")]);
    }
    World::threads(8, &config(), |world| ring(world, 10_000)).unwrap();
}

#[test]
fn what_was_set_in_vain_is_told_once_by_pe_0() {
    let variables = [("OXSHMEM_REMOTE_TRANSPORT", "ucx"), ("OXSHMEM_VERSION", "1"), ("OXSHMEM_WAIT_LIMITS", "1s")];
    let ends = Processes::start("ring", 2, &variables).ends();
    let told = &ends[0].stderr;
    assert_eq!(told.matches("oxshmem: note: REMOTE_TRANSPORT = ucx").count(), 1, "{told}");
    assert_eq!(told.matches("oxshmem: note: OXSHMEM_WAIT_LIMITS").count(), 1, "{told}");
    assert_eq!(told.matches("oxshmem: version ").count(), 1, "{told}");
    assert!(!ends[1].stderr.contains("oxshmem: "), "{}", ends[1].stderr);
    let silent = Processes::start("ring", 2, &[("OXSHMEM_DEBUG", "none"), ("OXSHMEM_WAIT_LIMITS", "1s")]).ends();
    assert!(!silent[0].stderr.contains("oxshmem: "), "{}", silent[0].stderr);
}

#[test]
fn a_world_of_one_does_everything_with_itself() {
    World::threads(1, &config(), |world| {
        assert_eq!((world.my_pe(), world.n_pes(), world.pe_after(3)), (Pe::new(0), 1, Pe::new(0)));
        world.barrier_all_on_stream()?;
        world.synchronize()?;
        assert_eq!(world.qp_create(1)?.len(), 1);
        ring(world, 1)
    })
    .unwrap();
}

/// Without a launcher, a process is a world of one; and `main` that returns with a world in hand ends well.
fn threads_and_a_world_of_one() {
    let world = World::init().unwrap();
    assert_eq!(world.n_pes(), 1);
    ring(&world, 10).unwrap();
    say("alone");
}

#[test]
fn a_process_without_a_launcher_is_a_world_of_one() {
    let said = Processes::start_with("exits", 0..1, &[], |_, command| {
        // A launcher of this test's own run is none of this process's.
        for name in ["OXSHMEM_PE", "OXSHMEM_N_PES", "OXSHMEM_UID", "SLURM_PROCID", "PMI_RANK", "PMIX_RANK"] {
            command.env_remove(name);
        }
    });
    assert_eq!(said.all_succeed(), [["alone"]]);
}

#[test]
fn worlds_inside_a_world_are_worlds_of_their_own() {
    World::threads(2, &config(), |outer| {
        let word = outer.calloc::<u64>(1)?;
        let sums = World::threads(3, &config().with_heap_bytes(2 << 20), |inner| {
            ring(inner, 300)?;
            assert_eq!(inner.heap_bytes().1, 2 << 20);
            // The outer world works from inside the inner one.
            if inner.my_pe().number() == 1 {
                outer.p(word, 5, outer.pe_after(1))?;
            }
            Ok(u64::from(inner.n_pes()))
        })?;
        outer.barrier_all()?;
        assert_eq!((sums.iter().sum::<u64>(), outer.g(word, outer.my_pe())?), (9, 5));
        ring(outer, 10)
    })
    .unwrap();
}

#[test]
fn two_worlds_of_different_sizes_live_side_by_side_in_threads() {
    std::thread::scope(|scope| {
        for (n_pes, heap, rounds) in [(2, MIB, 6), (3, 2 * MIB, 4)] {
            scope.spawn(move || {
                let config = config().with_heap_bytes(heap as u64);
                World::threads(n_pes, &config, |world| {
                    (0..rounds).try_for_each(|round| ring(world, 1000 * n_pes as usize + round))?;
                    assert_eq!(world.heap_bytes(), (0, heap as u64));
                    Ok(())
                })
                .unwrap();
            });
        }
    });
}

#[test]
fn two_worlds_interleave_in_the_same_threads_and_their_kernels_run_at_once() {
    let (id, listener) = UniqueId::listen(std::net::Ipv4Addr::LOCALHOST.into()).unwrap();
    let listener = std::sync::Arc::new(listener);
    World::threads(3, &config(), |a| {
        // The second world has the same PEs, numbered the other way around, and another heap.
        let pe = 2 - a.my_pe().number();
        let root = RootAt::Id { id: id.clone(), listener: (pe == 0).then(|| listener.clone()) };
        let bootstrap = oxshmem_hal::bootstrap::BootstrapConfig {
            pe: Pe::new(pe),
            n_pes: 3,
            root,
            limit: a.config().wait_limit,
            host: None,
        };
        let b = World::join(config().with_heap_bytes(4 << 20), &bootstrap)?;
        let words: [SymPtr<u64>; 2] = [a.calloc(1)?, b.calloc(1)?];
        let large = b.malloc::<u8>(2 * MIB)?;
        assert!(a.malloc::<u8>(100)?.addr() < large.add(2 * MIB).addr());
        a.barrier_all()?;
        b.barrier_all()?;
        let both = [(a, words[0]), (&b, words[1])];
        for (world, word) in both {
            // Both run at once, and wait for the others' of their own world alone.
            let rounds = world.load("oxshmem-test-kernels")?.kernel("rounds")?;
            world.launch(&rounds, Launch::new(1, 1).collective(), (word, 50u64))?;
        }
        b.p(large, 7, b.pe_after(1))?;
        for (world, word) in both {
            world.barrier_all()?;
            assert_eq!(world.g(word, world.my_pe())?, 50);
        }
        assert_eq!(b.g(large, b.my_pe())?, 7);
        // An error in one is none in the other.
        assert_eq!(b.malloc::<u8>(b.my_pe().index() + 1).unwrap_err().kind(), ErrorKind::Mismatch);
        b.finalize()?;
        ring(a, 100)
    })
    .unwrap();
}

#[test]
fn a_fault_in_one_world_leaves_the_other_alone() {
    World::threads(2, &config(), |good| {
        let outcome = World::threads(2, &config(), |bad| {
            let word = bad.calloc::<u64>(1)?;
            let kernel = bad.load("oxshmem-test-kernels")?.kernel("one_word")?;
            bad.launch(&kernel, Launch::new(1, 1), (word, Pe::new(9), 0u32))?;
            bad.synchronize()
        });
        assert_eq!(outcome.unwrap_err().fault().unwrap().step, FaultStep::NoSuchPe);
        ring(good, 50)
    })
    .unwrap();
}

#[test]
fn the_heap_grows_while_kernels_of_other_pes_and_of_this_one_run() {
    World::threads(3, &config(), |world| {
        let word = world.calloc::<u64>(1)?;
        let before = world.calloc::<u64>(100)?;
        world.write(before, &[7; 100])?;
        world.barrier_all()?;
        let kernel = world.load("oxshmem-test-kernels")?.kernel("rounds")?;
        let stream = world.stream()?;
        world.launch_on(&stream, &kernel, Launch::new(1, 1).collective(), (word, 300u64))?;
        let mut grown = Vec::new();
        for step in 0..6 {
            let at = world.malloc::<u64>((1 + step) * 200_000)?;
            let last = at.add((1 + step) * 200_000 - 1);
            world.p(last, 100 + step as u64, world.pe_after(1))?;
            grown.push((last, 100 + step as u64));
        }
        world.barrier_all()?;
        assert_eq!(world.g(word, world.my_pe())?, 300);
        assert!(world.heap_bytes().1 > 30 * (MIB as u64), "{:?}", world.heap_bytes());
        for (last, value) in grown {
            assert_eq!(world.g(last, world.my_pe())?, value);
        }
        let mut old = [0; 100];
        world.read(before, &mut old)?;
        assert_eq!(old, [7; 100], "what was allocated before stays where it is");
        // A kernel that is launched now reaches what has come.
        ring(world, 100_000)
    })
    .unwrap();
}

/// PE 1 has fewer and fewer descriptors left, so that growth fails there at each of its steps.
fn short_of_descriptors() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let world = World::init().unwrap();
    let odd = world.my_pe().number() == 1;
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, 100, hard).unwrap();
    let (mut failed, mut grown) = (0, Vec::new());
    for left in (0..12).rev() {
        let mut held = Vec::new();
        while odd && let Ok(file) = std::fs::File::open("/dev/null") {
            held.push(file);
        }
        held.truncate(held.len().saturating_sub(left));
        world.barrier_all().unwrap();
        match world.malloc::<u8>(3 * MIB) {
            Ok(at) => grown.push(at),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
                assert!(odd || error.to_string().contains("PE 1"), "{error}");
                failed += 1;
            }
        }
        // What needs no growth works, and growth does as soon as it can.
        let small = world.calloc::<u64>(10).unwrap();
        world.free(small).unwrap();
        drop(held);
        world.barrier_all().unwrap();
        grown.push(world.malloc::<u8>(3 * MIB).unwrap());
    }
    for at in &grown {
        world.p(at.add(3 * MIB - 1), 9u8, world.pe_after(1)).unwrap();
    }
    world.barrier_all().unwrap();
    assert!(grown.iter().all(|at| world.g(at.add(3 * MIB - 1), world.my_pe()).unwrap() == 9));
    assert!(failed >= 2 && grown.len() > 12, "{failed} failed, {} worked", grown.len());
    ring(&world, 10_000).unwrap();
    world.finalize().unwrap();
    say("grown after all");
}

#[test]
fn growth_that_fails_on_one_pe_fails_on_all_and_works_once_there_is_room() {
    for said in Processes::start("short", 3, &[]).all_succeed() {
        assert_eq!(said, ["grown after all"]);
    }
}

#[test]
fn a_world_waits_for_the_kernels_of_every_stream_before_its_memory_goes() {
    static ENDED: AtomicU64 = AtomicU64::new(0);
    World::threads(2, &config(), |world| {
        let words = world.calloc::<u64>(8)?;
        world.barrier_all()?;
        let kernel = world.load("oxshmem-test-kernels")?.kernel("rounds")?;
        let streams = (0..8).map(|_| world.stream()).collect::<Result<Vec<_>>>()?;
        for (i, stream) in streams.iter().enumerate() {
            world.launch_on(stream, &kernel, Launch::new(1, 1), (words.add(i), 100u64))?;
        }
        world.barrier_all()?;
        let mut rounds = [0; 8];
        world.read(words, &mut rounds)?;
        assert_eq!(rounds, [100; 8], "a barrier completes the kernels of every stream");
        world.barrier_all()?;
        for (i, stream) in streams.iter().enumerate() {
            world.launch_on(stream, &kernel, Launch::new(1, 1), (words.add(i), 200u64))?;
        }
        ENDED.fetch_add(1, Ordering::Relaxed);
        // The streams outlive the world here, which ends with their kernels under way.
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
        let kernel = world.load("oxshmem-test-kernels")?.kernel("arrive_and_wait")?;
        world.launch(&kernel, Launch::new(1, 1), (words, 1u64))?;
        while world.g(words, world.my_pe())? == 0 {
            std::thread::yield_now();
        }
        let error = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| world.synchronize());
            world.abort();
            waiting.join().unwrap().unwrap_err()
        });
        assert_eq!(error.fault().unwrap().step, FaultStep::Aborted, "{error}");
        assert!(error.to_string().contains("stopped"), "{error}");
        Ok(())
    })
    .unwrap_err();
    // One that is dropped stops its kernels by itself, long before the limit.
    World::threads(1, &config(), |world| {
        let words = world.calloc::<u64>(2)?;
        let kernel = world.load("oxshmem-test-kernels")?.kernel("arrive_and_wait")?;
        world.launch(&kernel, Launch::new(1, 1), (words, 1u64))?;
        Err::<(), _>(oxshmem_hal::Error::new(ErrorKind::InvalidArgument, "go on"))
    })
    .unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
