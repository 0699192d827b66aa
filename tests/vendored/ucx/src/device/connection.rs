//! Connections: operations to one peer in the order of their posts, and the queues of their completions.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use oxshmem_rdma::fabric::{Completion, Handle, Status, WorkRequest};

use super::failure::Failure;
use super::operation::{Operations, Stage};
use super::peer::Peer;
use super::regions::Regions;
use crate::ucp::ffi::UCS_ERR_TIMED_OUT;

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
    pub(super) queue: Handle,
    depth: u32,
    /// The device's number of the peer, once connected.
    pub(super) peer: Option<usize>,
    /// Operations that are not reported yet, the oldest first.
    operations: VecDeque<u32>,
    /// Number of the last of them that were not started yet.
    waiting: usize,
    /// Later operations are flushed.
    stopped: bool,
    /// An operation has failed: those after it do not succeed.
    failed: bool,
}

impl Connection {
    pub(super) fn new(queue: Handle, depth: u32) -> Self {
        Self { queue, depth, peer: None, operations: VecDeque::new(), waiting: 0, stopped: false, failed: false }
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.operations.is_empty()
    }

    /// Returns the number of operations that it can take now.
    pub(super) fn room(&self) -> usize {
        (self.depth as usize).saturating_sub(self.operations.len())
    }

    /// Reports whether UCX uses memory of an operation.
    pub(super) fn is_in_flight(&self, operations: &Operations) -> bool {
        self.operations.iter().any(|number| matches!(operations.stage(*number), Stage::Posted(_)))
    }

    /// Adds a request. On a stopped connection it ends at once.
    pub(super) fn take(&mut self, operations: &mut Operations, request: &WorkRequest) {
        let number = operations.take(request);
        self.operations.push_back(number);
        if self.stopped {
            operations.end(number, Some((Status::Flushed, 0)));
        } else {
            self.waiting += 1;
        }
    }

    /// Starts waiting operations in order. None is started after one that can't be.
    pub(super) fn post_waiting(&mut self, operations: &mut Operations, peer: &mut Peer, regions: &Regions) {
        while self.waiting > 0 {
            let number = self.operations[self.operations.len() - self.waiting];
            operations.post(number, peer, regions);
            self.waiting -= 1;
            if let Stage::Ended(Some(_)) = operations.stage(number) {
                self.stop(operations);
            }
        }
    }

    /// Updates the state after progress of the worker.
    pub(super) fn progress(&mut self, operations: &mut Operations, peer: &Peer, regions: &Regions) {
        let started = self.operations.len() - self.waiting;
        self.operations.iter().take(started).for_each(|number| operations.progress(*number, peer, regions));
    }

    /// Returns the failure of a peer that has not ended the oldest operation for too long: one that disappears without
    /// notice ends none.
    pub(super) fn late(&self, operations: &Operations, limit: Duration) -> Option<Failure> {
        let oldest = *self.operations.front()?;
        let is_late =
            !matches!(operations.stage(oldest), Stage::Ended(_)) && operations.since(oldest).elapsed() > limit;
        is_late.then_some((Status::PeerGone, UCS_ERR_TIMED_OUT))
    }

    /// Stops the connection: operations that were not started are flushed, and others end by themselves.
    pub(super) fn stop(&mut self, operations: &mut Operations) {
        self.stop_for(operations, (Status::Flushed, 0));
    }

    /// Stops the connection. The first operation that was not started fails for this reason.
    pub(super) fn stop_for(&mut self, operations: &mut Operations, failure: Failure) {
        self.stopped = true;
        let mut failure = Some(failure);
        for number in self.operations.iter().rev().take(self.waiting).rev() {
            operations.end(*number, Some(failure.take().unwrap_or((Status::Flushed, 0))));
        }
        self.waiting = 0;
    }

    /// Reports operations that have ended, from the oldest, and stops the connection after the first that failed.
    pub(super) fn report(&mut self, operations: &mut Operations, queues: &mut Queues) {
        while let Some(&number) = self.operations.front() {
            let Stage::Ended(outcome) = *operations.stage(number) else { return };
            let request = *operations.request(number);
            self.operations.pop_front();
            operations.forget(number);
            let (status, code) = match outcome {
                // Each of those in flight when the peer was lost has its reason; the first one has been reported.
                _ if self.failed => (Status::Flushed, 0),
                outcome => outcome.unwrap_or_default(),
            };
            if request.signalled || status != Status::Success {
                queues.push(self.queue, Completion { id: request.id, status, code: code.unsigned_abs().into() });
            }
            if status != Status::Success {
                self.failed = true;
                self.stop(operations);
            }
        }
    }

    /// Forgets all operations. Those that UCX has keep their slots.
    pub(super) fn abandon(&mut self, operations: &mut Operations) {
        self.operations.drain(..).for_each(|number| operations.forget(number));
        self.waiting = 0;
    }
}
