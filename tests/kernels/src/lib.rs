//! The kernels of the example applications and of several tests.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod faults;
pub mod golden;
pub mod jacobi;
pub mod mandelbrot;
pub mod math;
pub mod reduce;
pub mod ring;
pub mod wire;
