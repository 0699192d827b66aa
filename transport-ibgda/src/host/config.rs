//! What can be said about queues, NICs and the wire.

use std::fmt;
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::hcas::{HcaList, HcaMapping};

/// The most NICs that a PE uses.
pub const MAX_NICS: u32 = 16;

/// What is to be known before a NIC is opened. [`check`](IbgdaConfig::check) says whether it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbgdaConfig {
    /// Rows of default queues: queue pairs to each PE. 1 to 4096.
    pub rows: u32,
    /// Rows that `qp_create` can make beside them. Up to 65536.
    pub spare_rows: u32,
    /// Basic blocks of 64 bytes of a send queue: a power of two from 128 to 32768.
    pub depth: u32,
    /// Which threads share a default queue.
    pub map_by: MapBy,
    /// Which NICs may be used.
    pub hcas: HcaList,
    /// How many of them this PE uses.
    pub nics: NicCount,
    /// NICs are dealt out to the PEs of a host in turn, however far they are.
    pub round_robin: bool,
    /// Which PE of a host uses which NIC; empty: it is chosen. It goes before all else that chooses.
    pub mapping: HcaMapping,
    /// The PEs of this host; `None`: nobody knows, and PEs take turns by their numbers.
    pub neighbours: Option<Neighbours>,
    /// What the name of a NIC begins with; `None`: anything.
    pub hca_prefix: Option<String>,
    /// The entry of the GID table; `None`: chosen by version and family.
    pub gid_index: Option<u32>,
    /// RoCE on Ethernet frames or on UDP.
    pub roce_version: RoceVersion,
    /// Which addresses of a RoCE port are preferred.
    pub addr_family: AddrFamily,
    /// Addresses of a RoCE port outside this range are not used.
    pub addr_range: Option<AddrRange>,
    /// Traffic class; its upper six bits are the DSCP on RoCE.
    pub traffic_class: u8,
    /// Service level, the priority on RoCE. 0 to 15 (0 to 7 on RoCE).
    pub service_level: u8,
    /// Entry of the partition table.
    pub pkey_index: u16,
    /// Local ACK timeout: 4.096 us * 2^this. 0 (none) to 31.
    pub ack_timeout: u8,
    /// Retries when no ACK comes. 0 to 7.
    pub retry_count: u8,
    /// Retries when the peer is not ready. 0 to 7; 7: for ever.
    pub rnr_retry: u8,
    /// 1: 256 bytes to 5: 4096 bytes; `None`: the smaller of both ports' own.
    pub mtu: Option<u8>,
    /// Whether each queue pair has a UDP source port of its own on RoCE v2, so that switches spread them.
    pub udp_sport_spread: bool,
    /// Where the queues are.
    pub buffers: Buffers,
    /// Who rings the NIC.
    pub doorbell: DoorbellBy,
    /// Whether GPU memory may be shared with the NIC by dma-buf.
    pub dmabuf: bool,
    /// Whether writes to the heap may arrive in any order.
    pub relaxed_ordering: bool,
    /// Whether reads need a dump behind them; `None`: as the GPU says.
    pub dump: Option<bool>,
    /// Whether queue pairs are made by verbs, in host memory, in place of DEVX.
    pub verbs_twin: bool,
    /// How long the host waits for its own operations; `None`: for ever.
    pub wait_limit: Option<Duration>,
}

impl Default for IbgdaConfig {
    fn default() -> Self {
        Self {
            rows: 2,
            spare_rows: 64,
            depth: 1024,
            map_by: MapBy::Cta,
            hcas: HcaList::default(),
            nics: NicCount::Auto,
            round_robin: false,
            mapping: HcaMapping::default(),
            neighbours: None,
            hca_prefix: None,
            gid_index: None,
            roce_version: RoceVersion::V2,
            addr_family: AddrFamily::Ipv4,
            addr_range: None,
            traffic_class: 0,
            service_level: 0,
            pkey_index: 0,
            ack_timeout: 20,
            retry_count: 7,
            rnr_retry: 7,
            mtu: None,
            udp_sport_spread: true,
            buffers: Buffers::Auto,
            doorbell: DoorbellBy::Auto,
            dmabuf: true,
            relaxed_ordering: false,
            dump: None,
            verbs_twin: false,
            wait_limit: Some(Duration::from_secs(60)),
        }
    }
}

/// How many NICs a PE uses. Rows of queues take turns among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NicCount {
    /// One; or its part of those that are equally near to its GPU, where there are more of them than PEs.
    #[default]
    Auto,
    /// All that are equally near.
    Nearest,
    /// So many, 1 to [`MAX_NICS`], the nearest first, or it is an error.
    Count(u32),
}

/// The PEs of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// How many of them come before this one.
    pub place: u32,
    /// How many they are, with this one.
    pub count: u32,
}

/// Which threads share a default queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapBy {
    /// Those of a block.
    #[default]
    Cta,
    /// Those of a multiprocessor.
    Sm,
    /// Those of a warp.
    Warp,
}

/// What RoCE is carried by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoceVersion {
    /// Ethernet frames.
    V1,
    /// UDP.
    #[default]
    V2,
}

/// Addresses of a RoCE port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddrFamily {
    /// IPv4, mapped into IPv6.
    #[default]
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// Addresses that begin with the same bits; those of IPv4 as mapped into IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddrRange {
    /// An address of it, in network order.
    pub address: [u8; 16],
    /// How many bits are the same, 0 to 128.
    pub bits: u8,
}

impl AddrRange {
    /// Whether the address is of the range.
    pub fn contains(&self, address: &[u8; 16]) -> bool {
        let differ = u128::from_be_bytes(self.address) ^ u128::from_be_bytes(*address);
        differ.leading_zeros() >= u32::from(self.bits)
    }
}

/// Where send queues, completion queues and doorbell records are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Buffers {
    /// In GPU memory where the NIC reaches it, else on the host.
    #[default]
    Auto,
    /// In GPU memory, or it is an error.
    Gpu,
    /// In pinned memory of the host.
    Host,
}

/// Who writes the NIC's doorbell register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoorbellBy {
    /// The GPU where it can map the register, else a thread of the host.
    #[default]
    Auto,
    /// The GPU, or it is an error.
    Gpu,
    /// A thread of the host.
    Cpu,
}

impl IbgdaConfig {
    /// Depths of a send queue.
    pub const DEPTHS: (u32, u32) = (128, 32768);

    /// Every value is in its range.
    ///
    /// # Errors
    /// `OutOfRange`, naming the variable and the range.
    pub fn check(&self) -> Result<()> {
        let within = |name: &str, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(out_of_range(name, value).hint(format!("it takes {least} to {most}")))
        };
        within("OXSHMEM_IBGDA_NUM_RC_PER_PE", self.rows, 1, 4096)?;
        within("OXSHMEM_IBGDA_SPARE_ROWS", self.spare_rows, 0, 1 << 16)?;
        let (least, most) = Self::DEPTHS;
        if !self.depth.is_power_of_two() || !(least..=most).contains(&self.depth) {
            let range = format!("it takes a power of two from {least} to {most}");
            return Err(out_of_range("OXSHMEM_QP_DEPTH", self.depth).hint(range));
        }
        if let NicCount::Count(count) = self.nics {
            within("OXSHMEM_NICS_PER_PE", count, 1, MAX_NICS)?;
        }
        within("OXSHMEM_IB_SL", self.service_level.into(), 0, 15)?;
        within("OXSHMEM_IB_TIMEOUT", self.ack_timeout.into(), 0, 31)?;
        within("OXSHMEM_IB_RETRY_CNT", self.retry_count.into(), 0, 7)?;
        within("OXSHMEM_IB_RNR_RETRY", self.rnr_retry.into(), 0, 7)?;
        if let Some(range) = self.addr_range {
            within("OXSHMEM_IB_ADDR_RANGE", range.bits.into(), 0, 128)?;
        }
        self.mtu.map_or(Ok(()), |mtu| within("OXSHMEM_IB_MTU", mtu.into(), 1, 5))
    }
}

fn out_of_range(name: &str, value: impl fmt::Display) -> Error {
    Error::new(ErrorKind::OutOfRange, format!("use {name} = {value}")).because("it is out of range")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_hold_and_a_value_out_of_range_is_named_with_its_range() {
        IbgdaConfig::default().check().unwrap();
        let refused = |change: fn(&mut IbgdaConfig)| {
            let mut config = IbgdaConfig::default();
            change(&mut config);
            let error = config.check().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfRange);
            error.to_string()
        };
        for (text, part) in [
            (
                refused(|c| c.depth = 1000),
                "QP_DEPTH = 1000: it is out of range; it takes a power of two from 128 to 32768",
            ),
            (refused(|c| c.depth = 64), "power of two from 128"),
            (refused(|c| c.depth = 65536), "to 32768"),
            (refused(|c| c.rows = 0), "IBGDA_NUM_RC_PER_PE = 0: it is out of range; it takes 1 to 4096"),
            (refused(|c| c.spare_rows = 65537), "SPARE_ROWS"),
            (refused(|c| c.mtu = Some(6)), "IB_MTU = 6: it is out of range; it takes 1 to 5"),
            (refused(|c| c.ack_timeout = 32), "IB_TIMEOUT"),
            (refused(|c| c.nics = NicCount::Count(0)), "NICS_PER_PE = 0: it is out of range; it takes 1 to 16"),
            (refused(|c| c.nics = NicCount::Count(17)), "NICS_PER_PE = 17"),
            (refused(|c| c.retry_count = 8), "IB_RETRY_CNT"),
            (refused(|c| c.rnr_retry = 8), "IB_RNR_RETRY"),
            (refused(|c| c.service_level = 16), "IB_SL"),
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_range_of_addresses_holds_those_with_the_same_first_bits() {
        let mut address = [0; 16];
        address[10..].copy_from_slice(&[0xff, 0xff, 10, 1, 2, 3]);
        let range = AddrRange { address, bits: 96 + 16 };
        let with = |third, fourth| {
            let mut other = address;
            (other[13], other[14]) = (third, fourth);
            other
        };
        assert!(range.contains(&with(1, 200)) && !range.contains(&with(2, 2)));
        assert!(AddrRange { address, bits: 0 }.contains(&[0xfe; 16]));
        assert!(!AddrRange { address, bits: 128 }.contains(&with(1, 3)));
    }
}
