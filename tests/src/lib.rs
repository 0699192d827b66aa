//! What the tests, the examples and the conformance suite of oxshmem are made of.

pub mod apps;
pub mod conformance;
pub mod perf;
pub mod worlds;
