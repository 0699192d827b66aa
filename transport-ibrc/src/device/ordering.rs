//! Fence and quiet, over exactly the queues that are named.

use core::mem::{offset_of, size_of};

use crate::state::{ProxyQueue, ProxyState};
use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, QpSet};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::rows::{self, QueueRows};
use oxshmem_raw::state::WorldState;

use super::queue::Place;
use super::resource::Queues;
use super::{calls, done};

impl OrderingDomain for Queues<'_> {
    /// A queue's requests are served in the order of its ring and delivered in that of its queue pair.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        rows::fence::<OfProxies, G>(self.state, group, pes, qps)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        rows::quiet::<OfProxies, G>(self.state, group, pes, qps)
    }
}

/// Queues of proxies.
struct OfProxies;

impl OfProxies {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn queue(state: &WorldState, number: u32) -> Place {
        // SAFETY: **live**: the table has every queue of every row that is published.
        unsafe { Place::at((state.proxy_queues as *mut ProxyQueue).add(number as usize)) }
    }
}

impl QueueRows for OfProxies {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn published(state: &WorldState) -> u32 {
        // SAFETY: `proxies` is the live ProxyState.
        unsafe { ptx::ld_acquire_gpu_u32((state.proxies + offset_of!(ProxyState, rows) as u64) as *const u32) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn keeps_order(_: &WorldState) -> bool {
        true
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn complete(state: &WorldState, number: u32) -> Result<(), Fault> {
        let queue = Self::queue(state, number);
        let issued = queue.last();
        if issued == 0 { Ok(()) } else { done::told(queue, calls::wait(queue, issued)) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn stopped(state: &WorldState, number: u32) -> Option<Fault> {
        let queue = Self::queue(state, number);
        queue.has_stopped().then(|| done::reason(queue))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn reported(state: &WorldState) -> Fault {
        done::reported(state)
    }
}

/// Whether some PE has a queue in this row: one that was given back has none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn row_exists(state: &WorldState, row: u32) -> bool {
    if state.proxies == 0 || row >= OfProxies::published(state) {
        return false;
    }
    // A queue that is none has 0 in its first word.
    const { assert!(offset_of!(ProxyQueue, ring) == 0) };
    let (mut queue, mut pe) = (state.proxy_queues + size_of::<ProxyQueue>() as u64 * (row * state.n_pes) as u64, 0);
    while pe < state.n_pes {
        // SAFETY: the table has every queue of every row.
        if unsafe { *(queue as *const u64) } != 0 {
            return true;
        }
        (queue, pe) = (queue + size_of::<ProxyQueue>() as u64, pe + 1);
    }
    false
}
