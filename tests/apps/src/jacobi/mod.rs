//! The 2-D Jacobi solver.

mod graphs;
pub mod method;
pub mod parallel;
#[cfg(feature = "programs")]
pub mod program;
pub mod serial;
mod shape;
