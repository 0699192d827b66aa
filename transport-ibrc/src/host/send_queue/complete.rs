//! Completion of work requests.

use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::fetch::wants_answer;
use crate::host::send_queue::in_flight::{InFlight, OnComplete};
use crate::host::send_queue::refusal::Refusal;
use crate::host::send_queue::{READ, SendQueue};

impl SendQueue {
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
                OnComplete::Fetched(line, _) if !wants_answer(&line) => {}
                OnComplete::Fetched(line, atomic) => match self.fetched_word(cx, &entry, 8) {
                    Some(word) => cx.rings[self.params.ring].answer(entry.of, &line, Some(atomic.word(word))),
                    None => empty.push(entry),
                },
                OnComplete::Round => match self.fetched_word(cx, &entry, 8) {
                    Some(found) => self.end_round(cx, found),
                    None => empty.push(entry),
                },
                OnComplete::Free(chunk) => cx.bounce.give_back(chunk),
                OnComplete::Unstage(chunk, to, bytes) => {
                    landed = Some(entry.of);
                    if !cx.copy(cx.rings[self.params.ring].stages, to, chunk, bytes) {
                        lost = lost.or(Some((entry.of, Refusal::NotRegistered(to, bytes))));
                    }
                    cx.bounce.give_back(chunk);
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
            && !cx.make_visible()
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
