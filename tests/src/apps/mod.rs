//! The example applications, and what they share: pictures, tables and serial references.

pub mod jacobi;
pub mod mandelbrot;
pub mod picture;
pub mod table;
