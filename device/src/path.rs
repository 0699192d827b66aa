//! Which path an operation takes: the device twin of `hal/src/compiled.rs`, and the one file of this
//! crate that names transport features.

use oxshmem_core::{Fault, Group};
use oxshmem_raw::state::WorldState;

#[cfg(not(feature = "nvlink"))]
compile_error!("oxshmem-device needs a transport: enable the feature `nvlink`");

/// The transport features, as a module tells the host.
pub(crate) const FEATURES: &str = "nvlink";

/// The queue that an operation goes on.
#[cfg(feature = "nvlink")]
pub(crate) type Queue<'a> = oxshmem_transport_nvlink::device::LoadStore<'a>;

/// Shared memory that a kernel lends to copies.
#[cfg(feature = "nvlink")]
pub(crate) use oxshmem_transport_nvlink::device::Lent;

/// The queue for a world whose every peer is reached by load and store.
#[cfg(feature = "nvlink")]
#[inline(always)]
pub(crate) fn queue(state: &WorldState, lent: Lent) -> Queue<'_> {
    Queue::new(state).lent(lent)
}

/// Every PE has arrived, and every operation of before is complete.
///
/// # Errors
/// A PE did not arrive within the limit, or died.
#[cfg(feature = "nvlink")]
#[inline(always)]
pub(crate) fn barrier_all<G: Group>(state: &WorldState, group: G) -> Result<(), Fault> {
    oxshmem_transport_nvlink::device::barrier_all(state, group)
}

/// Every PE has arrived; stores of before are visible.
///
/// # Errors
/// A PE did not arrive within the limit, or died.
#[cfg(feature = "nvlink")]
#[inline(always)]
pub(crate) fn sync_all<G: Group>(state: &WorldState, group: G) -> Result<(), Fault> {
    oxshmem_transport_nvlink::device::sync_all(state, group)
}
