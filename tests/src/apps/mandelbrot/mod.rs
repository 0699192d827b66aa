//! The Mandelbrot image whose tiles PEs claim from a shared counter.

pub mod parallel;
pub mod program;
pub mod serial;
