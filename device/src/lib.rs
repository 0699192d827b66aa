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
//!     pub fn ring(shmem: Shmem, block: SymSlice<f32>, inbox: SymSlice<f32>, flag: SymPtr<u64>) -> Result<(), Fault> {
//!         let right = shmem.pe_after(1);
//!         shmem.put_signal(Block, inbox, block, .., Signal::set(flag, 1), right)?;
//!         shmem.signal_wait_until(flag, Cmp::Eq, 1)?;
//!         Ok(())
//!     }
//! }
//! ```
//!
//! The front page of `oxshmem-hal` has the program around it. What kernels need first:
//!
//! | item | content |
//! |---|---|
//! | [`kernel!`] | makes a kernel of a function, and the struct by which the host launches it |
//! | [`Shmem`] | the world: this PE, the others, [`local`](Shmem::local) memory, and the calls below |
//! | [`SymSlice`], [`SymPtr`] | elements, and one element, that every PE has at the same place of its memory |
//! | [`Local`], [`Shared`] | this PE's own elements; a block's shared memory |
//! | [`Thread`], [`Warp`], [`Block`] | the group that makes a call together |
//! | [`Rma`] | put, get, p, g, iput, iget: methods of [`Shmem`] for the default queues, of [`Shmem::qp`] for a chosen one |
//! | [`Signals`], [`Signal`] | words that follow data, by which a receiver knows that it is there |
//! | [`Atomics`], [`Counter`] | operations on words of any PE; a count that PEs of both kinds of routes change |
//! | [`Shmem::wait_until`] and its family | waits on local words, each of which ends at the world's limit |
//! | [`Shmem::fence`], [`Shmem::quiet`], [`Shmem::barrier_all`] | order and completion, also over `(PeSet, QpSet)` |
//! | [`Team`] | collectives of some of the PEs |
//!
//! A crate of kernels begins with
//! `#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]`.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(all(target_arch = "nvptx64", not(oxshmem_library)), feature(abi_ptx))]

mod path;

oxshmem_device_api::compose!(world path::Remote);
#[cfg(not(oxshmem_library))]
oxshmem_device_api::compose!(module);
