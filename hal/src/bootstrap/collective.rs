//! The root's state of the collective calls in progress: a pure state machine without connections.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oxshmem_core::ErrorKind;

use super::frame::{Frame, FrameKind, Op};

/// Frames for one PE, as byte pieces to send in order. Pieces are shared because most of them go to all PEs.
pub(super) struct Message {
    pub to: u32,
    pub pieces: Vec<Arc<[u8]>>,
}

/// Smaller frames are joined up to this many bytes, so that a call of many PEs does not need as many pieces.
const PIECE: usize = 64 << 10;

/// The errors with which the root can end a call; a frame carries the index.
const FAILURES: [ErrorKind; 7] = [
    ErrorKind::Timeout,
    ErrorKind::Mismatch,
    ErrorKind::OutOfRange,
    ErrorKind::System,
    ErrorKind::Exhausted,
    ErrorKind::PeerDied,
    ErrorKind::Malformed,
];

/// Decodes the error kind of a failure frame.
pub(super) fn failure_kind(op: u8) -> ErrorKind {
    FAILURES.get(usize::from(op)).copied().unwrap_or(ErrorKind::Malformed)
}

/// Encodes an error kind for a failure frame, and for the first byte of a refusal's blob.
pub(super) fn failure_code(kind: ErrorKind) -> u8 {
    FAILURES.iter().position(|&known| known == kind).map_or(u8::MAX, |at| at as u8)
}

#[derive(Clone)]
struct CallFailure {
    kind: ErrorKind,
    about: u32,
    text: String,
}

/// One collective call that not all PEs have arrived at.
struct PendingCall {
    op: Op,
    step: String,
    since: Instant,
    /// Indexed by PE: its blob once the PE arrived.
    blobs: Vec<Option<Arc<[u8]>>>,
    /// Once set, every PE that arrives later receives it.
    failure: Option<CallFailure>,
}

/// The state of one world's root.
pub(super) struct CollectiveState {
    limit: Option<Duration>,
    calls: BTreeMap<u64, PendingCall>,
    /// Indexed by PE: the sequence number of its next call.
    next: Vec<u64>,
    dead: Vec<bool>,
    left: bool,
}

impl CollectiveState {
    pub(super) fn new(n_pes: u32, limit: Option<Duration>) -> Self {
        let n = n_pes as usize;
        Self { limit, calls: BTreeMap::new(), next: vec![0; n], dead: vec![false; n], left: false }
    }

    /// Whether all PEs have left the world properly.
    pub(super) fn left(&self) -> bool {
        self.left
    }

    /// Processes one frame from `pe` and appends the resulting messages to `out`.
    ///
    /// # Errors
    /// The protocol violation, after which the caller declares the PE dead.
    pub(super) fn receive(
        &mut self,
        pe: u32,
        frame: &Frame<'_>,
        now: Instant,
        out: &mut Vec<Message>,
    ) -> Result<(), String> {
        match frame.kind {
            FrameKind::Fail => {
                self.died(pe, &text_of(frame.blob), out);
                Ok(())
            }
            FrameKind::Arrive | FrameKind::Refuse => self.arrive(pe, frame, now, out),
            FrameKind::Part | FrameKind::Failure | FrameKind::Dead => {
                Err("it sent a message that only the root sends".into())
            }
        }
    }

    fn arrive(&mut self, pe: u32, frame: &Frame<'_>, now: Instant, out: &mut Vec<Message>) -> Result<(), String> {
        let op = Op::from_raw(frame.op).ok_or_else(|| format!("it made an unknown call {}", frame.op))?;
        let at = pe as usize;
        if frame.seq != self.next[at] {
            return Err(format!("it made call {} and its next one is {}", frame.seq, self.next[at]));
        }
        self.next[at] += 1;
        let n = self.next.len();
        let call = self.calls.entry(frame.seq).or_insert_with(|| PendingCall {
            op,
            step: frame.step.into(),
            since: now,
            blobs: vec![None; n],
            failure: None,
        });
        call.blobs[at] = Some(frame.blob.into());
        if let Some(failure) = &call.failure {
            out.push(failure.message_to(pe, frame.seq));
        } else if frame.kind == FrameKind::Refuse {
            let (&code, reason) = frame.blob.split_first().unwrap_or((&u8::MAX, &[]));
            call.fail(frame.seq, failure_kind(code), pe, text_of(reason), out);
            // PEs that have not arrived are notified too: they may be waiting in vain for this PE elsewhere.
            let elsewhere = (0..).zip(&call.blobs).filter(|(_, blob)| blob.is_none()).map(|(other, _)| other);
            let failure = call.failure.iter();
            out.extend(failure.flat_map(|failure| elsewhere.clone().map(|other| failure.message_to(other, frame.seq))));
        } else if call.op != op || call.step != frame.step {
            let text = call.describe_mismatch(pe, op, frame.step);
            call.fail(frame.seq, ErrorKind::Mismatch, pe, text, out);
        } else if call.blobs.iter().all(Option::is_some) {
            self.left |= op == Op::Leave;
            call.answer(frame.seq, out);
        }
        if self.calls.get(&frame.seq).is_some_and(|call| call.blobs.iter().all(Option::is_some)) {
            self.calls.remove(&frame.seq);
        }
        Ok(())
    }

    /// Records the death of `pe` and announces it to all others, once.
    pub(super) fn died(&mut self, pe: u32, reason: &str, out: &mut Vec<Message>) {
        if self.left || std::mem::replace(&mut self.dead[pe as usize], true) {
            return;
        }
        let frame = Frame { kind: FrameKind::Dead, op: 0, pe, seq: 0, step: "", blob: &[] };
        let blob: Arc<[u8]> = reason.as_bytes().into();
        let pieces = pieces(std::iter::once((Frame { blob: &blob, ..frame }, &blob)));
        let others = (0..self.next.len() as u32).filter(|&to| to != pe);
        out.extend(others.map(|to| Message { to, pieces: pieces.clone() }));
    }

    /// Fails the calls whose limit has passed.
    pub(super) fn tick(&mut self, now: Instant, out: &mut Vec<Message>) {
        let Some(limit) = self.limit else { return };
        for (&seq, call) in &mut self.calls {
            if call.failure.is_none() && now >= call.since + limit {
                let missing: Vec<u32> = (0..).zip(&call.blobs).filter(|(_, b)| b.is_none()).map(|(pe, _)| pe).collect();
                let verb = if missing.len() == 1 { "has" } else { "have" };
                let text = format!("{} {verb} not arrived within {limit:?}", name_pes(&missing));
                call.fail(seq, ErrorKind::Timeout, missing[0], text, out);
            }
        }
    }

    /// The next moment at which [`tick`](Self::tick) has work to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let limit = self.limit?;
        self.calls.values().filter(|call| call.failure.is_none()).map(|call| call.since + limit).min()
    }
}

impl PendingCall {
    fn answer(&self, seq: u64, out: &mut Vec<Message>) {
        let parts = (0..).zip(self.blobs.iter().flatten());
        let op = self.op as u8;
        let pieces =
            pieces(parts.map(|(pe, blob)| (Frame { kind: FrameKind::Part, op, pe, seq, step: "", blob }, blob)));
        out.extend((0..self.blobs.len() as u32).map(|to| Message { to, pieces: pieces.clone() }));
    }

    /// Announces the failure to all PEs that have arrived; the others receive it when they arrive.
    fn fail(&mut self, seq: u64, kind: ErrorKind, about: u32, text: String, out: &mut Vec<Message>) {
        let failure = CallFailure { kind, about, text };
        // No PE will read these blobs again, but the call stays in memory until its last PE arrives.
        self.blobs.iter_mut().flatten().for_each(|blob| *blob = Arc::from([]));
        let arrived = (0..).zip(&self.blobs).filter(|(_, blob)| blob.is_some());
        out.extend(arrived.map(|(pe, _)| failure.message_to(pe, seq)));
        self.failure = Some(failure);
    }

    /// Describes the first arrival's call and `pe`'s call, which differ.
    fn describe_mismatch(&self, pe: u32, op: Op, step: &str) -> String {
        let first = (0..).zip(&self.blobs).find(|&(other, blob)| other != pe && blob.is_some());
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

impl CallFailure {
    fn message_to(&self, to: u32, seq: u64) -> Message {
        let blob: Arc<[u8]> = self.text.as_bytes().into();
        let op = failure_code(self.kind);
        let frame = Frame { kind: FrameKind::Failure, op, pe: self.about, seq, step: "", blob: &blob };
        Message { to, pieces: pieces(std::iter::once((frame, &blob))) }
    }
}

/// Encodes frames: large blobs are shared, the rest is joined.
fn pieces<'a>(frames: impl Iterator<Item = (Frame<'a>, &'a Arc<[u8]>)>) -> Vec<Arc<[u8]>> {
    let (mut pieces, mut small) = (Vec::new(), Vec::new());
    for (frame, blob) in frames {
        small.extend_from_slice(&frame.head());
        if blob.len() < PIECE {
            small.extend_from_slice(blob);
        }
        if blob.len() >= PIECE || small.len() >= PIECE {
            pieces.push(std::mem::take(&mut small).into());
        }
        if blob.len() >= PIECE {
            pieces.push(blob.clone());
        }
    }
    if !small.is_empty() {
        pieces.push(small.into());
    }
    pieces
}

/// Decodes text from the wire, cut to a length that fits into a message.
pub(super) fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned()
}

/// Lists PEs: "PE 2", "PE 2 and PE 3", "PE 2, PE 3 and 14 more".
pub(super) fn name_pes(pes: &[u32]) -> String {
    const SHOWN: usize = 8;
    let mut names: Vec<String> = pes.iter().take(SHOWN).map(|pe| format!("PE {pe}")).collect();
    if pes.len() > SHOWN {
        names.push(format!("{} more", pes.len() - SHOWN));
    }
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "nobody".into(),
    }
}

#[cfg(test)]
#[path = "tests/collective.rs"]
mod tests;
