//! The operations that kernels call, for any list of remote paths.
//!
//! One crate composes a build's list of paths. Kernels depend on it under the name `oxshmem-device`:
//!
//! ```ignore
//! oxshmem_device_api::compose!(Paths<MyPath, NoRemote>);
//! ```
//!
//! [`compose!`] gives that crate all items of this one, with `Shmem` for its list, and the kernels that every module
//! carries. The crate `oxshmem-device` composes the paths of its features.
#![cfg_attr(target_arch = "nvptx64", no_std)]

mod amo;
mod check;
mod compose;
mod counter;
mod entry;
mod exclusive;
mod grid;
mod held;
mod local;
mod module;
mod ordering;
mod rma;
mod shared;
mod shmem;
mod signal;
mod stride;
mod sum;
pub mod team;
mod unchecked;
mod wait;

pub use amo::Atomics;
pub use counter::Counter;
pub use exclusive::{EXCLUSIVE_BYTES, Exclusive};
pub use grid::{
    block_dim, block_idx, block_share, grid_dim, thread_idx, thread_in_block, thread_in_grid, threads_in_grid,
};
pub use held::Held;
pub use local::{Local, Memory};
pub use oxshmem_core::{
    AmoOp, AmoType, And, AnyOp, AtomicAdd, AtomicInt, AtomicWord, Bf16, Bits, Cmp, Comparable, Completion, Count, E4m3,
    E5m2, Element, F16, Fault, FaultStep, Group, Located, Max, Met, Min, Number, NumberOp, Or, Packed, PackedOp,
    PackedType, Pe, PeSet, Prod, Qp, QpHandle, QpSet, ReduceOp, Signal, SignalOp, Sum, SymAddr, SymPtr, SymSlice,
    Symmetric, Waitable, Xor,
};
/// The groups of threads that make one call together, and pass each other values.
///
/// ```
/// use oxshmem_device::prelude::*;
///
/// kernel! {
///     /// Doubles `chunks` chunks of `n` elements: each block takes the next chunk until none is left.
///     pub fn double_all(shmem: Shmem, next: SymPtr<u64>, at: SymPtr<f32>, chunks: u64, n: usize) {
///         loop {
///             // One thread takes a number for its block. If that fails, the block ends.
///             let taken = if Block.leads() { shmem.atomic_fetch_inc(next, shmem.my_pe()) } else { Ok(chunks) };
///             let chunk = Block.broadcast(taken.unwrap_or(chunks));
///             if chunk >= chunks {
///                 break;
///             }
///             let part = shmem.local(at.add(chunk as usize * n), n);
///             for i in group_stride(Block, n) {
///                 part.write(i, 2.0 * part.read(i));
///             }
///         }
///     }
/// }
/// ```
pub use oxshmem_raw::gpu::group::{Block, Thread, Warp};
pub use oxshmem_raw::gpu::ptx::{griddepcontrol_launch_dependents, griddepcontrol_wait, sqrt_rn_f32};
pub use oxshmem_raw::queue::path::{DevicePath, NoRemote, PathList, Paths};
pub use oxshmem_raw::state::kernel::KernelArg;
pub use oxshmem_raw::state::team::TeamHandle;
#[doc(hidden)]
pub use oxshmem_raw::{copying_kernels, maxloc_kernels, reducing_kernels};
pub use rma::Rma;
pub use shared::Shared;
pub use shmem::{Issue, KernelWorld, OnQp, OnRemote, Shmem};
pub use signal::Signals;
pub use stride::{Index, Stride, grid_stride, group_stride, span, stride};
pub use sum::BLOCK_SUM_BYTES;
pub use unchecked::Unchecked;

/// The imports of a crate of kernels, except for the types that depend on the list of paths.
pub mod prelude {
    pub use crate::{
        Atomics, Bf16, Block, Cmp, F16, Fault, Group, Local, Met, Pe, PeSet, Qp, QpHandle, QpSet, Rma, Shared, Signal,
        SignalOp, Signals, SymPtr, SymSlice, TeamHandle, Thread, Warp, block_dim, block_idx, grid_dim, grid_stride,
        group_stride, kernel, span, stride, thread_idx, thread_in_block, thread_in_grid, threads_in_grid,
    };
}

/// Items that the macros use.
#[doc(hidden)]
pub mod __private {
    pub use oxshmem_raw::gpu::ptx::HAS_GRIDDEPCONTROL;
    pub use oxshmem_raw::state::WorldState;
    pub use oxshmem_raw::state::abi::Abi;
    pub use oxshmem_raw::state::kernel::{ArgDesc, ArgVisitor, KernelArg, KernelCall, KernelReturn};

    #[cfg(not(target_arch = "nvptx64"))]
    pub use oxshmem_raw::inventory;
    #[cfg(not(target_arch = "nvptx64"))]
    pub use oxshmem_raw::state::kernel::HostKernel;

    pub use crate::module::{
        atomic_of_host, barrier_all, elements_on_stream, put_on_stream, queue_on_stream, wait_on_stream,
    };
    pub use crate::shmem::KernelWorld;
}
