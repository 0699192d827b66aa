//! The configuration, as the transport by proxies has it.

use oxshmem_core::host::{Result, Transport};
use oxshmem_raw::state::WorldState;
use oxshmem_transport_ibrc::host::{Ibrc, IbrcConfig, provider};

use super::{Site, wire};
use crate::config::{Config, NicMapBy};

/// Opens it.
pub(super) fn open(site: &Site<'_>, far: &[bool]) -> Result<Box<dyn Transport + Sync>> {
    let (memory, windows) = (site.memory.clone(), site.windows.clone());
    let config = settings(site.config, site.of_host)?;
    Ok(Box::new(Ibrc::open(&config, &*provider(site.me), memory, windows, site.me, far.len() as u32, far)?))
}

/// What the transport is told. `of_host`: how many PEs of its host come before this PE, and how many there are.
///
/// # Errors
/// A setting is not in its form.
fn settings(config: &Config, of_host: (u32, u32)) -> Result<IbrcConfig> {
    let nic = &config.nic;
    Ok(IbrcConfig {
        proxies: nic.proxy_threads,
        pin: nic.proxy_pin,
        guard_fetches: nic.proxy_guard_fetches,
        ring_depth: nic.proxy_ring_depth,
        rows: nic.rows,
        spare_rows: nic.spare_rows,
        depth: nic.depth,
        map_by: match nic.map_by {
            NicMapBy::Cta => WorldState::BY_CTA,
            NicMapBy::Sm => WorldState::BY_SM,
            NicMapBy::Warp => WorldState::BY_WARP,
        },
        nics: wire::nics(nic, of_host)?,
        wire: wire::wire(nic),
        dmabuf: nic.dmabuf,
        wait_limit: config.wait_limit,
    })
}
