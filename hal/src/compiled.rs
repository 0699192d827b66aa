//! What is compiled in: the one file of this crate that names transport features.

use std::sync::{Arc, Mutex};

use oxshmem_core::Pe;
use oxshmem_core::host::{Result, Transport};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::host_path::HostPath;
#[cfg(any(feature = "ibgda", feature = "ibrc"))]
use oxshmem_raw::queue::host_path::HostPathOf;

use crate::config::{Config, RemoteChoice};

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

/// The remote paths in this build, for host PEs' own threads.
pub(crate) const HOST_PATHS: &[&dyn HostPath] = &[
    #[cfg(feature = "ibgda")]
    &HostPathOf::<oxshmem_transport_ibgda::device::NicPath>::NEW,
    #[cfg(feature = "ibrc")]
    &HostPathOf::<oxshmem_transport_ibrc::device::ProxyPath>::NEW,
];

/// The load/store path of host PEs' own threads.
#[cfg(feature = "nvlink")]
pub(crate) use oxshmem_transport_nvlink::device::LoadStore;
