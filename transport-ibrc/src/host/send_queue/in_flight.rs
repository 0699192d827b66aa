//! Records of requests: waiting, in flight, and about to leave their ring.

use oxshmem_raw::queue::amo::Atomic;

use crate::host::memory::keys::KeyedRange;
use crate::request::Line;

/// A request that waits until all of its work requests are built.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct PendingRequest {
    pub(in crate::host) index: u64,
    pub(in crate::host) line: Line,
    /// Bytes for which work requests are built.
    pub(in crate::host) at: u64,
}

/// The action on completion of a work request.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) enum OnComplete {
    Nothing,
    /// A fetched word is in the slot; the second field is its size in bytes.
    Word(Line, u8),
    /// The 8 bytes around an atomic's word are in its slot.
    Fetched(Line, Atomic),
    /// The 8 bytes that a round of compare-and-swap found are in its slot.
    Round,
    /// The bounce buffer is free.
    Free(u64),
    /// Data of a get are in a bounce buffer: its address, the destination, the number of bytes.
    Unstage(u64, u64, u64),
}

/// A work request in flight that needs an action on completion; or a run of them, each the last of its request, with
/// consecutive numbers and indices.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct InFlight {
    /// Number of the work request, or of the last one of the run.
    pub(in crate::host) wr: u64,
    /// Length of the run.
    pub(in crate::host) run: u64,
    /// Index of the request that it finishes, if it is the last of one.
    pub(in crate::host) index: Option<u64>,
    /// Index of its request.
    pub(in crate::host) of: u64,
    pub(in crate::host) opcode: u8,
    pub(in crate::host) after: OnComplete,
}

/// Requests with consecutive indices that leave their ring one by one as work requests are posted.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct RingRelease {
    /// Number of posted work requests with which the last one leaves; each one before it leaves with one fewer.
    pub(in crate::host) posted: u64,
    /// Index of the last one.
    pub(in crate::host) index: u64,
    pub(in crate::host) count: u64,
}

/// An atomic in rounds of compare-and-swap.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct CasLoop {
    pub(in crate::host) index: u64,
    pub(in crate::host) line: Line,
    pub(in crate::host) atomic: Atomic,
    /// Heap offset of the 8 bytes at the peer.
    pub(in crate::host) whole: u64,
    pub(in crate::host) to: KeyedRange,
    pub(in crate::host) guess: u64,
}
