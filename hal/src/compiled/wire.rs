//! The settings that every transport over NICs has in common, as those transports have them.

use std::net::IpAddr;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::rdma::wire::{
    AddrFamily, AddrRange, HcaList, HcaMapping, Neighbours, NicCount, NicParams, RoceVersion, WireParams,
};

use crate::config::{NicAddrFamily, NicConfig, NicCount as Asked};

/// Which NICs a PE uses. `of_host`: how many PEs of its host come before it, and how many there are.
///
/// # Errors
/// A setting is not in its form.
pub(super) fn nics(nic: &NicConfig, of_host: (u32, u32)) -> Result<NicParams> {
    let hcas = HcaList::parse(&nic.hcas).map_err(|why| {
        Error::new(ErrorKind::InvalidArgument, format!("use OXSHMEM_HCA_LIST = {}", nic.hcas)).because(why)
    })?;
    let mapping = HcaMapping::parse(&nic.hca_pe_mapping).map_err(|why| {
        Error::new(ErrorKind::InvalidArgument, format!("use OXSHMEM_HCA_PE_MAPPING = {}", nic.hca_pe_mapping))
            .because(why)
    })?;
    Ok(NicParams {
        hcas,
        count: match nic.nics_per_pe {
            Asked::Auto => NicCount::Auto,
            Asked::Nearest => NicCount::Nearest,
            Asked::Count(count) => NicCount::Count(count),
        },
        round_robin: nic.round_robin,
        mapping,
        neighbours: Some(Neighbours { place: of_host.0, count: of_host.1 }),
        prefix: (!nic.hca_prefix.is_empty()).then(|| nic.hca_prefix.clone()),
    })
}

/// How queue pairs are connected.
pub(super) fn wire(nic: &NicConfig) -> WireParams {
    WireParams {
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
    }
}

/// IPv4 addresses are those of IPv6 that begin with 96 known bits.
fn range(address: IpAddr, bits: u8) -> AddrRange {
    match address {
        IpAddr::V4(v4) => AddrRange { address: v4.to_ipv6_mapped().octets(), bits: bits.saturating_add(96) },
        IpAddr::V6(v6) => AddrRange { address: v6.octets(), bits },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn set(variables: &[(&str, &str)]) -> NicConfig {
        let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        Config::from_sources(None, variables).unwrap().nic
    }

    #[test]
    fn without_settings_the_wire_is_what_transports_take_it_for() {
        assert_eq!(wire(&set(&[])), WireParams::default());
        let neighbours = Some(Neighbours { place: 1, count: 4 });
        assert_eq!(nics(&set(&[]), (1, 4)).unwrap(), NicParams { neighbours, ..NicParams::default() });
    }

    #[test]
    fn every_variable_of_the_wire_reaches_the_transports_under_both_names() {
        let settings = [
            ("GID_INDEX", "3"),
            ("ROCE_VERSION_NUM", "1"),
            ("ADDR_FAMILY", "AF_INET6"),
            ("ADDR_RANGE", "10.1.0.0/16"),
            ("TRAFFIC_CLASS", "106"),
            ("SL", "3"),
            ("PKEY_INDEX", "7"),
            ("TIMEOUT", "18"),
            ("RETRY_CNT", "5"),
        ];
        for prefix in ["OXSHMEM_IB_", "NVSHMEM_IB_"] {
            let named: Vec<_> = settings.iter().map(|(name, value)| (format!("{prefix}{name}"), *value)).collect();
            let mut named: Vec<_> = named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            named.extend([("OXSHMEM_IB_RNR_RETRY", "2"), ("OXSHMEM_IB_MTU", "1024"), ("OXSHMEM_IB_UDP_SPORT", "0")]);
            let mut address = [0; 16];
            address[10..14].copy_from_slice(&[0xff, 0xff, 10, 1]);
            let expected = WireParams {
                gid_index: Some(3),
                roce_version: RoceVersion::V1,
                addr_family: AddrFamily::Ipv6,
                addr_range: Some(AddrRange { address, bits: 112 }),
                traffic_class: 106,
                service_level: 3,
                pkey_index: 7,
                ack_timeout: 18,
                retry_count: 5,
                rnr_retry: 2,
                mtu: Some(3),
                udp_sport_spread: false,
            };
            assert_eq!(wire(&set(&named)), expected);
        }
    }

    #[test]
    fn lists_and_mappings_of_nics_reach_the_transports() {
        let set = set(&[
            ("OXSHMEM_HCA_LIST", "^mlx5_0:1,rxe1"),
            ("OXSHMEM_NICS_PER_PE", "2"),
            ("OXSHMEM_ENABLE_NIC_PE_MAPPING", "1"),
            ("OXSHMEM_HCA_PE_MAPPING", "rxe0:1:2"),
            ("OXSHMEM_HCA_PREFIX", "rxe"),
        ]);
        let expected = NicParams {
            hcas: HcaList::parse("^mlx5_0:1,rxe1").unwrap(),
            count: NicCount::Count(2),
            round_robin: true,
            mapping: HcaMapping::parse("rxe0:1:2").unwrap(),
            neighbours: Some(Neighbours { place: 0, count: 1 }),
            prefix: Some("rxe".into()),
        };
        assert_eq!(nics(&set, (0, 1)).unwrap(), expected);
    }
}
