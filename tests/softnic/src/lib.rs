//! A software ConnectX: executes mlx5 work queues, checks every rule, and misbehaves on demand.
//!
//! [`SoftProvider`] provides NICs as libibverbs does (`oxshmem_rdma::hca::Provider`): the same mailboxes, queues
//! and doorbells as a ConnectX's drive them. NICs of one process, or of several processes that share a folder
//! ([`Options::wire`]), reach each other.
//!
//! - `decode`: work queue entries and command mailboxes, from their formats; `check`: the rules that a driver must
//!   keep.
//! - `nic`: objects that commands create (domains, keys, queues, their states); `engine`: the thread that executes
//!   queues.
//! - `plane`: queues that another engine executes, such as a kernel.
//! - `wire`: routes to other NICs; `memory`: access to the memory of queues and keys.
//! - [`Knobs`]: effects that a NIC may have in more than one order; [`Fault`]: failures of single operations;
//!   [`Defect`]: permanent errors.

pub mod check;
pub mod decode;
mod defects;
mod engine;
mod faults;
mod holds;
mod knobs;
mod memory;
mod nic;
mod options;
mod plane;
mod provider;
mod wire;

pub use check::{Rule, Violation};
pub use defects::{Defect, Defects};
pub use faults::Fault;
pub use knobs::{Knobs, PiSource};
pub use memory::{HostMemory, Memory, MemoryFailed, Place};
pub use options::{Options, Profile};
pub use plane::{DataPlane, Pinned, PlaneMemory, PlanePeer, PlaneQueue, PlaneRegion, Side, Standing};
pub use provider::SoftProvider;
