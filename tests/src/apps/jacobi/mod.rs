//! The 2-D Jacobi solver.

pub mod serial;
