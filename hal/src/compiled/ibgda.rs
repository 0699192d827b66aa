//! The configuration, as the NIC's transport has it.

use oxshmem_core::host::{Result, Transport};
use oxshmem_transport_ibgda::host::{Buffers, DoorbellBy, Ibgda, IbgdaConfig, MapBy, provider};

use super::{Site, wire};
use crate::config::{Config, NicBuffers, NicDoorbell, NicMapBy};

/// Opens it.
pub(super) fn open(site: &Site<'_>, far: &[bool]) -> Result<Box<dyn Transport + Sync>> {
    let (memory, windows) = (site.memory.clone(), site.windows.clone());
    let config = settings(site.config, site.of_host)?;
    Ok(Box::new(Ibgda::open(&config, provider(), memory, windows, site.me, far.len() as u32, far)?))
}

/// What the transport is told. `of_host`: how many PEs of its host come before this PE, and how many there are.
///
/// # Errors
/// A setting is not in its form.
fn settings(config: &Config, of_host: (u32, u32)) -> Result<IbgdaConfig> {
    let nic = &config.nic;
    Ok(IbgdaConfig {
        rows: nic.rows,
        spare_rows: nic.spare_rows,
        depth: nic.depth,
        map_by: match nic.map_by {
            NicMapBy::Cta => MapBy::Cta,
            NicMapBy::Sm => MapBy::Sm,
            NicMapBy::Warp => MapBy::Warp,
        },
        nics: wire::nics(nic, of_host)?,
        wire: wire::wire(nic),
        buffers: match nic.buffers {
            NicBuffers::Auto => Buffers::Auto,
            NicBuffers::Gpu => Buffers::Gpu,
            NicBuffers::Host => Buffers::Host,
        },
        doorbell: match nic.doorbell {
            NicDoorbell::Auto => DoorbellBy::Auto,
            NicDoorbell::Gpu => DoorbellBy::Gpu,
            NicDoorbell::Cpu => DoorbellBy::Cpu,
        },
        dmabuf: nic.dmabuf,
        relaxed_ordering: nic.relaxed_ordering,
        dump: nic.dump,
        verbs_twin: nic.verbs_twin,
        wait_limit: config.wait_limit,
    })
}
