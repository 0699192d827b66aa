//! Queue pairs and completion queues.

use std::collections::VecDeque;

use oxshmem_raw::rdma::rc::{QpState, RcQp, Wc, Wr};

#[derive(Debug)]
pub(crate) struct Qp {
    pub(crate) made: RcQp,
    pub(crate) cq: u64,
    pub(crate) state: QpState,
    /// The PE that it leads to.
    pub(crate) peer: u32,
    /// The peer's queue pair.
    pub(crate) remote: u32,
    /// Posted and not executed; and whether a write was ahead of it that was not known to be complete.
    pub(crate) queue: VecDeque<(Wr, bool)>,
    /// Work requests that hold a place of the send queue: those whose completion, or a later one's, was not polled.
    pub(crate) held: u32,
    /// Of those, executed ones behind the last that told of its completion.
    pub(crate) silent: u32,
    /// Work requests that were posted, and of those the number up to the last write.
    pub(crate) posted: u64,
    pub(crate) wrote: u64,
}

/// A completion, and how many places of its queue pair it frees.
pub(crate) type Told = (u64, Wc, u32);

#[derive(Debug, Default)]
pub(crate) struct Cq {
    pub(crate) entries: u32,
    pub(crate) ready: VecDeque<Told>,
    pub(crate) lost: bool,
}
