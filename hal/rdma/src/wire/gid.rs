//! The addresses of a port, and the choice among them.

use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::hca::{Gid, GidKind, LinkLayer, Port};
use oxshmem_raw::nic_params::{AddrFamily, RoceVersion, WireParams};

/// Classes of addresses. Two ports must have one in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// InfiniBand.
    InfiniBand = 1,
    /// RoCE v1, an IPv4 address.
    V1Ipv4 = 2,
    /// RoCE v1, an IPv6 address.
    V1Ipv6 = 3,
    /// RoCE v2, an IPv4 address.
    V2Ipv4 = 4,
    /// RoCE v2, an IPv6 address.
    V2Ipv6 = 5,
}

impl Class {
    pub(super) fn from_raw(raw: u8) -> Option<Self> {
        [Self::InfiniBand, Self::V1Ipv4, Self::V1Ipv6, Self::V2Ipv4, Self::V2Ipv6]
            .into_iter()
            .find(|class| *class as u8 == raw)
    }

    fn of(gid: &Gid) -> Self {
        // ::ffff:a.b.c.d
        let mapped = gid.raw[..10] == [0; 10] && gid.raw[10..12] == [0xff; 2];
        match (gid.kind, mapped) {
            (GidKind::InfiniBand, _) => Self::InfiniBand,
            (GidKind::RoceV1, true) => Self::V1Ipv4,
            (GidKind::RoceV1, false) => Self::V1Ipv6,
            (GidKind::RoceV2, true) => Self::V2Ipv4,
            (GidKind::RoceV2, false) => Self::V2Ipv6,
        }
    }

    /// Returns the name for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::InfiniBand => "InfiniBand",
            Self::V1Ipv4 => "RoCE v1, IPv4",
            Self::V1Ipv6 => "RoCE v1, IPv6",
            Self::V2Ipv4 => "RoCE v2, IPv4",
            Self::V2Ipv6 => "RoCE v2, IPv6",
        }
    }
}

/// An address of a port that peers may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its class.
    pub class: Class,
    /// Its index in the port's GID table.
    pub index: u32,
    /// The address, in network order.
    pub raw: [u8; 16],
}

/// Returns the addresses of a port that may be used, at most one of each class, the preferred ones first. On InfiniBand
/// there may be none: a LID is enough there.
///
/// # Errors
/// The index that the user set is not in use, or no address on Ethernet fits the settings.
pub fn candidates(params: &WireParams, nic: &str, port: &Port, table: &[Gid]) -> Result<Vec<Candidate>> {
    let action = || format!("choose a GID of {nic} port {}", port.number);
    if let Some(index) = params.gid_index {
        let Some(gid) = table.iter().find(|gid| gid.index == index) else {
            let used: Vec<String> = table.iter().map(|gid| gid.index.to_string()).collect();
            return Err(Error::new(ErrorKind::NotFound, action())
                .because(format!("entry {index} of its table is not in use; those in use are {}", list(&used)))
                .hint("leave OXSHMEM_IB_GID_INDEX unset to have one chosen"));
        };
        return Ok(vec![candidate(gid)]);
    }
    if port.link == LinkLayer::InfiniBand {
        return Ok(table.first().map(candidate).into_iter().collect());
    }
    let mut chosen: Vec<Candidate> = Vec::new();
    for class in preferred(params) {
        let fits = |gid: &&Gid| {
            Class::of(gid) == class
                && params.addr_range.is_none_or(|range| range.contains(&gid.raw))
                && gid.raw != [0; 16]
        };
        // A link-local address reaches its own network only, so that every other address is preferred.
        let local = |gid: &Gid| gid.raw[0] == 0xfe && gid.raw[1] & 0xc0 == 0x80;
        let found = table.iter().filter(fits).min_by_key(|gid| (local(gid), gid.index));
        chosen.extend(found.map(candidate));
    }
    if chosen.is_empty() {
        let used: Vec<String> = table.iter().map(|gid| format!("{} ({})", gid.index, Class::of(gid).text())).collect();
        return Err(Error::new(ErrorKind::NotFound, action())
            .because(format!(
                "no entry of its table fits the RoCE version and the range of addresses asked for; in use are {}",
                list(&used)
            ))
            .hint("give the port an IP address, or set OXSHMEM_IB_GID_INDEX or OXSHMEM_IB_ROCE_VERSION_NUM"));
    }
    Ok(chosen)
}

fn list(parts: &[String]) -> String {
    if parts.is_empty() { "none".into() } else { parts.join(", ") }
}

fn candidate(gid: &Gid) -> Candidate {
    Candidate { class: Class::of(gid), index: gid.index, raw: gid.raw }
}

/// Returns the classes of the version that the user set, the preferred family first.
fn preferred(params: &WireParams) -> [Class; 2] {
    match (params.roce_version, params.addr_family) {
        (RoceVersion::V2, AddrFamily::Ipv4) => [Class::V2Ipv4, Class::V2Ipv6],
        (RoceVersion::V2, AddrFamily::Ipv6) => [Class::V2Ipv6, Class::V2Ipv4],
        (RoceVersion::V1, AddrFamily::Ipv4) => [Class::V1Ipv4, Class::V1Ipv6],
        (RoceVersion::V1, AddrFamily::Ipv6) => [Class::V1Ipv6, Class::V1Ipv4],
    }
}

/// Returns the first class of `leading` that `other` has too, as indices into both.
pub(super) fn common(leading: &[Candidate], other: &[Candidate]) -> Option<(usize, usize)> {
    leading
        .iter()
        .enumerate()
        .find_map(|(i, mine)| Some((i, other.iter().position(|theirs| theirs.class == mine.class)?)))
}

#[cfg(test)]
mod tests {
    use super::super::AddrRange;
    use super::*;

    fn gid(index: u32, kind: GidKind, first: &[u8]) -> Gid {
        let mut raw = [0; 16];
        raw[..first.len()].copy_from_slice(first);
        raw[15] = index as u8 + 1;
        Gid { index, raw, kind }
    }

    const MAPPED: [u8; 14] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0];
    const LOCAL: [u8; 2] = [0xfe, 0x80];

    fn table() -> Vec<Gid> {
        use GidKind::*;
        vec![
            gid(0, RoceV1, &LOCAL),
            gid(1, RoceV2, &LOCAL),
            gid(2, RoceV1, &MAPPED),
            gid(3, RoceV2, &MAPPED),
            gid(5, RoceV2, &[0x20, 1]),
        ]
    }

    fn port(link: LinkLayer) -> Port {
        Port { number: 1, state: 4, link, lid: 0, active_mtu: 5, gids: 8, pkeys: 1, grh_required: false }
    }

    fn chosen(change: impl FnOnce(&mut WireParams)) -> Result<Vec<u32>> {
        let mut params = WireParams::default();
        change(&mut params);
        let chosen = candidates(&params, "mlx5_0", &port(LinkLayer::Ethernet), &table())?;
        Ok(chosen.iter().map(|candidate| candidate.index).collect())
    }

    #[test]
    fn roce_v2_over_ipv4_is_preferred_and_a_link_local_address_is_the_last() {
        assert_eq!(chosen(|_| ()).unwrap(), [3, 5]);
        assert_eq!(chosen(|c| c.addr_family = AddrFamily::Ipv6).unwrap(), [5, 3]);
        assert_eq!(chosen(|c| c.roce_version = RoceVersion::V1).unwrap(), [2, 0]);
        assert_eq!(chosen(|c| c.gid_index = Some(1)).unwrap(), [1]);
        let range = |bits| AddrRange { address: gid(1, GidKind::RoceV2, &LOCAL).raw, bits };
        assert_eq!(chosen(|c| c.addr_range = Some(range(10))).unwrap(), [1]);
    }

    #[test]
    fn an_entry_that_is_not_there_is_an_error_that_says_which_are() {
        let error = chosen(|c| c.gid_index = Some(4)).unwrap_err().to_string();
        assert!(error.contains("entry 4") && error.contains("0, 1, 2, 3, 5"), "{error}");
        let nowhere = AddrRange { address: [9; 16], bits: 128 };
        let error = chosen(|c| c.addr_range = Some(nowhere)).unwrap_err().to_string();
        assert!(error.contains("mlx5_0 port 1") && error.contains("3 (RoCE v2, IPv4)"), "{error}");
    }

    #[test]
    fn infiniband_needs_no_gid_and_takes_the_first() {
        let params = WireParams::default();
        assert_eq!(candidates(&params, "x", &port(LinkLayer::InfiniBand), &[]).unwrap(), []);
        let one = [gid(0, GidKind::InfiniBand, &LOCAL)];
        assert_eq!(candidates(&params, "x", &port(LinkLayer::InfiniBand), &one).unwrap()[0].class, Class::InfiniBand);
    }

    #[test]
    fn two_ports_take_the_first_class_that_both_have() {
        let of = |classes: &[Class]| -> Vec<Candidate> {
            classes.iter().map(|&class| Candidate { class, index: 0, raw: [0; 16] }).collect()
        };
        use Class::*;
        assert_eq!(common(&of(&[V2Ipv4, V2Ipv6]), &of(&[V2Ipv6, V2Ipv4])), Some((0, 1)));
        assert_eq!(common(&of(&[V2Ipv4, V2Ipv6]), &of(&[V2Ipv6])), Some((1, 0)));
        assert_eq!(common(&of(&[V2Ipv4]), &of(&[V1Ipv4])), None);
    }
}
