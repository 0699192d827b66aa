//! A relay's state of the collective calls in progress: a pure state machine without connections.
//!
//! A PE that passes the calls of its subtree on decides nothing. It holds the arrivals of a call until all PEs of the
//! subtree have arrived, and sends them as one message in which equal arrivals of neighbouring PEs are one frame. If
//! that takes long, or PEs made different calls, it sends the arrivals that it has, and the others as they come, so that
//! the root can name the PEs that are missing or differ. Frames from the root go to all connections as they are.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::state::Turns;
use crate::bootstrap::frame::{Frame, FrameKind, Op, death, pieces, text_of};

/// Longest time for which arrivals are held.
pub(crate) const HOLD: Duration = Duration::from_millis(20);

/// PEs that arrived at a call with the same frame.
#[derive(Clone, PartialEq, Eq)]
struct Arrival {
    pes: Range<u32>,
    kind: FrameKind,
    op: u8,
    step: Arc<str>,
    blob: Arc<[u8]>,
}

/// One call that not all PEs of the subtree have arrived at.
struct RelayedCall {
    /// Not sent yet.
    held: Vec<Arrival>,
    /// Number of PEs of the subtree that have not arrived.
    missing: usize,
    /// The moment at which held arrivals are sent; `None` if arrivals are sent as they come.
    hold_until: Option<Instant>,
    op: Op,
    step: Arc<str>,
}

pub(crate) struct RelayState {
    subtree: Range<u32>,
    n_pes: u32,
    turns: Turns,
    calls: BTreeMap<u64, RelayedCall>,
    /// The deaths in the subtree that the root was told of and has not announced yet, with their reasons.
    unannounced: BTreeMap<u32, String>,
    left: bool,
}

impl RelayState {
    /// Builds the state of the first PE of `subtree`, through which the calls of the others go.
    pub(crate) fn new(subtree: Range<u32>, n_pes: u32) -> Self {
        let turns = Turns::new(subtree.clone());
        Self { turns, subtree, n_pes, calls: BTreeMap::new(), unannounced: BTreeMap::new(), left: false }
    }

    /// Returns whether all PEs have left the world properly.
    pub(crate) fn left(&self) -> bool {
        self.left
    }

    /// Processes one frame from the connection of the PEs `from`, and appends the bytes for the parent to `up`.
    ///
    /// # Errors
    /// The protocol violation, after which the caller declares the connection's PE dead.
    pub(crate) fn receive(
        &mut self,
        from: &Range<u32>,
        frame: &Frame<'_>,
        now: Instant,
        up: &mut Vec<Arc<[u8]>>,
    ) -> Result<(), String> {
        match frame.kind {
            FrameKind::Fail | FrameKind::Dead if from.contains(&frame.pe) => {
                let blob: Arc<[u8]> = frame.blob.into();
                self.unannounced.insert(frame.pe, text_of(&blob));
                up.extend(pieces(std::iter::once((Frame { blob: &blob, ..*frame }, &blob))));
                Ok(())
            }
            FrameKind::Arrive | FrameKind::Refuse => self.arrive(from, frame, now, up),
            _ => Err("it sent a message that only the root sends, or about a PE that is not its own".into()),
        }
    }

    fn arrive(
        &mut self,
        from: &Range<u32>,
        frame: &Frame<'_>,
        now: Instant,
        up: &mut Vec<Arc<[u8]>>,
    ) -> Result<(), String> {
        let (pes, op) = self.turns.take(from, frame)?;
        let call = self.calls.entry(frame.seq).or_insert_with(|| RelayedCall {
            held: Vec::new(),
            missing: self.subtree.len(),
            hold_until: Some(now + HOLD),
            op,
            step: frame.step.into(),
        });
        let differs = call.op != op || *call.step != *frame.step;
        let step = if differs { frame.step.into() } else { call.step.clone() };
        call.missing -= pes.len();
        call.held.push(Arrival { pes, kind: frame.kind, op: frame.op, step, blob: frame.blob.into() });
        if differs || frame.kind == FrameKind::Refuse {
            call.hold_until = None;
        }
        if call.missing == 0 || call.hold_until.is_none() {
            call.release(frame.seq, up);
        }
        if call.missing == 0 {
            self.calls.remove(&frame.seq);
        }
        Ok(())
    }

    /// Announces to the parent that `pe` of the subtree is dead.
    pub(crate) fn died(&mut self, pe: u32, reason: &str, up: &mut Vec<Arc<[u8]>>) {
        if !self.left {
            self.unannounced.insert(pe, reason.into());
            up.extend(death(pe, reason));
        }
    }

    /// Takes the deaths that the root was told of and has not announced: it may have died before their report came.
    pub(crate) fn take_unannounced(&mut self) -> BTreeMap<u32, String> {
        std::mem::take(&mut self.unannounced)
    }

    /// Sends the arrivals that have been held long enough.
    pub(crate) fn tick(&mut self, now: Instant, up: &mut Vec<Arc<[u8]>>) {
        for (&seq, call) in &mut self.calls {
            if call.hold_until.is_some_and(|until| now >= until) {
                call.hold_until = None;
                call.release(seq, up);
            }
        }
    }

    /// Returns the next moment at which [`tick`](Self::tick) has work to do.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.calls.values().filter_map(|call| call.hold_until).min()
    }

    /// Notes a frame from the parent, whose bytes go to all connections of the subtree.
    ///
    /// # Errors
    /// The protocol violation.
    pub(crate) fn note(&mut self, frame: &Frame<'_>) -> Result<(), String> {
        match frame.kind {
            // The parts of a call are in PE order.
            FrameKind::Part => {
                self.left |= frame.op == Op::Leave as u8 && frame.pe.checked_add(frame.count) == Some(self.n_pes);
                Ok(())
            }
            FrameKind::Dead => {
                self.unannounced.remove(&frame.pe);
                Ok(())
            }
            FrameKind::Failure => Ok(()),
            _ => Err("it sent a message that only PEs send to the root".into()),
        }
    }
}

impl RelayedCall {
    fn release(&mut self, seq: u64, up: &mut Vec<Arc<[u8]>>) {
        let mut held = std::mem::take(&mut self.held);
        held.sort_by_key(|arrival| arrival.pes.start);
        let mut runs: Vec<Arrival> = Vec::with_capacity(held.len());
        for arrival in held {
            match runs.last_mut() {
                Some(run) if (Arrival { pes: run.pes.end..arrival.pes.end, ..run.clone() }) == arrival => {
                    run.pes.end = arrival.pes.end;
                }
                _ => runs.push(arrival),
            }
        }
        up.extend(pieces(runs.iter().map(|run| {
            let Arrival { pes, kind, op, step, blob } = run;
            let count = pes.len() as u32;
            (Frame { kind: *kind, op: *op, pe: pes.start, count, seq, step, blob }, blob)
        })));
    }
}

#[cfg(test)]
#[path = "tests/relay.rs"]
mod tests;
