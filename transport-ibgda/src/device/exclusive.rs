//! A block's copy, in its shared memory, of queues on which it alone posts.
//!
//! The copy has the layout of the queue. The block reads the constants (first half) from the copy instead of the GPU's
//! memory, and coordinates its threads by the words of the copy's second half. The queue itself is kept up to date:
//! reserved, completed and announced indices and the counters are stored there too, by stores that no thread waits for.
//! When the block's calls have returned, copy and queue agree, and other threads may post on the queue again.

use core::mem::offset_of;

use crate::state::QueueState;
use oxshmem_core::{Fault, FaultStep, Group, Pe, PeSet, QpHandle, QpSet};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::remote_queue::{QueueChoice, QueueTable, ended};
use oxshmem_raw::queue::rows::{EXCLUSIVE_BYTES, queue_number};
use oxshmem_raw::state::fault;
use oxshmem_raw::state::{PathSlot, WorldState};

use super::done;
use super::queue_ref::QueueRef;
use super::sharing::Exclusive;
use super::table::{NicQueues, address};

/// Queues of one handle on which one block alone posts.
#[derive(Clone, Copy, Debug)]
pub struct ExclusiveQueues {
    at: *mut QueueState,
    handle: QpHandle,
    first: u32,
    count: u32,
}

impl ExclusiveQueues {
    /// Takes the queues of `handle` toward `pes` for the calling block. All threads of the block call. The copies lie
    /// in the block's dynamic shared memory from byte `from` on, [`EXCLUSIVE_BYTES`] for each PE.
    ///
    /// # Errors
    /// The block has too little shared memory, or `from` is not a multiple of 16. The fault is reported.
    ///
    /// # Safety
    ///
    /// - **exclusive**: until the block's last call on the value has returned, no other thread posts on these queues.
    /// - **lent**: no other code uses this part of the shared memory during that time.
    /// - **live**: `handle` is a custom queue of this world.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn take<G: Group>(
        state: &WorldState,
        slot: PathSlot,
        block: G,
        handle: QpHandle,
        pes: PeSet,
        from: u32,
    ) -> Result<Self, Fault> {
        if handle == QpHandle::DEFAULT {
            // If no PE is remote, every handle is DEFAULT. Otherwise DEFAULT is not a queue of its own; posting on it
            // faults.
            block.sync();
            return Ok(Self { at: core::ptr::null_mut(), handle, first: 0, count: 0 });
        }
        let (first, count) = match pes {
            PeSet::All => (0, state.n_pes),
            PeSet::One(pe) => (pe.number(), 1),
        };
        let (end, size) = (from as u64 + count as u64 * EXCLUSIVE_BYTES as u64, ptx::dynamic_shared_bytes() as u64);
        if end > size || from & 15 != 0 {
            let mut fault = Fault::new(FaultStep::OutOfLocal);
            (fault.qp, fault.at, fault.asked, fault.seen) = (handle.raw(), from as u64, end, size);
            return Err(fault::report(state, fault));
        }
        let own = Self { at: ptx::in_dynamic_shared(from).cast(), handle, first, count };
        let number = queue_number(handle.raw(), state.default_rows, state.n_pes, first);
        let home = address(slot, number).cast::<u64>();
        const WORDS: u32 = EXCLUSIVE_BYTES / 8;
        let mut word = block.rank();
        while word < count * WORDS {
            let from = home.wrapping_add(word as usize);
            // SAFETY: **live**: the queue is mapped. **exclusive**: no thread posts on it, so its words don't change.
            let mut value = unsafe { ptx::ld_relaxed_gpu_u64(from) };
            if word % WORDS == offset_of!(QueueState, home) as u32 / 8 {
                value = home.wrapping_add((word - word % WORDS) as usize) as u64;
            }
            // SAFETY: **lent**: `word` is less than `count * WORDS`, so it is in the part of shared memory checked
            // above.
            unsafe { ptx::st_relaxed_cta_shared_u64(own.at.cast::<u64>().wrapping_add(word as usize), value) }
            word += block.size();
        }
        block.sync();
        Ok(own)
    }

    /// Returns queue `number` of these, counted from the first PE.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn queue(self, number: u32) -> QueueRef<Exclusive> {
        // SAFETY: **live**: `take` copied the queue, and the block met after that.
        unsafe { QueueRef::at(self.at.wrapping_add(number as usize)) }
    }
}

/// Chooses a call's queue among those that a block has taken.
#[derive(Clone, Copy, Debug)]
pub struct ExclusiveChoice {
    slot: PathSlot,
    own: ExclusiveQueues,
}

impl ExclusiveChoice {
    /// Returns the choice among the queues of `own`.
    ///
    /// # Safety
    ///
    /// - **live**: `own` was taken in the world of `slot`, and that world's memory stays mapped while the value is
    ///   used.
    #[inline(always)]
    pub const unsafe fn new(slot: PathSlot, own: ExclusiveQueues) -> Self {
        Self { slot, own }
    }
}

impl QueueChoice for ExclusiveChoice {
    type Queue = QueueRef<Exclusive>;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn toward(self, world: &WorldState, pe: Pe) -> Result<QueueRef<Exclusive>, Fault> {
        let number = pe.number().wrapping_sub(self.own.first);
        if number < self.own.count {
            return Ok(self.own.queue(number));
        }
        let mut fault = Fault::new(FaultStep::NoSuchQp);
        (fault.pe, fault.qp) = (pe.number(), self.own.handle.raw());
        Err(fault::report(world, fault))
    }

    /// Does nothing if queues deliver in the order of their entries; completes the block's queues if the NIC may
    /// reorder writes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(self, world: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        // SAFETY: **live** of `new`: `slot` belongs to a world whose memory stays mapped.
        if !unsafe { NicQueues::keeps_order(self.slot) } {
            return self.quiet(world, group, pes, qps);
        }
        group.sync();
        Ok(())
    }

    /// Completes all of the block's own queues, whatever PEs and queues are given.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(self, world: &WorldState, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        let own = self.own;
        group.sync();
        let (mut number, mut did) = (group.rank(), Ok(()));
        while number < own.count && did.is_ok() {
            let queue = own.queue(number);
            let issued = queue.reserved();
            if issued != 0 {
                did = ended(queue, done::wait(queue, issued));
            }
            number += group.size();
        }
        match (group.any(did.is_err()), did) {
            (true, Ok(())) => Err(fault_of_others(world, own)),
            (_, did) => did,
        }
    }
}

/// Returns the fault that another thread of the group found: that of the first stopped queue, else the reported one.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fault_of_others(world: &WorldState, own: ExclusiveQueues) -> Fault {
    let mut number = 0;
    while number < own.count {
        if own.queue(number).stopped().is_some() {
            return done::reason(own.queue(number));
        }
        number += 1;
    }
    fault::first_or_aborted(world)
}
