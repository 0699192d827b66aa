//! PEs that die without notice: every other PE soon gets an error that names them, and nothing of the world is left.

use std::time::{Duration, Instant};

use oxshmem_conformance_kernels::place::{BLOCK, THREAD, WARP};
use oxshmem_hal::{
    Algorithm, CollectiveOptions, Error, Launch, Lists, Result, ShareableMemory, Stream, Sum, SymPtr, Team, World,
};
use oxshmem_tests::worlds::{Body, Processes, say};
use {oxshmem_collectives as _, oxshmem_test_kernels as _};

pub(crate) const BODIES: &[Body] =
    &[("call", in_a_call), ("work", at_work), ("exit", leaving_by_exit), ("unconnected", killed_before_it_connects)];

/// Far below the limit of 60 s, because the announcement of the death ends a wait.
pub(crate) const SOON: Duration = Duration::from_secs(10);

pub(crate) fn variable(name: &str) -> String {
    std::env::var(name).unwrap()
}

pub(crate) fn wait_to_be_killed() -> ! {
    loop {
        std::thread::park();
    }
}

/// Sends a survivor's error to its test: the kind, the PE that the error names, and its text.
pub(crate) fn tell(call: &str, error: &Error) {
    say(format!("{call} | {:?} | {} | {error}", error.kind(), error.pe().map_or("nobody".into(), |pe| pe.to_string())));
}

/// Makes one call that the victim never joins, or that cannot complete; the later calls must all fail.
pub(crate) fn in_a_call() {
    in_a_call_in_which(|| ());
}

/// As [`in_a_call`], where the victim does `at_last` before it is killed.
pub(crate) fn in_a_call_in_which(at_last: impl FnOnce()) {
    let (call, victim) = (variable("TEST_CALL"), variable("TEST_VICTIM").parse::<u32>().unwrap());
    let world = World::init().unwrap();
    let words = world.calloc::<u64>(2).unwrap();
    let (team, data) = (world.team_world().unwrap(), world.calloc::<u64>(8000).unwrap());
    let module = world.modules().load("oxshmem-test-kernels").unwrap();
    let (wait, barrier) = (module.kernel("arrive_and_wait").unwrap(), module.kernel("one_barrier").unwrap());
    world.barrier_all().unwrap();
    let dies = world.my_pe().number() == victim;
    // SAFETY: **mapped**, **unshared**: the memory is mapped until the end of the process, and nothing uses it.
    let register =
        |memory: &ShareableMemory| unsafe { world.user_memory().register_symmetric(memory.address(), memory.bytes()) };
    let (memory, other) =
        (world.user_memory().shareable(1 << 20).unwrap(), world.user_memory().shareable(1 << 20).unwrap());
    let registered = register(&memory).unwrap();
    let stream = world.stream().unwrap();
    let recorded = call.strip_prefix("replay ").unwrap_or("reduce");
    let replayed = stream.capture(|stream| collective(stream, &team, recorded, data)).unwrap();
    // All of them have met in it before.
    replayed.launch(&stream).and_then(|()| stream.synchronize()).unwrap();
    let launch_wait = || world.own_stream().launch_kernel(&wait, Launch::new(2, 32).collective(), (words, 1u64));
    if call == "device wait" {
        launch_wait().unwrap();
        // Every PE's kernel is in its wait, the victim's too.
        let mut arrived = [0];
        while arrived[0] == 0 {
            world.read(words, &mut arrived).unwrap();
        }
    }
    say("ready");
    if dies {
        at_last();
        wait_to_be_killed();
    }
    let ended = match call.as_str() {
        "device wait" => world.own_stream().synchronize(),
        "device barrier" => world
            .own_stream()
            .launch_kernel(&barrier, Launch::new(1, 64).collective(), ())
            .and_then(|()| world.own_stream().synchronize()),
        "stream barrier" => world.own_stream().barrier_all().and_then(|()| world.own_stream().synchronize()),
        "host barrier" => world.barrier_all(),
        "malloc" => world.malloc::<u64>(10).map(drop),
        // More than the heap has, so that memory is created and its descriptors are exchanged.
        "growth" => world.malloc::<u8>(5 << 20).map(drop),
        "free" => world.free(words),
        "registration" => register(&other).map(drop),
        // SAFETY: **unused**: nothing uses the memory.
        "end of a registration" => unsafe { world.user_memory().unregister_symmetric(registered, memory.bytes()) },
        "qp_create" => world.qps().create(2).map(drop),
        "team" => world.team_world().map(drop),
        call if call.starts_with("replay ") => replayed.launch(&stream).and_then(|()| stream.synchronize()),
        call if call.starts_with("collective ") => {
            collective(&stream, &team, &call["collective ".len()..], data).and_then(|()| stream.synchronize())
        }
        call if call.starts_with("kernel ") => {
            in_a_kernel(&world, &team, &call["kernel ".len()..], data).and_then(|()| world.own_stream().synchronize())
        }
        "finalize" => return tell("finalize", &world.finalize().unwrap_err()),
        other => panic!("no call {other}"),
    };
    tell(&call, &ended.unwrap_err());
    tell("a later barrier", &world.barrier_all().unwrap_err());
    tell("a later malloc", &world.malloc::<u64>(1).unwrap_err());
    let finalized = world.finalize();
    tell("a later finalize", &finalized.unwrap_err());
}

pub(crate) fn options(algorithm: Algorithm) -> CollectiveOptions {
    CollectiveOptions::default().with_algorithm(algorithm)
}

/// Enqueues a collective that waits for every member.
pub(crate) fn collective(stream: &Stream<'_>, team: &Team<'_>, name: &str, data: SymPtr<u64>) -> Result<()> {
    let (packets, direct) = (options(Algorithm::Packets), options(Algorithm::Direct));
    match name {
        "reduce" => team.on(stream).with_options(packets).reduce(Sum, data, data, 700),
        "large reduce" => team.on(stream).with_options(direct).reduce(Sum, data, data, 700),
        "reducescatter" => team.on(stream).with_options(packets).reducescatter(Sum, data, data.add(4000), 70),
        "fcollect" => team.on(stream).with_options(packets).fcollect(data, data.add(4000), 70),
        "alltoall" => team.on(stream).with_options(direct).alltoall(data, data.add(4000), 70),
        "broadcast" => team.on(stream).with_options(direct).broadcast(data, data, 70, 3),
        "maxloc" => team.on(stream).with_options(packets).reduce_maxloc::<i64>(data, data, 70),
        "alltoallv" => {
            // All counts are 0: the members meet, and send nothing.
            let [counts, dest_starts, source_starts] = [7000, 7100, 7200].map(|at| data.add(at));
            let lists = Lists { counts, source_starts, dest_starts };
            team.on(stream).with_options(packets).alltoallv(data, data.add(4000), lists)
        }
        "barrier" => team.on(stream).barrier(),
        other => panic!("no collective {other}"),
    }
}

/// Launches a kernel of one block that makes a collective, which waits for every member: by the block, or by the group
/// that the call names.
pub(crate) fn in_a_kernel(world: &World, team: &Team<'_>, call: &str, data: SymPtr<u64>) -> Result<()> {
    let (name, scope) = match call.split_once(" by ") {
        Some((name, "thread")) => (name, THREAD),
        Some((name, _)) => (name, WARP),
        None => (call, BLOCK),
    };
    let kernel = |name: &str| world.modules().load("oxshmem-conformance-kernels")?.kernel(name);
    let (dest, seen, source) = (data.cast::<u32>(), data.add(2000).cast::<u32>(), data.add(4000).cast::<u32>());
    let (team, launch) = (team.handle(), Launch::new(1, 64).collective());
    match name {
        "team_barrier" | "team_sync" => {
            let sync_only = u32::from(name == "team_sync");
            world.own_stream().launch_kernel(
                &kernel("team_meetings")?,
                launch,
                (team, sync_only, data, data.add(100), 1_usize),
            )
        }
        "team_maxloc_i32" => {
            let ends = (data, data.add(4000));
            world.own_stream().launch_kernel(&kernel(name)?, launch, (team, scope, ends.0, ends.1, 32_usize, 1_usize))
        }
        "grid_maxloc_i32" => {
            world.own_stream().launch_kernel(&kernel(name)?, launch, (team, data, data.add(4000), 32_usize))
        }
        "grid_barrier" => world.own_stream().launch_kernel(&kernel(name)?, launch, (team,)),
        // All counts are 0: the members meet, and send nothing.
        "grid_alltoallv" => {
            world.own_stream().launch_kernel(&kernel(name)?, launch, (team, dest, source, data.add(7000)))
        }
        name if name.starts_with("grid_") => {
            world.own_stream().launch_kernel(&kernel(name)?, launch, (team, dest, seen, source, 32_usize, 1_usize))
        }
        name => {
            let args = (team, scope, 0_u32, dest, source, 32_usize, 0_usize, 1_usize);
            world.own_stream().launch_kernel(&kernel(name)?, launch, args)
        }
    }
}

/// Kills PE `victim` of four while the others are in `call`, and checks their reports.
fn kill_one_in(call: &str, victim: u32) {
    let number = victim.to_string();
    let world = Processes::start("call", 4, &[("TEST_CALL", call), ("TEST_VICTIM", &number)]);
    kill_one(world, call, victim, &["PeerDied"]);
}

/// Kills PE `victim` of this world of four, whose PEs make `call`, and checks that the others report an error of one of
/// these kinds that names it.
pub(crate) fn kill_one(mut world: Processes, call: &str, victim: u32, kinds: &[&str]) {
    (0..4).for_each(|pe| world.until_said(pe, "ready"));
    let killed = Instant::now();
    world.kill(victim);
    let ends = world.ends();
    assert!(killed.elapsed() < SOON, "{call}: the others took {:?}", killed.elapsed());
    for (pe, end) in ends.iter().enumerate() {
        if pe as u32 == victim {
            assert!(end.was_killed());
            continue;
        }
        assert!(end.status.success(), "{call}: PE {pe} ended with {}:\n{}", end.status, end.stderr);
        let errors = &end.said[1..];
        assert!(!errors.is_empty());
        for error in errors {
            let named = |kind: &&str| error.contains(&format!("| {kind} | PE {victim} |"));
            assert!(kinds.iter().any(named), "{call}: PE {pe} said {error}");
            let died = error.contains(&format!("PE {victim} died"));
            assert!(died || !error.contains("PeerDied"), "{call}: PE {pe} said {error}");
        }
    }
}

#[test]
fn a_pe_killed_while_the_others_are_in_a_device_barrier_is_named_to_each() {
    [0, 2].into_iter().for_each(|victim| kill_one_in("device barrier", victim));
}

#[test]
fn a_pe_killed_while_all_are_in_a_device_wait_is_named_to_each() {
    [0, 3].into_iter().for_each(|victim| kill_one_in("device wait", victim));
}

#[test]
fn a_pe_killed_while_the_others_are_in_a_barrier_on_their_streams_is_named_to_each() {
    [0, 1].into_iter().for_each(|victim| kill_one_in("stream barrier", victim));
}

#[test]
fn a_pe_killed_while_the_others_are_in_a_host_barrier_is_named_to_each() {
    [0, 1].into_iter().for_each(|victim| kill_one_in("host barrier", victim));
}

const COLLECTIVES: [&str; 9] =
    ["reduce", "large reduce", "reducescatter", "fcollect", "alltoall", "alltoallv", "broadcast", "maxloc", "barrier"];

#[test]
fn a_pe_killed_while_the_others_are_in_a_collective_is_named_to_each() {
    for (victim, name) in (0..).zip(COLLECTIVES) {
        kill_one_in(&format!("collective {name}"), victim % 4);
    }
}

#[test]
fn a_pe_killed_while_the_others_replay_a_collective_is_named_to_each() {
    for (victim, name) in (1..).zip(COLLECTIVES) {
        kill_one_in(&format!("replay {name}"), victim % 4);
    }
}

#[test]
fn a_pe_killed_while_kernels_of_the_others_are_in_a_collective_is_named_to_each() {
    // A receiver of a broadcast waits for the root, which is PE 0.
    let victims = [
        ("team_reduce", 2),
        ("team_reduce_held", 3),
        ("team_reducescatter", 0),
        ("team_fcollect", 1),
        ("team_alltoall", 2),
        ("team_broadcast", 0),
        ("grid_reduce", 3),
        ("grid_broadcast", 0),
        ("grid_alltoall", 1),
        ("team_barrier", 2),
        ("team_sync", 3),
        ("team_maxloc_i32", 0),
        ("grid_alltoallv", 1),
        ("grid_barrier", 2),
        ("grid_fcollect", 3),
        ("grid_reducescatter", 0),
        ("grid_maxloc_i32", 1),
        ("team_reduce by thread", 2),
        ("team_alltoall by warp", 3),
        ("team_maxloc_i32 by warp", 0),
    ];
    for (name, victim) in victims {
        kill_one_in(&format!("kernel {name}"), victim);
    }
}

#[test]
fn a_pe_killed_while_the_others_make_a_team_is_named_to_each() {
    kill_one_in("team", 1);
}

#[test]
fn a_pe_killed_while_the_others_allocate_is_named_to_each() {
    for call in ["malloc", "growth", "free", "registration", "end of a registration", "qp_create"] {
        kill_one_in(call, 2);
    }
    kill_one_in("growth", 0);
}

#[test]
fn a_pe_killed_while_the_others_finalize_is_named_to_each() {
    [0, 3].into_iter().for_each(|victim| kill_one_in("finalize", victim));
}

/// Makes all kinds of calls concurrently until a PE is gone.
fn at_work() {
    let world = World::init().unwrap();
    let rounds = world.modules().load("oxshmem-test-kernels").unwrap().kernel("rounds").unwrap();
    let mut at = 0u64;
    let ended: Result<()> = (|| {
        loop {
            let word = world.calloc::<u64>(1)?;
            let large = world.malloc::<u8>(if at.is_multiple_of(8) { 1 << 20 } else { 100 })?;
            world.own_stream().launch_kernel(&rounds, Launch::new(1, 1).collective(), (word, 20u64))?;
            world.own_stream().barrier_all()?;
            world.put(large, &[1; 100], world.pe_after(1))?;
            world.barrier_all()?;
            world.free(large)?;
            world.free(word)?;
            at += 1;
            if at == 3 {
                say("at work");
            }
        }
    })();
    tell("work", &ended.unwrap_err());
}

#[test]
fn a_pe_killed_at_any_moment_of_its_work_is_named_to_each() {
    for (victim, after) in [(1, 0), (0, 3), (2, 7), (1, 12), (0, 20), (2, 33)] {
        let mut world = Processes::start("work", 3, &[]);
        (0..3).for_each(|pe| world.until_said(pe, "at work"));
        // This does not wait for a condition: the moment itself is under test.
        std::thread::sleep(Duration::from_millis(after));
        let killed = Instant::now();
        world.kill(victim);
        let ends = world.ends();
        assert!(killed.elapsed() < SOON, "the others took {:?}", killed.elapsed());
        for (pe, end) in ends.iter().enumerate().filter(|(pe, _)| *pe as u32 != victim) {
            assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
            assert!(end.said[1].contains(&format!("| PeerDied | PE {victim} |")), "PE {pe}: {:?}", end.said);
        }
    }
}

fn leaving_by_exit() {
    let world = World::init().unwrap();
    world.barrier_all().unwrap();
    match (world.my_pe().number(), variable("TEST_CALL").as_str()) {
        (1, "exit") => std::process::exit(0),
        (1, "drop") => drop(world),
        (1, "panic") => panic!("PE 1 was told to panic"),
        (1, other) => panic!("no way {other}"),
        _ => {
            tell("barrier", &world.barrier_all().unwrap_err());
            drop(world);
        }
    }
}

#[test]
fn a_pe_that_ends_without_finalize_is_named_to_each_however_it_ends() {
    for (way, clean) in [("exit", true), ("drop", true), ("panic", false)] {
        let started = Instant::now();
        let ends = Processes::start("exit", 3, &[("TEST_CALL", way)]).ends();
        assert!(started.elapsed() < SOON * 2, "{way}: {:?}", started.elapsed());
        assert_eq!(ends[1].status.success(), clean, "{way}: {}", ends[1].stderr);
        for pe in [0, 2] {
            assert!(ends[pe].status.success(), "{way}: PE {pe}: {}", ends[pe].stderr);
            assert!(ends[pe].said[0].contains("| PeerDied | PE 1 |"), "{way}: PE {pe}: {:?}", ends[pe].said);
        }
        if way == "drop" {
            assert!(ends[0].said[0].contains("without finalize"), "{:?}", ends[0].said);
        }
    }
}

/// PE 1 never connects. The others meet by a file, as under a launcher without an id.
fn killed_before_it_connects() {
    let pe = variable("TEST_PE");
    say("ready");
    if pe == "1" {
        wait_to_be_killed();
    }
    tell("init", &World::init().unwrap_err());
}

#[test]
fn a_pe_killed_before_it_connects_is_named_when_the_limit_is_reached_and_no_file_stays() {
    let variables =
        [("OXSHMEM_WAIT_LIMIT", "2s"), ("SLURM_NTASKS", "3"), ("SLURM_JOB_ID", "77"), ("SLURM_STEP_ID", "0")];
    let mut world = Processes::start_with("unconnected", 0..3, &variables, |pe, command| {
        command.env("SLURM_PROCID", pe.to_string()).env("TEST_PE", pe.to_string());
    });
    world.until_said(1, "ready");
    world.kill(1);
    // `ends` finds a file that is left.
    let ends = world.ends();
    for pe in [0, 2] {
        let error = &ends[pe].said[1];
        assert!(error.contains("| Timeout | PE 1 |") && error.contains("PE 1 has not arrived within 2s"), "{error}");
    }
}
