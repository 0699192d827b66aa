//! The operations that kernels call.
//!
//! A kernel is written once, with [`kernel!`], and runs on a GPU (as PTX) and on host threads. Its first argument is
//! the world, [`Shmem`], which has the operations of OpenSHMEM and NVSHMEM:
//!
//! ```
//! use oxshmem_device::prelude::*;
//!
//! kernel! {
//!     /// Sends this PE's block to its right neighbour and waits for the one from the left.
//!     pub fn ring(shmem: Shmem, block: SymPtr<f32>, dest: SymPtr<f32>, n: usize, flag: SymPtr<u64>) -> Result<(), Fault> {
//!         let right = shmem.pe_after(1);
//!         shmem.put_signal(Block, dest, block, n, Signal::set(flag, 1), right)?;
//!         shmem.signal_wait_until(flag, Cmp::Eq, 1)?;
//!         Ok(())
//!     }
//! }
//! ```
//!
//! - [`Rma`]: put, get, p, g, iput, iget; [`Atomics`]; [`Signals`]. Each is a method of [`Shmem`] for the default
//!   queues, and of [`Shmem::qp`] for a chosen queue.
//! - Ordering: [`Shmem::fence`], [`Shmem::quiet`] and their forms over `(PeSet, QpSet)`; barriers.
//! - Waits on local words: [`Shmem::wait_until`] and its family. Each ends at the world's limit.
//!
//! A crate of kernels begins with
//! `#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]`.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(all(target_arch = "nvptx64", not(oxshmem_library)), feature(abi_ptx))]

mod path;

oxshmem_device_api::compose!(world path::Remote);
#[cfg(not(oxshmem_library))]
oxshmem_device_api::compose!(module);
