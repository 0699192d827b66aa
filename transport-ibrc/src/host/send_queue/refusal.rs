//! Reasons for which a request can't be posted.

use oxshmem_core::AmoOp;
use oxshmem_raw::fabric::{AtomicRequest, Operation};

/// Why a request can't be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Refusal {
    /// It is none, or leaves the peer's heap.
    Request,
    /// This PE's memory at this address, so many bytes, is not registered.
    NotRegistered(u64, u64),
    /// A fetch of this opcode completed and had fetched nothing.
    NoData(u8),
    /// The device did not take a work request.
    Post(u8),
    /// Nobody is there any more.
    Ended,
}

/// What a work request was to do, as faults have it: a ConnectX's opcode.
pub(in crate::host) const fn opcode(op: &Operation) -> u8 {
    match op {
        Operation::Write => 0x08,
        Operation::Read => 0x10,
        Operation::Atomic(AtomicRequest { op: AmoOp::CompareSwap, .. }) => 0x11,
        Operation::Atomic(_) => 0x12,
    }
}
