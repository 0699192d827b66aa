//! What is done of work requests that are complete.

use crate::host::send_queue::context::Env;
use crate::host::send_queue::fetch::asks;
use crate::host::send_queue::in_flight::{After, Flight};
use crate::host::send_queue::stop::Refusal;
use crate::host::send_queue::{Lane, READ};

impl Lane {
    /// Work requests up to number `wr` are complete.
    pub(in crate::host) fn complete(&mut self, env: &mut Env<'_>, wr: u64) {
        self.retired = self.retired.max(wr + 1);
        let (mut landed, mut lost, before) = (None, None, self.done);
        // Fetches that brought nothing.
        let mut empty: Vec<Flight> = Vec::new();
        while let Some(first) = self.flights.front_mut() {
            if first.wr > wr {
                // Of a run perhaps a part.
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
            let flight = *first;
            self.flights.pop_front();
            match flight.after {
                After::Nothing if flight.opcode == READ => landed = Some(flight.of),
                After::Nothing => {}
                After::Word(line, bytes) => match self.brought(env, &flight, bytes) {
                    Some(word) => {
                        let word = word & u64::MAX >> (64 - 8 * bytes as u32);
                        env.rings[self.at.ring].answer(flight.of, &line, Some(word));
                    }
                    None => empty.push(flight),
                },
                After::Fetched(line, _) if !asks(&line) => {}
                After::Fetched(line, atomic) => match self.brought(env, &flight, 8) {
                    Some(word) => env.rings[self.at.ring].answer(flight.of, &line, Some(atomic.word(word))),
                    None => empty.push(flight),
                },
                After::Round => match self.brought(env, &flight, 8) {
                    Some(found) => self.round_over(env, found),
                    None => empty.push(flight),
                },
                After::Free(chunk) => env.chunks.give_back(chunk),
                After::Unstage(chunk, to, bytes) => {
                    landed = Some(flight.of);
                    if !env.copy(env.rings[self.at.ring].stages, to, chunk, bytes) {
                        lost = lost.or(Some((flight.of, Refusal::NotRegistered(to, bytes))));
                    }
                    env.chunks.give_back(chunk);
                }
            }
            if let Some(none) = empty.first() {
                lost = lost.or(Some((none.of, Refusal::NoData(none.opcode))));
            }
            if let Some(index) = flight.index.filter(|_| lost.is_none()) {
                self.done = index + 1;
            }
        }
        // Nobody is told that a get is done before its data are there.
        if let Some(index) = landed
            && !env.arrive()
        {
            self.done = before;
            lost = lost.or(Some((index, Refusal::Post(READ))));
        }
        if let Some((index, refusal)) = lost {
            // Who waits for them is told when the queue has stopped.
            empty.into_iter().rev().for_each(|flight| self.flights.push_front(flight));
            self.refuse(env, index, refusal);
        }
    }
}
