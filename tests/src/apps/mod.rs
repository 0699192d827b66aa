//! The example applications, and what they share: pictures, tables, serial references, and how they start.

pub mod jacobi;
pub mod mandelbrot;
pub mod picture;
pub mod progress;
pub mod start;
pub mod table;
