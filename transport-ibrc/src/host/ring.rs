//! A ring, as its thread has it: what was taken and has not left yet, and answers.

use crate::state::{ENDED, Reply};

use super::reader::{Reader, RingAt, Words};
use super::words::Here;
use crate::request::{Line, flags};

/// A ring's end at its thread.
#[derive(Debug)]
pub(super) struct RingEnd {
    pub(super) reader: Reader<Here>,
    words: Here,
    at: RingAt,
    replies: u64,
    /// Whether memory that requests name is this process's own, as far as it is not registered; else the driver copies.
    pub(super) stages: bool,
    /// By place: whether its request was posted, or never will be.
    left: Vec<bool>,
    head: u64,
}

impl RingEnd {
    pub(super) fn new(words: Here, at: RingAt, replies: u64, stages: bool) -> Self {
        Self {
            reader: Reader::new(words, at, 0),
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

    /// `count` requests from `first` on were posted, or never will be.
    #[inline]
    pub(super) fn leave(&mut self, first: u64, count: u64) {
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

    /// Frees the places of requests that left, up to the first that has not.
    #[inline]
    pub(super) fn free(&mut self) {
        let mut slot = self.slot(self.head);
        while self.left[slot] {
            self.left[slot] = false;
            self.head += 1;
            slot = self.slot(self.head);
        }
        self.reader.free(self.head);
    }

    /// Answers the request at `index`, if it wants an answer; `None`: there is none.
    #[inline]
    pub(super) fn answer(&self, index: u64, line: &Line, value: Option<u64>) {
        if line.flags() & flags::ANSWER == 0 {
            return;
        }
        let turn = if line.flags() & flags::TURN != 0 { Reply::TURN } else { 0 };
        let at = self.replies + size_of::<Reply>() as u64 * self.slot(index) as u64;
        let (low, high) = value.map_or((0, Reply::FAILED), |value| (value & !Reply::TURN, value >> 63));
        self.words.store(at, low | turn);
        self.words.store(at + 8, high | turn);
    }

    /// Nothing more will be taken.
    pub(super) fn end(&mut self) {
        self.words.store_release(self.at.served, self.head | ENDED);
    }
}
