//! The send queue of one endpoint, as its progress thread keeps it.
//!
//! 1. A request that was taken from its ring waits in order (`waiting`).
//! 2. `advance` turns waiting requests into work requests (`list`), as far as there is room.
//! 3. `send` posts the list with one doorbell. A request leaves its ring when all of its work requests are posted.
//! 4. `complete` finishes requests in order, and answers threads that wait for a value.
//! 5. `report` publishes the number of complete requests.
//!
//! An atomic that takes several rounds of compare-and-swap keeps the requests after it waiting.
//!
//! | file | contents |
//! |---|---|
//! | `in_flight` | from list to completion: lists are posted, completions finish requests |
//! | `context` | resources that all send queues of a progress thread share |
//! | `atomic` | atomics, natively or in rounds of compare-and-swap |
//! | `fetch` | fetches on devices that may end them without their data |
//! | `refusal`, `stop` | reasons for which a queue stops, and the replies to its waiting threads |

mod atomic;
pub(in crate::host) mod context;
pub(in crate::host) mod fetch;
pub(in crate::host) mod in_flight;
#[cfg(test)]
pub(in crate::host) mod recording_device;
pub(in crate::host) mod refusal;
mod stop;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use oxshmem_core::{AmoOp, AmoType, SignalOp};
use oxshmem_rdma::fabric::{AtomicSet, INLINE_BYTES, Local, Operation, WorkRequest};

use crate::host::connection::connect_event::QueueKey;
use crate::host::connection::link::Link;
use crate::host::memory::bounce::{self, CHUNK_BYTES};
use crate::host::memory::keys::KeyedRange;
use crate::host::ring::reader::SharedWords;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::fetch::FetchGuard;
use crate::host::send_queue::in_flight::{CasLoop, InFlight, OnComplete, PendingRequest, RingRelease};
use crate::host::send_queue::refusal::{Refusal, opcode};
use crate::request::{Kind, Line, amo_from_detail};
use crate::state::LANDING_BYTES;

/// Work requests of one list, at most.
const LIST: usize = 128;

/// Opcode of a get.
pub(in crate::host) const READ: u8 = opcode(&Operation::Read);

/// Bits of a work request's id that hold its number within its queue. The bits above hold the queue's slot.
pub(in crate::host) const WR_BITS: u32 = 40;

/// The fixed parameters of a send queue.
#[derive(Clone, Debug)]
pub(in crate::host) struct SendQueueParams {
    /// The number by which requests name the queue.
    pub(in crate::host) number: u32,
    /// Which of the progress thread's rings has its requests.
    pub(in crate::host) ring: usize,
    /// Address of its [`QueueProgress`](crate::state::QueueProgress), in which completion is reported.
    pub(in crate::host) progress: u64,
    pub(in crate::host) link: Link,
    /// The name by which the queue is connected at its first request. `None`: it is connected, or that was requested.
    pub(in crate::host) unconnected: Option<QueueKey>,
    /// Atomics that are one work request.
    pub(in crate::host) atomics: AtomicSet,
    /// Whether the fabric keeps requests in order. Otherwise a request is posted when all earlier ones are complete.
    pub(in crate::host) ordered: bool,
    /// Whether fetches that are posted after writes may end without their data.
    pub(in crate::host) empty_fetches: bool,
}

/// A send queue.
#[derive(Debug)]
pub(in crate::host) struct SendQueue {
    pub(in crate::host) params: SendQueueParams,
    /// Its slot in the progress thread's table, the upper bits of work request ids.
    place: u64,
    waiting: VecDeque<PendingRequest>,
    /// Work requests to post.
    list: Vec<WorkRequest>,
    in_flight: VecDeque<InFlight>,
    /// Requests whose work requests are all built and not all posted.
    releases: VecDeque<RingRelease>,
    /// Work requests that were built, that were posted, and that are complete.
    built: u64,
    pub(in crate::host) posted: u64,
    pub(in crate::host) completed: u64,
    /// The index after the last complete request, and the same as last reported.
    done: u64,
    reported: u64,
    cas_loop: Option<CasLoop>,
    fetches: FetchGuard,
    /// Words of the peer's memory (address and value) as last seen: first guesses of compare-and-swap.
    last_seen: [(u64, u64); 8],
    pub(in crate::host) stopped: bool,
    /// Work requests in flight when the queue stopped, and their bounce buffers, which the device may still use.
    orphaned_chunks: Vec<(u64, u64)>,
    bytes: u64,
}

/// Outcome of trying to build from the first waiting request.
enum Step {
    /// A work request was built, or none is needed.
    Went,
    /// The request must wait.
    Waits,
}

impl SendQueue {
    pub(in crate::host) fn new(params: SendQueueParams, place: u64) -> Self {
        Self {
            fetches: FetchGuard::new(params.empty_fetches),
            params,
            place,
            waiting: VecDeque::new(),
            list: Vec::with_capacity(LIST),
            in_flight: VecDeque::new(),
            releases: VecDeque::new(),
            built: 0,
            posted: 0,
            completed: 0,
            done: 0,
            reported: 0,
            cas_loop: None,
            last_seen: [(u64::MAX, 0); 8],
            stopped: false,
            orphaned_chunks: Vec::new(),
            bytes: 0,
        }
    }

    /// Takes over a request of this queue that was taken from its ring.
    #[inline]
    pub(in crate::host) fn add(&mut self, index: u64, line: &Line, cx: &PostContext<'_>) {
        if !self.try_inline(index, line, cx) {
            self.waiting.push_back(PendingRequest { index, line: *line, at: 0 });
        }
    }

    /// Builds the work request of a put whose data are in the request, if nothing is ahead of it. Returns whether it
    /// did.
    #[inline]
    fn try_inline(&mut self, index: u64, line: &Line, cx: &PostContext<'_>) -> bool {
        let bytes = line.detail();
        let is_plain = line.kind() == Some(Kind::PutInline) && line.signal().is_none();
        if !is_plain
            || bytes == 0
            || u32::from(bytes) > self.params.link.endpoint.inline_bytes
            || bytes as usize > INLINE_BYTES
        {
            return false;
        }
        if !self.waiting.is_empty() || self.stopped || !self.has_room() || self.must_wait(false, true) {
            return false;
        }
        let Some(to) = cx.keys.remote(self.params.link.peer, line.rest[0]).filter(|to| to.bytes >= bytes.into()) else {
            return false;
        };
        let mut data = [0; INLINE_BYTES];
        for (to, word) in data.as_chunks_mut().0.iter_mut().zip(&line.rest[1..5]) {
            *to = word.to_le_bytes();
        }
        self.build(Operation::Write, Local::Inline { data, bytes }, to);
        self.bytes += u64::from(bytes);
        self.release_when_posted(index);
        self.track(InFlight {
            wr: self.built - 1,
            run: 1,
            index: Some(index),
            of: index,
            opcode: opcode(&Operation::Write),
            after: OnComplete::Nothing,
        });
        true
    }

    #[inline]
    fn has_room(&self) -> bool {
        self.cas_loop.is_none()
            && self.list.len() < LIST
            && self.built - self.completed < self.params.link.endpoint.depth as u64
    }

    /// Lets the request at `index` leave its ring when all work requests built so far are posted.
    #[inline]
    fn release_when_posted(&mut self, index: u64) {
        match self.releases.back_mut() {
            Some(last) if last.posted + 1 == self.built && last.index + 1 == index => {
                (last.posted, last.index, last.count) = (self.built, index, last.count + 1);
            }
            _ => self.releases.push_back(RingRelease { posted: self.built, index, count: 1 }),
        }
    }

    /// Records the action on completion of a work request.
    #[inline]
    fn track(&mut self, entry: InFlight) {
        if let (Some(last), Some(index), OnComplete::Nothing) = (self.in_flight.back_mut(), entry.index, entry.after)
            && matches!(last.after, OnComplete::Nothing)
            && last.opcode == entry.opcode
            && (last.wr + 1, last.index.map(|last| last + 1)) == (entry.wr, Some(index))
        {
            (last.wr, last.index, last.of, last.run) = (entry.wr, entry.index, entry.of, last.run + 1);
            return;
        }
        self.in_flight.push_back(entry);
    }

    /// Builds work requests from waiting requests while there is room.
    pub(in crate::host) fn advance(&mut self, cx: &mut PostContext<'_>) {
        while self.has_room() {
            let Some(request) = self.waiting.front().copied() else { break };
            match self.step(request, cx) {
                Ok(Step::Went) => {}
                Ok(Step::Waits) => break,
                Err(refusal) => {
                    self.refuse(cx, request.index, refusal);
                    return;
                }
            }
        }
    }

    fn step(&mut self, request: PendingRequest, cx: &mut PostContext<'_>) -> Result<Step, Refusal> {
        let PendingRequest { index, line, at } = request;
        let [remote, local, bytes, ..] = line.rest;
        let kind = line.kind().ok_or(Refusal::Request)?;
        match kind {
            Kind::Nothing => self.leave_without(cx, index),
            Kind::PutInline if at < line.detail() as u64 => {
                if self.must_wait(false, at == 0) {
                    return Ok(Step::Waits);
                }
                if line.detail() as usize > INLINE_BYTES {
                    return Err(Refusal::Request);
                }
                let to = cx.remote(self.params.link.peer, remote.wrapping_add(at))?;
                let piece = (line.detail() as u64 - at).min(to.bytes);
                let local = self.inline(&line, at as usize, piece as usize, cx);
                self.build(Operation::Write, local, to);
                self.advance_request(
                    request,
                    at + piece == line.detail() as u64 && line.signal().is_none(),
                    piece,
                    OnComplete::Nothing,
                );
            }
            Kind::Put | Kind::Get if at < bytes => return self.piece(request, cx, kind == Kind::Put),
            Kind::PutInline | Kind::Put | Kind::Signal => {
                let Some(op) = line.signal() else {
                    // A put of no bytes.
                    self.leave_without(cx, index);
                    return Ok(Step::Went);
                };
                let op = if op == SignalOp::Add { AmoOp::Add } else { AmoOp::Set };
                return self.atomic(request, cx, (op, AmoType::B64), line.rest[5], [line.rest[6], 0]);
            }
            Kind::Get => self.leave_without(cx, index),
            Kind::Fetch if self.must_wait(true, true) => return Ok(Step::Waits),
            Kind::Fetch => {
                let to = cx.remote(self.params.link.peer, remote)?;
                let bytes = line.detail();
                if !(1..=8).contains(&bytes) || to.bytes < bytes as u64 {
                    return Err(Refusal::Request);
                }
                self.mark_slot(cx);
                let local = self.slot(bytes as u32);
                self.build(Operation::Read, local, to);
                self.advance_request(request, true, bytes as u64, OnComplete::Word(line, bytes));
            }
            Kind::Amo => {
                let what = amo_from_detail(line.detail()).ok_or(Refusal::Request)?;
                return self.atomic(request, cx, what, remote, [local, bytes]);
            }
        }
        Ok(Step::Went)
    }

    /// Builds the next piece of a put or get: as long as the keys of both sides, a bounce buffer and a message allow.
    fn piece(&mut self, request: PendingRequest, cx: &mut PostContext<'_>, is_put: bool) -> Result<Step, Refusal> {
        if self.must_wait(!is_put, request.at == 0) {
            return Ok(Step::Waits);
        }
        let PendingRequest { index, line, at } = request;
        let [remote, local, bytes, ..] = line.rest;
        let ring = &cx.rings[self.params.ring];
        let to_landing = !is_put && line.wants_answer();
        if to_landing && bytes > LANDING_BYTES {
            return Err(Refusal::Request);
        }
        let (local, left) = (if to_landing { ring.landing(index) } else { local } + at, bytes - at);
        let stages = to_landing || ring.stages;
        let to = cx.remote(self.params.link.peer, remote.wrapping_add(at))?;
        let most = left.min(to.bytes).min(cx.max_message);
        let (mine, after) = match cx.keys.local(local).filter(|_| !to_landing) {
            Some(mine) => {
                let piece = most.min(mine.bytes) as u32;
                (Local::Memory { address: mine.at, bytes: piece, key: mine.key }, OnComplete::Nothing)
            }
            None if !stages => return Err(Refusal::NotRegistered(local, left)),
            None => {
                let Some(chunk) = cx.bounce.take() else { return Ok(Step::Waits) };
                let piece = most.min(CHUNK_BYTES);
                let after = if is_put {
                    bounce::copy(chunk, local, piece);
                    OnComplete::Free(chunk)
                } else {
                    let answered = to_landing && at + piece == bytes;
                    OnComplete::Unstage(chunk, local, piece, answered.then_some(line))
                };
                (cx.bounce.local(chunk, piece as u32), after)
            }
        };
        let Local::Memory { bytes: piece, .. } = mine else { unreachable!("a piece is of memory") };
        self.build(if is_put { Operation::Write } else { Operation::Read }, mine, to);
        let last = at + piece as u64 == bytes && line.signal().is_none();
        self.advance_request(request, last, piece as u64, after);
        Ok(Step::Went)
    }

    /// Returns the first `bytes` bytes of the next work request's slot.
    fn slot(&self, bytes: u32) -> Local {
        let address = self.params.link.slots_local + (self.slot_of(self.built) - self.params.link.slots);
        Local::Memory { address, bytes, key: self.params.link.slots_key }
    }

    /// Returns the data of a request from byte `at` on, placed inline in the work request, or else in its slot.
    #[inline]
    fn inline(&self, line: &Line, at: usize, bytes: usize, cx: &PostContext<'_>) -> Local {
        let mut all = [0; INLINE_BYTES];
        for (to, word) in all.as_chunks_mut().0.iter_mut().zip(&line.rest[1..5]) {
            *to = word.to_le_bytes();
        }
        if at != 0 {
            all.copy_within(at..at + bytes, 0);
        }
        if bytes <= self.params.link.endpoint.inline_bytes as usize {
            return Local::Inline { data: all, bytes: bytes as u8 };
        }
        for (number, word) in all.as_chunks().0.iter().enumerate() {
            cx.words.store(self.slot_of(self.built) + 8 * number as u64, u64::from_ne_bytes(*word));
        }
        self.slot(bytes as u32)
    }

    #[inline]
    fn build(&mut self, op: Operation, local: Local, to: KeyedRange) {
        let id = self.place << WR_BITS | self.built & ((1 << WR_BITS) - 1);
        self.list.push(WorkRequest { id, op, local, remote: to.at, remote_key: to.key, signalled: false });
        self.built += 1;
        if op == Operation::Write {
            self.fetches.wrote(self.built);
        }
    }

    /// Accounts for a work request that was built from `request`. `last`: the request needs no more of them.
    #[inline]
    fn advance_request(&mut self, request: PendingRequest, last: bool, bytes: u64, after: OnComplete) {
        self.bytes += bytes;
        if last {
            self.waiting.pop_front();
            self.release_when_posted(request.index);
        } else if let Some(front) = self.waiting.front_mut() {
            front.at += bytes;
        }
        if last || !matches!(after, OnComplete::Nothing) {
            let (wr, index) = (self.built - 1, last.then_some(request.index));
            let opcode = self.list.last().map_or(0, |wr| opcode(&wr.op));
            self.track(InFlight { wr, run: 1, index, of: request.index, opcode, after });
        }
    }

    /// Finishes a request that needs no work request. It is complete when all earlier ones are.
    fn leave_without(&mut self, cx: &mut PostContext<'_>, index: u64) {
        self.waiting.pop_front();
        if self.built == self.completed {
            cx.rings[self.params.ring].leave(index, 1);
            self.done = index + 1;
            return;
        }
        self.releases.push_back(RingRelease { posted: self.built, index, count: 1 });
        let (wr, after) = (self.built - 1, OnComplete::Nothing);
        self.in_flight.push_back(InFlight { wr, run: 1, index: Some(index), of: index, opcode: 0, after });
    }

    /// Returns whether its endpoint is connected. Until then requests wait.
    pub(in crate::host) fn is_connected(&self) -> bool {
        self.params.link.endpoint.depth > 0
    }

    /// Returns whether requests wait to be built or work requests to be posted.
    pub(in crate::host) fn has_more(&self) -> bool {
        !self.waiting.is_empty() || !self.list.is_empty()
    }
}
