//! The Mandelbrot image whose tiles PEs claim from a shared counter.

pub mod parallel;
#[cfg(feature = "programs")]
pub mod program;
pub mod serial;
