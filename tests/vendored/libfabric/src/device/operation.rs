//! Operations: memory that libfabric uses until they have ended.

use std::ffi::c_void;
use std::time::Instant;

use oxshmem_core::AmoOp;
use oxshmem_rdma::fabric::{INLINE_BYTES, Local, Operation as Kind, Status, WorkRequest};

use super::atomics;
use super::failure::{Failure, status};
use super::mailbox::{Context, Mailbox};
use super::message::{Answer, Order, Ticket};
use super::regions::Regions;
use crate::libfabric::channel::{Channel, Far, Near, NotPosted};

/// The stage of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// libfabric has not taken it yet.
    Waiting,
    /// libfabric has it.
    Posted,
    /// The peer was asked by a message. libfabric does not have it.
    Asked,
    /// It has ended.
    Ended(Option<Failure>),
}

/// One operation. libfabric reads its words while it is posted, so that the slot must not move.
struct Slot {
    request: WorkRequest,
    descriptor: *mut c_void,
    /// Whether an atomic that is carried as a message may store the word that it fetches.
    admitted: Result<(), Status>,
    stage: Stage,
    since: Instant,
    /// The serial, which distinguishes it from earlier operations of the same number.
    serial: u64,
    /// The connection to which it belongs; 0 once that is gone.
    endpoint: u64,
    operand: u64,
    compare: u64,
    inline: [u8; INLINE_BYTES],
}

// SAFETY: the descriptor is a number of libfabric's, which any thread may hand back to it (FI_THREAD_SAFE).
unsafe impl Send for Slot {}

/// All operations of a device, by number. A number is free again once its operation has ended and was reported.
#[derive(Default)]
pub(super) struct Operations {
    // Boxed one by one, so that a longer table does not move slots that libfabric uses.
    #[allow(clippy::vec_box, reason = "libfabric holds addresses of them")]
    slots: Vec<Box<Slot>>,
    free: Vec<u32>,
    last_serial: u64,
    last_error: Option<String>,
}

impl Operations {
    /// Adds a request and returns its number.
    pub(super) fn take(&mut self, endpoint: u64, request: &WorkRequest, regions: &Regions) -> u32 {
        let (operand, compare, admitted) = match &request.op {
            Kind::Atomic(atomic) => (atomic.operand, atomic.compare, regions.admits(&request.local, atomic)),
            _ => (0, 0, Ok(())),
        };
        let descriptor = regions.descriptor(&request.local);
        self.last_serial += 1;
        let serial = self.last_serial;
        let inline = match request.local {
            Local::Inline { data, .. } => data,
            Local::Memory { .. } => [0; INLINE_BYTES],
        };
        let (stage, since, request) = (Stage::Waiting, Instant::now(), *request);
        let slot = Slot { request, descriptor, admitted, stage, since, serial, endpoint, operand, compare, inline };
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

    pub(super) fn stage(&self, number: u32) -> Stage {
        self.slots[number as usize].stage
    }

    pub(super) fn request(&self, number: u32) -> &WorkRequest {
        &self.slots[number as usize].request
    }

    pub(super) fn since(&self, number: u32) -> Instant {
        self.slots[number as usize].since
    }

    /// Ends an operation that libfabric does not have.
    pub(super) fn end(&mut self, number: u32, failure: Option<Failure>) {
        self.slots[number as usize].stage = Stage::Ended(failure);
    }

    /// Forgets an operation that was reported. One that libfabric still has keeps its slot until it ends.
    pub(super) fn forget(&mut self, number: u32) {
        let slot = &mut self.slots[number as usize];
        if slot.stage == Stage::Posted {
            slot.endpoint = 0;
        } else {
            self.free.push(number);
        }
    }

    /// Records that libfabric has ended an operation, and returns the connection to which it belongs.
    pub(super) fn ended(&mut self, number: u32, failure: Option<Failure>) -> Option<u64> {
        let slot = self.slots.get_mut(number as usize)?;
        slot.stage = Stage::Ended(failure);
        if slot.endpoint == 0 {
            self.free.push(number);
            return None;
        }
        Some(slot.endpoint)
    }

    /// Returns the operation that waits for the answer of this ticket, if it still does.
    fn asked(&mut self, ticket: Ticket) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(ticket.number as usize)?;
        (slot.stage == Stage::Asked && slot.serial == ticket.serial).then_some(&mut **slot)
    }

    /// Records that an order could not be sent, and returns the connection of its operation.
    pub(super) fn not_asked(&mut self, ticket: Ticket, failure: Failure) -> Option<u64> {
        let slot = self.asked(ticket)?;
        slot.stage = Stage::Ended(Some(failure));
        Some(slot.endpoint)
    }

    /// Stores the word of an answer, and returns the connection of its operation.
    pub(super) fn answered(&mut self, answer: &Answer, regions: &Regions) -> Option<u64> {
        let slot = self.asked(answer.ticket)?;
        let stored = answer.outcome.and_then(|word| match regions.store(&slot.request.local, word) {
            true => Ok(()),
            false => Err(Status::LocalAccess),
        });
        slot.stage = Stage::Ended(stored.err().map(|status| (status, 0)));
        let endpoint = slot.endpoint;
        if stored.is_err() {
            self.last_error = Some("as the peer answered the message of an atomic".into());
        }
        Some(endpoint)
    }

    /// Keeps the provider's text of a failure.
    pub(super) fn note(&mut self, text: String) {
        self.last_error = Some(text);
    }

    /// Returns the provider's text of the last failure.
    pub(super) fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    /// Posts an operation to peer `peer`, an atomic as a message if there is a mailbox. Returns whether libfabric took
    /// it, or it ended at once.
    pub(super) fn post(&mut self, channel: &Channel, mailbox: Option<&mut Mailbox>, number: u32, peer: u64) -> bool {
        let slot = &mut *self.slots[number as usize];
        let WorkRequest { op, local, remote, remote_key, .. } = slot.request;
        let far = Far { peer, at: remote, key: remote_key };
        let near = match local {
            Local::Memory { address, bytes, .. } => {
                Near { at: address as *mut c_void, bytes: bytes as usize, descriptor: slot.descriptor }
            }
            Local::Inline { bytes, .. } => {
                Near { at: slot.inline.as_mut_ptr().cast(), bytes: bytes.into(), descriptor: slot.descriptor }
            }
        };
        let context = Context::Operation(number).number();
        let posted = match op {
            // SAFETY: **stays**: the transport keeps registered memory unchanged until the completion, and inline bytes
            // are in the slot, which is not reused before the operation has ended.
            Kind::Write => unsafe { channel.transfer(true, near, far, context) },
            // SAFETY: **stays**: the transport keeps the destination unused until the completion.
            Kind::Read => unsafe { channel.transfer(false, near, far, context) },
            Kind::Atomic(atomic) if let Some(mailbox) = mailbox => {
                let ticket = Ticket { number, serial: slot.serial };
                let order = Order { ticket, remote, key: remote_key, atomic };
                slot.stage = match slot.admitted.map(|()| mailbox.ask(channel, peer, &order)) {
                    Ok(Ok(())) => Stage::Asked,
                    Ok(Err(NotPosted::Again)) => return false,
                    Ok(Err(NotPosted::Failed(errno))) => Stage::Ended(Some((status(errno), errno as u32))),
                    Err(status) => Stage::Ended(Some((status, 0))),
                };
                return true;
            }
            Kind::Atomic(atomic) => match atomics::names(atomic.op, atomic.of) {
                Some(names) => {
                    let compare = (atomic.op == AmoOp::CompareSwap).then_some(&raw const slot.compare);
                    let words = (&raw const slot.operand, compare);
                    // SAFETY: **stays**: the operands are in the slot, and the transport keeps the result's memory
                    // unused until the completion.
                    unsafe { channel.atomic(names, words, (near.at, near.descriptor), far, context) }
                }
                None => Err(NotPosted::Failed(libc::EINVAL)),
            },
        };
        slot.stage = match posted {
            Ok(()) => Stage::Posted,
            Err(NotPosted::Again) => return false,
            Err(NotPosted::Failed(errno)) => Stage::Ended(Some((status(errno), errno as u32))),
        };
        true
    }
}
