//! What the tests, the examples, the conformance suite and the litmus tests of oxshmem are made of.

pub mod apps;
pub mod conformance;
pub mod litmus;
pub mod losses;
pub mod nic_rates;
pub mod perf;
pub mod soft_nic;
pub mod soft_verbs;
pub mod under_verbs;
pub mod wire_faults;
pub mod worlds;
