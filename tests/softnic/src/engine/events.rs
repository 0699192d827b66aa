//! Events of completion queues: a program arms a queue, and the next completion raises one event.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use crate::memory::{Dma, MemoryFailed};

use super::{Cq, Turn};
use crate::knobs::Draw;

/// Purposes of draws.
mod draws {
    pub(super) const LATE: u64 = 92;
}

/// A value of the arm word that no program writes: its command does not exist.
const NEVER_ARMED: u32 = u32::MAX;
/// The command bit of the arm word: only solicited completions and errors raise an event.
const SOLICITED: u32 = 1 << 24;
/// The bits of the consumer index.
const INDEX: u32 = 0xff_ffff;

/// A completion queue whose events a program receives.
pub(crate) struct Watched {
    pub(crate) cq: Arc<Cq>,
    /// The arm word of the last event, or of no arming.
    last: u32,
    /// Number of events so far, for draws.
    count: u64,
    /// The time of an event that is late.
    due: Option<Instant>,
    sink: Box<dyn Fn() + Send>,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Watched({:#x})", self.cq.cqn)
    }
}

impl Watched {
    /// Watches a queue that the program has not armed yet.
    ///
    /// A program arms a queue by the second word of its doorbell record, and announces it by a doorbell. Here the word
    /// alone counts, because a polled register loses doorbells of several queues. The word of the first arming can be
    /// zero, as it is from the start, so it gets another value here.
    pub(crate) fn new(dma: &Dma, cq: Arc<Cq>, sink: Box<dyn Fn() + Send>) -> Result<Self, MemoryFailed> {
        if let Some(word) = cq.dbr.part(4, 4) {
            dma.store_last(word, NEVER_ARMED)?;
        }
        Ok(Self { cq, last: NEVER_ARMED, count: 0, due: None, sink })
    }

    /// Raises an event if the queue is armed and has a completion that the program has not consumed. Returns whether
    /// there was one, or one is due at a certain time.
    pub(super) fn look(&mut self, turn: &Turn<'_>) -> bool {
        let Ok(record) = turn.core.dma.load(self.cq.dbr) else { return false };
        let record = record.to_le_bytes();
        let word = u32::from_be_bytes([record[4], record[5], record[6], record[7]]);
        if word == self.last {
            return false;
        }
        let ring = self.cq.ring();
        let produced = if word & SOLICITED != 0 { ring.solicited } else { ring.produced };
        // Half of the indices are ahead of the consumer's.
        let ahead = (produced as u32).wrapping_sub(word) & INDEX;
        if ahead == 0 || ahead > INDEX / 2 {
            return false;
        }
        let knobs = &turn.core.options.knobs;
        let draw = Draw(knobs.seed ^ u64::from(self.cq.cqn));
        if !turn.calm && self.due.is_none() && draw.happens(draws::LATE, self.count, knobs.late_event) {
            self.due = Some(turn.now + draw.time(draws::LATE, self.count, knobs.late_event_us));
        }
        if self.due.is_some_and(|due| due > turn.now) {
            return true;
        }
        (self.last, self.due) = (word, None);
        self.count += 1;
        (self.sink)();
        true
    }
}
