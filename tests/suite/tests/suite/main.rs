//! The conformance suite and the litmus tests on host PEs, as programs.

mod conformance;
mod litmus;
