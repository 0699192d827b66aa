//! Teams of whose PEs one dies without notice: a team without it goes on, a team with it names it.

use std::time::Instant;

use oxshmem_hal::{Algorithm, Launch, Pe, Sum, TeamOptions, World};
use oxshmem_tests::worlds::{Body, Processes, say};

use crate::killed::{SOON, options, tell, variable, wait_to_be_killed};

pub(crate) const BODIES: &[Body] = &[
    ("others", in_a_team_without_it),
    ("faulty", in_a_team_without_a_faulty_pe),
    ("later", in_a_team_that_loses_a_member_later),
    ("dropped", drops_the_team_with_it),
];

/// Reduces in a team of all PEs but the last, before and after the last one is gone.
pub(crate) fn in_a_team_without_it() {
    let world = World::init().unwrap();
    let last = Pe::new(world.n_pes() - 1);
    in_a_team_without(&world, last, || ());
}

/// Reduces in a team of all PEs but `TEST_VICTIM`, before and after a kernel of that one has failed. Its process lives on.
fn in_a_team_without_a_faulty_pe() {
    let world = World::init().unwrap();
    let (data, module) = (world.calloc::<f64>(1).unwrap(), world.modules().load("oxshmem-test-kernels").unwrap());
    let put = module.kernel("put_f64").unwrap();
    let beyond_the_heap = (data, data, 1_usize << 40, world.my_pe());
    let victim = Pe::new(variable("TEST_VICTIM").parse().unwrap());
    in_a_team_without(&world, victim, || {
        let ended = world
            .own_stream()
            .launch_kernel(&put, Launch::new(1, 1), beyond_the_heap)
            .and_then(|()| world.own_stream().synchronize());
        tell("put", &ended.unwrap_err());
    });
}

/// Reduces in a team of all PEs but one, before and after that one has done `ends`, or is killed.
fn in_a_team_without(world: &World, one: Pe, ends: impl FnOnce()) {
    let (data, stream) = (world.calloc::<u64>(64).unwrap(), world.stream().unwrap());
    let members: Vec<Pe> = world.pes().filter(|pe| *pe != one).collect();
    if world.my_pe() == one {
        world.barrier_all().unwrap();
        say("ready");
        ends();
        wait_to_be_killed();
    }
    let team = world.team(&members, TeamOptions::default()).unwrap();
    let sum = || {
        world.write(data, &[1; 64]).unwrap();
        // Every member has written its data before any of them adds.
        for name in ["barrier", "reduce", "large reduce", "barrier"] {
            let called = match name {
                "barrier" => team.on(&stream).barrier(),
                "reduce" => team.on(&stream).with_options(options(Algorithm::Packets)).reduce(Sum, data, data, 64),
                _ => team.on(&stream).with_options(options(Algorithm::Direct)).reduce(Sum, data, data, 64),
            };
            called.unwrap();
        }
        stream.synchronize().unwrap();
        let mut sums = [0; 64];
        world.read(data, &mut sums).unwrap();
        assert_eq!(sums, [(members.len() as u64).pow(2); 64]);
    };
    sum();
    world.barrier_all().unwrap();
    say("ready");
    tell("barrier", &world.barrier_all().unwrap_err());
    (0..50).for_each(|_| sum());
    say("went on");
    // A member that left would be one more that is gone, which the others may notice in their last call.
    wait_to_be_killed();
}

#[test]
fn teams_without_a_pe_that_was_killed_go_on() {
    the_others_go_on(Processes::start("others", 4, &[]));
}

#[test]
fn teams_without_a_pe_whose_kernel_failed_go_on() {
    for victim in [0, 1, 3] {
        let mut world = Processes::start("faulty", 4, &[("TEST_VICTIM", &victim.to_string())]);
        let others = || (0..4).filter(|pe| *pe != victim);
        others().for_each(|pe| world.until_said(pe, "went on"));
        (0..4).for_each(|pe| world.kill(pe));
        let ends = world.ends();
        for pe in others() {
            let said = &ends[pe as usize].said;
            assert!(
                said[1].contains(&format!("| PeerDied | PE {victim} |")) && said[2] == "went on",
                "PE {pe}: {said:?}"
            );
        }
    }
}

/// Kills PE 3 of this world of four, and checks that the others' team goes on.
pub(crate) fn the_others_go_on(mut world: Processes) {
    (0..4).for_each(|pe| world.until_said(pe, "ready"));
    world.kill(3);
    let others = 0..3;
    others.clone().for_each(|pe| world.until_said(pe, "went on"));
    others.for_each(|pe| world.kill(pe));
    for (pe, end) in world.ends().iter().enumerate().take(3) {
        assert!(end.said[1].contains("| PeerDied | PE 3 |") && end.said[2] == "went on", "PE {pe}: {:?}", end.said);
    }
}

/// The PE that dies in [`drops_the_team_with_it`]. Members come before and after it.
const VICTIM: Pe = Pe::new(1);

/// Drops a team with a PE that is gone, and makes teams of the others, which together need more memory than there is.
pub(crate) fn drops_the_team_with_it() {
    let world = World::init().unwrap();
    let (data, all) = (world.calloc::<u64>(64).unwrap(), world.pes().collect::<Vec<_>>());
    let with_it = world.team(&all, TeamOptions::default().with_slots(1).with_payload(256)).unwrap();
    let kept = world.team(&all, TeamOptions::default().with_slots(1).with_payload(256)).unwrap();
    with_it.barrier().unwrap();
    world.barrier_all().unwrap();
    say("ready");
    if world.my_pe() == VICTIM {
        wait_to_be_killed();
    }
    tell("barrier", &world.barrier_all().unwrap_err());
    world.drop_team(with_it).unwrap();
    let others: Vec<Pe> = all.into_iter().filter(|pe| *pe != VICTIM).collect();
    let sum_in_a_new_team = || {
        let team = world.team(&others, TeamOptions::default().with_slots(4).with_payload(1024)).unwrap();
        world.write(data, &[1; 64]).unwrap();
        team.reduce(Sum, data, data, 64).unwrap();
        let mut sums = [0; 64];
        world.read(data, &mut sums).unwrap();
        assert_eq!(sums, [others.len() as u64; 64]);
        team
    };
    (0..20).for_each(|_| world.drop_team(sum_in_a_new_team()).unwrap());
    // The making of a team announces it too.
    drop(kept);
    let _kept_until_the_end = sum_in_a_new_team();
    say("went on");
    // A member that left would be one more that is gone, which the others may notice in their last call.
    wait_to_be_killed();
}

#[test]
fn a_team_with_a_pe_that_was_killed_is_dropped_and_the_others_make_new_ones() {
    the_others_make_new_teams(Processes::start("dropped", 4, &[("OXSHMEM_TEAM_MEMORY", "128K")]));
}

/// Kills one PE of this world of four, and checks that the others' calls on teams work.
pub(crate) fn the_others_make_new_teams(mut world: Processes) {
    let victim = VICTIM.number();
    (0..4).for_each(|pe| world.until_said(pe, "ready"));
    world.kill(victim);
    let others = || (0..4).filter(|pe| *pe != victim);
    others().for_each(|pe| world.until_said(pe, "went on"));
    others().for_each(|pe| world.kill(pe));
    for (pe, end) in world.ends().iter().enumerate().filter(|(pe, _)| *pe != VICTIM.index()) {
        let named = end.said[1].contains(&format!("| PeerDied | PE {victim} |"));
        assert!(named && end.said[2] == "went on", "PE {pe}: {:?}", end.said);
    }
}

/// Waits until this PE has its connections to the other children of the root.
fn until_siblings_met() {
    // The kernel keeps 15 bytes of a thread's name.
    let meets = |name: &str| name.starts_with("oxshmem-sibling");
    let names = || std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path().join("comm"));
    while names().any(|name| std::fs::read_to_string(name).is_ok_and(|name| meets(&name))) {
        std::thread::yield_now();
    }
}

/// Waits in a team of all PEs but `TEST_FIRST` for PE 2, which dies; the PE that is not in the team died before.
pub(crate) fn in_a_team_that_loses_a_member_later() {
    let world = World::init().unwrap();
    let first = Pe::new(variable("TEST_FIRST").parse().unwrap());
    let members: Vec<Pe> = world.pes().filter(|pe| *pe != first).collect();
    let team = members.contains(&world.my_pe()).then(|| world.team(&members, TeamOptions::default()).unwrap());
    until_siblings_met();
    world.barrier_all().unwrap();
    say("ready");
    let Some(team) = team else { wait_to_be_killed() };
    if variable("TEST_CALL") == "later" {
        tell("barrier", &world.barrier_all().unwrap_err());
        team.barrier().unwrap();
        say("went on");
    }
    if world.my_pe() == Pe::new(2) {
        wait_to_be_killed();
    }
    tell("team", &team.barrier().unwrap_err());
}

#[test]
fn the_second_pe_that_dies_is_named_to_the_others_of_its_team_also_after_the_root() {
    for (first, when) in [(3, "later"), (3, "at once"), (0, "later"), (0, "at once")] {
        let variables = [("TEST_CALL", when), ("TEST_FIRST", &first.to_string())];
        lose_two(Processes::start("later", 4, &variables), first, when);
    }
}

/// Kills PE `first` of this world of four, and then PE 2, which is named to the others.
pub(crate) fn lose_two(mut world: Processes, first: u32, when: &str) {
    let members = || (0..4).filter(|pe| *pe != first);
    (0..4).for_each(|pe| world.until_said(pe, "ready"));
    world.kill(first);
    if when == "later" {
        members().for_each(|pe| world.until_said(pe, "went on"));
    }
    let killed = Instant::now();
    world.kill(2);
    let ends = world.ends();
    assert!(killed.elapsed() < SOON, "{first}, {when}: the others took {:?}", killed.elapsed());
    for pe in members().filter(|pe| *pe != 2) {
        let end = &ends[pe as usize];
        assert!(end.status.success(), "{first}, {when}: PE {pe} ended with {}:\n{}", end.status, end.stderr);
        let said = end.said.last().unwrap();
        let named = said.contains("team | PeerDied | PE 2 |") && said.contains("PE 2 died: its");
        assert!(named, "{first}, {when}: {said}");
    }
}
