//! Worlds of processes: starts and ends, and the errors that PEs report when others or links are lost.
//!
//! The PEs of a test are this binary, started once for each PE; the `BODIES` of each module are the parts that it can
//! play.

mod ibrc_soft;
mod killed;
mod killed_at_work;
mod killed_remote;
mod killed_teams;
mod lifecycle;
mod nic_processes;
mod nic_selftest;
mod paths;
mod relays;
mod start;

use oxshmem_tests::worlds;

#[test]
#[ignore = "process entry"]
fn enter() {
    worlds::enter(&[
        ibrc_soft::BODIES,
        killed::BODIES,
        killed_at_work::BODIES,
        killed_remote::BODIES,
        killed_teams::BODIES,
        lifecycle::BODIES,
        nic_processes::BODIES,
        paths::BODIES,
        start::BODIES,
    ]);
}
