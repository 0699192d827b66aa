//! The ring of a progress thread: requests that were taken and still occupy their places, and answers.

use crate::state::{ENDED, Reply};

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
    /// Whether unregistered memory that requests name is this process's own. Otherwise the driver copies it.
    pub(in crate::host) stages: bool,
    /// By place: whether its request was posted or dropped while an earlier one still occupies its place.
    left: Vec<bool>,
    head: u64,
}

impl RingConsumer {
    pub(in crate::host) fn new(words: HostWords, at: RingAt, replies: u64, stages: bool) -> Self {
        Self {
            reader: RingReader::new(words, at, 0),
            words,
            at,
            replies,
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

    /// Answers the request at `index`, if a thread waits for an answer. `None`: the request failed.
    #[inline]
    pub(in crate::host) fn answer(&self, index: u64, line: &Line, value: Option<u64>) {
        if !line.wants_answer() {
            return;
        }
        let turn = if line.flags() & flags::TURN != 0 { Reply::TURN } else { 0 };
        let at = self.replies + size_of::<Reply>() as u64 * self.slot(index) as u64;
        let (low, high) = value.map_or((0, Reply::FAILED), |value| (value & !Reply::TURN, value >> 63));
        self.words.store(at, low | turn);
        self.words.store(at + 8, high | turn);
    }

    /// Announces that no request will be taken any more.
    pub(in crate::host) fn end(&mut self) {
        self.words.store_release(self.at.consumer_head, self.head | ENDED);
    }
}
