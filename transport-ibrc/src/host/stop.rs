//! Queue pairs that stop: what is told of it, and who gets which answer.

use crate::state::{ENDED, Told, stopped};
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::rdma::rc::{Wc, WrOp, wc_status};

use super::env::Env;
use super::flight::{After, Leaving};
use super::lane::Lane;
use super::reader::Words;

/// Why a request can't be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is none, or leaves the peer's heap.
    Request,
    /// This PE's memory at this address, so many bytes, is not registered.
    NotRegistered(u64, u64),
    /// A fetch of this opcode completed and had fetched nothing.
    NoData(u8),
    /// The device did not take a work request.
    Post(u8),
    /// Nobody is there any more.
    Ended,
}

/// What a work request was to do, as faults have it: a ConnectX's opcode.
pub(super) const fn opcode(op: &WrOp) -> u8 {
    match op {
        WrOp::Write => 0x08,
        WrOp::Read => 0x10,
        WrOp::CompareSwap { .. } => 0x11,
        WrOp::FetchAdd { .. } => 0x12,
    }
}

/// A status of verbs, as faults have it: a ConnectX's syndrome.
fn syndrome(status: u32) -> u8 {
    match status {
        wc_status::LOCAL_LENGTH => 0x01,
        wc_status::LOCAL_QP_OPERATION => 0x02,
        wc_status::LOCAL_PROTECTION => 0x04,
        wc_status::FLUSHED => 0x05,
        wc_status::WINDOW_BIND => 0x06,
        wc_status::BAD_RESPONSE => 0x10,
        wc_status::LOCAL_ACCESS => 0x11,
        wc_status::REMOTE_INVALID_REQUEST => 0x12,
        wc_status::REMOTE_ACCESS => 0x13,
        wc_status::REMOTE_OPERATION => 0x14,
        wc_status::RETRIES_EXCEEDED => 0x15,
        wc_status::RNR_RETRIES_EXCEEDED => 0x16,
        wc_status::REMOTE_ABORTED => 0x22,
        _ => 0,
    }
}

impl Lane {
    /// A completion says that work request `wr` failed.
    pub(super) fn failed(&mut self, env: &mut Env<'_>, wr: u64, wc: &Wc) {
        if self.stopped {
            // What was under way when it stopped, coming back.
            let sunk = std::mem::take(&mut self.sunk);
            let (back, left) = sunk.into_iter().partition(|(number, _)| *number <= wr);
            self.sunk = left;
            let back: Vec<(u64, u64)> = back;
            back.into_iter().for_each(|(_, chunk)| env.chunks.give_back(chunk));
            return;
        }
        // Those before it are complete.
        if let Some(before) = wr.checked_sub(1) {
            self.complete(env, before);
        }
        let flight = self.flights.iter().find(|flight| flight.wr >= wr);
        let (index, opcode) =
            flight.map_or((self.done, 0), |flight| (flight.of - (flight.wr - wr).min(flight.run - 1), flight.opcode));
        let why = Stopped { index, opcode, syndrome: syndrome(wc.status), vendor: wc.vendor as u8 & 0x7f };
        self.stop(env, why, 0, 0);
    }

    /// The request at `index` can't be posted.
    pub(super) fn refuse(&mut self, env: &mut Env<'_>, index: u64, refusal: Refusal) {
        let (syndrome, at, bytes, opcode) = match refusal {
            Refusal::Request => (stopped::BAD_REQUEST, 0, 0, 0),
            Refusal::NotRegistered(at, bytes) => (stopped::NOT_REGISTERED, at, bytes, 0),
            Refusal::NoData(opcode) => (stopped::NO_DATA, 0, 0, opcode),
            Refusal::Post(opcode) => (0x02, 0, 0, opcode),
            Refusal::Ended => (stopped::PROXY_ENDED, 0, 0, 0),
        };
        self.stop(env, Stopped { index, opcode, syndrome, vendor: 0 }, at, bytes);
    }

    /// Nothing more goes out. Who waits is told.
    fn stop(&mut self, env: &mut Env<'_>, why: Stopped, at: u64, bytes: u64) {
        if self.stopped {
            return;
        }
        self.stopped = true;
        let told = self.at.told;
        for (field, word) in [
            (std::mem::offset_of!(Told, stopped), why.word()),
            (std::mem::offset_of!(Told, at), at),
            (std::mem::offset_of!(Told, bytes), bytes),
        ] {
            env.words.store(told + field as u64, word);
        }
        // First of all, so that who gets no answer finds the reason.
        env.words.store_release(told, self.done | ENDED);
        self.told = self.done;
        for flight in std::mem::take(&mut self.flights) {
            match flight.after {
                After::Word(line, _) | After::Fetched(line, _) => {
                    env.rings[self.at.ring].answer(flight.of, &line, None);
                }
                After::Free(chunk) | After::Unstage(chunk, ..) if flight.wr < self.sent => {
                    self.sunk.push((flight.wr, chunk));
                }
                After::Free(chunk) | After::Unstage(chunk, ..) => env.chunks.give_back(chunk),
                After::Nothing | After::Round => {}
            }
        }
        if let Some(rounds) = self.rounds.take() {
            env.rings[self.at.ring].answer(rounds.index, &rounds.line, None);
        }
        for Leaving { index, count, .. } in std::mem::take(&mut self.leaving) {
            env.rings[self.at.ring].leave(index + 1 - count, count);
        }
        self.list.clear();
        self.drop_waiting(env);
        // What is in it comes back, flushed. A device that refuses has no queue pair any more that could do anything.
        let _ = env.device.fail_qp(self.at.qp.handle);
        self.at.apart.map(|apart| env.device.fail_qp(apart.handle));
    }

    /// Requests on a queue that has stopped leave at once, and who waits for an answer is told that there is none.
    pub(super) fn drop_waiting(&mut self, env: &mut Env<'_>) {
        for job in std::mem::take(&mut self.waiting) {
            env.rings[self.at.ring].answer(job.index, &job.line, None);
            env.rings[self.at.ring].leave(job.index, 1);
        }
    }
}
