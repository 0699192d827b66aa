//! The example applications: their parts that need no world, on worlds of threads, and as programs.

mod jacobi;
mod mandelbrot;
mod parallel;
mod picture;
mod programs;
mod ring;
mod table;
