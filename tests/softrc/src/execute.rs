//! Work requests, executed on memory.

use std::collections::HashMap;
use std::sync::PoisonError;

use oxshmem_raw::rdma::hca::access;
use oxshmem_raw::rdma::rc::{Local, QpState, Wc, Wr, WrOp, wc_status};

use crate::device::{Device, Objects};
use crate::memory::At;
use crate::{Registered, lock};

impl Device {
    /// Executes some of what was posted to queue pairs of this completion queue.
    pub(crate) fn execute(&self, objects: &mut Objects, cq: u64) {
        let mut handles: Vec<u64> = objects
            .qps
            .iter()
            .filter(|(_, qp)| qp.cq == cq && !qp.queue.is_empty())
            .map(|(handle, _)| *handle)
            .collect();
        while !handles.is_empty() {
            let at = objects.draw(handles.len() as u64) as usize;
            let handle = handles.swap_remove(at);
            // Of some queue pairs nothing this time, of others a few.
            let most = objects.draw(64);
            let mut empty = objects.draw(2) == 1;
            let Objects { qps, cqs, .. } = objects;
            let (Some(qp), Some(cq)) = (qps.get_mut(&handle), cqs.get_mut(&cq)) else { continue };
            for _ in 0..most {
                let Some((wr, behind_write)) = qp.queue.pop_front() else { break };
                qp.silent += 1;
                empty ^= behind_write;
                let status = match qp.state {
                    QpState::ReadyToSend => self.one(&wr, qp.peer, qp.remote, behind_write && empty),
                    _ => wc_status::FLUSHED,
                };
                if status != wc_status::SUCCESS {
                    qp.state = QpState::Error;
                }
                if wr.signalled || status != wc_status::SUCCESS {
                    let opcode = match wr.op {
                        WrOp::Write => 1,
                        WrOp::Read => 2,
                        WrOp::CompareSwap { .. } => 3,
                        WrOp::FetchAdd { .. } => 4,
                    };
                    let wc = Wc { id: wr.id, status, vendor: 0, qpn: qp.made.qpn, opcode, bytes: 0 };
                    cq.ready.push_back((handle, wc, std::mem::take(&mut qp.silent)));
                    cq.lost |= cq.ready.len() as u32 > cq.entries;
                }
            }
        }
    }

    /// `empty`: a fetch does what it does to the peer, and brings nothing.
    fn one(&self, wr: &Wr, peer: u32, remote_qpn: u32, empty: bool) -> u32 {
        if let Some(status) = self.made_to_fail(peer) {
            return status;
        }
        if !self.network.queues.read().unwrap_or_else(PoisonError::into_inner).contains_key(&remote_qpn) {
            return wc_status::RETRIES_EXCEEDED;
        }
        // Until the end: what is found stays registered.
        let regions = &*self.network.regions.read().unwrap_or_else(PoisonError::into_inner);
        let needs = match wr.op {
            WrOp::Write => access::REMOTE_WRITE,
            WrOp::Read => access::REMOTE_READ,
            WrOp::FetchAdd { .. } | WrOp::CompareSwap { .. } => access::REMOTE_ATOMIC,
        };
        let (local, bytes) = match wr.local {
            Local::Inline { bytes, .. } => (None, u64::from(bytes)),
            Local::Memory { address, bytes, lkey } => match find(regions, lkey, self.pe, address, bytes.into(), 0) {
                Some(local) => (Some(local), bytes.into()),
                None => return wc_status::LOCAL_PROTECTION,
            },
        };
        if bytes > self.network.options.max_message.into() {
            return wc_status::LOCAL_LENGTH;
        }
        let Some(remote) = find(regions, wr.rkey, peer, wr.remote, bytes, needs) else {
            return wc_status::REMOTE_ACCESS;
        };
        let gpus = &self.network.gpus;
        let done = match (wr.op, local) {
            (WrOp::Write, Some(local)) => gpus.copy(remote, local, bytes),
            (WrOp::Write, None) => {
                let Local::Inline { data, .. } = wr.local else { unreachable!("no local memory") };
                let aligned = data.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect::<Vec<_>>();
                gpus.copy(remote, At::host(aligned.as_ptr().expose_provenance() as u64), bytes)
            }
            (WrOp::Read, Some(_)) if empty => Ok(()),
            (WrOp::Read, Some(local)) => gpus.copy(local, remote, bytes),
            (WrOp::FetchAdd { .. } | WrOp::CompareSwap { .. }, Some(local)) => {
                if !remote.address.is_multiple_of(8) || bytes != 8 {
                    return wc_status::REMOTE_INVALID_REQUEST;
                }
                let change = |was: u64| match wr.op {
                    WrOp::FetchAdd { add } => Some(was.wrapping_add(add)),
                    WrOp::CompareSwap { compare, swap } => (was == compare).then_some(swap),
                    _ => unreachable!("an atomic"),
                };
                gpus.update(remote, change).and_then(|was| if empty { Ok(()) } else { gpus.store(local, was) })
            }
            (_, None) => return wc_status::LOCAL_LENGTH,
        };
        match done {
            Ok(()) => wc_status::SUCCESS,
            Err(error) => {
                // A completion has no room for the reason.
                eprintln!("oxshmem-softrc: PE {} toward PE {peer}, {:?}: {error}", self.pe, wr.op);
                wc_status::GENERAL
            }
        }
    }

    /// Whether the next work request toward `peer` is to fail.
    fn made_to_fail(&self, peer: u32) -> Option<u32> {
        let gone = lock(&self.network.gone);
        if gone.contains(&peer) || gone.contains(&self.pe) {
            return Some(wc_status::RETRIES_EXCEEDED);
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

/// Where a range is that a key of `pe` covers.
fn find(regions: &HashMap<u32, Registered>, key: u32, pe: u32, at: u64, bytes: u64, needs: u32) -> Option<At> {
    let region = regions.get(&key).filter(|region| region.pe == pe && region.access & needs == needs)?;
    let offset = at.checked_sub(region.iova)?;
    (offset.checked_add(bytes)? <= region.bytes).then_some(At { address: region.address + offset, gpu: region.gpu })
}
