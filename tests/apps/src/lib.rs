//! The example applications, and what they share: pictures, tables, serial references, and how they start.

pub mod jacobi;
pub mod mandelbrot;
#[cfg(feature = "programs")]
pub mod picture;
#[cfg(feature = "programs")]
pub mod progress;
pub mod start;
#[cfg(feature = "programs")]
pub mod table;
