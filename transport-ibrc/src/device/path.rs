//! The queues of proxies as a path: the table of queues, and the path in a module's composition.

use core::mem::offset_of;

use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::{SharedPath, SharedTable};
use oxshmem_raw::queue::remote_queue::QueueTable;
use oxshmem_raw::state::PathSlot;

use super::queue::QueueRef;
use crate::state::{LAYOUT, ProxyQueue, ProxyState};

/// The table of a PE's queues of proxies.
#[derive(Clone, Copy, Debug)]
pub struct ProxyQueues;

/// Returns the address of queue `number`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn address(slot: PathSlot, number: u32) -> *mut ProxyQueue {
    (slot.queues as *mut ProxyQueue).wrapping_add(number as usize)
}

// SAFETY: **rows**: the host half writes the queues of a row before it counts the row in `rows`.
unsafe impl QueueTable for ProxyQueues {
    type Queue = QueueRef;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn queue(slot: PathSlot, number: u32) -> QueueRef {
        // SAFETY: **live**: the table, by **live**, has every queue of every row that is **published**.
        unsafe { QueueRef::at(address(slot, number)) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn exists(slot: PathSlot, number: u32) -> bool {
        // SAFETY: **live**, **published**: a queue of the table. One that does not exist has no ring.
        unsafe { (*address(slot, number)).ring != 0 }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn published(slot: PathSlot) -> u32 {
        // SAFETY: **live**: `shared` is the ProxyState.
        unsafe { ptx::ld_acquire_gpu_u32((slot.shared + offset_of!(ProxyState, rows) as u64) as *const u32) }
    }

    /// Requests are served in the order of their ring and delivered in the order of their queue pair.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn keeps_order(_: PathSlot) -> bool {
        true
    }
}

// SAFETY: **layout**: the hash covers the structs of `crate::state`, which the host half writes.
unsafe impl SharedTable for ProxyQueues {
    const NAME: &'static str = "ibrc";
    const LAYOUT: u64 = LAYOUT;
}

/// The path on which host threads post the requests of kernels.
pub type ProxyPath = SharedPath<ProxyQueues>;
