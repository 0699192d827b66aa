//! Events of queues that are connected at their first use.

use std::collections::HashSet;
use std::sync::mpsc::Sender;

use oxshmem_core::Pe;

use super::RowQueue;

/// The row by which keys name the host's own queues.
pub(in crate::host) const HOST_ROW: u32 = u32::MAX;

/// The name of a queue. It is the same on both ends, except that each end has the other end's PE in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct QueueKey {
    pub(in crate::host) row: u32,
    pub(in crate::host) pe: Pe,
    /// Number of the call that made the row, since numbers of rows are used again.
    pub(in crate::host) batch: u32,
}

/// A queue that is connected at its first use.
#[derive(Debug)]
pub(in crate::host) struct UnconnectedQueue {
    pub(in crate::host) key: QueueKey,
    /// Number of its NIC.
    pub(in crate::host) nic: usize,
    /// Number of its proxy.
    pub(in crate::host) proxy: usize,
    /// The number by which requests name it.
    pub(in crate::host) number: u32,
    /// Takes the connection.
    pub(in crate::host) queue: RowQueue,
}

/// An event for the connector's thread.
#[derive(Debug)]
pub(in crate::host) enum ConnectEvent {
    /// There are more queues.
    Add(Vec<UnconnectedQueue>),
    /// These rows are destroyed. The thread answers when it holds nothing of them.
    Forget(HashSet<u32>, Sender<()>),
    /// The queue has its first request.
    Want(QueueKey),
    /// The PE's connector sent a message.
    Message(Pe, Vec<u8>),
    /// The PE died, with the evidence.
    Died(Pe, String),
    Stop,
}
