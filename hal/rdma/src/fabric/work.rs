//! Work requests, completions and errors.

use oxshmem_core::host::{Error, ErrorKind};
use oxshmem_core::{AmoOp, AmoType};

/// Capacity of [`Local::Inline`] in bytes.
pub const INLINE_BYTES: usize = 32;

/// The local bytes of a work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    /// Registered memory: source of a write, destination of a read, and destination of the word that an atomic finds
    /// (in this machine's byte order).
    Memory {
        /// Address, counted from [`MemoryRegion::local_base`](super::MemoryRegion::local_base).
        address: u64,
        /// Number of bytes; for an atomic the size of its type.
        bytes: u32,
        /// [`MemoryRegion::local_key`](super::MemoryRegion::local_key).
        key: u64,
    },
    /// Bytes in the work request itself: source of a write only.
    Inline {
        /// The first `bytes` of these.
        data: [u8; INLINE_BYTES],
        /// Number of bytes, up to [`Endpoint::inline_bytes`](super::Endpoint::inline_bytes).
        bytes: u8,
    },
}

/// An atomic on one word of the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicRequest {
    /// The operation.
    pub op: AmoOp,
    /// The type of the word, which is aligned to its size.
    pub of: AmoType,
    /// Second operand, in the low bits.
    pub operand: u64,
    /// Comparand of [`AmoOp::CompareSwap`], in the low bits.
    pub compare: u64,
}

/// The effect of a work request on the peer's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Writes the local bytes.
    Write,
    /// Reads into the local bytes.
    Read,
    /// Changes a word and fetches its previous value. Only atomics of [`Capabilities::atomics`](super::Capabilities)
    /// are posted.
    Atomic(AtomicRequest),
}

impl Operation {
    /// Adds to 8 bytes, wrapping.
    pub const fn add(operand: u64) -> Self {
        Self::Atomic(AtomicRequest { op: AmoOp::Add, of: AmoType::B64, operand, compare: 0 })
    }

    /// Stores `swap` to 8 bytes that equal `compare`.
    pub const fn compare_swap(compare: u64, swap: u64) -> Self {
        Self::Atomic(AtomicRequest { op: AmoOp::CompareSwap, of: AmoType::B64, operand: swap, compare })
    }
}

/// A work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkRequest {
    /// Returned in [`Completion::id`].
    pub id: u64,
    /// The operation.
    pub op: Operation,
    /// This side's bytes.
    pub local: Local,
    /// The peer's memory, counted from its [`MemoryRegion::remote_base`](super::MemoryRegion::remote_base).
    pub remote: u64,
    /// The imported key of the peer's memory.
    pub remote_key: u64,
    /// Whether success is reported by a completion. Failure always is. Only completions free room on an endpoint, so at
    /// least one of every [`Endpoint::depth`](super::Endpoint::depth) requests is signalled.
    pub signalled: bool,
}

/// A completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The work request's [`id`](WorkRequest::id).
    pub id: u64,
    /// The outcome.
    pub status: Status,
    /// The provider's own number of a failure, for messages (verbs: the vendor's syndrome).
    pub code: u32,
}

/// Outcome of a work request.
///
/// The discriminants are those of a ConnectX's syndromes where it has one for the same cause, because faults on the
/// device carry them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Status {
    /// The request is complete.
    #[default]
    Success = 0,
    /// The request is longer than a message may be, or its lengths disagree.
    Length = 0x01,
    /// The endpoint can't execute the request, or is itself inconsistent.
    Endpoint = 0x02,
    /// The local memory is not registered for this operation.
    LocalProtection = 0x04,
    /// The endpoint failed before, and the request was not executed, or its execution is unknown.
    Flushed = 0x05,
    /// A memory window could not be bound (InfiniBand).
    WindowBind = 0x06,
    /// The peer's answer does not fit the request.
    BadResponse = 0x10,
    /// The answer could not be written to local memory.
    LocalAccess = 0x11,
    /// The peer considers the request malformed.
    RemoteRequest = 0x12,
    /// The peer's memory is not registered for this operation.
    RemoteAccess = 0x13,
    /// The peer could not execute the request.
    RemoteOperation = 0x14,
    /// The peer does not answer: dead, unreachable or disconnected.
    PeerGone = 0x15,
    /// The peer was not ready for too long (receiver not ready).
    NotReady = 0x16,
    /// The peer gave up the connection.
    PeerAborted = 0x22,
    /// The device or its library failed.
    Device = 0xff,
}

impl Status {
    /// Returns the status in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Success => "done",
            Self::Length => "length error",
            Self::Endpoint => "endpoint error",
            Self::LocalProtection => "local memory is not registered for this",
            Self::Flushed => "flushed, because the endpoint failed before",
            Self::WindowBind => "a memory window could not be bound",
            Self::BadResponse => "bad response",
            Self::LocalAccess => "local access error",
            Self::RemoteRequest => "the peer considers the request malformed",
            Self::RemoteAccess => "remote access error",
            Self::RemoteOperation => "remote operation error",
            Self::PeerGone => "no answer from the peer",
            Self::NotReady => "the peer is not ready",
            Self::PeerAborted => "the peer gave up",
            Self::Device => "device error",
        }
    }

    /// Returns the syndrome that a fault on the device carries; 0 if there is none for this cause.
    pub const fn syndrome(self) -> u8 {
        match self {
            Self::Success | Self::Device => 0,
            other => other as u8,
        }
    }
}

/// The reason why a work request was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostErrorKind {
    /// The endpoint has no room until requests of its own complete.
    Full,
    /// The device has no room now, whether or not requests of this endpoint are outstanding (`-FI_EAGAIN`).
    Again,
    /// The request is wrong, or the endpoint can't take requests.
    Failed,
}

/// A list of work requests that was not taken completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostError {
    /// Number of requests from the first that were taken. They complete like any others. The rest may be posted again.
    pub posted: usize,
    /// The reason why the next request was not taken.
    pub kind: PostErrorKind,
    /// The provider's number (verbs: an errno).
    pub code: i64,
    /// The call that returned it.
    pub call: &'static str,
}

impl PostError {
    /// Converts to the error of a caller that can't continue.
    pub fn into_error(self, action: impl Into<String>) -> Error {
        let kind = match self.kind {
            PostErrorKind::Full | PostErrorKind::Again => ErrorKind::Exhausted,
            PostErrorKind::Failed => ErrorKind::System,
        };
        Error::new(kind, action)
            .call(self.call, self.code, "it refused a work request")
            .because(format!("{} work requests before it were taken", self.posted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_without_a_cause_that_faults_know_has_no_syndrome() {
        assert_eq!([Status::Success, Status::Device].map(Status::syndrome), [0, 0]);
        assert_eq!([Status::RemoteAccess, Status::PeerGone].map(Status::syndrome), [0x13, 0x15]);
    }
}
