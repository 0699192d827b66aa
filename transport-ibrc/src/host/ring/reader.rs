//! Reads requests out of a ring.
//!
//! One thread alone uses it. [`free`](RingReader::free) frees a place after its request was posted; reading the request
//! does not free it.

use crate::request::{LAP, LINE_BYTES, Line, WORDS, lap};

/// Memory of rings, as their progress thread reads and writes it.
pub(crate) trait SharedWords {
    /// Loads the word at `at`, whole, without order.
    fn load(&self, at: u64) -> u64;

    /// Orders earlier loads before later accesses (acquire): the stores that the writers of the loaded words did before
    /// become visible.
    fn acquired(&self);

    /// Stores the word at `at` after all earlier accesses (release).
    fn store_release(&self, at: u64, value: u64);

    /// Stores the word at `at`, whole, without order.
    fn store(&self, at: u64, value: u64);
}

/// Addresses of a ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingAt {
    /// Its lines, one for each place.
    pub(crate) requests: u64,
    /// Its [`ConsumerHead`](crate::state::ConsumerHead).
    pub(crate) consumer_head: u64,
    /// Number of places: a power of two.
    pub(crate) depth: u32,
}

/// The reading end of a ring.
#[derive(Debug)]
pub(crate) struct RingReader<W> {
    words: W,
    at: RingAt,
    /// Index of the next request to take.
    next: u64,
    /// Requests below this index have left.
    head: u64,
}

impl<W: SharedWords> RingReader<W> {
    /// Starts at index `next` of a ring whose memory is all 0 except for earlier requests.
    pub(crate) fn new(words: W, at: RingAt, next: u64) -> Self {
        Self { words, at, next, head: next }
    }

    /// Returns the index of the next request to take.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Replaces `lines` by the next requests in order, at most `most`. Returns their number.
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

    /// Returns whether the next request is completely written.
    pub(crate) fn is_there(&self) -> bool {
        self.look().is_some()
    }

    /// Returns the next request, if all of its words are written.
    #[inline]
    fn look(&self) -> Option<Line> {
        let at = self.at.requests + LINE_BYTES * (self.next & (self.at.depth as u64 - 1));
        let lap = lap(self.next, self.at.depth);
        let mut words = [0; WORDS];
        // The last word usually arrives last.
        for (number, word) in words.iter_mut().enumerate().rev() {
            *word = self.words.load(at + 8 * number as u64);
            if *word & LAP != lap {
                return None;
            }
        }
        Some(Line::from_words(words))
    }

    /// Frees the places of the requests below index `head`.
    #[inline]
    pub(crate) fn free(&mut self, head: u64) {
        debug_assert!(self.head <= head && head <= self.next, "{} <= {head} <= {}", self.head, self.next);
        if head > self.head {
            self.head = head;
            self.words.store_release(self.at.consumer_head, head);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Kind, first_word, head, later_word};
    use std::cell::RefCell;

    /// Words from address 0 on.
    #[derive(Debug)]
    struct Words(RefCell<Vec<u64>>);

    impl SharedWords for &Words {
        fn load(&self, at: u64) -> u64 {
            self.0.borrow()[at as usize / 8]
        }

        fn acquired(&self) {}

        fn store_release(&self, at: u64, value: u64) {
            self.store(at, value);
        }

        fn store(&self, at: u64, value: u64) {
            self.0.borrow_mut()[at as usize / 8] = value;
        }
    }

    #[test]
    fn a_request_is_taken_once_all_of_its_words_are_of_its_lap_in_whatever_order_they_arrive() {
        const DEPTH: u32 = 2;
        let (head, rest) = (head(Kind::Put, 1, 2, 3), [1, u64::MAX, 3, 1 << 63, 5, 6, 7]);
        for last in 0..WORDS {
            let words = Words(RefCell::new(vec![0; WORDS * DEPTH as usize + 1]));
            let at = RingAt { requests: 0, consumer_head: LINE_BYTES * u64::from(DEPTH), depth: DEPTH };
            let (mut reader, mut lines) = (RingReader::new(&words, at, 0), Vec::new());
            // Two laps: over words that are zero, and over an earlier request.
            for index in 0..2 * u64::from(DEPTH) {
                let lap = lap(index, DEPTH);
                let word = |number: usize| match number {
                    0 => first_word(head, rest, lap),
                    _ => later_word(rest[number - 1], lap),
                };
                let place = LINE_BYTES * (index % u64::from(DEPTH));
                for number in (0..WORDS).filter(|number| *number != last).chain([last]) {
                    assert!(!reader.is_there() && reader.take(4, &mut lines) == 0, "{index} without word {number}");
                    (&words).store(place + 8 * number as u64, word(number));
                }
                assert!(reader.is_there());
                assert_eq!((reader.take(4, &mut lines), &lines[..]), (1, &[Line { head, rest }][..]));
                reader.free(index + 1);
                assert_eq!((&words).load(at.consumer_head), index + 1);
            }
        }
    }
}
