//! Connections of queues, and the rows and completion queues that hold them.

use std::sync::Arc;

use oxshmem_raw::fabric::{Endpoint, FabricDevice, Handle};
use oxshmem_raw::queue::host::{ConnectData, Row};

use crate::host::counters::QueueCounts;
use crate::host::memory::bounce::ScratchMemory;
use crate::host::setup::nic::Nic;

/// The endpoints of one queue to one peer, destroyed with it.
#[derive(Debug)]
pub(in crate::host) struct Connection {
    pub(super) device: Arc<dyn FabricDevice>,
    pub(in crate::host) endpoint: Endpoint,
    /// A second endpoint for fetches, if they must not share one with writes.
    pub(in crate::host) fetch_endpoint: Option<Endpoint>,
    pub(in crate::host) cq: Handle,
    pub(in crate::host) counts: Arc<QueueCounts>,
    /// Scratch memory of its work requests, and the address of its part. It is dropped after the endpoints.
    pub(super) slots: Option<(Arc<ScratchMemory>, u64)>,
}

impl Connection {
    /// Gives up the endpoint for fetches.
    pub(super) fn drop_fetch_endpoint(&mut self) {
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

/// Rows whose endpoints exist and are not connected.
#[derive(Debug)]
pub(in crate::host) struct PreparedRows {
    pub(super) first: u32,
    /// If these are the default rows, the last one is the host's own.
    pub(super) rows: Vec<Row<Connection>>,
    /// Dropped after the endpoints.
    pub(super) cqs: CompletionQueues,
    pub(super) has_host_row: bool,
    /// This PE's part of the exchange that connects them.
    pub(super) data: ConnectData,
}

/// Completion queues by proxy, destroyed with it. A proxy without a queue has handle 0.
#[derive(Debug, Default)]
pub(in crate::host) struct CompletionQueues(Vec<(Arc<Nic>, Handle)>);

impl CompletionQueues {
    /// Adds the queue of the next proxy.
    pub(super) fn push(&mut self, nic: Arc<Nic>, queue: Handle) {
        self.0.push((nic, queue));
    }

    pub(super) fn of_proxy(&self, proxy: usize) -> Handle {
        self.0[proxy].1
    }

    /// Takes over the queues of `others`, so that all are destroyed together.
    pub(super) fn extend(&mut self, mut others: Self) {
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
