//! The 2-D Jacobi solver.

pub mod parallel;
#[cfg(feature = "programs")]
pub mod program;
pub mod serial;
mod shape;
