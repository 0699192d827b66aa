//! The queues of proxies as a path: the table of queues, and the path in a module's composition.

use core::mem::offset_of;

use oxshmem_core::{Fault, Group, Pe, PeSet, Qp, QpHandle};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::DevicePath;
use oxshmem_raw::queue::remote_queue::{self, QueueTable, Queues, SharedQueues};
use oxshmem_raw::queue::rows::QueueRows;
use oxshmem_raw::state::{PathSlot, WorldState};

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

impl QueueTable for ProxyQueues {
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

/// The path on which host threads post the requests of kernels.
#[derive(Clone, Copy, Debug)]
pub struct ProxyPath;

impl DevicePath for ProxyPath {
    const NAME: &'static str = "ibrc";
    const LAYOUT: u64 = LAYOUT;

    type Queue<'a> = Queues<'a, SharedQueues<ProxyQueues>>;
    /// A handle, because all threads share a ring in any case.
    type ExclusiveSet = QpHandle;
    type ExclusiveQueue<'a> = Self::Queue<'a>;

    #[inline(always)]
    unsafe fn queue(world: &WorldState, slot: PathSlot, qp: Qp) -> Self::Queue<'_> {
        // SAFETY: **live**, **published**, **world**: the caller's **live** covers the world, the slot and its rows.
        unsafe { Queues::new(world, SharedQueues::new(slot, qp)) }
    }

    #[inline(always)]
    unsafe fn take_exclusive<G: Group>(
        _: &WorldState,
        _: PathSlot,
        block: G,
        handle: QpHandle,
        _: PeSet,
        _: u32,
    ) -> Result<QpHandle, Fault> {
        block.sync();
        Ok(handle)
    }

    #[inline(always)]
    unsafe fn exclusive_queue(world: &WorldState, slot: PathSlot, own: QpHandle) -> Self::Queue<'_> {
        // SAFETY: **live**: the caller's **live** covers the world and the slot.
        unsafe { Self::queue(world, slot, Qp::Custom(own)) }
    }

    #[inline(always)]
    unsafe fn row_exists(world: &WorldState, slot: PathSlot, row: u32) -> bool {
        // SAFETY: **live**: the caller's **live** covers the world and the slot.
        unsafe { QueueRows::<ProxyQueues>::new(world, slot) }.exists(row)
    }

    #[inline(always)]
    unsafe fn arrive(world: &WorldState, slot: PathSlot, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live** covers the world and the slot.
        unsafe { remote_queue::arrive::<ProxyQueues>(world, slot, pe, round) }
    }
}
