//! The queues of a NIC as a path: a queue's primitives, and the path in a module's composition.

use core::mem::size_of;

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Group, Pe, PeSet, Qp, QpHandle, Scope, SymAddr, Width};
use oxshmem_raw::queue::path::DevicePath;
use oxshmem_raw::queue::remote_queue::{self, Failed, Queues, RemoteQueue, SharedQueues, Signal, Transfer};
use oxshmem_raw::queue::rows::QueueRows;
use oxshmem_raw::state::{PathSlot, WorldState};

use super::exclusive::{ExclusiveChoice, ExclusiveQueues};
use super::queue_ref::QueueRef;
use super::sharing::Sharing;
use super::table::NicQueues;
use super::{atomics, done, fetch, signal, transfer};
use crate::state::{LAYOUT, QueueState};

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

/// The path on which GPU threads write the NIC's queues themselves.
#[derive(Clone, Copy, Debug)]
pub struct NicPath;

impl DevicePath for NicPath {
    const NAME: &'static str = "ibgda";
    const LAYOUT: u64 = LAYOUT;

    type Queue<'a> = Queues<'a, SharedQueues<NicQueues>>;
    type ExclusiveSet = ExclusiveQueues;
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
