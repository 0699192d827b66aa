//! Queues that one block uses alone.

use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, Qp, QpHandle, QpSet};
use oxshmem_raw::gpu::group::Block;
use oxshmem_raw::queue::path::{PathList, Routed};
pub use oxshmem_raw::queue::rows::EXCLUSIVE_BYTES;
use oxshmem_transport_nvlink::device::LoadStore;

use crate::shmem::Handle;
use crate::{Issue, Shmem, check};

/// A block's own queue: loads and stores to load/store PEs, its own queues to remote PEs.
type ExclusiveQueue<'a, P> = Routed<'a, LoadStore<'a>, <P as PathList>::ExclusiveQueue<'a>>;

/// The world's operations on a queue that one block uses alone. [`Shmem::exclusive`] creates it.
#[derive(Clone, Copy, Debug)]
pub struct Exclusive<'a, P: PathList> {
    shmem: &'a Shmem<'a, P>,
    handle: QpHandle,
    pes: PeSet,
    own: P::ExclusiveSet,
}

impl<P: PathList> Shmem<'_, P> {
    /// Returns a queue made by `qp_create`, toward `pes`, for the calling block alone. The words that coordinate the
    /// block's threads are in its shared memory, so that posting costs less. All threads of the block call with the
    /// same arguments, and each posts with the returned value, alone or in groups, as on any queue.
    ///
    /// The block lends dynamic shared memory from byte `from` (a multiple of 16) on: [`EXCLUSIVE_BYTES`] for each PE of
    /// `pes`. If every PE is a load/store PE, none of it is used, and the default handle is sufficient.
    ///
    /// A quiet or fence of the world covers the queue too, on any thread. Waits, and calls that find no room, report
    /// that the queue has stopped; other calls may still succeed.
    ///
    /// # Errors
    /// The block has too little shared memory, or `from` is not a multiple of 16. In builds that check: `handle` is not
    /// a custom queue, or a PE is not of this world.
    ///
    /// # Safety
    ///
    /// - **exclusive**: until the last call on the value and on its copies has returned and the block has met after
    ///   that, no other block, no other stream's kernel and no other value made by this call posts on the queue.
    /// - **lent**: no other code uses that part of the shared memory during that time.
    #[inline(always)]
    pub unsafe fn exclusive(&self, handle: QpHandle, pes: PeSet, from: u32) -> Result<Exclusive<'_, P>, Fault> {
        check::qp::<P>(&self.state, Qp::Custom(handle))?;
        if let PeSet::One(pe) = pes {
            check::pe(&self.state, pe)?;
        }
        // SAFETY: **exclusive**, **lent**: the caller's, which are the same. **live**: by **live** of `from_state`;
        // `handle` is of this world, which builds that check have checked.
        let own = unsafe { P::take_exclusive(&self.state, 1, Block, handle, pes, from)? };
        Ok(Exclusive { shmem: self, handle, pes, own })
    }
}

impl<P: PathList> Exclusive<'_, P> {
    /// Performs [`fence_on`](Shmem::fence_on) over this queue and its PEs.
    ///
    /// # Errors
    /// As [`fence`](Shmem::fence).
    #[inline(always)]
    pub fn fence<G: Group>(&self, group: G) -> Result<(), Fault> {
        self.looked_up().fence(group, self.pes, QpSet::Of(&[self.handle]))
    }

    /// Performs [`quiet_on`](Shmem::quiet_on) over this queue and its PEs.
    ///
    /// # Errors
    /// As [`quiet`](Shmem::quiet).
    #[inline(always)]
    pub fn quiet<G: Group>(&self, group: G) -> Result<(), Fault> {
        self.looked_up().quiet(group, self.pes, QpSet::Of(&[self.handle]))
    }

    #[inline(always)]
    fn looked_up(&self) -> ExclusiveQueue<'_, P> {
        let (state, lent) = (&self.shmem.state, self.shmem.lent);
        // SAFETY: **live**: by **live** of `from_state`; `own` was taken in this world.
        unsafe {
            let remote = P::exclusive_queue(state, 1, self.own);
            ExclusiveQueue::<P>::new::<P>(state, LoadStore::new(state).lent(lent), remote)
        }
    }
}

impl<P: PathList> Issue for Exclusive<'_, P> {
    const CHECKS: bool = true;
    type Paths = P;
    type Queue<'a>
        = ExclusiveQueue<'a, P>
    where
        Self: 'a;

    #[inline(always)]
    fn shmem(&self) -> &Shmem<'_, P> {
        self.shmem
    }

    #[inline(always)]
    fn queue(&self) -> Result<Handle<ExclusiveQueue<'_, P>>, Fault> {
        Ok(Handle(self.looked_up()))
    }
}
