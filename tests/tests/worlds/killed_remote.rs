//! Processes of which one dies without notice while the others reach it, and each other, by remote paths: IBGDA over the
//! software NIC, and proxies over it under libibverbs and libmlx5.

use std::time::Duration;

use oxshmem_fakes::{soft_nic, under_verbs};
use oxshmem_hal::Pe;
use oxshmem_hal::launcher::Launcher;
use oxshmem_raw::os::private::Scratch;
use oxshmem_tests::worlds::{Body, Processes, say};

use crate::killed::{in_a_call, in_a_call_in_which, kill_one};
use crate::killed_at_work::{in_repeated_calls, kill_at_work};
use crate::killed_teams::{
    drops_the_team_with_it, in_a_team_that_loses_a_member_later, in_a_team_without_it, lose_two, the_others_go_on,
    the_others_make_new_teams,
};

pub(crate) const BODIES: &[Body] = &[
    ("NIC: call", || by_the_nic(in_a_call)),
    ("NIC: silent first", || {
        let nic = soft_nic::install().unwrap();
        in_a_call_in_which(|| {
            nic.set_links(false);
            say("silent");
        });
    }),
    ("NIC: repeated", || by_the_nic(in_repeated_calls)),
    ("NIC: others", || by_the_nic(in_a_team_without_it)),
    ("NIC: later", || by_the_nic(in_a_team_that_loses_a_member_later)),
    ("NIC: dropped", || by_the_nic(drops_the_team_with_it)),
];

fn by_the_nic(body: fn()) {
    soft_nic::install().unwrap();
    body();
}

/// Starts four PEs with this body and these variables in nodes of `on_node` PEs, which reach each other by loads and
/// stores. Passes them to `check`, and checks that they kept every rule of the NIC.
type OnPath = fn(body: &str, on_node: u32, variables: &[(&str, &str)], check: &mut dyn FnMut(Processes));

fn ibgda(body: &str, on_node: u32, variables: &[(&str, &str)], check: &mut dyn FnMut(Processes)) {
    let wire = Scratch::new("killed").unwrap();
    let on_node = on_node.to_string();
    let own = [
        ("OXSHMEM_SOFTNIC_WIRE", wire.to_str().unwrap()),
        ("OXSHMEM_REMOTE_TRANSPORT", "ibgda"),
        ("OXSHMEM_MAX_P2P_GPUS", &on_node),
    ];
    check(Processes::start(&format!("NIC: {body}"), 4, &[&own, variables].concat()));
    assert_eq!(std::fs::read_to_string(wire.join("violations")).unwrap_or_default(), "", "{body} {variables:?}");
}

fn ibrc(body: &str, on_node: u32, variables: &[(&str, &str)], check: &mut dyn FnMut(Processes)) {
    let Some(wire) = under_verbs::Wire::new(env!("CARGO_TARGET_TMPDIR")) else { return };
    let (on_node, of_wire) = (on_node.to_string(), wire.variables());
    let of_wire = of_wire.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut all: Vec<_> = of_wire.filter(|(name, _)| *name != "OXSHMEM_DISABLE_P2P").collect();
    all.push(("OXSHMEM_MAX_P2P_GPUS", &on_node));
    all.extend(variables);
    let launcher = Launcher::new(4).unwrap();
    let world = Processes::start_with(body, 0..4, &all, |pe, command| {
        // The stand-in for sysfs is a folder. A killed process can't remove it; the wire does.
        command.env("TMPDIR", wire.folder());
        launcher.prepare(Pe::new(pe), command);
    });
    check(world);
    assert_eq!(wire.violations(), "", "{body} {variables:?}");
}

/// Kills a PE while the others are in each of these calls, another PE each time.
fn kill_one_in_each(on_path: OnPath, on_node: u32, calls: &[&str]) {
    for (victim, &call) in (on_node..).zip(calls) {
        let victim = victim % 4;
        let number = victim.to_string();
        // A request to the dead PE may fail before its death is known.
        let mut check = |world| kill_one(world, call, victim, &["PeerDied", "Fault"]);
        on_path("call", on_node, &[("TEST_CALL", call), ("TEST_VICTIM", &number)], &mut check);
    }
}

/// The root of the broadcast is PE 3.
const STREAMS: [&str; 6] = [
    "collective reduce",
    "replay reducescatter",
    "collective fcollect",
    "replay alltoall",
    "collective broadcast",
    "replay barrier",
];
/// The root of the broadcast is PE 0.
const KERNELS: [&str; 6] = [
    "kernel team_reduce",
    "kernel team_reducescatter",
    "kernel team_fcollect",
    "kernel team_alltoall",
    "kernel team_broadcast",
    "collective barrier",
];
/// The rest of the calls, which differ less from those of load/store PEs.
const REST: [&str; 11] = [
    "kernel team_sync",
    "collective alltoallv",
    "replay maxloc",
    "kernel team_reduce_held",
    "kernel grid_reduce",
    "kernel grid_broadcast",
    "kernel grid_alltoallv",
    "kernel grid_barrier",
    "kernel team_maxloc_i32 by warp",
    "replay alltoallv",
    "replay reduce",
];

#[test]
fn a_pe_killed_while_the_others_are_in_a_collective_over_nics_is_named_to_each() {
    kill_one_in_each(ibgda, 1, &STREAMS);
    kill_one_in_each(ibgda, 2, &KERNELS);
    kill_one_in_each(ibgda, 1, &REST);
}

#[test]
fn a_pe_whose_nic_is_silent_for_a_second_before_its_death_is_announced_is_named_to_each() {
    // The kernels wait for their puts, so that they notice the silence before the death.
    let call = "kernel team_sync";
    for victim in [1, 0] {
        let number = victim.to_string();
        let mut check = |mut world: Processes| {
            world.until_said(victim, "silent");
            // A loaded machine needs so long to end a killed process.
            std::thread::sleep(Duration::from_secs(1));
            kill_one(world, call, victim, &["PeerDied"]);
        };
        ibgda("silent first", 1, &[("TEST_CALL", call), ("TEST_VICTIM", &number)], &mut check);
    }
}

#[test]
fn a_pe_killed_while_the_others_are_in_a_collective_over_proxies_is_named_to_each() {
    kill_one_in_each(ibrc, 1, &KERNELS);
    kill_one_in_each(ibrc, 2, &STREAMS);
    kill_one_in_each(ibrc, 1, &REST);
}

#[test]
fn a_pe_killed_while_all_make_collectives_over_nics_and_proxies_is_named_to_each() {
    let calls = ["collective reduce", "kernel grid_fcollect", "replay alltoallv", "collective broadcast in parts"];
    for on_path in [ibgda as OnPath, ibrc] {
        for (victim, call) in (0..).zip(calls) {
            let mut check = |world| kill_at_work(world, call, (victim, 5), &["PeerDied", "Fault"]);
            on_path("repeated", 1 + victim % 2, &[("TEST_CALL", call)], &mut check);
        }
    }
}

#[test]
fn teams_without_a_pe_that_was_killed_go_on_over_nics_and_proxies() {
    for on_path in [ibgda as OnPath, ibrc] {
        [1, 2].into_iter().for_each(|on_node| on_path("others", on_node, &[], &mut the_others_go_on));
    }
}

#[test]
fn a_team_with_a_pe_that_was_killed_is_dropped_and_the_others_make_new_ones_over_nics_and_proxies() {
    let variables = [("OXSHMEM_TEAM_MEMORY", "128K")];
    for on_path in [ibgda as OnPath, ibrc] {
        [1, 2].into_iter().for_each(|on_node| on_path("dropped", on_node, &variables, &mut the_others_make_new_teams));
    }
}

#[test]
fn the_pe_that_dies_after_the_root_is_named_to_its_team_over_nics_and_proxies() {
    for on_path in [ibgda as OnPath, ibrc] {
        let mut check = |world| lose_two(world, 0, "later");
        on_path("later", 1, &[("TEST_CALL", "later"), ("TEST_FIRST", "0")], &mut check);
    }
}
