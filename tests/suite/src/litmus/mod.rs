//! The litmus tests: orderings that programs rely on, watched over many rounds while much else is going on.
//!
//! A [`Test`] is an ordering and the group of threads that asks for it. [`run`] runs those that the options leave, on
//! every PE of a world; the kernels are those of the crate `oxshmem-litmus-kernels`, which check what they see.

mod options;
mod outcome;
mod runner;
mod setting;
mod table;

pub use options::Options;
pub use runner::run;
pub use table::{Test, tests};
