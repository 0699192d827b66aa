//! Queues that stop: their reports, and the replies to waiting threads.

use crate::state::{ENDED, QueueProgress, stopped};
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_rdma::fabric::{Completion, Status};

use crate::host::ring::reader::SharedWords;
use crate::host::send_queue::SendQueue;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::in_flight::{OnComplete, RingRelease};
use crate::host::send_queue::refusal::Refusal;

impl SendQueue {
    /// Stops the queue because work request `wr` failed. On a stopped queue, takes back bounce buffers of work requests
    /// that have come back.
    pub(in crate::host) fn failed(&mut self, cx: &mut PostContext<'_>, wr: u64, wc: &Completion) {
        if self.stopped {
            let sunk = std::mem::take(&mut self.orphaned_chunks);
            let (back, left) = sunk.into_iter().partition(|(number, _)| *number <= wr);
            self.orphaned_chunks = left;
            let back: Vec<(u64, u64)> = back;
            back.into_iter().for_each(|(_, chunk)| cx.bounce.give_back(chunk));
            return;
        }
        // Earlier work requests are complete.
        if let Some(before) = wr.checked_sub(1) {
            self.complete(cx, before);
        }
        let entry = self.in_flight.iter().find(|entry| entry.wr >= wr);
        let (index, opcode) =
            entry.map_or((self.done, 0), |entry| (entry.of - (entry.wr - wr).min(entry.run - 1), entry.opcode));
        let why = Stopped { index, opcode, syndrome: wc.status.syndrome(), vendor: wc.code as u8 & 0x7f };
        self.stop(cx, why, 0, 0);
    }

    /// Stops the queue because the request at `index` can't be posted.
    pub(in crate::host) fn refuse(&mut self, cx: &mut PostContext<'_>, index: u64, refusal: Refusal) {
        let (syndrome, at, bytes, opcode) = match refusal {
            Refusal::Request => (stopped::BAD_REQUEST, 0, 0, 0),
            Refusal::NotRegistered(at, bytes) => (stopped::NOT_REGISTERED, at, bytes, 0),
            Refusal::NoData(opcode) => (stopped::NO_DATA, 0, 0, opcode),
            Refusal::Post(opcode) => (Status::Endpoint.syndrome(), 0, 0, opcode),
            Refusal::NotConnected => (stopped::NOT_CONNECTED, 0, 0, 0),
            Refusal::Ended => (stopped::PROXY_ENDED, 0, 0, 0),
        };
        self.stop(cx, Stopped { index, opcode, syndrome, vendor: 0 }, at, bytes);
    }

    /// Stops the queue of a thread that panicked. Its requests may be half changed, and are not looked at.
    pub(in crate::host) fn abandon(&mut self, cx: &mut PostContext<'_>) {
        self.in_flight.clear();
        self.releases.clear();
        self.waiting.clear();
        self.cas_loop = None;
        self.refuse(cx, self.done, Refusal::Ended);
    }

    /// Stops the queue because it can't be connected.
    pub(in crate::host) fn refuse_connection(&mut self, cx: &mut PostContext<'_>) {
        let first = self.waiting.front().map_or(self.done, |request| request.index);
        self.refuse(cx, first, Refusal::NotConnected);
    }

    /// Stops the queue because its completion queue is lost.
    pub(in crate::host) fn lose_completions(&mut self, cx: &mut PostContext<'_>) {
        self.refuse(cx, self.done, Refusal::Post(0));
    }

    /// Stops the queue: nothing more is posted, the reason is published, and waiting threads get their answers.
    fn stop(&mut self, cx: &mut PostContext<'_>, why: Stopped, at: u64, bytes: u64) {
        if self.stopped {
            return;
        }
        self.stopped = true;
        let progress = self.params.progress;
        for (field, word) in [
            (std::mem::offset_of!(QueueProgress, stopped), why.word()),
            (std::mem::offset_of!(QueueProgress, at), at),
            (std::mem::offset_of!(QueueProgress, bytes), bytes),
        ] {
            cx.words.store(progress + field as u64, word);
        }
        // Before the answers, so that a thread whose request failed finds the reason.
        cx.words.store_release(progress, self.done | ENDED);
        self.reported = self.done;
        for entry in std::mem::take(&mut self.in_flight) {
            match entry.after {
                OnComplete::Word(line, _) | OnComplete::Fetched(line, _) => {
                    cx.rings[self.params.ring].answer(entry.of, &line, None);
                }
                OnComplete::Free(chunk) | OnComplete::Unstage(chunk, ..) => {
                    if entry.wr < self.posted {
                        self.orphaned_chunks.push((entry.wr, chunk));
                    } else {
                        cx.bounce.give_back(chunk);
                    }
                    if let OnComplete::Unstage(.., Some(line)) = entry.after {
                        cx.rings[self.params.ring].answer(entry.of, &line, None);
                    }
                }
                OnComplete::Nothing | OnComplete::Round => {}
            }
        }
        if let Some(rounds) = self.cas_loop.take() {
            cx.rings[self.params.ring].answer(rounds.index, &rounds.line, None);
        }
        for RingRelease { index, count, .. } in std::mem::take(&mut self.releases) {
            cx.rings[self.params.ring].leave(index + 1 - count, count);
        }
        self.list.clear();
        self.drop_waiting(cx);
        if !self.is_connected() {
            return;
        }
        // Requests in flight come back as flushed. If the device refuses, the endpoint no longer exists.
        let _ = cx.device.stop(self.params.link.endpoint.handle);
        self.params.link.fetch_endpoint.map(|endpoint| cx.device.stop(endpoint.handle));
    }

    /// Drops the waiting requests of a stopped queue: they leave their ring, and get the answer that they failed.
    pub(in crate::host) fn drop_waiting(&mut self, cx: &mut PostContext<'_>) {
        for request in std::mem::take(&mut self.waiting) {
            cx.rings[self.params.ring].answer(request.index, &request.line, None);
            cx.rings[self.params.ring].leave(request.index, 1);
        }
    }
}
