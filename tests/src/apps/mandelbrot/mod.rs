//! The Mandelbrot image whose tiles PEs claim from a shared counter.

pub mod serial;
