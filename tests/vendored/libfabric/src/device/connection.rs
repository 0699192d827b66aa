//! Connections: operations to one peer in the order of their posts, and the queues of their completions.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use oxshmem_rdma::fabric::{Completion, Handle, Status, WorkRequest};

use super::mailbox::Mailbox;
use super::operation::{Operations, Stage};
use super::regions::Regions;
use crate::libfabric::channel::Channel;

/// Completion queues, by handle.
#[derive(Default)]
pub(super) struct Queues(HashMap<u64, VecDeque<Completion>>);

impl Queues {
    pub(super) fn create(&mut self, queue: Handle) {
        self.0.insert(queue.0, VecDeque::new());
    }

    pub(super) fn destroy(&mut self, queue: Handle) -> bool {
        self.0.remove(&queue.0).is_some()
    }

    pub(super) fn exists(&self, queue: Handle) -> bool {
        self.0.contains_key(&queue.0)
    }

    /// Moves completions to `out` and returns their number.
    pub(super) fn take(&mut self, queue: Handle, out: &mut [Completion]) -> usize {
        let Some(queue) = self.0.get_mut(&queue.0) else { return 0 };
        let taken = queue.len().min(out.len());
        out.iter_mut().zip(queue.drain(..taken)).for_each(|(out, completion)| *out = completion);
        taken
    }

    fn push(&mut self, queue: Handle, completion: Completion) {
        if let Some(queue) = self.0.get_mut(&queue.0) {
            queue.push_back(completion);
        }
    }
}

/// One endpoint of the transport.
pub(super) struct Connection {
    handle: Handle,
    queue: Handle,
    depth: u32,
    /// Libfabric's number of the peer, once connected.
    peer: Option<u64>,
    /// Operations that are not reported yet, the oldest first.
    operations: VecDeque<u32>,
    /// Number of the last of them that libfabric has not taken yet.
    waiting: usize,
    stopped: bool,
}

impl Connection {
    pub(super) fn new(handle: Handle, queue: Handle, depth: u32) -> Self {
        Self { handle, queue, depth, peer: None, operations: VecDeque::new(), waiting: 0, stopped: false }
    }

    pub(super) fn queue(&self) -> Handle {
        self.queue
    }

    pub(super) fn lead_to(&mut self, peer: u64) {
        self.peer = Some(peer);
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.operations.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.operations.len() < self.depth as usize
    }

    /// Adds a request. On a stopped connection it ends at once.
    pub(super) fn take(&mut self, operations: &mut Operations, request: &WorkRequest, regions: &Regions) {
        let number = operations.take(self.handle.0, request, regions);
        self.operations.push_back(number);
        if self.stopped {
            operations.end(number, Some((Status::Flushed, 0)));
        } else {
            self.waiting += 1;
        }
    }

    /// Posts waiting operations in order, until libfabric takes no more.
    pub(super) fn post_waiting(
        &mut self,
        channel: &Channel,
        mut mailbox: Option<&mut Mailbox>,
        operations: &mut Operations,
    ) {
        let Some(peer) = self.peer else { return };
        while self.waiting > 0 {
            let number = self.operations[self.operations.len() - self.waiting];
            if !operations.post(channel, mailbox.as_deref_mut(), number, peer) {
                return;
            }
            self.waiting -= 1;
        }
    }

    /// Fails the oldest operation if it is late, because a peer that disappears without notice ends no operation.
    pub(super) fn fail_late(&mut self, operations: &mut Operations, limit: Duration) {
        let Some(&oldest) = self.operations.front() else { return };
        if !matches!(operations.stage(oldest), Stage::Ended(_)) && operations.since(oldest).elapsed() > limit {
            self.fail(operations, (Status::PeerGone, libc::ETIMEDOUT as u32));
        }
    }

    /// Stops the connection: operations that have not ended are flushed.
    pub(super) fn stop(&mut self, operations: &mut Operations) {
        self.fail(operations, (Status::Flushed, 0));
    }

    /// Ends the first operation that has not ended with `failure`, and flushes those after it.
    fn fail(&mut self, operations: &mut Operations, failure: (Status, u32)) {
        (self.stopped, self.waiting) = (true, 0);
        let mut failure = Some(failure);
        for number in &mut self.operations {
            let why = match operations.stage(*number) {
                Stage::Ended(None) => continue,
                Stage::Ended(Some(_)) => {
                    failure = None;
                    continue;
                }
                Stage::Waiting | Stage::Posted | Stage::Asked => failure.take().unwrap_or((Status::Flushed, 0)),
            };
            if operations.stage(*number) == Stage::Posted {
                // Libfabric keeps the slot until the operation ends; a new slot takes its place in the order.
                let request = *operations.request(*number);
                operations.forget(*number);
                *number = operations.take(self.handle.0, &request, &Regions::default());
            }
            operations.end(*number, Some(why));
        }
    }

    /// Reports operations that have ended, from the oldest, and stops the connection after the first that failed.
    pub(super) fn report(&mut self, operations: &mut Operations, queues: &mut Queues) {
        while let Some(&number) = self.operations.front() {
            let Stage::Ended(failure) = operations.stage(number) else { return };
            let request = *operations.request(number);
            self.operations.pop_front();
            operations.forget(number);
            let (status, code) = failure.unwrap_or_default();
            if request.signalled || failure.is_some() {
                queues.push(self.queue, Completion { id: request.id, status, code });
            }
            if failure.is_some() && !self.stopped {
                self.stop(operations);
            }
        }
    }

    /// Forgets all operations. Those that libfabric has keep their slots until they end.
    pub(super) fn abandon(&mut self, operations: &mut Operations) {
        self.operations.drain(..).for_each(|number| operations.forget(number));
    }
}
