//! The example applications, and their shared parts: pictures, tables, serial references, and program start.

pub mod jacobi;
pub mod mandelbrot;
#[cfg(feature = "programs")]
pub mod picture;
#[cfg(feature = "programs")]
pub mod progress;
pub mod start;
#[cfg(feature = "programs")]
pub mod table;
