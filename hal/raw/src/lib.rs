//! The hardware spelled out: instructions, shared state, drivers.
//!
//! - [`gpu`]: PTX instructions with host twins, barriers by their use, groups of threads; with `host` the executor of
//!   the twins and the CUDA driver.
//! - [`state`]: the structs that the host writes and kernels read, fault reports, and waits with a limit.
//! - [`queue`]: rows of queues, ordering over them, barriers over all PEs.
//! - With `host`: `memory` (the symmetric heap's memory and the windows on the peers' heaps), `os` (shared memory,
//!   PMIx), `transport` (how transports are found and opened), `settings` (the variables that they bring) and
//!   `nic_params` (the settings that all transports over NICs share).
//!
//! What transports over NICs share besides is in the crate `oxshmem-rdma`.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, link_llvm_intrinsics))]
#![cfg_attr(
    target_arch = "nvptx64",
    allow(internal_features, reason = "a barrier must be LLVM's own to be convergent")
)]

pub mod gpu;
#[cfg(feature = "host")]
pub mod memory;
#[cfg(feature = "host")]
pub mod nic_params;
#[cfg(feature = "host")]
pub mod os;
pub mod queue;
#[cfg(feature = "host")]
pub mod settings;
pub mod state;
#[cfg(feature = "host")]
pub mod transport;

/// For the macros `kernel!` and `register_transport!`.
#[cfg(feature = "host")]
#[doc(hidden)]
pub use inventory;
