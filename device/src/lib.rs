//! What a kernel calls.
//!
//! A kernel is written once, with [`kernel!`], and runs on a GPU (as PTX) and on host threads. Its first
//! argument is the world, [`Shmem`]; from it come the operations of OpenSHMEM and NVSHMEM:
//!
//! ```
//! use oxshmem_device::prelude::*;
//!
//! kernel! {
//!     /// Sends this PE's block to its right neighbour and waits for the one from the left.
//!     pub fn ring(shmem: Shmem, block: SymPtr<f32>, inbox: SymPtr<f32>, n: usize, flag: SymPtr<u64>) -> Result<(), Fault> {
//!         let right = shmem.pe_after(1);
//!         shmem.put_signal(Block, inbox, block, n, flag, 1, SignalOp::Set, right)?;
//!         shmem.signal_wait_until(flag, Cmp::Eq, 1)?;
//!         Ok(())
//!     }
//! }
//! ```
//!
//! - [`Rma`]: put, get, p, g, iput, iget; [`Atomics`]; [`Signals`]. Each on the default queues as a method
//!   of [`Shmem`], and on a chosen queue as a method of [`Shmem::qp`].
//! - Ordering: [`Shmem::fence`], [`Shmem::quiet`] and their forms over `(PeSet, QpSet)`; barriers.
//! - Waits on local words: [`Shmem::wait_until`] and its family. Each ends at the world's limit.
//!
//! A crate of kernels begins with
//! `#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]`.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

mod amo;
mod check;
mod entry;
mod exclusive;
mod grid;
mod local;
mod module;
mod ordering;
mod path;
mod rma;
mod shmem;
mod signal;
mod wait;

pub use amo::Atomics;
pub use exclusive::{EXCLUSIVE_BYTES, Exclusive};
pub use grid::{block_dim, block_idx, grid_dim, thread_idx, thread_in_block, thread_in_grid, threads_in_grid};
pub use local::{Local, Memory};
pub use oxshmem_core::{
    AtomicAdd, AtomicInt, AtomicWord, Bf16, Cmp, Element, F16, Fault, FaultStep, Group, Pe, PeSet, Qp, QpHandle, QpSet,
    SignalOp, SymAddr, SymPtr, Waitable,
};
pub use oxshmem_raw::gpu::group::{Block, Thread, Warp};
pub use oxshmem_raw::gpu::kernel::KernelArg;
pub use rma::Rma;
pub use shmem::{Issue, OnQp, Shmem};
pub use signal::Signals;

/// What a crate of kernels imports.
pub mod prelude {
    pub use crate::{
        Atomics, Bf16, Block, Cmp, Exclusive, F16, Fault, Group, Local, Pe, PeSet, Qp, QpHandle, QpSet, Rma, Shmem,
        SignalOp, Signals, SymPtr, Thread, Warp, block_dim, block_idx, grid_dim, kernel, thread_idx, thread_in_block,
        thread_in_grid, threads_in_grid,
    };
}

/// For the `kernel!` macro.
#[doc(hidden)]
pub mod __private {
    pub use oxshmem_raw::gpu::kernel::{ArgDesc, KernelArg, KernelReturn};
    pub use oxshmem_raw::state::WorldState;

    #[cfg(not(target_arch = "nvptx64"))]
    pub use oxshmem_raw::gpu::kernel::HostKernel;
    #[cfg(not(target_arch = "nvptx64"))]
    pub use oxshmem_raw::inventory;

    pub use crate::module::ABI;
}
