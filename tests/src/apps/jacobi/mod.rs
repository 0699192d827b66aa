//! The 2-D Jacobi solver.

pub mod parallel;
pub mod program;
pub mod serial;
mod shape;
