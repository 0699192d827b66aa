//! Which path an operation takes: the device twin of `hal/src/transports.rs`, and the one file of this
//! crate that names transport features.

use oxshmem_core::{Fault, Group, Pe, PeSet, Qp, QpHandle};
use oxshmem_raw::queue::barrier;
use oxshmem_raw::state::WorldState;

#[cfg(not(feature = "nvlink"))]
compile_error!(
    "oxshmem-device needs a transport: enable the feature `nvlink`, or `ibgda` or `ibrc` which bring it along"
);

/// Shared memory that a kernel lends to copies.
#[cfg(feature = "nvlink")]
pub(crate) use oxshmem_transport_nvlink::device::Lent;

cfg_if::cfg_if! {
    if #[cfg(all(feature = "ibgda", feature = "ibrc"))] {
        /// The transport features, as a module tells the host.
        pub(crate) const FEATURES: &str = "nvlink ibgda ibrc";

        /// The queues to far PEs: those that each is reached by.
        pub(crate) type Far<'a> = oxshmem_raw::queue::chosen::Chosen<
            'a,
            oxshmem_transport_ibgda::device::Queues<'a>,
            oxshmem_transport_ibrc::device::Queues<'a>,
        >;

        #[inline(always)]
        fn far(state: &WorldState, qp: Qp) -> Far<'_> {
            let nic = oxshmem_transport_ibgda::device::Queues::new(state, qp);
            Far::new(state, nic, oxshmem_transport_ibrc::device::Queues::new(state, qp))
        }

        /// Queues of one handle that one block alone posts on. Proxies' rings are all threads' in any case.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Own {
            nic: oxshmem_transport_ibgda::device::Own,
            handle: QpHandle,
        }

        /// Those of them that lead to far PEs.
        pub(crate) type OwnFar<'a> = oxshmem_raw::queue::chosen::Chosen<
            'a,
            oxshmem_transport_ibgda::device::Queues<'a, oxshmem_transport_ibgda::device::Own>,
            oxshmem_transport_ibrc::device::Queues<'a>,
        >;

        /// Makes a block's own copy of queues.
        ///
        /// # Errors
        /// There is too little shared memory; reported.
        ///
        /// # Safety
        /// As [`Shmem::exclusive`](crate::Shmem::exclusive).
        #[inline(always)]
        pub(crate) unsafe fn take<G: Group>(
            state: &WorldState, block: G, handle: QpHandle, pes: PeSet, from: u32,
        ) -> Result<Own, Fault> {
            let of_nic = if state.queues == 0 { QpHandle::DEFAULT } else { handle };
            // SAFETY: the caller's promises; of the default handle nothing is taken.
            let nic = unsafe { oxshmem_transport_ibgda::device::Own::take(state, block, of_nic, pes, from)? };
            Ok(Own { nic, handle })
        }

        #[inline(always)]
        fn own_far(state: &WorldState, own: Own) -> OwnFar<'_> {
            let proxies = oxshmem_transport_ibrc::device::Queues::new(state, Qp::Custom(own.handle));
            OwnFar::new(state, oxshmem_transport_ibgda::device::Queues::new(state, own.nic), proxies)
        }

        /// Who tells far PEs of arrivals.
        const FAR: oxshmem_raw::queue::chosen::ChosenFar<
            oxshmem_transport_ibgda::device::ByNic,
            oxshmem_transport_ibrc::device::ByProxy,
        > = oxshmem_raw::queue::chosen::ChosenFar(
            oxshmem_transport_ibgda::device::FAR,
            oxshmem_transport_ibrc::device::FAR,
        );
    } else if #[cfg(feature = "ibgda")] {
        /// The transport features, as a module tells the host.
        pub(crate) const FEATURES: &str = "nvlink ibgda";

        /// The queues to far PEs.
        pub(crate) type Far<'a> = oxshmem_transport_ibgda::device::Queues<'a>;

        #[inline(always)]
        fn far(state: &WorldState, qp: Qp) -> Far<'_> {
            Far::new(state, qp)
        }

        /// Queues of one handle that one block alone posts on.
        pub(crate) use oxshmem_transport_ibgda::device::Own;

        /// Those of them that lead to far PEs.
        pub(crate) type OwnFar<'a> = oxshmem_transport_ibgda::device::Queues<'a, Own>;

        /// Makes a block's own copy of queues.
        ///
        /// # Errors
        /// There is too little shared memory; reported.
        ///
        /// # Safety
        /// As [`Shmem::exclusive`](crate::Shmem::exclusive).
        #[inline(always)]
        pub(crate) unsafe fn take<G: Group>(
            state: &WorldState, block: G, handle: QpHandle, pes: PeSet, from: u32,
        ) -> Result<Own, Fault> {
            // SAFETY: the caller's promises.
            unsafe { Own::take(state, block, handle, pes, from) }
        }

        #[inline(always)]
        fn own_far(state: &WorldState, own: Own) -> OwnFar<'_> {
            OwnFar::new(state, own)
        }

        use oxshmem_transport_ibgda::device::FAR;
    } else if #[cfg(feature = "ibrc")] {
        /// The transport features, as a module tells the host.
        pub(crate) const FEATURES: &str = "nvlink ibrc";

        /// The queues to far PEs.
        pub(crate) type Far<'a> = oxshmem_transport_ibrc::device::Queues<'a>;

        #[inline(always)]
        fn far(state: &WorldState, qp: Qp) -> Far<'_> {
            Far::new(state, qp)
        }

        /// Queues of one handle that one block alone posts on: proxies' rings are all threads' in any case.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Own(QpHandle);

        /// Those of them that lead to far PEs.
        pub(crate) type OwnFar<'a> = Far<'a>;

        /// Makes a block's own copy of queues.
        ///
        /// # Errors
        /// There is too little shared memory; reported.
        ///
        /// # Safety
        /// As [`Shmem::exclusive`](crate::Shmem::exclusive).
        #[inline(always)]
        pub(crate) unsafe fn take<G: Group>(
            _: &WorldState, block: G, handle: QpHandle, _: PeSet, _: u32,
        ) -> Result<Own, Fault> {
            block.sync();
            Ok(Own(handle))
        }

        #[inline(always)]
        fn own_far(state: &WorldState, own: Own) -> OwnFar<'_> {
            far(state, Qp::Custom(own.0))
        }

        use oxshmem_transport_ibrc::device::FAR;
    } else {
        /// The transport features, as a module tells the host.
        pub(crate) const FEATURES: &str = "nvlink";

        use oxshmem_raw::queue::barrier::AllNear as FAR;
    }
}

cfg_if::cfg_if! {
    if #[cfg(any(feature = "ibgda", feature = "ibrc"))] {
        /// The queue that an operation goes on.
        pub(crate) type Queue<'a> =
            oxshmem_raw::queue::split::Split<'a, oxshmem_transport_nvlink::device::LoadStore<'a>, Far<'a>>;

        /// The queue that an operation goes on which a block has for itself.
        pub(crate) type OwnQueue<'a> =
            oxshmem_raw::queue::split::Split<'a, oxshmem_transport_nvlink::device::LoadStore<'a>, OwnFar<'a>>;

        /// A block's own queue: loads and stores to the PEs that they reach, queues to the others.
        #[inline(always)]
        pub(crate) fn own_queue(state: &WorldState, lent: Lent, own: Own) -> OwnQueue<'_> {
            let near = oxshmem_transport_nvlink::device::LoadStore::new(state).lent(lent);
            OwnQueue::new(state, near, own_far(state, own))
        }

        /// Whether `pe` is reached by loads and stores.
        #[inline(always)]
        pub(crate) fn is_near(state: &WorldState, pe: Pe) -> bool {
            state.is_near(pe)
        }

        /// The queue of a world: loads and stores to the PEs that they reach, queues to the others.
        #[inline(always)]
        pub(crate) fn queue(state: &WorldState, lent: Lent, qp: Qp) -> Queue<'_> {
            Queue::new(state, oxshmem_transport_nvlink::device::LoadStore::new(state).lent(lent), far(state, qp))
        }
    } else if #[cfg(feature = "nvlink")] {
        /// The queue that an operation goes on.
        pub(crate) type Queue<'a> = oxshmem_transport_nvlink::device::LoadStore<'a>;

        /// Queues that one block alone posts on: the memory system has none of its own.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Own;

        /// The queue that an operation goes on which a block has for itself.
        pub(crate) type OwnQueue<'a> = Queue<'a>;

        /// There is nothing to have for oneself.
        ///
        /// # Errors
        /// None.
        ///
        /// # Safety
        /// As [`Shmem::exclusive`](crate::Shmem::exclusive).
        #[inline(always)]
        pub(crate) unsafe fn take<G: Group>(_: &WorldState, block: G, _: QpHandle, _: PeSet, _: u32) -> Result<Own, Fault> {
            block.sync();
            Ok(Own)
        }

        /// A block's own queue.
        #[inline(always)]
        pub(crate) fn own_queue(state: &WorldState, lent: Lent, _: Own) -> OwnQueue<'_> {
            Queue::new(state).lent(lent)
        }

        /// Whether `pe` is reached by loads and stores: all are.
        #[inline(always)]
        pub(crate) fn is_near(_: &WorldState, _: Pe) -> bool {
            true
        }

        /// The queue for a world whose every peer is reached by load and store.
        #[inline(always)]
        pub(crate) fn queue(state: &WorldState, lent: Lent, _: Qp) -> Queue<'_> {
            Queue::new(state).lent(lent)
        }
    }
}

/// Every PE has arrived, and every operation of before is complete.
///
/// # Errors
/// A PE did not arrive within the limit, or died.
#[inline(always)]
pub(crate) fn barrier_all<G: Group>(state: &WorldState, group: G) -> Result<(), Fault> {
    barrier::barrier_all(state, group, FAR, true)
}

/// Every PE has arrived; stores of before are visible.
///
/// # Errors
/// A PE did not arrive within the limit, or died.
#[inline(always)]
pub(crate) fn sync_all<G: Group>(state: &WorldState, group: G) -> Result<(), Fault> {
    // An arrival that says nothing of stores would be cheaper, but those to the own memory must be visible.
    barrier::barrier_all(state, group, FAR, false)
}

/// The layouts of the remote paths, in the order of [`FEATURES`].
pub(crate) const LAYOUTS: &[u64] = &[
    #[cfg(feature = "ibgda")]
    oxshmem_transport_ibgda::state::LAYOUT,
    #[cfg(feature = "ibrc")]
    oxshmem_transport_ibrc::state::LAYOUT,
];

/// Whether some PE has a queue in this row.
#[inline(always)]
pub(crate) fn row_exists(_state: &WorldState, _row: u32) -> bool {
    #[cfg(feature = "ibgda")]
    if oxshmem_transport_ibgda::device::row_exists(_state, _row) {
        return true;
    }
    #[cfg(feature = "ibrc")]
    if oxshmem_transport_ibrc::device::row_exists(_state, _row) {
        return true;
    }
    false
}
