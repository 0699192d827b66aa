//! Addresses in entries: those of datagrams, and of dynamically connected queue pairs.

use crate::check::Rule;

use super::wqe::{Malformed, be32, be64, malformed};

/// The peer of an entry: an address vector of 16 or 48 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The key that a datagram's peer must have, in the upper half; the key of a DCT, whole.
    pub key: u64,
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

/// Bytes of an address vector, and of a compact one, which has no global route.
const BYTES: usize = 48;
const COMPACT: usize = 16;

/// Bit 31 of the word of the peer's number: the vector is not compact.
const EXTENDED: u32 = 1 << 31;

/// Decodes an address vector, and returns the segments after it.
pub(super) fn address(segments: &[u8]) -> Result<(Address, &[u8]), Malformed> {
    let Some(av) = segments.get(..COMPACT) else {
        return malformed(Rule::SegmentCount, "this entry has an address vector: ds is 2 at least");
    };
    let peer = be32(av, 8);
    let base = Address {
        key: be64(av, 0),
        qpn: peer & 0xff_ffff,
        sl: av[12] & 0xf,
        rlid: u16::from_be_bytes([av[14], av[15]]),
        ..Address::default()
    };
    if peer & EXTENDED == 0 {
        return Ok((base, &segments[COMPACT..]));
    }
    let Some((av, rest)) = segments.split_at_checked(BYTES) else {
        return malformed(Rule::SegmentCount, "the address vector is extended: ds is 4 at least");
    };
    let route = be32(av, 28);
    let mut to = Address {
        tclass: av[26],
        hop_limit: av[27],
        global: route >> 30 & 1 != 0,
        source_index: (route >> 20) as u8,
        flow_label: route & 0xf_ffff,
        ..base
    };
    to.rmac.copy_from_slice(&av[20..26]);
    to.rgid.copy_from_slice(&av[32..48]);
    Ok((to, rest))
}
