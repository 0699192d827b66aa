//! The endpoints and the completion queue with which one thread reaches one peer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use oxshmem_rdma::fabric::{
    Completion, Endpoint, EndpointRequest, Handle, Local, Operation, PeerAddress, PostErrorKind, Status, WorkRequest,
};

use super::end::{End, Setup};
use crate::report::{Fine, ensure};

/// Completions that one poll takes at most.
const POLLED: usize = 8;
/// Useful bytes of inline data.
const INLINE: u32 = 32;

/// Endpoints from `near` to `far`, and their completion queue.
pub(super) struct Lane {
    pub(super) near: Arc<End>,
    /// `None`: it was dropped.
    pub(super) far: Option<Arc<End>>,
    pub(super) queue: Handle,
    pub(super) endpoints: Vec<Endpoint>,
    /// The peer's ends of them.
    far_endpoints: Vec<Handle>,
    /// The key and the base of the peer's memory.
    pub(super) key: u64,
    pub(super) base: u64,
    /// Completions that were polled and not taken.
    seen: VecDeque<Completion>,
    deadline: Instant,
}

impl Lane {
    /// Creates `count` endpoints and connects both ends.
    pub(super) fn new(setup: &Setup, near: &Arc<End>, far: &Arc<End>, count: usize) -> Fine<Self> {
        let depth = setup.options.depth;
        // Devices may round the depth up, and requests can be posted until an endpoint is full.
        let queue = near.device.create_completion_queue((4 * depth * count as u32).min(near.caps.max_completions))?;
        let request = EndpointRequest { depth, inline_bytes: INLINE };
        let key = near.device.import_key(far.pe, &far.region.remote_key)?;
        let (mut endpoints, mut far_endpoints) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (endpoint, address) = near.device.create_endpoint(queue, &request)?;
            let (far_endpoint, far_address) = far.device.create_endpoint(far.queue, &request)?;
            let to = PeerAddress { pe: far.pe, device: &far.device.address(), endpoint: &far_address };
            near.device.connect(endpoint.handle, &to)?;
            let back = PeerAddress { pe: near.pe, device: &near.device.address(), endpoint: &address };
            far.device.connect(far_endpoint.handle, &back)?;
            endpoints.push(endpoint);
            far_endpoints.push(far_endpoint.handle);
        }
        Ok(Self {
            near: near.clone(),
            far: Some(far.clone()),
            queue,
            endpoints,
            far_endpoints,
            key,
            base: far.region.remote_base,
            seen: VecDeque::new(),
            deadline: setup.deadline,
        })
    }

    /// Gives everything back, in the transport's order.
    pub(super) fn give_back(self) -> Fine<()> {
        for endpoint in &self.endpoints {
            self.near.device.stop(endpoint.handle)?;
            self.near.device.destroy_endpoint(endpoint.handle)?;
        }
        if let Some(far) = &self.far {
            self.far_endpoints.iter().try_for_each(|endpoint| far.device.destroy_endpoint(*endpoint))?;
        }
        Ok(self.near.device.destroy_completion_queue(self.queue)?)
    }

    /// Returns a signalled request between the near end's `local` and the far end's memory from `offset` on.
    pub(super) fn request(&self, id: u64, op: Operation, local: Local, offset: usize) -> WorkRequest {
        WorkRequest { id, op, local, remote: self.base + offset as u64, remote_key: self.key, signalled: true }
    }

    /// Returns a signalled write of `bytes` bytes from the near end's offset `from` to the far end's offset `to`.
    pub(super) fn write(&self, id: u64, from: usize, bytes: usize, to: usize) -> WorkRequest {
        self.request(id, Operation::Write, self.near.local(from, bytes), to)
    }

    /// Returns a signalled read of `bytes` bytes to the near end's offset `to` from the far end's offset `from`.
    pub(super) fn read(&self, id: u64, to: usize, bytes: usize, from: usize) -> WorkRequest {
        self.request(id, Operation::Read, self.near.local(to, bytes), from)
    }

    /// Polls once.
    pub(super) fn poll(&mut self) -> Fine<usize> {
        let mut some = [Completion::default(); POLLED];
        let taken = self.near.device.poll(self.queue, &mut some)?;
        ensure(taken <= POLLED, || format!("a poll for {POLLED} completions returned {taken}"))?;
        self.seen.extend(&some[..taken]);
        Ok(taken)
    }

    /// Polls once, and lets the peer serve if it needs to.
    pub(super) fn progress(&mut self) -> Fine<()> {
        let taken = self.poll()?;
        self.far.as_ref().map_or(Ok(()), |far| far.serve())?;
        if taken == 0 {
            std::thread::yield_now();
        }
        ensure(Instant::now() < self.deadline, || {
            format!("there are {} completions at the time limit, and others are missing", self.seen.len())
        })
    }

    /// Posts all requests. Requests that are not taken now are posted again after a poll.
    pub(super) fn post(&mut self, endpoint: usize, mut list: &[WorkRequest]) -> Fine<()> {
        let handle = self.endpoints[endpoint].handle;
        while let Err(refused) = self.near.device.post(handle, list) {
            ensure(refused.kind != PostErrorKind::Failed, || refused.into_error("post").to_string())?;
            ensure(refused.posted < list.len(), || format!("all of {} were taken: {refused:?}", list.len()))?;
            list = &list[refused.posted..];
            self.progress()?;
        }
        Ok(())
    }

    /// Returns the number of completions that were polled and not taken.
    pub(super) fn seen(&self) -> usize {
        self.seen.len()
    }

    /// Takes the next completion, if it was polled.
    pub(super) fn take(&mut self) -> Option<Completion> {
        self.seen.pop_front()
    }

    /// Waits for the next completion.
    pub(super) fn next(&mut self) -> Fine<Completion> {
        loop {
            if let Some(completion) = self.take() {
                return Ok(completion);
            }
            self.progress()?;
        }
    }

    /// Waits for the next completion, which must be the success of request `id`.
    pub(super) fn expect(&mut self, id: u64) -> Fine<()> {
        let completion = self.next()?;
        ensure(completion.status == Status::Success, || self.failure(&completion))?;
        ensure(completion.id == id, || format!("request {} completed, and {id} was next", completion.id))
    }

    /// Posts one signalled request, and waits for its success.
    pub(super) fn done(&mut self, endpoint: usize, request: WorkRequest) -> Fine<()> {
        self.post(endpoint, &[request])?;
        self.expect(request.id)
    }

    /// Checks that no more completion comes before that of a further write.
    pub(super) fn nothing_more(&mut self, endpoint: usize) -> Fine<()> {
        const LAST: u64 = u64::MAX >> 8;
        self.done(endpoint, self.write(LAST, 0, 8, 0))
            .map_err(|error| format!("after the last completion: {error}").into())
    }

    /// Describes a completion that failed.
    pub(super) fn failure(&self, completion: &Completion) -> String {
        format!("request {}: {}", completion.id, self.near.device.explain(completion))
    }
}
