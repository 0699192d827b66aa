//! Verbs in software keep every promise, with any capabilities.

use std::sync::Arc;
use std::time::Duration;

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_kit::Report;
use oxshmem_kit::fabric::{Options, check};
use oxshmem_rdma::fabric::AtomicSet;
use oxshmem_softrc::{EmptyFetches, Network};

/// The promise that a capability rules out.
const ORDER: [&str; 2] =
    ["order: a write is visible before later writes", "order: a write is visible before later atomics"];

/// Checks software verbs with these options.
fn checked(options: oxshmem_softrc::Options) -> Report {
    // All PEs of a check share a network.
    let network = Network::new(options);
    check(move |pe| Arc::new(network.provider(pe.number())), &quick())
}

/// Returns the options of a quick check.
fn quick() -> Options {
    Options { time: Duration::from_millis(20), limit: Duration::from_secs(30), ..Options::default() }
}

/// Checks that no promise was broken, and that only these were skipped.
#[track_caller]
fn passes(report: &Report, skipped: &[&str]) {
    assert_eq!(report.failed, [""; 0]);
    assert_eq!(report.skipped.len(), skipped.len(), "{:?}", report.skipped);
    for (name, expected) in report.skipped.iter().zip(skipped) {
        assert!(name.starts_with(expected), "{name} and not {expected}");
    }
    assert!(report.passed.len() > 20, "{:?}", report.passed);
}

#[test]
fn verbs_in_software_keep_all_promises_for_several_seeds() {
    for seed in 1..4 {
        let options = oxshmem_softrc::Options { seed, delay: 128, again: 40, ..Default::default() };
        passes(&checked(options), &[]);
    }
}

#[test]
fn a_fabric_without_order_is_not_asked_for_it() {
    let options = oxshmem_softrc::Options { ordered: false, ..Default::default() };
    passes(&checked(options), &[ORDER[0], ORDER[1]]);
}

#[test]
fn a_fabric_whose_targets_poll_is_given_polls() {
    let options = oxshmem_softrc::Options { needs_progress: true, ..Default::default() };
    passes(&checked(options), &["no waiting: a peer that makes no call is reached"]);
}

#[test]
fn a_fabric_with_small_messages_few_places_and_no_inline_data_passes() {
    let inline = "completion: inline writes of every length";
    for (depth, skipped) in [(3, &[inline][..]), (1, &[inline, ORDER[0], ORDER[1]])] {
        let options = oxshmem_softrc::Options {
            max_message: 512,
            given_depth: Some(depth),
            inline_bytes: 0,
            wanted_bases: false,
            ..Default::default()
        };
        passes(&checked(options), skipped);
    }
}

#[test]
fn every_native_atomic_is_tried() {
    use AmoOp::*;
    let ops = [Fetch, Set, CompareSwap, Add, And, Or, Xor];
    let types = [AmoType::B32, AmoType::B64, AmoType::F16, AmoType::F32, AmoType::F64];
    let pairs = ops.into_iter().flat_map(|op| types.into_iter().map(move |of| (op, of)));
    let atomics = pairs.fold(AtomicSet::NONE, |set, (op, of)| set.with(op, of));
    passes(&checked(oxshmem_softrc::Options { atomics, ..Default::default() }), &[]);
    let swap = AtomicSet::NONE.with(CompareSwap, AmoType::B64);
    passes(&checked(oxshmem_softrc::Options { atomics: swap, ..Default::default() }), &[]);
}

#[test]
fn fetches_that_the_device_states_to_be_empty_are_not_counted() {
    for empty_fetches in [EmptyFetches::BehindWrites, EmptyFetches::BesideWrites] {
        let report = checked(oxshmem_softrc::Options { empty_fetches, ..Default::default() });
        passes(&report, &["completion: a fetch after writes of its endpoint"]);
    }
}
