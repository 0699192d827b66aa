//! The endpoints of a send queue.

use oxshmem_rdma::fabric::{Endpoint, Handle};

/// The connected endpoints of a send queue, and the memory of its work requests.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Link {
    /// The number of the peer's NIC, as [`Keys`](crate::host::memory::keys::Keys) have it.
    pub(in crate::host) peer: u32,
    pub(in crate::host) endpoint: Endpoint,
    /// A second endpoint for fetches, if they must not share one with writes.
    pub(in crate::host) fetch_endpoint: Option<Endpoint>,
    pub(in crate::host) cq: Handle,
    /// Host address of the first slot. There is a slot for each work request that the endpoint has room for.
    pub(in crate::host) slots: u64,
    /// The address of the first slot, and the key, in work requests.
    pub(in crate::host) slots_local: u64,
    pub(in crate::host) slots_key: u64,
}

impl Link {
    /// That of a queue that is not connected: it has no room for any work request.
    pub(in crate::host) const NONE: Self = Self {
        peer: 0,
        endpoint: Endpoint { handle: Handle(0), depth: 0, inline_bytes: 0 },
        fetch_endpoint: None,
        cq: Handle(0),
        slots: 0,
        slots_local: 0,
        slots_key: 0,
    };
}
