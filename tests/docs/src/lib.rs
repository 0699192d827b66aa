//! Code of the documentation that is in no program. `cargo xtask tidy` finds each block of Rust in a source; those here
//! are only compiled.

pub mod kernels;
mod program;

pub use program::{capture, reduce_and_launch, slices};
