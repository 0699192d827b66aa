//! The queues of a NIC as a path in a module's composition.

use core::mem::size_of;

use oxshmem_core::{Fault, Group, Pe, PeSet, Qp, QpHandle};
use oxshmem_raw::queue::path::DevicePath;
use oxshmem_raw::queue::remote_queue::{self, Queues, SharedQueues};
use oxshmem_raw::queue::rows::QueueRows;
use oxshmem_raw::state::{PathSlot, WorldState};

use super::exclusive::{ExclusiveChoice, ExclusiveQueues};
use super::table::NicQueues;
use crate::state::{LAYOUT, QueueState};

/// The path on which GPU threads write the NIC's queues themselves.
#[derive(Clone, Copy, Debug)]
pub struct NicPath;

// SAFETY:
// - **layout**: the hash covers the structs of `crate::state`, which the host half writes.
// - **rows**: by **rows** of `NicQueues`.
// - **named**, **own**: those of `QueueRef`, by which every operation is made.
unsafe impl DevicePath for NicPath {
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
