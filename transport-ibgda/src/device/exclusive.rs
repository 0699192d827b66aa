//! A block's own copy of queues that it alone posts on, in its shared memory.
//!
//! The copy has the layout of the queue. Its first half is read there instead of in the GPU's memory; the words of its
//! second half are those that the block's threads agree by. The queue itself follows: what is reserved, done, told and
//! counted is stored there too, and nobody waits for these stores. When the block's calls have returned, both say the
//! same, and the queue is again as if nobody had had a copy.

use core::mem::offset_of;

use crate::state::QueueState;
use oxshmem_core::{Fault, FaultStep, Group, OrderingDomain, Pe, PeSet, QpHandle, QpSet};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::rows::{EXCLUSIVE_BYTES, queue_number};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::fault;

use super::place::Place;
use super::resource::{Queues, Toward};
use super::sharing::Exclusive;
use super::{calls, done, keys};

/// Queues of one handle that one block alone posts on.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    at: *mut QueueState,
    handle: QpHandle,
    first: u32,
    count: u32,
}

impl Own {
    /// The queues of `handle` toward `pes`; all threads of a block call. Their words are in the block's dynamic shared
    /// memory from byte `from` on, [`EXCLUSIVE_BYTES`] for each PE.
    ///
    /// # Errors
    /// There is not so much shared memory, or `from` is not a multiple of 16; reported.
    ///
    /// # Safety
    ///
    /// - **exclusive**: until the block's last call on the value has returned, nobody else posts on these queues.
    /// - **lent**: nobody else uses this part of the shared memory meanwhile.
    /// - **live**: `handle` is a custom queue of this world.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn take<G: Group>(
        state: &WorldState,
        block: G,
        handle: QpHandle,
        pes: PeSet,
        from: u32,
    ) -> Result<Self, Fault> {
        if handle == QpHandle::DEFAULT {
            // Where no PE is far every handle is this one. Elsewhere it is no queue, which who posts on it is told.
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
        let home = (state.queues as *mut QueueState).wrapping_add(number as usize).cast::<u64>();
        const WORDS: u32 = EXCLUSIVE_BYTES / 8;
        let mut word = block.rank();
        while word < count * WORDS {
            let from = home.wrapping_add(word as usize);
            // SAFETY: **live**. Nobody posts on the queue, whose words stand still.
            let mut value = unsafe { ptx::ld_relaxed_gpu_u64(from) };
            if word % WORDS == offset_of!(QueueState, home) as u32 / 8 {
                value = home.wrapping_add((word - word % WORDS) as usize) as u64;
            }
            // SAFETY: **lent**.
            unsafe { ptx::st_relaxed_cta_shared_u64(own.at.cast::<u64>().wrapping_add(word as usize), value) }
            word += block.size();
        }
        block.sync();
        Ok(own)
    }

    /// Queue `number` of them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self, number: u32) -> Place<Exclusive> {
        // SAFETY: **live**: copied by `take`, behind which the block met.
        unsafe { Place::at(self.at.wrapping_add(number as usize)) }
    }
}

impl Toward for Own {
    type Sharing = Exclusive;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn toward(self, state: &WorldState, pe: Pe) -> Result<*mut QueueState, Fault> {
        let number = pe.number().wrapping_sub(self.first);
        if number < self.count {
            return Ok(self.at.wrapping_add(number as usize));
        }
        let mut fault = Fault::new(FaultStep::NoSuchQp);
        (fault.pe, fault.qp) = (pe.number(), self.handle.raw());
        Err(fault::report(state, fault))
    }
}

/// Over the block's own queues, whichever are named.
impl OrderingDomain for Queues<'_, Own> {
    /// A queue delivers in its own order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        if keys::relaxed(self.state) {
            return self.quiet(group, pes, qps);
        }
        group.sync();
        Ok(())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        let own = self.of;
        group.sync();
        let (mut number, mut ended) = (group.rank(), Ok(()));
        while number < own.count && ended.is_ok() {
            let queue = own.place(number);
            let issued = queue.reserved();
            if issued != 0 {
                ended = done::told(queue, calls::wait(queue, issued));
            }
            number += group.size();
        }
        match (group.any(ended.is_err()), ended) {
            (true, Ok(())) => Err(anyones(self.state, own)),
            (_, ended) => ended,
        }
    }
}

/// The fault of another thread of the group: that of the first queue that has stopped, else what was reported.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn anyones(state: &WorldState, own: Own) -> Fault {
    let mut number = 0;
    while number < own.count {
        if own.place(number).stopped().is_some() {
            return done::reason(own.place(number));
        }
        number += 1;
    }
    done::reported(state)
}
