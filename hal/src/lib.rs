//! GPU-initiated communication: the host side that an application links.
//!
//! A [`World`] is a set of PEs with a symmetric heap each. It runs on GPUs (one PE each) or on this machine's own
//! threads, with the same calls:
//!
//! ```
//! use oxshmem_hal::{Config, DeviceChoice, World};
//!
//! let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
//! let sums = World::threads(2, &config, |world| {
//!     let word = world.malloc::<u64>(1)?;
//!     let other = world.pe_after(1);
//!     world.put(word, &[100 + world.my_pe().number() as u64], other)?;
//!     world.barrier_all()?;
//!     let mut got = [0];
//!     world.read(word, &mut got)?;
//!     world.free(word)?;
//!     Ok(got[0])
//! })?;
//! assert_eq!(sums, [101, 100]);
//! # Ok::<(), oxshmem_hal::Error>(())
//! ```
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

pub use config::{Config, DeviceChoice};
pub use event::Event;
pub use launch::{KernelArgs, Launch};
pub use messages::report_error;
pub use module::{Kernel, Module};
pub use oxshmem_core::host::{Amount, Error, ErrorKind, Extent, HostAmo, Offer, Reach, Result, Transport};
pub use oxshmem_core::{
    And, AnyOp, AtomicAdd, AtomicInt, AtomicWord, Bf16, Bits, CallPart, Cmp, Collective, Comparable, E4m3, E5m2,
    Element, F16, Fault, FaultStep, Located, Max, Min, Number, Or, Pe, PeSet, Prod, Qp, QpHandle, QpSet, ReduceOp,
    Signal, SignalOp, Sum, SymAddr, SymPtr, Waitable, Xor, first_of_any,
};
pub use oxshmem_raw::gpu::cuda::{LaunchAttribute, current_gpu, device_count as gpu_count};
pub use oxshmem_raw::memory::ShareableMemory;
pub use oxshmem_raw::queue::rows::EXCLUSIVE_BYTES;
pub use oxshmem_raw::register_transport;
pub use oxshmem_raw::settings;
pub use oxshmem_raw::state::kernel::{KernelArg, KernelCall};
pub use oxshmem_raw::state::team::TeamHandle;
pub use oxshmem_raw::transport::{TransportContext, TransportFactory};
pub use transports::TRANSPORTS;
pub use world::World;
pub use world::atomics::RemoteWord;
pub use world::bootstrapped::Bootstrapped;
pub use world::collective_grids::{Algorithm, CollectiveOptions};
pub use world::collectives::TeamOn;
pub use world::graph::Graph;
pub use world::local_end::{DevicePtr, LocalEnd};
pub use world::qps::Qps;
pub use world::stream::Stream;
pub use world::symmetric_memory::UserMemory;
pub use world::teams::{Team, TeamOptions};
#[cfg(feature = "capi")]
#[doc(hidden)]
pub use world::{
    exit::ExitWatch,
    stream::DetachedStream,
    teams::{DetachedTeam, TeamIdTable},
};
