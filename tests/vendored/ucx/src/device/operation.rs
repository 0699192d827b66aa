//! Operations: memory that UCX uses until they have ended.

use std::ffi::c_int;
use std::time::Instant;

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_rdma::fabric::{AtomicRequest, AtomicSet, INLINE_BYTES, Local, Operation as Kind, Status, WorkRequest};

use super::failure::{self, Failure};
use super::peer::Peer;
use super::regions::Regions;
use crate::ucp::endpoint::{Far, Near};
use crate::ucp::ffi::{
    UCP_ATOMIC_OP_ADD, UCP_ATOMIC_OP_AND, UCP_ATOMIC_OP_CSWAP, UCP_ATOMIC_OP_OR, UCP_ATOMIC_OP_SWAP, UCP_ATOMIC_OP_XOR,
    UCS_ERR_CANCELED,
};
use crate::ucp::request::{Progress, Request};

const OPS: [AmoOp; 7] = [AmoOp::Fetch, AmoOp::Set, AmoOp::CompareSwap, AmoOp::Add, AmoOp::And, AmoOp::Or, AmoOp::Xor];
const TYPES: [AmoType; 5] = [AmoType::B32, AmoType::B64, AmoType::F16, AmoType::F32, AmoType::F64];

/// Returns UCX's operation for an atomic, and the bytes of its word. All but the addition of floats are operations on
/// integers. A fetch is the addition of 0, which [`operand`] gives.
fn name(op: AmoOp, of: AmoType) -> Option<(c_int, u32)> {
    let bytes = match of {
        AmoType::B32 | AmoType::F32 => 4,
        AmoType::B64 | AmoType::F64 => 8,
        AmoType::F16 => return None,
    };
    let op = match (op, of) {
        (AmoOp::Add, AmoType::F32 | AmoType::F64) => return None,
        (AmoOp::Fetch | AmoOp::Add, _) => UCP_ATOMIC_OP_ADD,
        (AmoOp::Set, _) => UCP_ATOMIC_OP_SWAP,
        (AmoOp::CompareSwap, _) => UCP_ATOMIC_OP_CSWAP,
        (AmoOp::And, _) => UCP_ATOMIC_OP_AND,
        (AmoOp::Or, _) => UCP_ATOMIC_OP_OR,
        (AmoOp::Xor, _) => UCP_ATOMIC_OP_XOR,
    };
    Some((op, bytes))
}

/// Returns the operand of an atomic, and the word that its reply replaces: a compare-and-swap takes the comparand as
/// its operand, and the new value from the word of the reply.
fn operand(atomic: &AtomicRequest) -> (u64, u64) {
    match atomic.op {
        AmoOp::Fetch => (0, 0),
        AmoOp::CompareSwap => (atomic.compare, atomic.operand),
        _ => (atomic.operand, 0),
    }
}

/// Returns the atomics that UCX has, by NICs or as messages.
pub(super) fn atomics() -> AtomicSet {
    let pairs = OPS.into_iter().flat_map(|op| TYPES.map(|of| (op, of)));
    pairs.filter(|(op, of)| name(*op, *of).is_some()).fold(AtomicSet::NONE, |set, (op, of)| set.with(op, of))
}

/// The stage of an operation.
#[derive(Debug)]
pub(super) enum Stage {
    /// UCX does not have it yet.
    Waiting,
    /// UCX has it, and uses its memory.
    Posted(Request),
    /// A write that has left its source, with its number at the peer.
    Left(u64),
    /// It has ended.
    Ended(Option<Failure>),
}

/// One operation. UCX uses its words while it is posted, so that the slot must not move.
struct Slot {
    request: WorkRequest,
    stage: Stage,
    since: Instant,
    /// The number of a write at the peer.
    write: u64,
    operand: u64,
    reply: u64,
    inline: [u8; INLINE_BYTES],
}

/// All operations of a device, by number. A number is free again once its operation has ended and was reported.
#[derive(Default)]
pub(super) struct Operations {
    // Boxed one by one, so that a longer table does not move slots that UCX uses.
    #[allow(clippy::vec_box, reason = "UCX holds addresses of them")]
    slots: Vec<Box<Slot>>,
    free: Vec<u32>,
}

impl Operations {
    /// Adds a request and returns its number.
    pub(super) fn take(&mut self, request: &WorkRequest) -> u32 {
        let (operand, reply) = match &request.op {
            Kind::Atomic(atomic) => operand(atomic),
            Kind::Write | Kind::Read => (0, 0),
        };
        let inline = match request.local {
            Local::Inline { data, .. } => data,
            Local::Memory { .. } => [0; INLINE_BYTES],
        };
        let (stage, since, request) = (Stage::Waiting, Instant::now(), *request);
        let slot = Slot { request, stage, since, write: 0, operand, reply, inline };
        match self.free.pop() {
            Some(number) => {
                *self.slots[number as usize] = slot;
                number
            }
            None => {
                self.slots.push(Box::new(slot));
                (self.slots.len() - 1) as u32
            }
        }
    }

    pub(super) fn stage(&self, number: u32) -> &Stage {
        &self.slots[number as usize].stage
    }

    pub(super) fn request(&self, number: u32) -> &WorkRequest {
        &self.slots[number as usize].request
    }

    pub(super) fn since(&self, number: u32) -> Instant {
        self.slots[number as usize].since
    }

    /// Ends an operation that UCX does not have.
    pub(super) fn end(&mut self, number: u32, failure: Option<Failure>) {
        self.slots[number as usize].stage = Stage::Ended(failure);
    }

    /// Forgets an operation that was reported. UCX may use the memory of one that has not ended, which keeps its slot.
    pub(super) fn forget(&mut self, number: u32) {
        if !matches!(self.stage(number), Stage::Posted(_)) {
            self.free.push(number);
        }
    }

    /// Gives all requests back to UCX, before its worker ends.
    pub(super) fn release(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.stage = Stage::Ended(None));
    }

    /// Starts an operation.
    pub(super) fn post(&mut self, number: u32, peer: &mut Peer, regions: &Regions) {
        let slot = &mut *self.slots[number as usize];
        let started = slot.start(peer, regions);
        if let (Kind::Write, Ok(_)) = (slot.request.op, &started) {
            slot.write = peer.count();
        }
        slot.stage = match started {
            Ok(Progress::Pending(request)) => Stage::Posted(request),
            Ok(Progress::Done) => slot.done(regions),
            Ok(Progress::Failed(status)) => Stage::Ended(Some(failure::of(status))),
            Err(failure) => Stage::Ended(Some(failure)),
        };
    }

    /// Updates the state after progress of the worker.
    pub(super) fn progress(&mut self, number: u32, peer: &Peer, regions: &Regions) {
        let slot = &mut *self.slots[number as usize];
        if let Stage::Posted(request) = &slot.stage {
            slot.stage = match request.state() {
                Ok(false) => return,
                Ok(true) => slot.done(regions),
                // The endpoint was closed for this reason.
                Err(UCS_ERR_CANCELED) => Stage::Ended(Some(peer.failure().unwrap_or(failure::of(UCS_ERR_CANCELED)))),
                Err(status) => Stage::Ended(Some(failure::of(status))),
            };
        }
        if let Stage::Left(write) = slot.stage {
            if peer.has_arrived(write) {
                slot.stage = Stage::Ended(None);
            } else if let Some(failure) = peer.failure() {
                slot.stage = Stage::Ended(Some(failure));
            }
        }
    }
}

impl Slot {
    /// Starts the operation, if both of its ends are registered.
    fn start(&mut self, peer: &mut Peer, regions: &Regions) -> Result<Progress, Failure> {
        let WorkRequest { op, local, remote, remote_key, .. } = self.request;
        let (near, bytes) = match local {
            Local::Memory { address, bytes, key } => {
                let region = regions.local(key, address, bytes).ok_or((Status::LocalProtection, 0))?;
                (Near { at: address as *mut _, bytes: bytes as usize, region: Some(region) }, bytes)
            }
            Local::Inline { bytes, .. } => {
                let at = self.inline.as_mut_ptr().cast();
                (Near { at, bytes: usize::from(bytes).min(INLINE_BYTES), region: None }, bytes.into())
            }
        };
        // UCX checks it only if a NIC executes the request.
        let key = regions.remote(remote_key, remote, bytes).ok_or((Status::RemoteAccess, 0))?;
        let (endpoint, key) = peer.ready(remote_key, key)?;
        let far = Far { at: remote, key };
        Ok(match op {
            // SAFETY: **stays**: the transport keeps registered memory unchanged until the completion, and inline bytes
            // are in the slot, which is not reused before the operation has ended.
            Kind::Write => unsafe { endpoint.transfer(true, near, far) },
            // SAFETY: **stays**: the transport keeps the destination unused until the completion.
            Kind::Read => unsafe { endpoint.transfer(false, near, far) },
            Kind::Atomic(atomic) => {
                let (op, size) = name(atomic.op, atomic.of).ok_or((Status::Endpoint, 0))?;
                if bytes != size {
                    return Err((Status::Length, 0));
                }
                if !remote.is_multiple_of(size.into()) {
                    return Err((Status::RemoteRequest, 0));
                }
                // SAFETY: **stays**: both words are in the slot, which is not reused before the operation has ended.
                unsafe { endpoint.atomic(op, size, &raw const self.operand, &raw mut self.reply, far) }
            }
        })
    }

    /// Returns the stage after UCX has completed the operation. A fetched word is stored.
    fn done(&self, regions: &Regions) -> Stage {
        match self.request.op {
            Kind::Write => Stage::Left(self.write),
            Kind::Read => Stage::Ended(None),
            Kind::Atomic(_) => {
                let stored = regions.store(&self.request.local, self.reply);
                Stage::Ended((!stored).then_some((Status::LocalAccess, 0)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_atomics_but_the_addition_of_floats_are_ucx_s() {
        let set = atomics();
        for op in OPS {
            for of in TYPES {
                let is_float = matches!(of, AmoType::F32 | AmoType::F64);
                let has = of != AmoType::F16 && !(is_float && op == AmoOp::Add);
                assert_eq!(set.has(op, of), has, "{op:?} {of:?}");
            }
        }
    }

    #[test]
    fn a_compare_and_swap_gives_the_new_value_in_the_word_of_its_reply() {
        let of = |op| operand(&AtomicRequest { op, of: AmoType::B64, operand: 7, compare: 9 });
        assert_eq!(of(AmoOp::CompareSwap), (9, 7));
        assert_eq!((of(AmoOp::Fetch), of(AmoOp::Add), of(AmoOp::Set)), ((0, 0), (7, 0), (7, 0)));
    }
}
