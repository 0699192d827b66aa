//! The hardware spelled out: instructions, shared state, drivers.
//!
//! - [`ptx`]: one function a PTX instruction, with host twins; [`order`]: barriers by their use.
//! - [`state`]: what the host writes and kernels read; [`abi`]: proof that both mean the same by it.
//! - [`mlx5`]: what a ConnectX reads and writes.
//! - [`fault`], [`wait`]: how device code reports, and how it waits with a limit.
//! - [`barrier`]: barriers over all PEs; [`split`] and [`chosen`]: two paths in one world, or one
//!   of two; [`mlx5`]: a ConnectX's formats.
//! - [`rows`] and [`lanes`]: queues in rows, and threads of a warp that use one together.
//! - [`group`]: threads, warps and blocks; [`kernel`]: what a kernel's entry is on either target.
//! - With `host`: `simt` (the executor behind the host twins), `cuda` (the driver), `shm` (shared memory),
//!   `memory` (either of both, and the windows on the peers' heaps), `hca` and `rc` (what a NIC's driver can be asked, by
//!   commands and by verbs), `verbs` and `mlx5dv` (libibverbs and libmlx5 asked it), `wire` (which NICs, ports and
//!   addresses, and with which parameters), and `pmix` (the launcher asked by libpmix).
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, link_llvm_intrinsics))]
#![cfg_attr(
    target_arch = "nvptx64",
    allow(internal_features, reason = "a barrier must be LLVM's own to be convergent")
)]

pub mod abi;
pub mod barrier;
pub mod chosen;
pub mod fault;
pub mod group;
pub mod kernel;
pub mod lanes;
pub mod local;
pub mod mlx5;
pub mod order;
pub mod ptx;
pub mod rows;
pub mod split;
pub mod state;
pub mod wait;

#[cfg(feature = "host")]
pub mod amo;
#[cfg(feature = "host")]
pub mod cuda;
#[cfg(feature = "host")]
pub mod hca;
#[cfg(feature = "host")]
pub mod memory;
#[cfg(feature = "host")]
pub mod mlx5dv;
#[cfg(feature = "host")]
pub mod pmix;
#[cfg(feature = "host")]
pub mod rc;
#[cfg(feature = "host")]
pub mod shm;
#[cfg(feature = "host")]
pub mod simt;
#[cfg(feature = "host")]
pub mod verbs;
#[cfg(feature = "host")]
pub mod wire;

/// For the `kernel!` macro.
#[cfg(feature = "host")]
#[doc(hidden)]
pub use inventory;
