//! The load/store transport: a peer's heap is mapped, and its queue is the memory system.
//!
//! Between GPUs the mapping goes over NVLink (or PCIe), between host PEs it is shared memory. Nothing is queued, so a
//! queue pair has nothing to create: every handle is the default one.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod device;
#[cfg(feature = "host")]
pub mod host;
