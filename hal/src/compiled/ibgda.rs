//! The configuration, as the NIC's transport has it.

use std::net::IpAddr;

use oxshmem_core::host::{Error, ErrorKind, Result, Transport};
use oxshmem_transport_ibgda::host::{
    AddrFamily, AddrRange, Buffers, DoorbellBy, HcaList, HcaMapping, Ibgda, IbgdaConfig, MapBy, Neighbours, NicCount,
    RoceVersion, provider,
};

use crate::config::{Config, NicAddrFamily, NicBuffers, NicCount as Asked, NicDoorbell, NicMapBy};

use super::Site;

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
    let hcas = HcaList::parse(&nic.hcas).map_err(|why| {
        Error::new(ErrorKind::InvalidArgument, format!("use OXSHMEM_HCA_LIST = {}", nic.hcas)).because(why)
    })?;
    let mapping = HcaMapping::parse(&nic.hca_pe_mapping).map_err(|why| {
        Error::new(ErrorKind::InvalidArgument, format!("use OXSHMEM_HCA_PE_MAPPING = {}", nic.hca_pe_mapping))
            .because(why)
    })?;
    Ok(IbgdaConfig {
        rows: nic.rows,
        spare_rows: nic.spare_rows,
        depth: nic.depth,
        map_by: match nic.map_by {
            NicMapBy::Cta => MapBy::Cta,
            NicMapBy::Sm => MapBy::Sm,
            NicMapBy::Warp => MapBy::Warp,
        },
        hcas,
        nics: match nic.nics_per_pe {
            Asked::Auto => NicCount::Auto,
            Asked::Nearest => NicCount::Nearest,
            Asked::Count(count) => NicCount::Count(count),
        },
        round_robin: nic.round_robin,
        mapping,
        neighbours: Some(Neighbours { place: of_host.0, count: of_host.1 }),
        hca_prefix: (!nic.hca_prefix.is_empty()).then(|| nic.hca_prefix.clone()),
        gid_index: nic.gid_index,
        roce_version: if nic.roce_version == 1 { RoceVersion::V1 } else { RoceVersion::V2 },
        addr_family: match nic.addr_family {
            NicAddrFamily::Ipv4 => AddrFamily::Ipv4,
            NicAddrFamily::Ipv6 => AddrFamily::Ipv6,
        },
        addr_range: nic.addr_range.map(|(address, bits)| range(address, bits)),
        traffic_class: nic.traffic_class,
        service_level: nic.service_level,
        pkey_index: nic.pkey_index,
        ack_timeout: nic.ack_timeout,
        retry_count: nic.retry_count,
        rnr_retry: nic.rnr_retry,
        mtu: nic.mtu_bytes.map(|bytes| (bytes / 256).ilog2() as u8 + 1),
        udp_sport_spread: nic.udp_sport_spread,
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

/// IPv4 addresses are those of IPv6 that begin with 96 known bits.
fn range(address: IpAddr, bits: u8) -> AddrRange {
    match address {
        IpAddr::V4(v4) => AddrRange { address: v4.to_ipv6_mapped().octets(), bits: bits.saturating_add(96) },
        IpAddr::V6(v6) => AddrRange { address: v6.octets(), bits },
    }
}
