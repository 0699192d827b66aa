//! Atomics: the native ones of libfabric, and their names there.

use std::ffi::c_int;

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_rdma::fabric::AtomicSet;

use crate::libfabric::domain::Domain;
use crate::libfabric::ffi::{
    FI_ATOMIC_READ, FI_ATOMIC_WRITE, FI_BAND, FI_BOR, FI_BXOR, FI_CSWAP, FI_DOUBLE, FI_FLOAT, FI_SUM, FI_UINT32,
    FI_UINT64,
};

pub(super) const OPS: [AmoOp; 7] =
    [AmoOp::Fetch, AmoOp::Set, AmoOp::CompareSwap, AmoOp::Add, AmoOp::And, AmoOp::Or, AmoOp::Xor];
pub(super) const TYPES: [AmoType; 4] = [AmoType::B32, AmoType::B64, AmoType::F32, AmoType::F64];

/// Returns libfabric's type and operation for an atomic, if it has one of that meaning. Only additions depend on the
/// kind of number: all other operations are those of integers of the same size, so that a float is compared bit by bit.
pub(super) fn names(op: AmoOp, of: AmoType) -> Option<(c_int, c_int)> {
    let whole = match of {
        AmoType::B32 | AmoType::F32 => FI_UINT32,
        AmoType::B64 | AmoType::F64 => FI_UINT64,
        AmoType::F16 => return None,
    };
    Some(match (op, of) {
        (AmoOp::Fetch, _) => (whole, FI_ATOMIC_READ),
        (AmoOp::Set, _) => (whole, FI_ATOMIC_WRITE),
        (AmoOp::CompareSwap, _) => (whole, FI_CSWAP),
        (AmoOp::Add, AmoType::F32) => (FI_FLOAT, FI_SUM),
        (AmoOp::Add, AmoType::F64) => (FI_DOUBLE, FI_SUM),
        (AmoOp::Add, _) => (whole, FI_SUM),
        (AmoOp::And, _) => (whole, FI_BAND),
        (AmoOp::Or, _) => (whole, FI_BOR),
        (AmoOp::Xor, _) => (whole, FI_BXOR),
    })
}

/// Returns the atomics that messages carry: all that have a name here.
pub(super) fn by_messages() -> AtomicSet {
    let pairs = OPS.into_iter().flat_map(|op| TYPES.map(|of| (op, of)));
    pairs.fold(AtomicSet::NONE, |set, (op, of)| set.with(op, of))
}

/// Returns the atomics that the provider announces.
pub(crate) fn native(domain: &Domain) -> AtomicSet {
    let mut set = AtomicSet::NONE;
    for of in TYPES {
        for op in OPS {
            if names(op, of).is_some_and(|names| domain.has_atomic(names)) {
                set = set.with(op, of);
            }
        }
    }
    set
}
