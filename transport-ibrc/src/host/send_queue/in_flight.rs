//! From list to completion: lists are posted, requests leave their ring, and completions finish them.

use oxshmem_raw::queue::amo::Atomic;
use oxshmem_rdma::fabric::PostErrorKind;

use crate::host::counters::QueueCounts;
use crate::host::memory::bounce;
use crate::host::memory::keys::KeyedRange;
use crate::host::ring::reader::SharedWords;
use crate::host::ring::words::HostWords;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::refusal::{Refusal, opcode};
use crate::host::send_queue::{READ, SendQueue};
use crate::request::Line;

/// A request that waits until all of its work requests are built.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct PendingRequest {
    pub(in crate::host) index: u64,
    pub(in crate::host) line: Line,
    /// Bytes for which work requests are built.
    pub(in crate::host) at: u64,
}

/// The action on completion of a work request.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) enum OnComplete {
    Nothing,
    /// A fetched word is in the slot; the second field is its size in bytes.
    Word(Line, u8),
    /// The 8 bytes around an atomic's word are in its slot.
    Fetched(Line, Atomic),
    /// The 8 bytes that a round of compare-and-swap found are in its slot.
    Round,
    /// The bounce buffer is free.
    Free(u64),
    /// Data of a get are in a bounce buffer: its address, the destination, the number of bytes. The last piece of a get
    /// to a landing is then answered.
    Unstage(u64, u64, u64, Option<Line>),
}

/// A work request in flight that needs an action on completion; or a run of them, each the last of its request, with
/// consecutive numbers and indices.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct InFlight {
    /// Number of the work request, or of the last one of the run.
    pub(in crate::host) wr: u64,
    /// Length of the run.
    pub(in crate::host) run: u64,
    /// Index of the request that it finishes, if it is the last of one.
    pub(in crate::host) index: Option<u64>,
    /// Index of its request.
    pub(in crate::host) of: u64,
    pub(in crate::host) opcode: u8,
    pub(in crate::host) after: OnComplete,
}

/// Requests with consecutive indices that leave their ring one by one as work requests are posted.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct RingRelease {
    /// Number of posted work requests with which the last one leaves; each one before it leaves with one fewer.
    pub(in crate::host) posted: u64,
    /// Index of the last one.
    pub(in crate::host) index: u64,
    pub(in crate::host) count: u64,
}

/// An atomic in rounds of compare-and-swap.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct CasLoop {
    pub(in crate::host) index: u64,
    pub(in crate::host) line: Line,
    pub(in crate::host) atomic: Atomic,
    /// Heap offset of the 8 bytes at the peer.
    pub(in crate::host) whole: u64,
    pub(in crate::host) to: KeyedRange,
    pub(in crate::host) guess: u64,
}

impl SendQueue {
    /// Posts the list with one doorbell; its last work request is signalled. Returns the number that the device took.
    pub(in crate::host) fn send(&mut self, cx: &mut PostContext<'_>, counts: &QueueCounts) -> u64 {
        let Some(last) = self.list.last_mut() else { return 0 };
        last.signalled = true;
        let (taken, refused) = match cx.device.post(self.current_endpoint().handle, &self.list) {
            Ok(()) => (self.list.len(), None),
            Err(refused) => (refused.posted, Some(refused)),
        };
        self.posted += taken as u64;
        let first_opcode = self.list.get(taken).map_or(0, |wr| opcode(&wr.op));
        self.list.drain(..taken);
        counts.posted(self.posted, self.bytes);
        while let Some(first) = self.releases.front_mut() {
            let stay = first.posted.saturating_sub(self.posted).min(first.count);
            cx.rings[self.params.ring].leave(first.index + 1 - first.count, first.count - stay);
            first.count = stay;
            if stay > 0 {
                break;
            }
            self.releases.pop_front();
        }
        // A full endpoint has room again when one of its requests completes. If no request is in flight, it never has.
        if let Some(refused) = refused
            && match refused.kind {
                PostErrorKind::Full => self.posted == self.completed,
                PostErrorKind::Again => false,
                PostErrorKind::Failed => true,
            }
        {
            let index = self.releases.front().map_or(self.done, |first| first.index + 1 - first.count);
            self.refuse(cx, index, Refusal::Post(first_opcode));
            return 0;
        }
        taken as u64
    }

    /// Publishes the number of complete requests, if it has changed.
    pub(in crate::host) fn report(&mut self, words: HostWords) {
        if self.done > self.reported && !self.stopped {
            self.reported = self.done;
            words.store_release(self.params.progress, self.done);
        }
    }

    /// Finishes the requests whose work requests up to number `wr` are complete.
    pub(in crate::host) fn complete(&mut self, cx: &mut PostContext<'_>, wr: u64) {
        self.completed = self.completed.max(wr + 1);
        let (mut landed, mut lost, before) = (None, None, self.done);
        // Fetches whose data did not come.
        let mut empty: Vec<InFlight> = Vec::new();
        while let Some(first) = self.in_flight.front_mut() {
            if first.wr > wr {
                // Part of a run may be complete.
                let left = first.wr - wr;
                if let Some(index) = first.index.filter(|_| left < first.run && lost.is_none()) {
                    first.run = left;
                    if first.opcode == READ {
                        landed = Some(index - left);
                    }
                    self.done = index + 1 - left;
                }
                break;
            }
            let entry = *first;
            self.in_flight.pop_front();
            match entry.after {
                OnComplete::Nothing if entry.opcode == READ => landed = Some(entry.of),
                OnComplete::Nothing => {}
                OnComplete::Word(line, bytes) => match self.fetched_word(cx, &entry, bytes) {
                    Some(word) => {
                        let word = word & u64::MAX >> (64 - 8 * bytes as u32);
                        cx.rings[self.params.ring].answer(entry.of, &line, Some(word));
                    }
                    None => empty.push(entry),
                },
                OnComplete::Fetched(line, _) if !line.wants_answer() => {}
                OnComplete::Fetched(line, atomic) => match self.fetched_word(cx, &entry, 8) {
                    Some(word) => cx.rings[self.params.ring].answer(entry.of, &line, Some(atomic.word(word))),
                    None => empty.push(entry),
                },
                OnComplete::Round => match self.fetched_word(cx, &entry, 8) {
                    Some(found) => self.end_round(cx, found),
                    None => empty.push(entry),
                },
                OnComplete::Free(chunk) => cx.bounce.give_back(chunk),
                OnComplete::Unstage(chunk, to, bytes, line) => {
                    bounce::copy(to, chunk, bytes);
                    cx.bounce.give_back(chunk);
                    if let Some(line) = line {
                        cx.rings[self.params.ring].answer(entry.of, &line, Some(0));
                    }
                }
            }
            if let Some(none) = empty.first() {
                lost = lost.or(Some((none.of, Refusal::NoData(none.opcode))));
            }
            if let Some(index) = entry.index.filter(|_| lost.is_none()) {
                self.done = index + 1;
            }
        }
        // A get is reported only when its data are visible.
        if let Some(index) = landed
            && cx.flush.now().is_err()
        {
            self.done = before;
            lost = lost.or(Some((index, Refusal::Post(READ))));
        }
        if let Some((index, refusal)) = lost {
            // Their waiters get the fault when the queue has stopped.
            empty.into_iter().rev().for_each(|entry| self.in_flight.push_front(entry));
            self.refuse(cx, index, refusal);
        }
    }
}
