//! Reasons for which a request can't be posted.

use oxshmem_core::AmoOp;
use oxshmem_rdma::fabric::{AtomicRequest, Operation};

/// Why a request can't be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Refusal {
    /// It is malformed, or leaves the peer's heap.
    Request,
    /// This PE's memory at an address is not registered, and can't be copied: address, bytes.
    NotRegistered(u64, u64),
    /// A fetch completed without its data: its opcode.
    NoData(u8),
    /// The device did not take a work request: its opcode.
    Post(u8),
    /// The queue could not be connected.
    NotConnected,
    /// The progress thread has ended.
    Ended,
}

/// Returns the opcode of an operation in faults: that of a ConnectX.
pub(in crate::host) const fn opcode(op: &Operation) -> u8 {
    match op {
        Operation::Write => 0x08,
        Operation::Read => 0x10,
        Operation::Atomic(AtomicRequest { op: AmoOp::CompareSwap, .. }) => 0x11,
        Operation::Atomic(_) => 0x12,
    }
}
