//! What is compiled in: the one file of this crate that names transport features.

use std::sync::{Arc, Mutex};

#[cfg(any(feature = "ibgda", feature = "ibrc"))]
use oxshmem_core::Qp;
use oxshmem_core::host::{Result, Transport};
use oxshmem_core::{
    Cmp, Completion, Fault, FaultStep, OrderingDomain, Pe, PeSet, QpResource, QpSet, Remote, SignalOp, SymAddr, SymPtr,
};
use oxshmem_raw::gpu::group::{Block, Thread};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::wait::{self, WaitBudget};

use crate::config::{Config, RemoteChoice};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::barrier;

#[cfg(not(feature = "nvlink"))]
compile_error!("oxshmem-hal needs a transport: enable the feature `nvlink`, or `ibgda` or `ibrc` which bring it along");

/// The transports in this build, by feature name.
pub const TRANSPORTS: &[&str] = &[
    #[cfg(feature = "nvlink")]
    "nvlink",
    #[cfg(feature = "ibgda")]
    "ibgda",
    #[cfg(feature = "ibrc")]
    "ibrc",
];

/// The layouts of what kernels and the host share, by the name of the transport whose it is.
pub(crate) const LAYOUTS: &[(&str, u64)] = &[
    #[cfg(feature = "ibgda")]
    ("ibgda", oxshmem_transport_ibgda::state::LAYOUT),
    #[cfg(feature = "ibrc")]
    ("ibrc", oxshmem_transport_ibrc::state::LAYOUT),
];

/// What transports are made from.
#[cfg_attr(not(feature = "ibgda"), allow(dead_code, reason = "load and store need less, and so do proxies"))]
pub(crate) struct Site<'a> {
    pub(crate) config: &'a Config,
    pub(crate) memory: &'a Memory,
    pub(crate) windows: &'a Arc<Mutex<Windows>>,
    pub(crate) me: Pe,
    /// How this PE reaches each.
    pub(crate) ways: &'a Ways,
    /// How many PEs of its host come before this PE, and how many there are.
    pub(crate) of_host: (u32, u32),
}

/// Whether there is a transport to PEs that loads and stores don't reach.
pub(crate) const HAS_REMOTE: bool = BY_NIC || BY_PROXY;
/// Whether there is one whose queues GPUs write themselves.
pub(crate) const BY_NIC: bool = cfg!(feature = "ibgda");
/// Whether there is one whose queues the host's threads post on.
pub(crate) const BY_PROXY: bool = cfg!(feature = "ibrc");

/// How a PE is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By loads and stores.
    Near,
    /// By queues that GPUs write themselves.
    ByNic,
    /// By queues that the host's threads post on.
    ByProxy,
}

/// How a PE of a world reaches the others.
#[derive(Debug)]
pub(crate) struct Ways {
    /// By PE.
    pub(crate) of: Vec<Way>,
    /// Whether some PE of the world reaches one by a NIC: then all set that up together.
    pub(crate) by_nic: bool,
    /// Whether some PE of the world reaches one by proxies.
    pub(crate) by_proxy: bool,
}

impl Ways {
    /// By PE, whether it is reached so.
    fn by(&self, way: Way) -> Vec<bool> {
        self.of.iter().map(|of| *of == way).collect()
    }
}

/// The transports of one PE of a world, the best first, and only those that it needs.
pub(crate) fn transports(site: &Site<'_>) -> Result<Vec<Box<dyn Transport + Sync>>> {
    let mut transports: Vec<Box<dyn Transport + Sync>> = Vec::new();
    #[cfg(feature = "nvlink")]
    transports.push(Box::new(oxshmem_transport_nvlink::host::NvLink::new(
        site.memory.clone(),
        site.windows.clone(),
        &site.ways.by(Way::Near),
    )));
    if site.config.remote != RemoteChoice::None {
        remote(site, &mut transports)?;
    }
    Ok(transports)
}

/// The transports to PEs that loads and stores don't reach: the same on each PE. One that leads this PE to nobody is not
/// opened here, where the other one does.
fn remote(site: &Site<'_>, transports: &mut Vec<Box<dyn Transport + Sync>>) -> Result<()> {
    let Ways { of, by_nic, by_proxy: some_proxy } = site.ways;
    // A PE that is near to all has queues, too: handles are the same everywhere.
    let without = !of.iter().any(|way| *way != Way::Near);
    let rather_proxy = *some_proxy && (by_proxy(site.config) || !by_nic);
    let leads = |way: Way, rather: bool| of.contains(&way) || (without && rather);
    if *by_nic {
        let works = leads(Way::ByNic, !rather_proxy);
        transports.push(if works { ibgda::open(site, &site.ways.by(Way::ByNic))? } else { Box::new(Idle("ibgda")) });
    }
    if *some_proxy {
        let works = leads(Way::ByProxy, rather_proxy);
        transports.push(if works { ibrc::open(site, &site.ways.by(Way::ByProxy))? } else { Box::new(Idle("ibrc")) });
    }
    Ok(())
}

/// Whether threads of the host post for kernels.
pub(crate) fn by_proxy(config: &Config) -> bool {
    config.is_by_proxy(TRANSPORTS)
}

#[cfg(any(feature = "ibgda", feature = "ibrc"))]
mod wire;

#[cfg(feature = "ibgda")]
mod ibgda;
#[cfg(feature = "ibrc")]
mod ibrc;
mod idle;

use idle::Idle;

/// What is not compiled in is not chosen.
#[cfg(not(feature = "ibrc"))]
mod ibrc {
    use super::{Idle, Result, Site, Transport};

    pub(super) fn open(_: &Site<'_>, _: &[bool]) -> Result<Box<dyn Transport + Sync>> {
        Ok(Box::new(Idle("ibrc")))
    }
}

/// What is not compiled in is not chosen.
#[cfg(not(feature = "ibgda"))]
mod ibgda {
    use super::{Idle, Result, Site, Transport};

    pub(super) fn open(_: &Site<'_>, _: &[bool]) -> Result<Box<dyn Transport + Sync>> {
        Ok(Box::new(Idle("ibgda")))
    }
}

/// The barrier over all PEs, on a host PE's own threads.
pub(crate) fn barrier_all(state: &WorldState) -> Result<(), Fault> {
    barrier::barrier_all(state, Block, FAR, true)
}

cfg_if::cfg_if! {
    if #[cfg(all(feature = "ibgda", feature = "ibrc"))] {
        const FAR: oxshmem_raw::queue::chosen::ChosenFar<
            oxshmem_transport_ibgda::device::ByNic,
            oxshmem_transport_ibrc::device::ByProxy,
        > = oxshmem_raw::queue::chosen::ChosenFar(
            oxshmem_transport_ibgda::device::FAR,
            oxshmem_transport_ibrc::device::FAR,
        );

        fn far(state: &WorldState) -> impl HostQueue {
            oxshmem_raw::queue::chosen::Chosen::new(
                state,
                oxshmem_transport_ibgda::device::Queues::new(state, Qp::Default),
                oxshmem_transport_ibrc::device::Queues::new(state, Qp::Default),
            )
        }
    } else if #[cfg(feature = "ibgda")] {
        use oxshmem_transport_ibgda::device::FAR;

        fn far(state: &WorldState) -> impl HostQueue {
            oxshmem_transport_ibgda::device::Queues::new(state, Qp::Default)
        }
    } else if #[cfg(feature = "ibrc")] {
        use oxshmem_transport_ibrc::device::FAR;

        fn far(state: &WorldState) -> impl HostQueue {
            oxshmem_transport_ibrc::device::Queues::new(state, Qp::Default)
        }
    } else {
        use oxshmem_raw::queue::barrier::AllNear as FAR;
    }
}

cfg_if::cfg_if! {
    if #[cfg(any(feature = "ibgda", feature = "ibrc"))] {
        /// The queue that an operation of a host PE's own threads goes on.
        fn queue(state: &WorldState) -> impl HostQueue {
            let near = oxshmem_transport_nvlink::device::LoadStore::new(state);
            oxshmem_raw::queue::split::Split::new(state, near, far(state))
        }
    } else {
        /// The queue that an operation of a host PE's own threads goes on.
        #[cfg(feature = "nvlink")]
        fn queue(state: &WorldState) -> impl HostQueue {
            oxshmem_transport_nvlink::device::LoadStore::new(state)
        }
    }
}

/// What is asked of a queue by a host PE's own threads.
trait HostQueue: QpResource<Local = LocalAddr> + OrderingDomain {}
impl<Q: QpResource<Local = LocalAddr> + OrderingDomain> HostQueue for Q {}

/// Copies from this PE's heap to another's and then, if asked, signals there, on a host PE's own threads. A copy without
/// a signal is complete when it returns. The caller has checked that both ranges and the word are in the heap.
pub(crate) fn put(
    state: &WorldState,
    to: Remote,
    from: SymAddr,
    bytes: usize,
    signal: Option<(SymPtr<u64>, u64, SignalOp)>,
) -> Result<(), Fault> {
    // SAFETY: **owned**: in this PE's heap, which is mapped for as long as kernels run.
    let from = unsafe { LocalAddr::new(state.own_address(from)) };
    match signal {
        // That a put returns means only that its source may be written again.
        None => {
            queue(state).put(Thread, to, from, bytes, Completion::Blocking)?;
            queue(state).quiet(Thread, PeSet::One(to.pe), QpSet::Default)
        }
        Some((word, value, op)) => {
            queue(state).put_signal(Thread, to, from, bytes, word.addr(), op, value, Completion::Blocking)
        }
    }
}

/// Copies from another PE's heap to this one's, as [`put`].
pub(crate) fn get(state: &WorldState, to: SymAddr, from: Remote, bytes: usize) -> Result<(), Fault> {
    // SAFETY: **owned**: as for `put`.
    let to = unsafe { LocalAddr::new(state.own_address(to)) };
    queue(state).get(Thread, to, from, bytes, Completion::Blocking)
}

/// Completes what this PE's threads and kernels have issued, on a host PE's own threads.
pub(crate) fn quiet(state: &WorldState) -> Result<(), Fault> {
    queue(state).quiet(Thread, PeSet::All, QpSet::All)
}

/// Waits for a word of this PE's heap, on a host PE's own threads. The caller has checked that it is there.
pub(crate) fn wait(state: &WorldState, word: SymAddr, cmp: Cmp, value: u64) -> Result<(), Fault> {
    let at = state.own_address(word).cast::<u64>();
    // SAFETY: **live**: an aligned word in this PE's heap, which is mapped for as long as kernels run.
    let seen = || unsafe { ptx::ld_acquire_sys_u64(at) };
    let holds = || cmp.holds(seen(), value).then_some(());
    wait::until(state, &mut WaitBudget::new(), 1, holds, || {
        let mut fault = Fault::new(FaultStep::Wait);
        (fault.at, fault.detail) = (word.offset(), Fault::wait_detail::<u64>(cmp));
        (fault.asked, fault.seen) = (value, seen());
        fault
    })
}
