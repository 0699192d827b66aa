//! Endpoints and completion queues.

use std::collections::VecDeque;

use oxshmem_rdma::fabric::{Completion, Endpoint, WorkRequest};

/// The way in which an endpoint handles work requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not connected: it takes none.
    Created,
    /// It executes them.
    Connected,
    /// It failed or was stopped: it flushes them.
    Stopped,
}

/// A work request that was posted and not executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posted {
    pub(crate) wr: WorkRequest,
    /// Whether an earlier write was not known to be complete.
    pub(crate) after_write: bool,
    /// Number of the peer's polls when it was posted.
    pub(crate) peer_polls: u64,
}

#[derive(Debug)]
pub(crate) struct SoftEndpoint {
    pub(crate) made: Endpoint,
    /// Its number in the network, which is its address.
    pub(crate) number: u32,
    pub(crate) cq: u64,
    pub(crate) state: State,
    /// The PE to which it is connected.
    pub(crate) peer: u32,
    /// The peer's endpoint.
    pub(crate) remote: u32,
    pub(crate) queue: VecDeque<Posted>,
    /// Work requests that occupy a place: no completion of them, or of a later request, was polled.
    pub(crate) held: u32,
    /// Number of these that were executed after the last one that had a completion.
    pub(crate) silent: u32,
    /// Number of work requests that were posted, and their number up to the last write.
    pub(crate) posted: u64,
    pub(crate) wrote: u64,
}

/// A completion that was not polled yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready {
    /// Handle of its endpoint.
    pub(crate) endpoint: u64,
    pub(crate) completion: Completion,
    /// Places of the endpoint that it frees.
    pub(crate) frees: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Cq {
    pub(crate) entries: u32,
    pub(crate) ready: VecDeque<Ready>,
    /// Whether it overflowed.
    pub(crate) lost: bool,
}
