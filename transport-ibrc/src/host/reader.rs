//! The end of a ring at which requests are taken out.
//!
//! Only its thread uses it. A place is free again when [`free`](Reader::free) says so, which is after the request was
//! posted and not when it was read.

use crate::request::{LAP, LINE_BYTES, Line, WORDS, lap};

/// Memory that a ring is in, as its thread reads and writes it.
pub(crate) trait Words {
    /// The word at `at`, whole, in no order.
    fn load(&self, at: u64) -> u64;

    /// Words that were loaded before stay ahead of what comes behind: what whoever wrote them did before is visible.
    fn acquired(&self);

    /// Stores the word at `at` behind everything before.
    fn store_release(&self, at: u64, value: u64);

    /// Stores the word at `at`, whole, in no order.
    fn store(&self, at: u64, value: u64);
}

/// Where a ring is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingAt {
    /// Its lines.
    pub(crate) requests: u64,
    /// Its [`Served`](crate::state::Served).
    pub(crate) served: u64,
    /// Places: a power of two.
    pub(crate) depth: u32,
}

/// A ring's reading end.
#[derive(Debug)]
pub(crate) struct Reader<W> {
    words: W,
    at: RingAt,
    /// Index of the next request to take.
    next: u64,
    /// Places below this are free.
    head: u64,
}

impl<W: Words> Reader<W> {
    /// The reading end of a ring whose memory is all 0 but for `next` requests that were taken before.
    pub(crate) fn new(words: W, at: RingAt, next: u64) -> Self {
        Self { words, at, next, head: next }
    }

    /// Index of the next request to take.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Gives the requests that are there, in their order and at most `most`, to `each`, with their indices. How many.
    #[inline]
    pub(crate) fn take(&mut self, most: usize, lines: &mut Vec<Line>) -> usize {
        lines.clear();
        while lines.len() < most {
            let Some(line) = self.look() else { break };
            lines.push(line);
            self.next += 1;
        }
        if !lines.is_empty() {
            self.words.acquired();
        }
        lines.len()
    }

    /// Whether there is one to take.
    pub(crate) fn is_there(&self) -> bool {
        self.look().is_some()
    }

    /// The next request, if it is whole.
    #[inline]
    fn look(&self) -> Option<Line> {
        let at = self.at.requests + LINE_BYTES * (self.next & (self.at.depth as u64 - 1));
        let lap = lap(self.next, self.at.depth);
        let mut words = [0; WORDS];
        // The last word is most often the last to arrive.
        for (number, word) in words.iter_mut().enumerate().rev() {
            *word = self.words.load(at + 8 * number as u64);
            if *word & LAP != lap {
                return None;
            }
        }
        Some(Line::from_words(words))
    }

    /// Says that the places below `head` are free.
    #[inline]
    pub(crate) fn free(&mut self, head: u64) {
        debug_assert!(self.head <= head && head <= self.next, "{} <= {head} <= {}", self.head, self.next);
        if head > self.head {
            self.head = head;
            self.words.store_release(self.at.served, head);
        }
    }
}
