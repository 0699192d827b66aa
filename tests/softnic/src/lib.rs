//! A software ConnectX: executes mlx5 work queues, checks every rule, and misbehaves on demand.
//!
//! [`SoftProvider`] is a provider of NICs like libibverbs' (`oxshmem_raw::rdma::hca::Provider`): what it opens is driven by
//! the same mailboxes, queues and doorbells as a ConnectX. NICs of one process, or of several that share a folder
//! ([`Options::wire`]), reach each other.
//!
//! - `decode`: work queue entries and command mailboxes, from their formats; `check`: the rules that a driver must keep.
//! - `nic`: what commands make (domains, keys, queues, their states); `engine`: the thread that executes queues.
//! - `plane`: queues that something else executes, such as a kernel.
//! - `wire`: the way to other NICs; `memory`: the way to what queues and keys name.
//! - [`Knobs`]: what a NIC may do in more than one order; [`Fault`]: what can go wrong; [`Defect`]: what is always
//!   done wrongly.

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
