//! The ring of a progress thread: requests that were taken and still occupy their places, and answers.

use crate::state::{ENDED, LANDING_BYTES, Reply};

use crate::host::ring::reader::{RingAt, RingReader, SharedWords};
use crate::host::ring::words::HostWords;
use crate::request::{Line, flags};

/// The consumer's end of a ring.
#[derive(Debug)]
pub(in crate::host) struct RingConsumer {
    pub(in crate::host) reader: RingReader<HostWords>,
    words: HostWords,
    at: RingAt,
    replies: u64,
    landings: u64,
    /// Whether requests may name memory of this process that is not registered. Its requesters keep it allocated after
    /// a failed call.
    pub(in crate::host) stages: bool,
    /// By place: whether its request was posted or dropped while an earlier one still occupies its place.
    left: Vec<bool>,
    /// Requests below this index were posted or dropped.
    pub(in crate::host) head: u64,
}

impl RingConsumer {
    pub(in crate::host) fn new(words: HostWords, at: RingAt, replies: u64, landings: u64, stages: bool) -> Self {
        Self {
            reader: RingReader::new(words, at, 0),
            words,
            at,
            replies,
            landings,
            stages,
            left: vec![false; at.depth as usize],
            head: 0,
        }
    }

    fn slot(&self, index: u64) -> usize {
        (index & (self.at.depth as u64 - 1)) as usize
    }

    /// Releases `count` requests from index `first`: each was posted or dropped.
    #[inline]
    pub(in crate::host) fn leave(&mut self, first: u64, count: u64) {
        debug_assert!(first >= self.head, "request {first} left twice");
        if first == self.head {
            self.head += count;
            return;
        }
        for index in first..first + count {
            let slot = self.slot(index);
            debug_assert!(!self.left[slot], "request {index} left twice");
            self.left[slot] = true;
        }
    }

    /// Frees the places of released requests, up to the first one that is not released.
    #[inline]
    pub(in crate::host) fn free(&mut self) {
        let mut slot = self.slot(self.head);
        while self.left[slot] {
            self.left[slot] = false;
            self.head += 1;
            slot = self.slot(self.head);
        }
        self.reader.free(self.head);
    }

    /// Returns the address of the reply to the request at `index`.
    pub(in crate::host) fn reply(&self, index: u64) -> u64 {
        self.replies + size_of::<Reply>() as u64 * self.slot(index) as u64
    }

    /// Returns the address of the landing for the request at `index`.
    pub(in crate::host) fn landing(&self, index: u64) -> u64 {
        self.landings + LANDING_BYTES * self.slot(index) as u64
    }

    /// Answers the request at `index`, if a thread waits for an answer. `None`: the request failed.
    #[inline]
    pub(in crate::host) fn answer(&self, index: u64, line: &Line, value: Option<u64>) {
        if !line.wants_answer() {
            return;
        }
        let turn = if line.flags() & flags::TURN != 0 { Reply::TURN } else { 0 };
        let at = self.reply(index);
        let (low, high) = value.map_or((0, Reply::FAILED), |value| (value & !Reply::TURN, value >> 63));
        // After the data in the landing, if there are any.
        self.words.store_release(at, low | turn);
        self.words.store_release(at + 8, high | turn);
    }

    /// Announces that no request will be taken any more.
    pub(in crate::host) fn end(&mut self) {
        self.words.store_release(self.at.consumer_head, self.head | ENDED);
    }
}
