//! Settings of packets and paths.

use oxshmem_core::host::Result;

use super::within;

/// Settings with which queue pairs are connected. [`check`](WireParams::check) checks their ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireParams {
    /// The index in the GID table; `None`: chosen by version and family.
    pub gid_index: Option<u32>,
    /// The RoCE version.
    pub roce_version: RoceVersion,
    /// The preferred family of a RoCE port's addresses.
    pub addr_family: AddrFamily,
    /// The range that an address of a RoCE port must be in to be used.
    pub addr_range: Option<AddrRange>,
    /// The traffic class; its upper six bits are the DSCP on RoCE.
    pub traffic_class: u8,
    /// The service level, which is the priority on RoCE. 0 to 15 (0 to 7 on RoCE).
    pub service_level: u8,
    /// The index into the partition table.
    pub pkey_index: u16,
    /// The local ACK timeout: 4.096 us * 2^this. 0 (none) to 31.
    pub ack_timeout: u8,
    /// Retries without an ACK. 0 to 7.
    pub retry_count: u8,
    /// Retries while the peer is not ready. 0 to 7; 7: without end.
    pub rnr_retry: u8,
    /// The MTU, from 1 (256 bytes) to 5 (4096 bytes); `None`: the smaller of both ports' active MTUs.
    pub mtu: Option<u8>,
    /// Whether each queue pair has a UDP source port of its own on RoCE v2, so that switches spread them. For queue
    /// pairs made by verbs the driver decides.
    pub udp_sport_spread: bool,
}

impl Default for WireParams {
    fn default() -> Self {
        Self {
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
        }
    }
}

/// The protocol that carries RoCE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoceVersion {
    /// Ethernet frames.
    V1,
    /// UDP.
    #[default]
    V2,
}

/// Families of addresses of a RoCE port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddrFamily {
    /// IPv4, mapped into IPv6.
    #[default]
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// Addresses with the same leading bits. IPv4 addresses are those mapped into IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddrRange {
    /// An address of the range, in network order.
    pub address: [u8; 16],
    /// The number of equal leading bits, 0 to 128.
    pub bits: u8,
}

impl AddrRange {
    /// Reports whether the address is in the range.
    pub fn contains(&self, address: &[u8; 16]) -> bool {
        let differ = u128::from_be_bytes(self.address) ^ u128::from_be_bytes(*address);
        differ.leading_zeros() >= u32::from(self.bits)
    }
}

impl WireParams {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// `OutOfRange`, naming the variable and the range.
    pub fn check(&self) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use oxshmem_core::host::ErrorKind;

    use super::*;

    #[test]
    fn the_defaults_hold_and_a_value_out_of_range_is_named_with_its_range() {
        WireParams::default().check().unwrap();
        let refused = |change: fn(&mut WireParams)| {
            let mut params = WireParams::default();
            change(&mut params);
            let error = params.check().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfRange);
            error.to_string()
        };
        for (text, part) in [
            (refused(|p| p.mtu = Some(6)), "IB_MTU = 6: it is out of range; it takes 1 to 5"),
            (refused(|p| p.ack_timeout = 32), "IB_TIMEOUT = 32: it is out of range; it takes 0 to 31"),
            (refused(|p| p.retry_count = 8), "IB_RETRY_CNT"),
            (refused(|p| p.rnr_retry = 8), "IB_RNR_RETRY"),
            (refused(|p| p.service_level = 16), "IB_SL"),
            (refused(|p| p.addr_range = Some(AddrRange { address: [0; 16], bits: 129 })), "IB_ADDR_RANGE"),
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
