//! The parts of the example applications that need no world.

mod jacobi;
mod mandelbrot;
mod picture;
mod table;
