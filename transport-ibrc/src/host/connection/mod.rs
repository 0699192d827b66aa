//! Connections of queues: their endpoints, and the events that connect them at their first use.
//!
//! | file | contents |
//! |---|---|
//! | `endpoint_pair` | addresses of a queue's endpoints |
//! | `link` | the connected endpoints, as the send queue uses them |
//! | `connect_event` | events by which progress threads and rows ask the connector for connections |

pub(in crate::host) mod connect_event;
pub(in crate::host) mod endpoint_pair;
pub(in crate::host) mod link;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_rdma::fabric::{Endpoint, EndpointRequest, FabricDevice, Handle, INLINE_BYTES, PeerAddress};

use crate::host::counters::QueueCounts;
use crate::host::memory::bounce::{SLOT_BYTES, ScratchMemory};
use crate::host::setup::nic::Nic;
use endpoint_pair::EndpointPair;
use link::Link;

/// Hint for errors of creating endpoints.
pub(in crate::host) const HINT_OF_QPS: &str = "fewer (OXSHMEM_IBGDA_NUM_RC_PER_PE) or shallower ones (OXSHMEM_QP_DEPTH) take less; their memory counts for \
     `ulimit -l`, and the device may be shared with other programs";

/// The endpoints of one queue to one peer, destroyed with it.
#[derive(Debug)]
pub(in crate::host) struct Connection {
    pub(in crate::host) device: Arc<dyn FabricDevice>,
    pub(in crate::host) endpoint: Endpoint,
    /// A second endpoint for fetches, if they must not share one with writes.
    pub(in crate::host) fetch_endpoint: Option<Endpoint>,
    pub(in crate::host) cq: Handle,
    /// Scratch memory of its work requests, and the address of its part. It is dropped after the endpoints.
    pub(in crate::host) slots: Option<(Arc<ScratchMemory>, u64)>,
}

/// A queue of a row: its counters, and its connection as soon as it has one.
#[derive(Clone, Debug, Default)]
pub(in crate::host) struct RowQueue {
    pub(in crate::host) counts: Arc<QueueCounts>,
    connection: Arc<Mutex<Option<Connection>>>,
}

impl RowQueue {
    pub(in crate::host) fn new(connection: Option<Connection>) -> Self {
        Self { counts: Arc::default(), connection: Arc::new(Mutex::new(connection)) }
    }

    pub(in crate::host) fn connection(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Creates the endpoints of one queue with completions in `cq`, and returns their addresses.
    pub(in crate::host) fn create(nic: &Nic, depth: u32, cq: Handle) -> Result<(Self, EndpointPair)> {
        let request = EndpointRequest { depth, inline_bytes: INLINE_BYTES as u32 };
        let create = || -> Result<(Endpoint, Vec<u8>)> {
            let (mut endpoint, address) = nic.device.create_endpoint(cq, &request)?;
            // An endpoint may have more room than requested. When it stops, all requests on it complete, and the
            // completion queue has room for no more than the requested number.
            endpoint.depth = endpoint.depth.clamp(1, request.depth);
            Ok((endpoint, address))
        };
        let (endpoint, main) = create()?;
        let mut connection = Self { device: nic.device.clone(), endpoint, fetch_endpoint: None, cq, slots: None };
        let mut pair = EndpointPair { main, fetch: None };
        if nic.empty_fetches {
            let (endpoint, address) = create()?;
            pair.fetch = Some(address);
            connection.endpoint.depth = connection.endpoint.depth.min(endpoint.depth);
            connection.fetch_endpoint = Some(endpoint);
        }
        Ok((connection, pair))
    }

    /// Connects the endpoints with those of `pe`, on the device with the address `nic`.
    ///
    /// # Errors
    /// The device can't connect them.
    pub(in crate::host) fn connect(&mut self, pe: Pe, nic: &[u8], remote: &EndpointPair) -> Result<()> {
        let connect = |endpoint: Endpoint, address: &[u8]| {
            let to = PeerAddress { pe, device: nic, endpoint: address };
            self.device.connect(endpoint.handle, &to).map_err(|error| error.about(pe))
        };
        connect(self.endpoint, &remote.main)?;
        // If the peer has no endpoint for fetches, fetches share the other endpoint with writes, and each is posted
        // when earlier writes are complete.
        match &remote.fetch {
            None => self.drop_fetch_endpoint(),
            Some(remote) => self.fetch_endpoint.map_or(Ok(()), |endpoint| connect(endpoint, remote))?,
        }
        Ok(())
    }

    /// Bytes of scratch memory that its work requests need.
    pub(in crate::host) fn slot_bytes(&self) -> u64 {
        SLOT_BYTES * u64::from(self.endpoint.depth)
    }

    /// Gives it its part of scratch memory, from address `at` on.
    pub(in crate::host) fn set_slots(&mut self, slots: &Arc<ScratchMemory>, at: u64) {
        self.slots = Some((slots.clone(), at));
    }

    /// Returns the link of its send queue to NIC `peer` of the peer; `None` as long as it has no scratch memory.
    pub(in crate::host) fn link(&self, peer: u32) -> Option<Link> {
        let Self { endpoint, fetch_endpoint, cq, slots, .. } = self;
        let (slots, at) = slots.as_ref()?;
        Some(Link {
            peer,
            endpoint: *endpoint,
            fetch_endpoint: *fetch_endpoint,
            cq: *cq,
            slots: *at,
            slots_local: slots.local_address(*at),
            slots_key: slots.key(),
        })
    }

    /// Gives up the endpoint for fetches.
    fn drop_fetch_endpoint(&mut self) {
        // The device releases an endpoint that can't be destroyed here.
        self.fetch_endpoint.take().map(|endpoint| self.device.destroy_endpoint(endpoint.handle));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The device releases an endpoint that can't be destroyed here.
        let _ = self.device.destroy_endpoint(self.endpoint.handle);
        self.drop_fetch_endpoint();
    }
}

/// Completion queues by proxy, destroyed with it. A proxy without a queue has handle 0.
#[derive(Debug, Default)]
pub(in crate::host) struct CompletionQueues(Vec<(Arc<Nic>, Handle)>);

impl CompletionQueues {
    /// Adds the queue of the next proxy.
    pub(in crate::host) fn push(&mut self, nic: Arc<Nic>, queue: Handle) {
        self.0.push((nic, queue));
    }

    pub(in crate::host) fn of_proxy(&self, proxy: usize) -> Handle {
        self.0[proxy].1
    }

    /// Takes over the queues of `others`, so that all are destroyed together.
    pub(in crate::host) fn extend(&mut self, mut others: Self) {
        self.0.extend(std::mem::take(&mut others.0).into_iter().filter(|(_, cq)| cq.0 != 0));
    }
}

impl Drop for CompletionQueues {
    fn drop(&mut self) {
        // The device releases a queue that can't be destroyed here.
        let all = self.0.iter().filter(|(_, cq)| cq.0 != 0);
        all.for_each(|(nic, cq)| drop(nic.device.destroy_completion_queue(*cq)));
    }
}
