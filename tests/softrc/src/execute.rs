//! Execution of work requests.

use std::collections::HashMap;
use std::sync::PoisonError;

use oxshmem_core::{AmoOp, AmoType};
use oxshmem_raw::queue::amo;
use oxshmem_rdma::fabric::{AtomicRequest, Completion, INLINE_BYTES, Local, Operation, Status, WorkRequest};

use crate::device::{Device, Objects, narrow};
use crate::memory::At;
use crate::queue::{Posted, Ready, State};
use crate::{Registered, lock};

/// Room of one execution, kept so that polls do not allocate.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    handles: Vec<u64>,
    batch: Vec<Posted>,
    order: Vec<usize>,
    outcomes: Vec<Status>,
}

impl Device {
    /// Executes some of the requests on endpoints of this completion queue.
    pub(crate) fn execute(&self, objects: &mut Objects, cq: u64) {
        let mut scratch = std::mem::take(&mut objects.scratch);
        let Scratch { handles, batch, order, outcomes } = &mut scratch;
        let has_work =
            |(_, endpoint): &(_, &crate::queue::SoftEndpoint)| endpoint.cq == cq && !endpoint.queue.is_empty();
        handles.clear();
        handles.extend(objects.endpoints.iter().filter(has_work).map(|(handle, _)| *handle));
        while !handles.is_empty() {
            let at = objects.draw(handles.len() as u64) as usize;
            let handle = handles.swap_remove(at);
            // A call executes no request of some endpoints, and a few of others.
            let most = objects.draw(64);
            let mut empty = objects.draw(2) == 1;
            let Some(endpoint) = objects.endpoints.get_mut(&handle) else { continue };
            let polls = self.network.polls(endpoint.peer);
            // A peer that is gone polls no more, and requests to it fail.
            let at_once = !self.network.options.needs_progress || self.network.endpoint(endpoint.remote).is_none();
            let may = |posted: &Posted| at_once || polls > posted.peer_polls;
            let ready = endpoint.queue.iter().take(most as usize).take_while(|posted| may(posted)).count();
            batch.clear();
            batch.extend(endpoint.queue.drain(..ready));
            order.clear();
            order.extend(0..batch.len());
            if !self.network.options.ordered {
                for last in (1..order.len()).rev() {
                    order.swap(last, objects.draw(last as u64 + 1) as usize);
                }
            }
            let Objects { endpoints, cqs, .. } = objects;
            let (Some(endpoint), Some(cq)) = (endpoints.get_mut(&handle), cqs.get_mut(&cq)) else { continue };
            outcomes.clear();
            outcomes.resize(batch.len(), Status::Success);
            for &at in &*order {
                let Posted { wr, after_write, .. } = &batch[at];
                empty ^= after_write;
                outcomes[at] = match endpoint.state {
                    State::Connected => self.one(wr, endpoint.peer, endpoint.remote, *after_write && empty),
                    State::Created | State::Stopped => Status::Flushed,
                };
                if outcomes[at] != Status::Success {
                    endpoint.state = State::Stopped;
                }
            }
            // Completions come in the order of the requests, also after execution in another order.
            for (Posted { wr, .. }, status) in batch.iter().zip(&*outcomes) {
                endpoint.silent += 1;
                if wr.signalled || *status != Status::Success {
                    let completion = Completion { id: wr.id, status: *status, code: 0 };
                    let frees = std::mem::take(&mut endpoint.silent);
                    cq.ready.push_back(Ready { endpoint: handle, completion, frees });
                    cq.lost |= cq.ready.len() as u32 > cq.entries;
                }
            }
        }
        objects.scratch = scratch;
    }

    /// Executes one request. `empty`: a fetch changes the peer's memory as usual, and returns no data.
    fn one(&self, wr: &WorkRequest, peer: u32, remote_endpoint: u32, empty: bool) -> Status {
        if let Some(status) = self.made_to_fail(peer) {
            return status;
        }
        match self.network.endpoint(remote_endpoint) {
            None => return Status::PeerGone,
            // A real device would try again after a timeout, so a correct user never has that.
            Some(endpoint) if !endpoint.is_connected => return Status::NotReady,
            Some(_) => {}
        }
        // The lock is held until the end, so that the registrations found here stay valid.
        let regions = &*self.network.regions.read().unwrap_or_else(PoisonError::into_inner);
        let (local, bytes) = match wr.local {
            Local::Inline { bytes, .. } => (None, u64::from(bytes)),
            Local::Memory { address, bytes, key } => match find(regions, key, self.pe, address, bytes.into(), false) {
                Some(local) => (Some(local), bytes.into()),
                None => return Status::LocalProtection,
            },
        };
        if bytes > self.network.options.max_message.into() {
            return Status::Length;
        }
        let Some(remote) = find(regions, wr.remote_key, peer, wr.remote, bytes, true) else {
            return Status::RemoteAccess;
        };
        let gpus = &self.network.gpus;
        let done = match (wr.op, local) {
            (Operation::Write, Some(local)) => gpus.copy(remote, local, bytes),
            (Operation::Write, None) => {
                let Local::Inline { data, .. } = wr.local else { unreachable!("no local memory") };
                let words = data.as_chunks::<8>().0;
                let aligned: [u64; INLINE_BYTES / 8] = std::array::from_fn(|word| u64::from_ne_bytes(words[word]));
                gpus.copy(remote, At::host(aligned.as_ptr().expose_provenance() as u64), bytes)
            }
            (Operation::Read, Some(_)) if empty => Ok(()),
            (Operation::Read, Some(local)) => gpus.copy(local, remote, bytes),
            (Operation::Atomic(atomic), Some(local)) => {
                if bytes != size(atomic.of) || !remote.address.is_multiple_of(bytes) {
                    return Status::RemoteRequest;
                }
                gpus.update(remote.whole(), |was| changed(atomic, remote.address, was)).and_then(|was| {
                    let found = was >> (8 * (remote.address % 8));
                    if empty { Ok(()) } else { gpus.store(local, found, bytes) }
                })
            }
            (_, None) => return Status::Length,
        };
        match done {
            Ok(()) => Status::Success,
            Err(error) => {
                // A completion has no room for the reason.
                eprintln!("oxshmem-softrc: PE {} toward PE {peer}, {:?}: {error}", self.pe, wr.op);
                Status::Device
            }
        }
    }

    /// Whether the next work request toward `peer` is to fail.
    fn made_to_fail(&self, peer: u32) -> Option<Status> {
        let gone = lock(&self.network.gone);
        if gone.contains(&peer) || gone.contains(&self.pe) {
            return Some(Status::PeerGone);
        }
        let mut failures = lock(&self.network.failures);
        let at = failures.iter().position(|failure| failure.pe == self.pe && failure.to == peer)?;
        match failures[at].after.checked_sub(1) {
            Some(after) => {
                failures[at].after = after;
                None
            }
            None => Some(failures.swap_remove(at).status),
        }
    }
}

/// Returns the size of a type in bytes.
fn size(of: AmoType) -> u64 {
    match of {
        AmoType::B64 | AmoType::F64 => 8,
        AmoType::B32 | AmoType::F32 => 4,
        AmoType::F16 => 2,
    }
}

/// Returns the value after an atomic on the word at `at` of the 8 bytes around it, which were `was`. `None`: it changes
/// nothing.
fn changed(atomic: AtomicRequest, at: u64, was: u64) -> Option<u64> {
    let AtomicRequest { op, of, operand, compare } = atomic;
    let word = amo::Atomic::new(op, of, at, operand, compare)?;
    match word.swap(word.guess(was)) {
        // The bytes stay if the comparand differs.
        amo::NicAtomic::CompareSwap { compare, swap } => (op != AmoOp::Fetch && compare == was).then_some(swap),
        amo::NicAtomic::FetchAdd { .. } => None,
    }
}

/// Returns the memory of a range that a key of `pe` covers. `remote`: the address is the one that peers use.
fn find(regions: &HashMap<u32, Registered>, key: u64, pe: u32, at: u64, bytes: u64, remote: bool) -> Option<At> {
    let region = regions.get(&narrow(key)?).filter(|region| region.pe == pe && (region.remote || !remote))?;
    let offset = at.checked_sub(if remote { region.remote_base } else { region.base })?;
    (offset.checked_add(bytes)? <= region.bytes).then_some(At { address: region.address + offset, gpu: region.gpu })
}
