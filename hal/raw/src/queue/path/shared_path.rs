//! The path of a transport whose queues are all shared: the table of its queues is the transport's, the rest is here.

use core::marker::PhantomData;

use oxshmem_core::{Fault, Group, Pe, PeSet, Qp, QpHandle};

use super::DevicePath;
use crate::queue::remote_queue::{self, QueueTable, Queues, SharedQueues};
use crate::queue::rows::QueueRows;
use crate::state::{PathSlot, WorldState};

/// The queues of a transport that has no queues of a block's own.
///
/// *Implementor:* [`SharedPath`] of the table is the transport's [`DevicePath`].
///
/// # Safety
///
/// - **layout**: see [`DevicePath`].
pub unsafe trait SharedTable: QueueTable {
    /// See [`DevicePath::NAME`].
    const NAME: &'static str;
    /// See [`DevicePath::LAYOUT`].
    const LAYOUT: u64;
}

/// The path of a transport with these queues. A block that takes queues of its own gets shared ones.
#[derive(Clone, Copy, Debug)]
pub struct SharedPath<T>(PhantomData<T>);

// SAFETY:
// - **layout**: that of the table.
// - **rows**: by **rows** of the table.
// - **named**, **own**: those of the table's queues, by which every operation is made.
unsafe impl<T: SharedTable> DevicePath for SharedPath<T> {
    const NAME: &'static str = T::NAME;
    const LAYOUT: u64 = T::LAYOUT;

    type Queue<'a> = Queues<'a, SharedQueues<T>>;
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
        unsafe { QueueRows::<T>::new(world, slot) }.exists(row)
    }

    #[inline(always)]
    unsafe fn arrive(world: &WorldState, slot: PathSlot, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live** covers the world and the slot.
        unsafe { remote_queue::arrive::<T>(world, slot, pe, round) }
    }
}
