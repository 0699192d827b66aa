//! Worlds of processes: how they start, come and go, and what PEs say of others and of links that go.
//!
//! The PEs of a test are this binary, started once for each; each module's `BODIES` says what they do.

mod ibrc_soft;
mod killed;
mod lifecycle;
mod nic_processes;
mod nic_selftest;
mod paths;
mod start;

use oxshmem_tests::worlds;

#[test]
#[ignore = "process entry"]
fn enter() {
    worlds::enter(&[
        ibrc_soft::BODIES,
        killed::BODIES,
        lifecycle::BODIES,
        nic_processes::BODIES,
        paths::BODIES,
        start::BODIES,
    ]);
}
