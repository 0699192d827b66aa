//! Mailboxes of commands and their answers: they make and connect queues, and report on a NIC and its queues.
//!
//! A command is a struct with `encode`; its output is parsed by [`Reply`], [`QpContext`] or one of the capability
//! groups. Both pass through [`Hca`](crate::hca::Hca), which is libmlx5's DEVX or a software NIC.

mod bits;
mod caps;
mod connect;
mod context;
mod layout;
mod queue;

pub use bits::{Field, REPLY_BYTES, Reply, get, set};
pub use caps::{
    AtomicCaps, CapGroup, GeneralCaps, GeneralCaps2, QUERY_HCA_CAP_BYTES, QueryHcaCap, RoceCaps, atomic_operation,
};
pub use connect::{Access, GlobalRoute, Init2Rtr, PrimaryPath, Route, Rst2Init, Rtr2Rts};
pub use context::{Difference, QUERY_QP_BYTES, QpContext};
pub use queue::{CreateCq, CreateQp, DestroyCq, DestroyQp, InUmem, QueryQp, Receive, Service, ToError, ToReset};

#[cfg(test)]
mod tests;
