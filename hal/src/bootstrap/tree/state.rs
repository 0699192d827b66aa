//! The hubs' states of the collective calls in progress: pure state machines without connections.
//!
//! The root decides on calls. A PE that passes the calls of its subtree on decides nothing. It holds the arrivals of a
//! call until all PEs of the subtree have arrived, and sends them as one message in which equal arrivals of
//! neighbouring PEs are one frame. If that takes long, or PEs made different calls, it sends the arrivals that it has,
//! and the others as they come, so that the root can name the PEs that are missing or differ. Frames from the root go
//! to all connections as they are.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oxshmem_core::ErrorKind;

use crate::bootstrap::frame::{Frame, FrameKind, Op, death, failure_code, failure_kind, name_pes, pieces, text_of};

/// Frames for all PEs, as byte pieces to send in order. Every connection sends the same pieces, but not one that leads
/// to the excepted PE alone.
pub(crate) struct Message {
    pub except: Option<u32>,
    pub pieces: Vec<Arc<[u8]>>,
}

/// The sequence number of the next call of each PE of a range.
pub(crate) struct Turns {
    first: u32,
    next: Vec<u64>,
}

impl Turns {
    pub(crate) fn new(pes: Range<u32>) -> Self {
        Self { first: pes.start, next: vec![0; pes.len()] }
    }

    /// Advances the PEs that the frame covers by one call, and returns them and the call. `from` has the PEs whose
    /// frames come by this connection.
    ///
    /// # Errors
    /// The protocol violation.
    pub(crate) fn take(&mut self, from: &Range<u32>, frame: &Frame<'_>) -> Result<(Range<u32>, Op), String> {
        let op = Op::from_raw(frame.op).ok_or_else(|| format!("it made an unknown call {}", frame.op))?;
        let end = frame.pe.checked_add(frame.count).filter(|end| from.start <= frame.pe && *end <= from.end);
        let pes = frame.pe..end.ok_or("it made a call for PEs that are not connected through it")?;
        let at = (pes.start - self.first) as usize;
        let turns = &mut self.next[at..at + pes.len()];
        if let Some(next) = turns.iter().find(|next| **next != frame.seq) {
            return Err(format!("it made call {} and its next one is {next}", frame.seq));
        }
        turns.fill(frame.seq + 1);
        Ok((pes, op))
    }
}

/// One collective call that not all PEs have arrived at.
struct PendingCall {
    op: Op,
    step: String,
    since: Instant,
    /// Indexed by PE: its blob once the PE arrived.
    blobs: Vec<Option<Arc<[u8]>>>,
    /// Number of PEs that have not arrived.
    missing: usize,
    failed: bool,
}

/// The state of one world's root.
pub(crate) struct CollectiveState {
    n_pes: u32,
    limit: Option<Duration>,
    calls: BTreeMap<u64, PendingCall>,
    turns: Turns,
    /// Indexed by PE: whether it waits until its parent is connected, and so can't make the first call.
    waits: Vec<bool>,
    dead: Vec<bool>,
    left: bool,
}

impl CollectiveState {
    pub(crate) fn new(n_pes: u32, limit: Option<Duration>) -> Self {
        let no = vec![false; n_pes as usize];
        let turns = Turns::new(0..n_pes);
        Self { n_pes, limit, calls: BTreeMap::new(), turns, waits: no.clone(), dead: no, left: false }
    }

    /// Returns whether all PEs have left the world properly.
    pub(crate) fn left(&self) -> bool {
        self.left
    }

    /// Records that `pe` is connected to the root and waits for its parent. It is not missing at the first call then.
    pub(crate) fn waits(&mut self, pe: u32) {
        self.waits[pe as usize] = true;
    }

    /// Processes one frame from the connection of the PEs `from`, and appends the resulting messages to `out`.
    ///
    /// # Errors
    /// The protocol violation, after which the caller declares the connection's PE dead.
    pub(crate) fn receive(
        &mut self,
        from: &Range<u32>,
        frame: &Frame<'_>,
        now: Instant,
        out: &mut Vec<Message>,
    ) -> Result<(), String> {
        match frame.kind {
            FrameKind::Fail | FrameKind::Dead if from.contains(&frame.pe) => {
                self.died(frame.pe, &text_of(frame.blob), out);
                Ok(())
            }
            FrameKind::Arrive | FrameKind::Refuse => self.arrive(from, frame, now, out),
            _ => Err("it sent a message that only the root sends, or about a PE that is not its own".into()),
        }
    }

    fn arrive(
        &mut self,
        from: &Range<u32>,
        frame: &Frame<'_>,
        now: Instant,
        out: &mut Vec<Message>,
    ) -> Result<(), String> {
        let (pes, op) = self.turns.take(from, frame)?;
        let n = self.n_pes as usize;
        let call = self.calls.entry(frame.seq).or_insert_with(|| PendingCall {
            op,
            step: frame.step.into(),
            since: now,
            blobs: vec![None; n],
            missing: n,
            failed: false,
        });
        // No PE will read the blob of a call that has failed.
        let blob: Arc<[u8]> = if call.failed { Arc::from([]) } else { frame.blob.into() };
        call.blobs[pes.start as usize..pes.end as usize].fill(Some(blob));
        call.missing -= pes.len();
        if call.failed {
            // All PEs have been notified.
        } else if frame.kind == FrameKind::Refuse {
            let (&code, reason) = frame.blob.split_first().unwrap_or((&u8::MAX, &[]));
            call.fail(frame.seq, failure_kind(code), pes.start, &text_of(reason), out);
        } else if call.op != op || call.step != frame.step {
            let text = call.describe_mismatch(&pes, op, frame.step);
            call.fail(frame.seq, ErrorKind::Mismatch, pes.start, &text, out);
        } else if call.missing == 0 {
            self.left |= op == Op::Leave;
            out.push(call.answer(frame.seq));
        }
        if call.missing == 0 {
            self.calls.remove(&frame.seq);
        }
        Ok(())
    }

    /// Records the death of `pe` and announces it to all others, once.
    pub(crate) fn died(&mut self, pe: u32, reason: &str, out: &mut Vec<Message>) {
        if self.left || std::mem::replace(&mut self.dead[pe as usize], true) {
            return;
        }
        out.push(Message { except: Some(pe), pieces: death(pe, reason) });
    }

    /// Fails the calls whose limit has passed.
    pub(crate) fn tick(&mut self, now: Instant, out: &mut Vec<Message>) {
        let Some(limit) = self.limit else { return };
        for (&seq, call) in &mut self.calls {
            if !call.failed && now >= call.since + limit {
                let missing: Vec<u32> = (0..).zip(&call.blobs).filter(|(_, b)| b.is_none()).map(|(pe, _)| pe).collect();
                // A PE that waits for its parent is not at fault.
                let waits = |pe: &u32| seq == 0 && self.waits[*pe as usize];
                let at_fault: Vec<u32> = missing.iter().copied().filter(|pe| !waits(pe)).collect();
                let missing = if at_fault.is_empty() { missing } else { at_fault };
                let verb = if missing.len() == 1 { "has" } else { "have" };
                let text = format!("{} {verb} not arrived within {limit:?}", name_pes(&missing));
                call.fail(seq, ErrorKind::Timeout, missing[0], &text, out);
            }
        }
    }

    /// Returns the next moment at which [`tick`](Self::tick) has work to do.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let limit = self.limit?;
        self.calls.values().filter(|call| !call.failed).map(|call| call.since + limit).min()
    }
}

impl PendingCall {
    fn answer(&self, seq: u64) -> Message {
        let mut runs: Vec<(u32, u32, &Arc<[u8]>)> = Vec::new();
        for (pe, blob) in (0..).zip(self.blobs.iter().flatten()) {
            match runs.last_mut() {
                Some((_, count, last)) if Arc::ptr_eq(last, blob) || last == &blob => *count += 1,
                _ => runs.push((pe, 1, blob)),
            }
        }
        let frame = Frame { kind: FrameKind::Part, op: self.op as u8, pe: 0, count: 0, seq, step: "", blob: &[] };
        let parts = runs.into_iter().map(|(pe, count, blob)| (Frame { pe, count, blob, ..frame }, blob));
        Message { except: None, pieces: pieces(parts) }
    }

    /// Announces the failure to all PEs. Those that have not arrived yet report it when they do: they may be waiting in
    /// vain elsewhere for a PE that refuses.
    fn fail(&mut self, seq: u64, kind: ErrorKind, about: u32, text: &str, out: &mut Vec<Message>) {
        self.failed = true;
        // No PE will read these blobs again, but the call stays in memory until its last PE arrives.
        self.blobs.iter_mut().flatten().for_each(|blob| *blob = Arc::from([]));
        let blob: Arc<[u8]> = text.as_bytes().into();
        let op = failure_code(kind);
        let frame = Frame { kind: FrameKind::Failure, op, pe: about, count: 0, seq, step: "", blob: &blob };
        out.push(Message { except: None, pieces: pieces(std::iter::once((frame, &blob))) });
    }

    /// Describes the first arrival's call and the call of `pes`, which differ.
    fn describe_mismatch(&self, pes: &Range<u32>, op: Op, step: &str) -> String {
        let pe = pes.start;
        let first = (0..).zip(&self.blobs).find(|(other, blob)| !pes.contains(other) && blob.is_some());
        let first = first.map_or(pe, |(other, _)| other);
        let (kinds, other_kinds) = match self.step == step {
            true => (format!(" ({})", self.op.name()), format!(" ({})", op.name())),
            false => (String::new(), String::new()),
        };
        let (a, b) =
            (format!("PE {first} called `{}`{kinds}", self.step), format!("PE {pe} called `{step}`{other_kinds}"));
        if first < pe { format!("{a}, {b}") } else { format!("{b}, {a}") }
    }
}

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
    left: bool,
}

impl RelayState {
    /// Builds the state of the first PE of `subtree`, through which the calls of the others go.
    pub(crate) fn new(subtree: Range<u32>, n_pes: u32) -> Self {
        Self { turns: Turns::new(subtree.clone()), subtree, n_pes, calls: BTreeMap::new(), left: false }
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
    pub(crate) fn died(&self, pe: u32, reason: &str, up: &mut Vec<Arc<[u8]>>) {
        if !self.left {
            up.extend(death(pe, reason));
        }
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
            FrameKind::Failure | FrameKind::Dead => Ok(()),
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
#[path = "tests/collective.rs"]
mod collective_tests;

#[cfg(test)]
#[path = "tests/relay.rs"]
mod relay_tests;
