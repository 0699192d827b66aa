//! Steps under Open MPI's launcher, on one host and on several that are network namespaces.

use anyhow::Result;

use super::left_out;
use crate::mpi::{self, Hosts, OpenMpi};
use crate::place::Place;
use crate::run::{self, Output};
use crate::steps::{Done, Step};

/// The demo, which compares its field with a serial solution.
const DEMO: &[&str] = &["oxshmem-jacobi", "--nx", "64", "-i", "60", "--no-picture"];
/// Many hosts on few cores are slow.
const LIMIT: u64 = 120;

/// Returns the steps.
pub(super) fn steps(place: &Place) -> Vec<Step<'_>> {
    if let Place::Packed(_) = place {
        let why = "Open MPI is fetched into a checkout, and a packed folder has it not";
        return vec![Step::skipped("Open MPI", why)];
    }
    let by_pmix = ["OXSHMEM_BOOTSTRAP=pmix"];
    vec![
        Step::new("Open MPI: the demo, 4 PEs on one host, by PMIx", move || demo(place, None, &by_pmix, false)),
        Step::new("Open MPI: the demo, 4 PEs on one host, without libpmix", || demo(place, None, &[], true)),
        Step::new("Open MPI: the demo, 2 hosts of 2 PEs, by PMIx, over the software NIC", move || {
            demo(place, Some(2), &by_pmix, false)
        }),
    ]
}

fn demo(place: &Place, hosts: Option<u32>, env: &[&str], without_pmix: bool) -> Result<Done> {
    if let Err(why) = OpenMpi::find(place.checkout("mpi")?) {
        return Ok(left_out(format!("{why:#}")));
    }
    if let Some(Err(why)) = hosts.map(Hosts::make) {
        return Ok(Done::Skipped(format!("{why:#}")));
    }
    let device = ["OXSHMEM_DEVICE=host"];
    let outcome = mpi::run(
        place,
        &mpi::Options {
            n: 4,
            hosts,
            without_pmix,
            nic: hosts.map(|_| run::nic::Options::soft(0)).unwrap_or_default(),
            env: device.iter().chain(env).map(|setting| setting.to_string()).collect(),
            limit: Some(LIMIT),
            release: false,
            command: DEMO.iter().map(Into::into).collect(),
        },
        Output::Tagged,
    )?;
    if outcome.was_stopped() {
        // A user who stops one step wants the whole task to stop.
        std::process::exit(outcome.code());
    }
    Ok(outcome.failure().map_or(Done::Passed, Done::Failed))
}
