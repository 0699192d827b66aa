//! The table of a PE's queues on its NICs.

use core::mem::offset_of;

use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::remote_queue::QueueTable;
use oxshmem_raw::state::PathSlot;

use super::queue_ref::QueueRef;
use crate::state::{NicState, QueueState};

/// The table of a PE's queues on its NICs.
#[derive(Clone, Copy, Debug)]
pub struct NicQueues;

/// Returns the address of queue `number`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn address(slot: PathSlot, number: u32) -> *mut QueueState {
    (slot.queues as *mut QueueState).wrapping_add(number as usize)
}

// SAFETY: **rows**: the host half writes the queues of a row before it counts the row in `rows`.
unsafe impl QueueTable for NicQueues {
    type Queue = QueueRef;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn queue(slot: PathSlot, number: u32) -> QueueRef {
        // SAFETY: **live**: the table, by **live**, has every queue of every row that is **published**.
        unsafe { QueueRef::at(address(slot, number)) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn exists(slot: PathSlot, number: u32) -> bool {
        // SAFETY: **live**, **published**: a queue of the table. One that does not exist has no send queue.
        unsafe { (*address(slot, number)).sq != 0 }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn published(slot: PathSlot) -> u32 {
        // SAFETY: **live**: `shared` is the first NicState.
        unsafe { ptx::ld_acquire_gpu_u32((slot.shared + offset_of!(NicState, rows) as u64) as *const u32) }
    }

    /// Reports whether queues deliver in the order of their entries: they do unless the NIC may reorder writes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn keeps_order(slot: PathSlot) -> bool {
        // SAFETY: **live**: `shared` is the first NicState; the field is set before the first kernel runs.
        unsafe { (*(slot.shared as *const NicState)).relaxed_ordering == 0 }
    }
}
