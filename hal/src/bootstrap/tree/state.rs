//! The root's state of the collective calls in progress, on which it decides: a pure state machine without connections.

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
    /// The reason why PEs can't connect to this process, if one could not.
    pub(super) accepts_none: Option<String>,
}

impl CollectiveState {
    pub(crate) fn new(n_pes: u32, limit: Option<Duration>) -> Self {
        let no = vec![false; n_pes as usize];
        let turns = Turns::new(0..n_pes);
        Self {
            n_pes,
            limit,
            calls: BTreeMap::new(),
            turns,
            waits: no.clone(),
            dead: no,
            left: false,
            accepts_none: None,
        }
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

    /// Returns whether `pe` is dead, or has said that it can't continue.
    pub(crate) fn is_dead(&self, pe: u32) -> bool {
        self.dead[pe as usize]
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
                let mut text = format!("{} {verb} not arrived within {limit:?}", name_pes(&missing));
                if let Some(reason) = self.accepts_none.as_ref().filter(|_| seq == 0) {
                    text += &format!(": PE 0 can accept no further connection: {reason}");
                }
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

#[cfg(test)]
#[path = "tests/collective.rs"]
mod tests;
