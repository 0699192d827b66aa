//! The same by proxies that write the queues themselves: failures, lost links and PEs, and NICs that can't be used.

use std::time::Duration;

use oxshmem_fakes::under_verbs::Wire;
use oxshmem_softnic::{Knobs, PiSource};
use oxshmem_tests::losses;

use super::{run, start, start_on};

const BY: (&str, &str) = ("OXSHMEM_REMOTE_TRANSPORT", "ibdevx");

/// Runs a body whose PEs all say that they are done.
#[track_caller]
fn done(body: &str, n_pes: u32, variables: &[(&str, &str)]) {
    let Some(said) = run(body, n_pes, &[&[BY], variables].concat()) else { return };
    assert!(said.iter().all(|said| said == &["done"]), "{body} {variables:?}: {said:?}");
}

fn seed_of(what: impl Fn(&Knobs) -> bool) -> String {
    (1_u64..).find(|seed| what(&Knobs::from_seed(*seed))).unwrap().to_string()
}

#[test]
fn every_syndrome_reaches_every_waiter_and_other_queues_go_on() {
    done("syndromes", 3, &[("OXSHMEM_SOFTNIC_LINK", "roce"), ("OXSHMEM_SOFTNIC_SEED", "3")]);
}

#[test]
fn faults_are_of_the_queues_that_a_group_named_and_end_each_wait() {
    done("sets", 3, &[]);
    done("groups", 2, &[("TEST_QUIET", "0"), ("TEST_BY_BLOCK", "1")]);
    done("calls", 2, &[("OXSHMEM_SOFTNIC_SEED", "7")]);
}

#[test]
fn doorbells_that_are_lost_or_late_lose_nothing() {
    for seed in [
        seed_of(|knobs| knobs.pi == PiSource::Doorbell && knobs.lost_doorbell >= 64),
        seed_of(|knobs| knobs.pi == PiSource::LateRecord && knobs.fetch_delay_us > 0),
    ] {
        done("words", 2, &[("OXSHMEM_SOFTNIC_SEED", &seed)]);
    }
    done("words", 2, &[("OXSHMEM_IBDEVX_BLUEFLAME", "0"), ("OXSHMEM_SOFTNIC_SEED", "5")]);
}

#[test]
fn a_link_that_goes_down_is_a_fault_at_both_its_ends_and_each_full_queues_fault() {
    let Some((wire, world)) = start("link", 2, &[BY], |_| Vec::new()) else { return };
    losses::both_ends_tell(world);
    assert_eq!(wire.violations(), "");
    done("full queues", 2, &[("OXSHMEM_QP_DEPTH", "128"), ("OXSHMEM_SOFTNIC_SEED", "2")]);
}

#[test]
fn a_target_killed_while_puts_to_it_are_in_flight_is_named_to_each_that_put() {
    let Some(wire) = Wire::new(env!("CARGO_TARGET_TMPDIR")) else { return };
    // As in `ends`.
    let folder = wire.folder().to_str().unwrap();
    let variables = [BY, ("OXSHMEM_SOFTNIC_SEED", "9"), ("TMPDIR", folder)];
    let world = start_on(&wire, "kernel puts", losses::PUTTERS + 1, &variables, |_| Vec::new());
    losses::kill_the_target(world, Duration::from_millis(7));
    assert_eq!(wire.violations(), "");
}

#[test]
fn what_keeps_a_device_from_being_used_is_said_with_what_to_do_about_it() {
    for (variable, parts) in [
        (("OXSHMEM_SOFTNIC_DENY", "devx"), &["mlx5_0", "DEVX"][..]),
        (("OXSHMEM_SOFTNIC_DENY", "open"), &["mlx5_0", "/dev/infiniband"]),
        (("OXSHMEM_SOFTNIC_DENY", "umem"), &["mlx5dv_devx_umem_reg"]),
        (("OXSHMEM_SOFTNIC_ABSENT", "1"), &["has none"]),
        (("OXSHMEM_QP_DEPTH", "32768"), &["mlx5_0", "lower OXSHMEM_QP_DEPTH"]),
    ] {
        let Some(said) = run("begin", 2, &[BY, variable]) else { return };
        for said in said {
            parts.iter().for_each(|part| assert!(said[0].contains(part), "{variable:?}: {part} in {said:?}"));
        }
    }
}

#[test]
fn a_pe_that_posts_verbs_has_no_transport_in_common_with_one_that_writes_queues() {
    let own = |pe: u32| vec![(BY.0, ["ibrc", "ibdevx"][pe as usize].to_owned())];
    let Some((_wire, world)) = start("begin", 2, &[], own) else { return };
    for said in world.all_succeed() {
        assert!(said[0].contains("ibrc") && said[0].contains("ibdevx"), "{said:?}");
    }
}
