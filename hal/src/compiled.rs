//! What is compiled in: the one file of this crate that names transport features.

use std::sync::{Arc, Mutex};

use oxshmem_core::host::{Result, Transport};
use oxshmem_core::{Cmp, Completion, Fault, FaultStep, QpResource, Remote, SignalOp, SymAddr, SymPtr};
use oxshmem_raw::group::{Block, Thread};
use oxshmem_raw::local::LocalAddr;
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::ptx;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::wait::{self, Patience};

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

/// Copies from this PE's heap to another's and then, if asked, signals there, on a host PE's own threads. The caller
/// has checked that both ranges and the word are in the heap.
#[cfg(feature = "nvlink")]
pub(crate) fn put(
    state: &WorldState,
    to: Remote,
    from: SymAddr,
    bytes: usize,
    signal: Option<(SymPtr<u64>, u64, SignalOp)>,
) -> Result<(), Fault> {
    // SAFETY: **owned**: in this PE's heap, which is mapped for as long as kernels run.
    let from = unsafe { LocalAddr::new(state.own_address(from)) };
    let queue = oxshmem_transport_nvlink::device::LoadStore::new(state);
    match signal {
        None => queue.put(Thread, to, from, bytes, Completion::Blocking),
        Some((word, value, op)) => {
            queue.put_signal(Thread, to, from, bytes, word.addr(), op, value, Completion::Blocking)
        }
    }
}

/// Copies from another PE's heap to this one's, as [`put`].
#[cfg(feature = "nvlink")]
pub(crate) fn get(state: &WorldState, to: SymAddr, from: Remote, bytes: usize) -> Result<(), Fault> {
    // SAFETY: **owned**: as for `put`.
    let to = unsafe { LocalAddr::new(state.own_address(to)) };
    oxshmem_transport_nvlink::device::LoadStore::new(state).get(Thread, to, from, bytes, Completion::Blocking)
}

/// Waits for a word of this PE's heap, on a host PE's own threads. The caller has checked that it is there.
pub(crate) fn wait(state: &WorldState, word: SymAddr, cmp: Cmp, value: u64) -> Result<(), Fault> {
    let at = state.own_address(word).cast::<u64>();
    // SAFETY: **live**: an aligned word in this PE's heap, which is mapped for as long as kernels run.
    let seen = || unsafe { ptx::ld_acquire_sys_u64(at) };
    let holds = || cmp.holds(seen(), value).then_some(());
    wait::until(state, &mut Patience::new(), 1, holds, || {
        let mut fault = Fault::new(FaultStep::Wait);
        (fault.at, fault.detail) = (word.offset(), Fault::wait_detail::<u64>(cmp));
        (fault.asked, fault.seen) = (value, seen());
        fault
    })
}
