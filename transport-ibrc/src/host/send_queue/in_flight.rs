//! What a queue pair keeps of requests: those that wait, those under way, and those that are to leave their ring.

use oxshmem_raw::queue::amo::Atomic;

use crate::host::memory::keys::KeyedRange;
use crate::request::Line;

/// A request that was taken, and is not all posted.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct PendingRequest {
    pub(in crate::host) index: u64,
    pub(in crate::host) line: Line,
    /// Bytes of it that are posted.
    pub(in crate::host) at: u64,
}

/// What is done when a work request is complete.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) enum OnComplete {
    Nothing,
    /// Its slot has the answer, so many bytes.
    Word(Line, u8),
    /// Its slot has what an atomic fetched.
    Fetched(Line, Atomic),
    /// Its slot has what the round of an atomic fetched.
    Round,
    /// The chunk is free.
    Free(u64),
    /// So many bytes of the chunk go to this address.
    Unstage(u64, u64, u64),
}

/// A posted work request of which something is to be done; or a run of them, each the last of its request, whose numbers
/// and indices follow each other.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct InFlight {
    /// Its number, or the last one's.
    pub(in crate::host) wr: u64,
    /// How many they are.
    pub(in crate::host) run: u64,
    /// The request that it is the last of.
    pub(in crate::host) index: Option<u64>,
    /// The request that it is of.
    pub(in crate::host) of: u64,
    pub(in crate::host) opcode: u8,
    pub(in crate::host) after: OnComplete,
}

/// Requests whose indices follow each other and which leave the ring one by one.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct RingRelease {
    /// The last leaves when so many work requests are posted, each before it one earlier.
    pub(in crate::host) posted: u64,
    /// The last one's index.
    pub(in crate::host) index: u64,
    pub(in crate::host) count: u64,
}

/// An atomic in rounds of compare-and-swap.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct CasLoop {
    pub(in crate::host) index: u64,
    pub(in crate::host) line: Line,
    pub(in crate::host) atomic: Atomic,
    /// The 8 bytes at the peer.
    pub(in crate::host) whole: u64,
    pub(in crate::host) to: KeyedRange,
    pub(in crate::host) guess: u64,
}
