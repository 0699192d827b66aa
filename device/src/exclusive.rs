//! Queues that one block has for itself.

use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, Qp, QpHandle, QpSet};
use oxshmem_raw::gpu::group::Block;
pub use oxshmem_raw::queue::rows::EXCLUSIVE_BYTES;

use crate::path::{self, Own, OwnQueue};
use crate::shmem::Handle;
use crate::{Issue, Shmem, check};

/// The world's operations on a queue that one block has for itself: made by [`Shmem::exclusive`].
#[derive(Clone, Copy, Debug)]
pub struct Exclusive<'a> {
    shmem: &'a Shmem,
    handle: QpHandle,
    pes: PeSet,
    own: Own,
}

impl Shmem {
    /// A queue made by `qp_create`, for the calling block alone, toward `pes`: what the block's threads agree by is in
    /// the block's shared memory, so that posting costs less. All threads of the block call, with the same arguments, and
    /// each posts with what it gets, alone or in groups, as on any queue.
    ///
    /// The block lends dynamic shared memory from byte `from` (a multiple of 16) on: [`EXCLUSIVE_BYTES`] for each PE of
    /// `pes`. Where every PE is reached by load and store nothing of it is used, and the default handle will do.
    ///
    /// A quiet or fence of the world covers the queue too, whoever calls it. That the queue has stopped is told by waits
    /// and by calls that find no room; others may return as if it had not.
    ///
    /// # Errors
    /// There is not so much shared memory, or `from` is no such multiple; in builds that check, `handle` is not a
    /// custom queue, or a PE is not of this world.
    ///
    /// # Safety
    ///
    /// - **exclusive**: until the last call on the value and on copies of it has returned and the block has met behind it,
    ///   no other block, no other stream's kernel and no other value made by this call posts on the queue.
    /// - **lent**: nobody else uses that part of the shared memory meanwhile.
    #[inline(always)]
    pub unsafe fn exclusive(&self, handle: QpHandle, pes: PeSet, from: u32) -> Result<Exclusive<'_>, Fault> {
        check::qp(&self.state, Qp::Custom(handle))?;
        if let PeSet::One(pe) = pes {
            check::pe(&self.state, pe)?;
        }
        // SAFETY: **exclusive**, **lent**; the handle is one of this world where that is checked, else as on any queue.
        let own = unsafe { path::take(&self.state, Block, handle, pes, from)? };
        Ok(Exclusive { shmem: self, handle, pes, own })
    }
}

impl Exclusive<'_> {
    /// [`fence_on`](Shmem::fence_on) over this queue and its PEs.
    ///
    /// # Errors
    /// As [`fence`](Shmem::fence).
    #[inline(always)]
    pub fn fence<G: Group>(&self, group: G) -> Result<(), Fault> {
        self.looked_up().fence(group, self.pes, QpSet::Of(&[self.handle]))
    }

    /// [`quiet_on`](Shmem::quiet_on) over this queue and its PEs.
    ///
    /// # Errors
    /// As [`quiet`](Shmem::quiet).
    #[inline(always)]
    pub fn quiet<G: Group>(&self, group: G) -> Result<(), Fault> {
        self.looked_up().quiet(group, self.pes, QpSet::Of(&[self.handle]))
    }

    #[inline(always)]
    fn looked_up(&self) -> OwnQueue<'_> {
        path::own_queue(&self.shmem.state, self.shmem.lent, self.own)
    }
}

impl Issue for Exclusive<'_> {
    type Queue<'a>
        = OwnQueue<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn shmem(&self) -> &Shmem {
        self.shmem
    }

    #[inline(always)]
    fn queue(&self) -> Result<Handle<OwnQueue<'_>>, Fault> {
        Ok(Handle(self.looked_up()))
    }
}
