//! Steps in worlds whose PEs are reached by several paths: loads and stores, a NIC's queues, proxies.

use anyhow::Result;

use super::{CONFORMANCE, Counted, LITMUS, counting, every_shape, nic};
use crate::place::Place;
use crate::run::Device;
use crate::run::nic::Options;
use crate::steps::{Done, Step};

/// A world of threads: the number of PEs, the PEs of a node, the remote paths in words and as arguments, and the part
/// of the cases that it runs without `--full`.
type World = (&'static str, &'static str, &'static str, &'static [&'static str], &'static str);

const WORLDS: [World; 6] = [
    ("4", "2", "the software NIC", &["--soft-nic"], "1/2"),
    ("3", "2", "the software NIC", &["--soft-nic"], "2/2"),
    ("4", "2", "proxies over verbs in software", &["--soft-verbs"], "1/2"),
    ("3", "2", "proxies over verbs in software", &["--soft-verbs"], "2/2"),
    ("4", "2", "the software NIC, and proxies to PE 3", &["--soft-nic", "--soft-verbs", "--proxied", "3"], "1/1"),
    (
        "5",
        "2",
        "the software NIC, and proxies to PEs 0 and 3",
        &["--soft-nic", "--soft-verbs", "--proxied", "0,3"],
        "1/2",
    ),
];

/// Cases that use more than one path, or check the choice of a path.
const CASES: [&str; 8] = ["paths::", "mixed::", "whole::", "order::", "barrier::", "reach::", "host::", "faults::"];

/// Rounds of random collectives without `--full`.
const LITMUS_ROUNDS: &str = "200";

/// Returns the steps.
pub(super) fn steps(place: &Place, full: bool) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let every = every_shape(full);
    for (pes, near, by, args, part) in WORLDS {
        let part = if full { "1/1" } else { part };
        let name = format!("conformance, {pes} PEs as threads on nodes of {near}, {by}");
        steps.push(Step::new(name, move || {
            let args =
                [&["--pes", pes, "--pes-per-node", near, "--rounds", "0.05", "--part", part], args, every].concat();
            let counted = Counted { env: place.environment(), world: None, ..Counted::of(1, Device::Host, &args) };
            counting(place, CONFORMANCE, counted)
        }));
    }
    // A broken order shows in one round of a hundred, so this step runs all rounds.
    let name = "what goes by three paths of one world is ordered, 4 PEs as threads on nodes of 2";
    steps.push(Step::new(name, || {
        let args = ["--pes", "4", "--pes-per-node", "2", "--soft-nic", "--soft-verbs", "--proxied", "3", "paths::"];
        let counted = Counted { env: place.environment(), world: None, ..Counted::of(1, Device::Host, &args) };
        counting(place, CONFORMANCE, counted)
    }));
    if let Place::Packed(_) = place {
        return steps;
    }
    let name = "conformance over libmlx5 and the software NIC, 4 PEs as processes on nodes of 2";
    steps.push(Step::new(name, move || processes(place, every)));
    let name = "random collectives over libmlx5 and the software NIC, 4 PEs as processes, 2 and 2 near each other";
    steps.push(Step::new(name, move || litmus(place, full)));
    steps
}

/// Runs every collective on teams of load/store and remote members.
fn litmus(place: &Place, full: bool) -> Result<Done> {
    nic::over(place, &Options { nic_near: Some(2), ..Options::soft(19) }, |nic| {
        let rounds = if full { "5000" } else { LITMUS_ROUNDS };
        let args = ["--only", "random", "--rounds", rounds, "--seed", "3"];
        counting(place, LITMUS, Counted { nic, env: place.environment(), ..Counted::of(4, Device::Host, &args) })
    })
}

/// Runs PEs as processes. PEs of different nodes give their machine different names, so that they don't map each
/// other's memory.
fn processes(place: &Place, every: &[&str]) -> Result<Done> {
    nic::over(place, &Options::soft(17), |nic| {
        let args = [&["--pes-per-node", "2", "--rounds", "0.05"], &CASES[..], every].concat();
        let env = place.environment();
        counting(place, CONFORMANCE, Counted { nic, env, ..Counted::of(4, Device::Host, &args) })
    })
}
