//! The litmus tests: orderings that programs rely on, watched over many rounds under load.
//!
//! A [`Test`] is an ordering and the group of threads that asks for it. [`run`] runs the tests that the options
//! choose, on every PE of a world. The kernels are in the crate `oxshmem-litmus-kernels` and check their own data.

mod options;
mod outcome;
mod programs;
mod runner;
mod setting;
mod table;
mod teams;

pub use options::Options;
pub use runner::run;
pub use table::{Test, tests};
