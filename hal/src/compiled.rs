//! What is compiled in: the one file of this crate that names transport features.

use std::sync::{Arc, Mutex};

use oxshmem_core::Fault;
use oxshmem_core::host::{Result, Transport};
use oxshmem_raw::group::Block;
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::state::WorldState;

#[cfg(not(feature = "nvlink"))]
compile_error!("oxshmem-hal needs a transport: enable the feature `nvlink`");

/// The transports in this build, by feature name.
pub const TRANSPORTS: &[&str] = &[
    #[cfg(feature = "nvlink")]
    "nvlink",
];

/// The transports of one PE of a world, the best first. `mappable` says, by PE, whose memory this PE can map.
pub(crate) fn transports(
    memory: &Memory,
    windows: &Arc<Mutex<Windows>>,
    mappable: &[bool],
) -> Result<Vec<Box<dyn Transport + Sync>>> {
    Ok(vec![
        #[cfg(feature = "nvlink")]
        Box::new(oxshmem_transport_nvlink::host::NvLink::new(memory.clone(), windows.clone(), mappable)),
    ])
}

/// The barrier over all PEs, on a host PE's own threads.
#[cfg(feature = "nvlink")]
pub(crate) fn barrier_all(state: &WorldState) -> Result<(), Fault> {
    oxshmem_transport_nvlink::device::barrier_all(state, Block)
}
