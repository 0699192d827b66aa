//! The queues of a NIC as a path: a queue's primitives, the table of queues, and the path in a module's composition.

use core::mem::{offset_of, size_of};

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Group, Pe, PeSet, Qp, QpHandle, Scope, SymAddr, Width};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::DevicePath;
use oxshmem_raw::queue::remote_queue::{self, Failed, QueueTable, Queues, RemoteQueue, SharedQueues, Signal, Transfer};
use oxshmem_raw::queue::rows::QueueRows;
use oxshmem_raw::state::{PathSlot, WorldState};

use super::exclusive::{ExclusiveChoice, ExclusiveQueues};
use super::queue_ref::QueueRef;
use super::sharing::Sharing;
use super::{atomics, done, fetch, signal, transfer};
use crate::state::{LAYOUT, NicState, QueueState};

impl<S: Sharing> RemoteQueue for QueueRef<S> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_word(self, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed> {
        transfer::write_word(self, to, width, bits)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn transfer(self, scope: Scope, what: Transfer, when: Completion) -> Result<u64, Failed> {
        transfer::transfer(self, scope, what, when)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put_signal(self, _: Scope, what: Transfer, signal: Signal, when: Completion) -> Result<(), Failed> {
        signal::put_signal(self, what, signal, when)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn read_bytes(self, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
        fetch::read_bytes(self, from, bytes)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Failed> {
        atomics::amo(self, at, op, of, operand)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Failed> {
        atomics::amo_fetch(self, at, op, of, operand, compare)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(self, signal: Signal) -> Result<(), Failed> {
        signal::signal(self, signal)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn wait(self, target: u64) -> Result<(), Failed> {
        done::wait(self, target)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn complete(self) -> Result<(), Failed> {
        // The loads overlap. `done` is read after `reserved`.
        let (cqe, issued) = (self.cqe(), self.reserved());
        let done = self.done();
        if issued == 0 { Ok(()) } else { done::wait_from(self, issued, done, cqe) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn has_stopped(self) -> bool {
        self.stopped().is_some()
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fault(self) -> Fault {
        done::reason(self)
    }
}

/// The table of a PE's queues on its NICs.
#[derive(Clone, Copy, Debug)]
pub struct NicQueues;

/// Returns the address of queue `number`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn address(slot: PathSlot, number: u32) -> *mut QueueState {
    (slot.queues as *mut QueueState).wrapping_add(number as usize)
}

impl QueueTable for NicQueues {
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

    /// A queue delivers in the order of its entries, unless the NIC may reorder writes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn keeps_order(slot: PathSlot) -> bool {
        // SAFETY: **live**: `shared` is the first NicState; the field is set before the first kernel runs.
        unsafe { (*(slot.shared as *const NicState)).relaxed_ordering == 0 }
    }
}

/// The path on which GPU threads write the NIC's queues themselves.
#[derive(Clone, Copy, Debug)]
pub struct NicPath;

impl DevicePath for NicPath {
    const NAME: &'static str = "ibgda";
    const LAYOUT: u64 = LAYOUT;

    type Queue<'a> = Queues<'a, SharedQueues<NicQueues>>;
    type Exclusive = ExclusiveQueues;
    type ExclusiveQueue<'a> = Queues<'a, ExclusiveChoice>;

    #[inline(always)]
    unsafe fn queue(world: &WorldState, slot: PathSlot, qp: Qp) -> Self::Queue<'_> {
        // SAFETY: **live**, **published**, **world**: the caller's **live** covers the world, the slot and its rows.
        unsafe { Queues::new(world, SharedQueues::new(slot, qp)) }
    }

    #[inline(always)]
    unsafe fn take_exclusive<G: Group>(
        world: &WorldState,
        slot: PathSlot,
        block: G,
        handle: QpHandle,
        pes: PeSet,
        from: u32,
    ) -> Result<ExclusiveQueues, Fault> {
        // SAFETY: **exclusive**, **lent** and **live** are the caller's promises.
        unsafe { ExclusiveQueues::take(world, slot, block, handle, pes, from) }
    }

    #[inline(always)]
    unsafe fn exclusive_queue(world: &WorldState, slot: PathSlot, own: ExclusiveQueues) -> Self::ExclusiveQueue<'_> {
        // SAFETY: **world**, **live**: the caller's **live** covers the world, the slot and `own`.
        unsafe { Queues::new(world, ExclusiveChoice::new(slot, own)) }
    }

    #[inline(always)]
    unsafe fn row_exists(world: &WorldState, slot: PathSlot, row: u32) -> bool {
        // SAFETY: **live**: the caller's **live** covers the world and the slot.
        unsafe { QueueRows::<NicQueues>::new(world, slot) }.exists(row)
    }

    #[inline(always)]
    unsafe fn arrive(world: &WorldState, slot: PathSlot, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live** covers the world and the slot.
        unsafe { remote_queue::arrive::<NicQueues>(world, slot, pe, round) }
    }
}

const _: () = assert!(size_of::<QueueState>() == 256);
