//! The kernels of the conformance suite and of the example applications.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod conformance;
pub mod math;
pub mod ring;
