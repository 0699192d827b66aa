//! The frames that a connection carries once it is trusted.
//!
//! A frame has a fixed header, a step name and a blob:
//!
//! ```text
//! byte  0     1   2         4         8   12     16          24
//!       kind  op  step_len  blob_len  PE  count  sequence    step, then blob
//! ```
//! Count is the number of PEs, from the named one on, to which the frame applies. It is 0 in frames of other kinds.
//! A frame of mail has its sender in the place of the sequence number.
//! All numbers are little-endian. [`parse`] is a pure function over the bytes received so far. It checks both lengths
//! against their limits before anything is stored for them.

use std::sync::Arc;

use oxshmem_core::{Error, ErrorKind};

/// The longest blob that one PE gives to one collective call, in bytes.
pub const MAX_BLOB_BYTES: usize = 64 << 20;
/// The longest name of a step, in bytes.
pub const MAX_STEP_BYTES: usize = 4 << 10;

/// Smaller frames are joined up to this many bytes, so that a call of many PEs does not need as many pieces.
pub(crate) const PIECE: usize = 64 << 10;

pub(crate) const HEADER: usize = 24;

/// Defines an enum whose variants are numbers of one byte on the wire, and the function that reads such a byte.
macro_rules! byte_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $raw:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum $name {
            $($(#[$variant_doc])* $variant = $raw,)*
        }

        impl $name {
            /// Returns the variant of this byte; `None` if it names none.
            pub(crate) const fn from_raw(raw: u8) -> Option<Self> {
                match raw {
                    $($raw => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use byte_enum;

byte_enum! {
    /// The purpose of a frame.
    FrameKind {
        /// To the root: `count` PEs arrived at a collective call, each with this blob.
        Arrive = 1,
        /// To the root: the PE can't continue; the blob is the reason.
        Fail = 2,
        /// To the root: the PE arrived but can't take part; the blob is the reason.
        Refuse = 3,
        /// From the root: the blob of each of `count` PEs.
        Part = 4,
        /// From the root: the call failed; `op` is the error code, the blob its text.
        Failure = 5,
        /// From the root, and to it from a PE that passes calls on: `pe` is dead; the blob is the evidence.
        Dead = 6,
        /// From the root to a PE that joins: `pe` is the fan-out of the tree.
        Tree = 7,
        /// To the root: the PE listens for its children; the blob has its addresses.
        Listens = 8,
        /// From the root to a PE that joins: its parent is `pe`; the blob has the parent's addresses.
        Parent = 9,
        /// To the root: the PE is connected to its parent, and this connection ends.
        Moved = 10,
        /// From a PE to the PE `pe`: the blob is mail. `op` is the channel, and the sequence number the sending PE.
        Mail = 11,
        /// From the process that made the unique id to a PE that joins: the blob has the addresses of the root.
        Root = 12,
    }
}

impl FrameKind {
    /// Returns whether such a frame has a number of PEs.
    const fn counts(self) -> bool {
        matches!(self, Self::Arrive | Self::Refuse | Self::Part)
    }
}

byte_enum! {
    /// The collective call that a frame belongs to. PEs that arrive at one call with different values made a mistake.
    Op {
        Gather = 1,
        Barrier = 2,
        Agree = 3,
        Fds = 4,
        Leave = 5,
        Connect = 6,
        Swap = 7,
    }
}

impl Op {
    /// Returns the name of the call in error messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Barrier => "barrier",
            Self::Agree => "agreement",
            Self::Fds => "file descriptors",
            Self::Leave => "leave",
            Self::Connect => "connect",
            Self::Swap => "data for each PE",
        }
    }
}

/// Returns the action that error messages name.
pub(crate) fn action(op: Op, step: &str) -> String {
    match op {
        Op::Connect => "connect the PEs of the world".into(),
        _ => format!("complete `{}`", step.chars().take(100).collect::<String>()),
    }
}

/// Adds the hint that fits a failure of the first call.
pub(crate) fn connect_hint(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Timeout => error.hint("check that all PEs were started, and for the same world"),
        _ => error,
    }
}

/// The errors with which the root can end a call; a frame carries the index.
const FAILURES: [ErrorKind; 9] = [
    ErrorKind::Timeout,
    ErrorKind::Mismatch,
    ErrorKind::OutOfRange,
    ErrorKind::System,
    ErrorKind::Exhausted,
    ErrorKind::PeerDied,
    ErrorKind::Malformed,
    ErrorKind::Unreachable,
    ErrorKind::Refused,
];

/// Decodes the error kind of a failure frame.
pub(crate) fn failure_kind(op: u8) -> ErrorKind {
    FAILURES.get(usize::from(op)).copied().unwrap_or(ErrorKind::Malformed)
}

/// Encodes an error kind for a failure frame, and for the first byte of a refusal's blob.
pub(crate) fn failure_code(kind: ErrorKind) -> u8 {
    FAILURES.iter().position(|&known| known == kind).map_or(u8::MAX, |at| at as u8)
}

/// One frame, borrowed from the bytes it was parsed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub kind: FrameKind,
    /// Raw, since its meaning depends on the kind.
    pub op: u8,
    pub pe: u32,
    pub count: u32,
    pub seq: u64,
    pub step: &'a str,
    pub blob: &'a [u8],
}

/// The reason why bytes can't become a frame, with any bytes after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    Kind(u8),
    StepLength(usize),
    BlobLength(usize),
    Count(FrameKind, u32),
    StepText,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Kind(kind) => write!(f, "it sent a message of unknown kind {kind}"),
            Self::StepLength(bytes) => write!(f, "it sent a step name of {bytes} bytes, {MAX_STEP_BYTES} are allowed"),
            Self::BlobLength(bytes) => write!(f, "it sent a blob of {bytes} bytes, {MAX_BLOB_BYTES} are allowed"),
            Self::Count(kind, pes) => write!(f, "it sent a message {kind:?} about {pes} PEs"),
            Self::StepText => write!(f, "it sent a step name that is not UTF-8"),
        }
    }
}

impl Frame<'_> {
    /// Encodes the header and the step name. The blob follows separately, to avoid a copy.
    ///
    /// The caller has checked both lengths.
    pub(crate) fn head(&self) -> Vec<u8> {
        debug_assert!(self.step.len() <= MAX_STEP_BYTES && self.blob.len() <= MAX_BLOB_BYTES);
        let mut bytes = Vec::with_capacity(HEADER + self.step.len());
        bytes.extend_from_slice(&[self.kind as u8, self.op]);
        bytes.extend_from_slice(&(self.step.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&(self.blob.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.pe.to_le_bytes());
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.extend_from_slice(&self.seq.to_le_bytes());
        bytes.extend_from_slice(self.step.as_bytes());
        bytes
    }

    /// Encodes the whole frame.
    pub(crate) fn encoded(&self) -> Arc<[u8]> {
        [&self.head(), self.blob].concat().into()
    }
}

/// Returns the frame that announces the tree's fan-out to a joining PE.
pub(crate) fn tree_of(fan_out: u32) -> Arc<[u8]> {
    Frame { kind: FrameKind::Tree, op: 0, pe: fan_out, count: 0, seq: 0, step: "", blob: &[] }.encoded()
}

/// Returns the frame that announces the parent's addresses to a joining PE.
pub(crate) fn parent_at(parent: u32, addresses: &[u8]) -> Arc<[u8]> {
    Frame { kind: FrameKind::Parent, op: 0, pe: parent, count: 0, seq: 0, step: "", blob: addresses }.encoded()
}

/// Returns the frame that announces the root's addresses to a joining PE.
pub(crate) fn root_at(addresses: &[u8]) -> Arc<[u8]> {
    Frame { kind: FrameKind::Root, op: 0, pe: 0, count: 0, seq: 0, step: "", blob: addresses }.encoded()
}

/// Encodes the announcement of a death.
pub(crate) fn death(pe: u32, reason: &str) -> Vec<Arc<[u8]>> {
    let blob: Arc<[u8]> = reason.as_bytes().into();
    let frame = Frame { kind: FrameKind::Dead, op: 0, pe, count: 0, seq: 0, step: "", blob: &blob };
    pieces(std::iter::once((frame, &blob)))
}

/// Encodes frames: large blobs are shared, the rest is joined.
pub(crate) fn pieces<'a>(frames: impl Iterator<Item = (Frame<'a>, &'a Arc<[u8]>)>) -> Vec<Arc<[u8]>> {
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

/// Returns the part of a call that is too long: its bytes, its limit and its name.
pub(crate) fn too_long(step: &str, blob: &[u8]) -> Option<(usize, usize, &'static str)> {
    match (step.len(), blob.len()) {
        (step, _) if step > MAX_STEP_BYTES => Some((step, MAX_STEP_BYTES, "a step name")),
        (_, blob) if blob > MAX_BLOB_BYTES => Some((blob, MAX_BLOB_BYTES, "a blob")),
        _ => None,
    }
}

/// Returns the frame at the start of `bytes` and its length in bytes; `None` if it is incomplete.
///
/// # Errors
/// The reason, as soon as the bytes so far can't be the start of a frame.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Frame<'_>, usize)>, Malformed> {
    let Some(&raw_kind) = bytes.first() else { return Ok(None) };
    let kind = FrameKind::from_raw(raw_kind).ok_or(Malformed::Kind(raw_kind))?;
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let step_len = usize::from(u16::from_le_bytes([header[2], header[3]]));
    let blob_len = word(4) as usize;
    if step_len > MAX_STEP_BYTES {
        return Err(Malformed::StepLength(step_len));
    }
    if blob_len > MAX_BLOB_BYTES {
        return Err(Malformed::BlobLength(blob_len));
    }
    let count = word(12);
    if kind.counts() != (count > 0) {
        return Err(Malformed::Count(kind, count));
    }
    let Some((step, rest)) = rest.split_at_checked(step_len) else { return Ok(None) };
    let step = std::str::from_utf8(step).map_err(|_| Malformed::StepText)?;
    let Some((blob, _)) = rest.split_at_checked(blob_len) else { return Ok(None) };
    let seq = u64::from(word(16)) | u64::from(word(20)) << 32;
    Ok(Some((Frame { kind, op: header[1], pe: word(8), count, seq, step, blob }, HEADER + step_len + blob_len)))
}

/// Decodes text from the wire, cut to a length that fits into a message.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned()
}

/// Lists PEs: "PE 2", "PE 2 and PE 3", "PE 2, PE 3 and 14 more".
pub(crate) fn name_pes(pes: &[u32]) -> String {
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

/// Received bytes that are not complete frames yet. The buffer grows with the bytes received, never by a length in a
/// header.
#[derive(Default)]
pub(crate) struct Inbox {
    bytes: Vec<u8>,
    taken: usize,
    /// The frames before this byte were [`passed`](Self::passed).
    passed: usize,
}

impl Inbox {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.taken);
        (self.taken, self.passed) = (0, 0);
        if self.bytes.is_empty() {
            // Frees the memory of a large blob.
            self.bytes.shrink_to(1 << 16);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete frame.
    pub(crate) fn next(&mut self) -> Result<Option<Frame<'_>>, Malformed> {
        let parsed = parse(&self.bytes[self.taken..])?;
        Ok(parsed.map(|(frame, bytes)| {
            self.taken += bytes;
            frame
        }))
    }

    /// Returns how many bytes are missing until [`next`](Self::next) returns a frame or can read its
    /// length: first those of its header, then those after the header.
    pub(crate) fn missing(&self) -> usize {
        let bytes = &self.bytes[self.taken..];
        let Some((header, _)) = bytes.split_first_chunk::<HEADER>() else { return HEADER - bytes.len() };
        let step_len = u16::from_le_bytes([header[2], header[3]]) as usize;
        let blob_len = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        (HEADER + step_len + blob_len).saturating_sub(bytes.len())
    }

    /// Returns the bytes of the frames that [`next`](Self::next) has returned since the last call of this function. The
    /// caller calls it before the next [`push`](Self::push).
    pub(crate) fn passed(&mut self) -> &[u8] {
        let from = std::mem::replace(&mut self.passed, self.taken);
        &self.bytes[from..self.taken]
    }
}

#[cfg(test)]
#[path = "tests/frame.rs"]
mod tests;
