//! Which paths this build has: the device twin of `hal/src/transports.rs`, and the one file of this crate that names
//! transport features.

use oxshmem_core::{Fault, Group, PeSet, Qp, QpHandle};
use oxshmem_raw::queue::barrier;
#[cfg(any(feature = "ibgda", feature = "ibrc"))]
use oxshmem_raw::queue::path::Paths;
use oxshmem_raw::queue::path::{self, NoRemote, PathList, Routed};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::abi::Abi;
use oxshmem_transport_nvlink::device::LoadStore;

#[cfg(not(feature = "nvlink"))]
compile_error!(
    "oxshmem-device needs a transport: enable the feature `nvlink`, or `ibgda` or `ibrc` which bring it along"
);

/// Shared memory that a kernel lends to copies.
pub(crate) use oxshmem_transport_nvlink::device::Lent;

cfg_if::cfg_if! {
    if #[cfg(all(feature = "ibgda", feature = "ibrc"))] {
        type Remote = Paths<
            oxshmem_transport_ibgda::device::NicPath,
            Paths<oxshmem_transport_ibrc::device::ProxyPath, NoRemote>,
        >;
    } else if #[cfg(feature = "ibgda")] {
        type Remote = Paths<oxshmem_transport_ibgda::device::NicPath, NoRemote>;
    } else if #[cfg(feature = "ibrc")] {
        type Remote = Paths<oxshmem_transport_ibrc::device::ProxyPath, NoRemote>;
    } else {
        type Remote = NoRemote;
    }
}

/// What this module was built against.
pub(crate) const ABI: Abi = path::abi_of::<Remote>("nvlink", cfg!(feature = "checked"));

/// The queue that an operation goes on.
pub(crate) type Queue<'a> = Routed<'a, LoadStore<'a>, <Remote as PathList>::Queue<'a>>;

/// Queues that one block has for itself.
pub(crate) type Own = <Remote as PathList>::Exclusive;

/// The queue that an operation goes on which a block has for itself.
pub(crate) type OwnQueue<'a> = Routed<'a, LoadStore<'a>, <Remote as PathList>::ExclusiveQueue<'a>>;

/// The queue of a world: loads and stores to the PEs that they reach, remote paths to the others.
///
/// # Safety
///
/// - **live**: `world` is the state of a world whose memory stays mapped while the queue is used, as a kernel of this module
///   got it.
#[inline(always)]
pub(crate) unsafe fn queue(world: &WorldState, lent: Lent, qp: Qp) -> Queue<'_> {
    // SAFETY: **live**.
    unsafe { Queue::new::<Remote>(world, LoadStore::new(world).lent(lent), Remote::queue(world, 1, qp)) }
}

/// Makes a block's own queues.
///
/// # Errors
/// There is too little shared memory; reported.
///
/// # Safety
/// As [`Shmem::exclusive`](crate::Shmem::exclusive), and **live** as for [`queue`].
#[inline(always)]
pub(crate) unsafe fn take<G: Group>(
    world: &WorldState,
    block: G,
    handle: QpHandle,
    pes: PeSet,
    from: u32,
) -> Result<Own, Fault> {
    // SAFETY: the caller's promises.
    unsafe { Remote::take_exclusive(world, 1, block, handle, pes, from) }
}

/// A block's own queue: loads and stores to the PEs that they reach, its own queues to the others.
///
/// # Safety
///
/// **live**, as for [`queue`]; `own` was taken in this world.
#[inline(always)]
pub(crate) unsafe fn own_queue(world: &WorldState, lent: Lent, own: Own) -> OwnQueue<'_> {
    // SAFETY: **live**.
    unsafe { OwnQueue::new::<Remote>(world, LoadStore::new(world).lent(lent), Remote::exclusive_queue(world, 1, own)) }
}

/// Whether some PE has a queue in this row.
///
/// # Safety
///
/// **live**, as for [`queue`].
#[inline(always)]
pub(crate) unsafe fn row_exists(world: &WorldState, row: u32) -> bool {
    // SAFETY: **live**.
    unsafe { Remote::row_exists(world, 1, row) }
}

/// Every PE has arrived; with `complete`, every operation of before is complete.
///
/// # Errors
/// A PE did not arrive within the limit, or died.
///
/// # Safety
///
/// **live**, as for [`queue`].
#[inline(always)]
pub(crate) unsafe fn barrier_all<G: Group>(world: &WorldState, group: G, complete: bool) -> Result<(), Fault> {
    // SAFETY: **live**.
    unsafe { barrier::barrier_all(world, group, path::RemotePaths::<Remote>::ALL, complete) }
}
