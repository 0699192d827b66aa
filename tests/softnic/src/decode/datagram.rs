//! Addresses of datagrams.

use crate::check::Rule;

use super::wqe::{Malformed, be32, malformed};

/// The peer of a datagram: an address vector of 48 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The key that the peer's queue pair must have.
    pub qkey: u32,
    /// The peer's queue pair.
    pub qpn: u32,
    /// Service level.
    pub sl: u8,
    /// InfiniBand: the peer's LID. RoCE v2: the UDP source port.
    pub rlid: u16,
    /// RoCE: the peer's Ethernet address.
    pub rmac: [u8; 6],
    /// Traffic class.
    pub tclass: u8,
    /// Hop limit.
    pub hop_limit: u8,
    /// InfiniBand: whether packets carry a global route header. RoCE packets always do.
    pub global: bool,
    /// Index of the own GID.
    pub source_index: u8,
    /// Flow label.
    pub flow_label: u32,
    /// The peer's GID.
    pub rgid: [u8; 16],
}

/// Bytes of an address vector.
const BYTES: usize = 48;

/// Bit 31 of the word of the peer's number: the vector has all its 48 bytes.
const EXTENDED: u32 = 1 << 31;

/// Decodes an address vector, and returns the segments after it.
pub(super) fn address(segments: &[u8]) -> Result<(Address, &[u8]), Malformed> {
    let Some((av, rest)) = segments.split_at_checked(BYTES) else {
        return malformed(Rule::SegmentCount, "a datagram has an address vector: ds is 4 at least");
    };
    let (peer, route) = (be32(av, 8), be32(av, 28));
    if peer & EXTENDED == 0 {
        return malformed(Rule::ReservedBits, "the address vector is not extended, and a short one is not supported");
    }
    let mut to = Address {
        qkey: be32(av, 0),
        qpn: peer & 0xff_ffff,
        sl: av[12] & 0xf,
        rlid: u16::from_be_bytes([av[14], av[15]]),
        tclass: av[26],
        hop_limit: av[27],
        global: route >> 30 & 1 != 0,
        source_index: (route >> 20) as u8,
        flow_label: route & 0xf_ffff,
        ..Address::default()
    };
    to.rmac.copy_from_slice(&av[20..26]);
    to.rgid.copy_from_slice(&av[32..48]);
    Ok((to, rest))
}
