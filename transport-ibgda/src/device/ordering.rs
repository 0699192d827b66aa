//! Fence and quiet, over exactly the queues that are named.

use core::mem::{offset_of, size_of};

use crate::state::{NicState, QueueState};
use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, Qp, QpSet};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::rows::{self, QueueRows};
use oxshmem_raw::state::WorldState;

use super::place::Place;
use super::resource::Queues;
use super::{calls, done, keys};

impl OrderingDomain for Queues<'_, Qp> {
    /// A queue delivers in its own order, unless the NIC may change it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        rows::fence::<OfNic, G>(self.state, group, pes, qps)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        rows::quiet::<OfNic, G>(self.state, group, pes, qps)
    }
}

/// Queues of a NIC.
struct OfNic;

impl OfNic {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn queue(state: &WorldState, number: u32) -> Place {
        // SAFETY: **live**: the table has every queue of every row that is published.
        unsafe { Place::at((state.queues as *mut QueueState).add(number as usize)) }
    }
}

impl QueueRows for OfNic {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn published(state: &WorldState) -> u32 {
        // SAFETY: `nic` is the live NicState.
        unsafe { ptx::ld_acquire_gpu_u32((state.nic + offset_of!(NicState, rows) as u64) as *const u32) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn keeps_order(state: &WorldState) -> bool {
        !keys::relaxed(state)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn complete(state: &WorldState, number: u32) -> Result<(), Fault> {
        let queue = Self::queue(state, number);
        // On their way together; what is known to be done is asked last, and so is behind what was issued.
        let (cqe, issued) = (queue.cqe(), queue.reserved());
        let done = queue.done();
        if issued == 0 { Ok(()) } else { done::told(queue, calls::wait_from(queue, issued, done, cqe)) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn stopped(state: &WorldState, number: u32) -> Option<Fault> {
        let queue = Self::queue(state, number);
        queue.stopped().is_some().then(|| done::reason(queue))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn reported(state: &WorldState) -> Fault {
        done::reported(state)
    }
}

/// Whether some PE has a queue in this row: one that was given back has none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn row_exists(state: &WorldState, row: u32) -> bool {
    if state.nic == 0 || row >= OfNic::published(state) {
        return false;
    }
    // A queue that is none has 0 in its first word.
    const { assert!(offset_of!(QueueState, sq) == 0) };
    let (mut queue, mut pe) = (state.queues + size_of::<QueueState>() as u64 * (row * state.n_pes) as u64, 0);
    while pe < state.n_pes {
        // SAFETY: the table has every queue of every row.
        if unsafe { *(queue as *const u64) } != 0 {
            return true;
        }
        (queue, pe) = (queue + size_of::<QueueState>() as u64, pe + 1);
    }
    false
}
