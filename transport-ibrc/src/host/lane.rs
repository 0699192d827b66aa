//! A queue pair, as the proxy that posts on it has it.
//!
//! Requests wait in their order, become work requests in their order as far as there is room, and complete in their
//! order, since a reliable connected queue pair does. An atomic that takes several rounds keeps those behind it waiting.

use std::collections::VecDeque;

use oxshmem_core::{AmoOp, AmoType, SignalOp};
use oxshmem_raw::rdma::hca::Handle;
use oxshmem_raw::rdma::rc::{INLINE_BYTES, Local, RcQp, Wr, WrOp};

use super::env::Env;
use super::fetch::Fetches;
use super::flight::{After, Flight, Job, Leaving, Rounds};
use super::keys::Keyed;
use super::reader::Words;
use super::scratch::CHUNK_BYTES;
use super::stop::{Refusal, opcode};
use crate::request::{Kind, Line, amo_from_detail};

/// Work requests of one list.
const LIST: usize = 128;

/// Of a get, as flights have it.
pub(super) const READ: u8 = opcode(&WrOp::Read);

/// Bits of a work request's name that say which one of its queue pair it is.
pub(super) const WR_BITS: u32 = 40;

/// What a queue pair is, and where its words are.
#[derive(Clone, Debug)]
pub(super) struct LaneAt {
    /// What requests call it.
    pub(super) number: u32,
    /// What keys call the NIC that it leads to.
    pub(super) peer: u32,
    /// Which of the proxy's rings its requests are in.
    pub(super) ring: usize,
    /// Its [`Told`](crate::state::Told).
    pub(super) told: u64,
    pub(super) qp: RcQp,
    /// The one that fetches go on, if they must not go beside writes.
    pub(super) apart: Option<RcQp>,
    pub(super) cq: Handle,
    /// Its work requests' slots: address of the first, and their key. As many as it has room for work requests.
    pub(super) slots: u64,
    pub(super) slots_lkey: u32,
    /// Whether fetches that are posted behind writes may end without their data.
    pub(super) empty_fetches: bool,
}

/// A queue pair.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) at: LaneAt,
    /// Its place among the proxy's, as names of work requests have it.
    pub(super) place: u64,
    pub(super) waiting: VecDeque<Job>,
    /// Work requests to post.
    pub(super) list: Vec<Wr>,
    pub(super) flights: VecDeque<Flight>,
    /// Requests of which all is made and not all posted.
    pub(super) leaving: VecDeque<Leaving>,
    /// Work requests that were made, that were posted, and that are complete.
    pub(super) built: u64,
    pub(super) sent: u64,
    pub(super) retired: u64,
    /// Index behind the last request that is complete, and what was told of it.
    pub(super) done: u64,
    pub(super) told: u64,
    pub(super) rounds: Option<Rounds>,
    pub(super) fetches: Fetches,
    /// What words at the peer were when last seen.
    pub(super) seen: [(u64, u64); 8],
    pub(super) stopped: bool,
    /// Chunks of work requests that were under way when it stopped.
    pub(super) sunk: Vec<(u64, u64)>,
    pub(super) bytes: u64,
}

/// What became of the first of the requests that wait.
pub(super) enum Step {
    /// A work request was made of it, or it needed none.
    Went,
    /// It must wait.
    Waits,
}

impl Lane {
    pub(super) fn new(at: LaneAt, place: u64) -> Self {
        Self {
            fetches: Fetches::new(at.empty_fetches),
            at,
            place,
            waiting: VecDeque::new(),
            list: Vec::with_capacity(LIST),
            flights: VecDeque::new(),
            leaving: VecDeque::new(),
            built: 0,
            sent: 0,
            retired: 0,
            done: 0,
            told: 0,
            rounds: None,
            seen: [(u64::MAX, 0); 8],
            stopped: false,
            sunk: Vec::new(),
            bytes: 0,
        }
    }

    /// A request of its own, taken from its ring.
    #[inline]
    pub(super) fn add(&mut self, index: u64, line: &Line, env: &Env<'_>) {
        if !self.at_once(index, line, env) {
            self.waiting.push_back(Job { index, line: *line, at: 0 });
        }
    }

    /// Makes a work request of data that travel in their request, where nothing is in their way.
    #[inline]
    fn at_once(&mut self, index: u64, line: &Line, env: &Env<'_>) -> bool {
        let bytes = line.detail();
        let is_plain = line.kind() == Some(Kind::PutInline) && line.signal().is_none();
        if !is_plain || bytes == 0 || u32::from(bytes) > self.at.qp.inline_bytes || bytes as usize > INLINE_BYTES {
            return false;
        }
        if !self.waiting.is_empty() || self.stopped || !self.has_room() || self.must_wait(false) {
            return false;
        }
        let Some(to) = env.keys.remote(self.at.peer, line.rest[0]).filter(|to| to.bytes >= bytes.into()) else {
            return false;
        };
        let mut data = [0; INLINE_BYTES];
        for (to, word) in data.as_chunks_mut().0.iter_mut().zip(&line.rest[1..5]) {
            *to = word.to_le_bytes();
        }
        self.wr(WrOp::Write, Local::Inline { data, bytes }, to);
        self.bytes += u64::from(bytes);
        self.leaves(index);
        self.flies(Flight {
            wr: self.built - 1,
            run: 1,
            index: Some(index),
            of: index,
            opcode: opcode(&WrOp::Write),
            after: After::Nothing,
        });
        true
    }

    #[inline]
    fn has_room(&self) -> bool {
        self.rounds.is_none() && self.list.len() < LIST && self.built - self.retired < self.at.qp.send_wr as u64
    }

    /// The request at `index` leaves the ring when the work requests that were made are posted.
    #[inline]
    pub(super) fn leaves(&mut self, index: u64) {
        match self.leaving.back_mut() {
            Some(last) if last.posted + 1 == self.built && last.index + 1 == index => {
                (last.posted, last.index, last.count) = (self.built, index, last.count + 1);
            }
            _ => self.leaving.push_back(Leaving { posted: self.built, index, count: 1 }),
        }
    }

    /// Something is to be done when a work request is complete.
    #[inline]
    fn flies(&mut self, flight: Flight) {
        if let (Some(last), Some(index), After::Nothing) = (self.flights.back_mut(), flight.index, flight.after)
            && matches!(last.after, After::Nothing)
            && last.opcode == flight.opcode
            && (last.wr + 1, last.index.map(|last| last + 1)) == (flight.wr, Some(index))
        {
            (last.wr, last.index, last.of, last.run) = (flight.wr, flight.index, flight.of, last.run + 1);
            return;
        }
        self.flights.push_back(flight);
    }

    /// Makes work requests of what waits, as many as there is room for.
    pub(super) fn advance(&mut self, env: &mut Env<'_>) {
        while self.has_room() {
            let Some(job) = self.waiting.front().copied() else { break };
            match self.step(job, env) {
                Ok(Step::Went) => {}
                Ok(Step::Waits) => break,
                Err(refusal) => {
                    self.refuse(env, job.index, refusal);
                    return;
                }
            }
        }
    }

    fn step(&mut self, job: Job, env: &mut Env<'_>) -> Result<Step, Refusal> {
        let Job { index, line, at } = job;
        let [remote, local, bytes, ..] = line.rest;
        let kind = line.kind().ok_or(Refusal::Request)?;
        match kind {
            Kind::Nothing => self.leave_without(env, index),
            Kind::PutInline if at < line.detail() as u64 => {
                if self.must_wait(false) {
                    return Ok(Step::Waits);
                }
                if line.detail() as usize > INLINE_BYTES {
                    return Err(Refusal::Request);
                }
                let to = env.remote(self.at.peer, remote.wrapping_add(at))?;
                let piece = (line.detail() as u64 - at).min(to.bytes);
                let local = self.inline(&line, at as usize, piece as usize, env);
                self.wr(WrOp::Write, local, to);
                self.went(job, at + piece == line.detail() as u64 && line.signal().is_none(), piece, After::Nothing);
            }
            Kind::Put | Kind::Get if at < bytes => return self.piece(job, env, kind == Kind::Put),
            Kind::PutInline | Kind::Put | Kind::Signal => {
                let Some(op) = line.signal() else {
                    // Data of no bytes.
                    self.leave_without(env, index);
                    return Ok(Step::Went);
                };
                let op = if op == SignalOp::Add { AmoOp::Add } else { AmoOp::Set };
                return self.atomic(job, env, (op, AmoType::B64), line.rest[5], [line.rest[6], 0]);
            }
            Kind::Get => self.leave_without(env, index),
            Kind::Fetch if self.must_wait(true) => return Ok(Step::Waits),
            Kind::Fetch => {
                let to = env.remote(self.at.peer, remote)?;
                let bytes = line.detail();
                if !(1..=8).contains(&bytes) || to.bytes < bytes as u64 {
                    return Err(Refusal::Request);
                }
                self.expect(env);
                let local = self.slot(bytes as u32);
                self.wr(WrOp::Read, local, to);
                self.went(job, true, bytes as u64, After::Word(line, bytes));
            }
            Kind::Amo => {
                let what = amo_from_detail(line.detail()).ok_or(Refusal::Request)?;
                return self.atomic(job, env, what, remote, [local, bytes]);
            }
        }
        Ok(Step::Went)
    }

    /// A piece of a put or get, as far as keys and messages go.
    fn piece(&mut self, job: Job, env: &mut Env<'_>, is_put: bool) -> Result<Step, Refusal> {
        if self.must_wait(!is_put) {
            return Ok(Step::Waits);
        }
        let [remote, local, bytes, ..] = job.line.rest;
        let (local, left) = (local + job.at, bytes - job.at);
        let to = env.remote(self.at.peer, remote.wrapping_add(job.at))?;
        let most = left.min(to.bytes).min(env.max_message);
        let (mine, after) = match env.keys.local(local) {
            Some(mine) => {
                let piece = most.min(mine.bytes) as u32;
                (Local::Memory { address: mine.at, bytes: piece, lkey: mine.key }, After::Nothing)
            }
            None => {
                let by_host = env.rings[self.at.ring].stages;
                if !env.reaches(by_host, local) {
                    return Err(Refusal::NotRegistered(local, left));
                }
                let Some(chunk) = env.chunks.take() else { return Ok(Step::Waits) };
                let piece = most.min(CHUNK_BYTES);
                let after = match is_put {
                    true if env.copy(by_host, chunk, local, piece) => After::Free(chunk),
                    true => {
                        env.chunks.give_back(chunk);
                        return Err(Refusal::NotRegistered(local, left));
                    }
                    false => After::Unstage(chunk, local, piece),
                };
                (Local::Memory { address: chunk, bytes: piece as u32, lkey: env.chunks.lkey() }, after)
            }
        };
        let Local::Memory { bytes: piece, .. } = mine else { unreachable!("a piece is of memory") };
        self.wr(if is_put { WrOp::Write } else { WrOp::Read }, mine, to);
        let last = job.at + piece as u64 == bytes && job.line.signal().is_none();
        self.went(job, last, piece as u64, after);
        Ok(Step::Went)
    }

    /// The slot of the next work request.
    pub(super) fn slot(&self, bytes: u32) -> Local {
        Local::Memory { address: self.slot_of(self.built), bytes, lkey: self.at.slots_lkey }
    }

    /// Data that travel in the request, from `at` on: in the work request too, or in its slot.
    #[inline]
    fn inline(&self, line: &Line, at: usize, bytes: usize, env: &Env<'_>) -> Local {
        let mut all = [0; INLINE_BYTES];
        for (to, word) in all.as_chunks_mut().0.iter_mut().zip(&line.rest[1..5]) {
            *to = word.to_le_bytes();
        }
        if at != 0 {
            all.copy_within(at..at + bytes, 0);
        }
        if bytes <= self.at.qp.inline_bytes as usize {
            return Local::Inline { data: all, bytes: bytes as u8 };
        }
        for (number, word) in all.as_chunks().0.iter().enumerate() {
            env.words.store(self.slot_of(self.built) + 8 * number as u64, u64::from_ne_bytes(*word));
        }
        self.slot(bytes as u32)
    }

    #[inline]
    pub(super) fn wr(&mut self, op: WrOp, local: Local, to: Keyed) {
        let id = self.place << WR_BITS | self.built & ((1 << WR_BITS) - 1);
        self.list.push(Wr { id, op, local, remote: to.at, rkey: to.key, signalled: false, fenced: false });
        self.built += 1;
        if op == WrOp::Write {
            self.fetches.wrote(self.built);
        }
    }

    /// A work request was made of `job`; `last`: of all of it.
    #[inline]
    pub(super) fn went(&mut self, job: Job, last: bool, bytes: u64, after: After) {
        self.bytes += bytes;
        if last {
            self.waiting.pop_front();
            self.leaves(job.index);
        } else if let Some(front) = self.waiting.front_mut() {
            front.at += bytes;
        }
        if last || !matches!(after, After::Nothing) {
            let (wr, index) = (self.built - 1, last.then_some(job.index));
            let opcode = self.list.last().map_or(0, |wr| opcode(&wr.op));
            self.flies(Flight { wr, run: 1, index, of: job.index, opcode, after });
        }
    }

    /// A request of which there is nothing to post is complete when those before it are.
    fn leave_without(&mut self, env: &mut Env<'_>, index: u64) {
        self.waiting.pop_front();
        if self.built == self.retired {
            env.rings[self.at.ring].leave(index, 1);
            self.done = index + 1;
            return;
        }
        self.leaving.push_back(Leaving { posted: self.built, index, count: 1 });
        let (wr, after) = (self.built - 1, After::Nothing);
        self.flights.push_back(Flight { wr, run: 1, index: Some(index), of: index, opcode: 0, after });
    }

    /// Whether there is something to make work requests of.
    pub(super) fn has_more(&self) -> bool {
        !self.waiting.is_empty() || !self.list.is_empty()
    }
}
