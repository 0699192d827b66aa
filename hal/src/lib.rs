//! GPU-initiated communication: the host side that an application links.
//!
//! A [`World`] is a set of PEs with a symmetric heap each. It runs on GPUs (one PE each) or on this machine's own
//! threads, with the same calls. A whole program, whose kernel could be in a crate of its own, to be compiled to PTX:
//!
//! ```
//! use oxshmem_device::prelude::*;
//! use oxshmem_hal::{Config, DeviceChoice, Launch, Result, World};
//!
//! kernel! {
//!     /// Sends this PE's block to its right neighbour and waits for the block of its left neighbour.
//!     pub fn ring(
//!         shmem: Shmem, block: SymSlice<f32>, inbox: SymSlice<f32>, flag: SymPtr<u64>,
//!     ) -> std::result::Result<(), Fault> {
//!         let right = shmem.pe_after(1);
//!         shmem.put_signal(Block, inbox, block, .., Signal::set(flag, 1), right)?;
//!         shmem.signal_wait_until(flag, Cmp::Eq, 1)?;
//!         Ok(())
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     let config = Config::new().with_device(DeviceChoice::Host);
//!     // Two PEs as threads of this process. Under a launcher each process is a PE: `World::run` does either.
//!     let got = World::threads(2, &config, |world| {
//!         let (block, inbox) = (world.alloc::<f32>(100)?, world.alloc::<f32>(100)?);
//!         let flag = world.calloc::<u64>(1)?;
//!         world.write(block, &[world.my_pe().number() as f32; 100])?;
//!         let stream = world.own_stream();
//!         stream.launch(Launch::new(1, 32).collective(), ring { block, inbox, flag })?;
//!         stream.synchronize()?;
//!         Ok(world.read_vec(inbox)?[99])
//!     })?;
//!     assert_eq!(got, [1.0, 0.0]);
//!     Ok(())
//! }
//! ```
//!
//! The items that a program needs first:
//!
//! | item | content |
//! |---|---|
//! | [`Config`] | settings, also of the environment ([`Config::from_env`]) |
//! | [`World`] | the PEs, the heap, copies and words of the host; [`World::run`] starts a program's PEs |
//! | [`SymSlice`] | memory that each PE has at the same offset of its heap, made by [`World::alloc`] |
//! | [`SymPtr`] | one element of it, such as a word that is waited for |
//! | [`Pe`] | a PE's number |
//! | [`Launch`] | grid, block and shared memory of a launch |
//! | [`Stream`] | launches, copies, signals, waits and barriers, one after another; [`World::own_stream`] is one |
//! | [`Team`] | some of the PEs, with collectives on the host and, by [`Team::on`], on a stream |
//! | [`Graph`] | work of a stream that was captured, to be launched many times |
//! | [`Signal`], [`Cmp`] | a word's change, and what a wait compares |
//! | [`Error`], [`Fault`] | what failed, where, and by how much; of a kernel: which call |
//!
//! Kernels are written with `oxshmem-device`, whose `kernel!` also makes the struct by which a stream launches them.
//! [`transport`] is for authors of transports.
//!
//! Messages go to the program's logger, if it has set one with the crate `log` (target `oxshmem`). Otherwise they go to
//! standard error, as `OXSHMEM_DEBUG` selects.
//!
//! A process joins a world by [`World::init`], under `cargo xtask run`, `mpirun`, `srun` or `torchrun`.

#![cfg_attr(
    not(feature = "capi"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "what only the interface for C calls needs its feature"
    )
)]

pub mod bootstrap;
pub mod config;
pub mod control;
mod event;
mod heap;
mod host_queue;
mod launch;
pub mod launcher;
mod machine;
mod messages;
mod module;
mod module_files;
mod plain;
mod recording;
mod stream;
mod transports;
mod turns;
mod world;

/// What authors of transports implement and register; programs need none of it.
pub mod transport {
    pub use crate::transports::TRANSPORTS;
    pub use oxshmem_core::host::{Extent, HostAmo, Offer, Reach, Transport};
    pub use oxshmem_raw::register_transport;
    pub use oxshmem_raw::settings;
    pub use oxshmem_raw::transport::{TransportContext, TransportFactory};
}

pub use config::{Config, DeviceChoice};
pub use event::Event;
pub use launch::{KernelArgs, Launch};
pub use messages::report_error;
pub use module::{Kernel, Module};
pub use oxshmem_core::host::{Amount, Error, ErrorKind, Result};
pub use oxshmem_core::{
    And, AnyOp, AtomicAdd, AtomicInt, AtomicWord, Bf16, Bits, CallPart, Cmp, Collective, Comparable, Count, E4m3, E5m2,
    Element, F16, Fault, FaultStep, Lists, Located, Max, Min, Number, Or, Pe, PeSet, Prod, Qp, QpHandle, QpSet,
    ReduceOp, Reducible, Signal, SignalOp, Sum, SymAddr, SymPtr, SymSlice, Symmetric, Waitable, Xor, first_of_any,
};
pub use oxshmem_raw::gpu::cuda::{LaunchAttribute, current_gpu, device_count as gpu_count};
pub use oxshmem_raw::memory::ShareableMemory;
pub use oxshmem_raw::queue::rows::EXCLUSIVE_BYTES;
pub use oxshmem_raw::state::kernel::{KernelArg, KernelCall};
pub use oxshmem_raw::state::team::TeamHandle;
pub use world::atomics::RemoteWord;
pub use world::bootstrapped::Bootstrapped;
pub use world::collectives::grids::{Algorithm, CollectiveOptions};
pub use world::collectives::on_stream::TeamOn;
pub use world::graph::Graph;
pub use world::local_end::{DevicePtr, LocalEnd};
pub use world::modules::Modules;
pub use world::qps::Qps;
pub use world::stream::Stream;
pub use world::symmetric_memory::UserMemory;
pub use world::teams::{Team, TeamOptions};
pub use world::{HeapState, World};
#[cfg(feature = "capi")]
#[doc(hidden)]
pub use world::{
    exit::ExitWatch,
    stream::DetachedStream,
    teams::{DetachedTeam, TeamIdTable},
};
