//! The kernels of the examples: each is compiled to PTX for GPUs, and into the program for host PEs.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod fused_rmsnorm;
pub mod put;
pub mod put_signal;
pub mod sample_sort;
pub mod two_queues;
