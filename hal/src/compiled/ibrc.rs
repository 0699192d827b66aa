//! The configuration, as the transport by proxies has it.

use oxshmem_core::host::{Error, ErrorKind, Result, Transport};
use oxshmem_raw::state::WorldState;
use oxshmem_transport_ibrc::host::{Ibrc, IbrcConfig, provider};

use super::Site;
use crate::config::{Config, NicMapBy};

/// Opens it.
pub(super) fn open(site: &Site<'_>, far: &[bool]) -> Result<Box<dyn Transport + Sync>> {
    let (memory, windows) = (site.memory.clone(), site.windows.clone());
    let config = settings(site.config)?;
    Ok(Box::new(Ibrc::open(&config, &*provider(site.me), memory, windows, site.me, far.len() as u32, far)?))
}

/// What the transport is told.
///
/// # Errors
/// A setting is not in its form, or one that this transport doesn't know yet.
fn settings(config: &Config) -> Result<IbrcConfig> {
    let nic = &config.nic;
    let list = nic.hcas.as_str();
    if list.contains([',', ':', '^']) {
        return Err(Error::new(ErrorKind::InvalidArgument, format!("use OXSHMEM_HCA_LIST = {list}"))
            .because("the transport ibrc takes the name of one device"));
    }
    Ok(IbrcConfig {
        rows: nic.rows,
        spare_rows: nic.spare_rows,
        depth: nic.depth,
        map_by: match nic.map_by {
            NicMapBy::Cta => WorldState::BY_CTA,
            NicMapBy::Sm => WorldState::BY_SM,
            NicMapBy::Warp => WorldState::BY_WARP,
        },
        device: (!list.is_empty()).then(|| list.into()),
        dmabuf: nic.dmabuf,
        gid_index: nic.gid_index,
        traffic_class: nic.traffic_class,
        service_level: nic.service_level,
        pkey_index: nic.pkey_index,
        ack_timeout: nic.ack_timeout,
        retry_count: nic.retry_count,
        rnr_retry: nic.rnr_retry,
        wait_limit: config.wait_limit,
        ..IbrcConfig::default()
    })
}
