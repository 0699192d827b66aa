//! Worlds of processes: their start, life and end, and PEs' errors about other PEs and lost links.
//!
//! The PEs of a test are this binary, started once for each; each module's `BODIES` has their code.

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
