//! How the two ends of a queue pair find each other.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::hca::{AhAttr, LinkLayer};
use oxshmem_raw::mlx5::devx::{GlobalRoute, Route};

use super::config::IbgdaConfig;
use super::exchange::PortCard;
use super::gid::{self, Candidate, Class};
use super::nic::Nic;

/// Hops of packets that may leave the subnet.
const HOPS: u8 = 255;

/// What a queue pair is connected with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) remote_qpn: u32,
    /// `enum ibv_mtu`.
    pub(super) mtu: u8,
    pub(super) route: Route,
    /// Reads and atomics outstanding, as a power of two: what both ends can.
    pub(super) log_rd_atomic: u8,
    /// The same way, as verbs says it.
    pub(super) ah: AhAttr,
}

/// The way from one of this PE's ports to one of another's, the same for all of their queue pairs.
#[derive(Clone, Debug)]
pub(super) struct Way<'a> {
    nic: &'a Nic,
    config: &'a IbgdaConfig,
    mtu: u8,
    log_rd_atomic: u8,
    ah: AhAttr,
    mac: [u8; 6],
    class: Option<Class>,
}

impl<'a> Way<'a> {
    /// Finds the way from `me` to `pe`, from what each of them said.
    ///
    /// # Errors
    /// The wires differ, there is no common kind of address, or nobody knows the peer's address.
    pub(super) fn find(
        nic: &'a Nic,
        config: &'a IbgdaConfig,
        (me, mine): (Pe, &PortCard),
        (pe, theirs): (Pe, &PortCard),
    ) -> Result<Self> {
        let action = || format!("connect queue pairs of {me} with {pe}");
        if mine.link != theirs.link {
            return Err(Error::new(ErrorKind::Mismatch, action())
                .because(format!("{me} is on {}, {pe} on {}", wire(mine.link), wire(theirs.link)))
                .about(pe)
                .hint("choose NICs of one fabric with OXSHMEM_HCA_LIST"));
        }
        let mtu = match config.mtu {
            Some(mtu) if mtu > mine.mtu.min(theirs.mtu) => {
                let most = mine.mtu.min(theirs.mtu);
                return Err(Error::new(ErrorKind::OutOfRange, action())
                    .because(format!(
                        "OXSHMEM_IB_MTU asks for {} bytes, and the ports have {} and {}",
                        mtu_bytes(mtu),
                        mtu_bytes(mine.mtu),
                        mtu_bytes(theirs.mtu)
                    ))
                    .amount(mtu_bytes(mtu), mtu_bytes(most), "bytes")
                    .about(pe));
            }
            Some(mtu) => mtu,
            None => mine.mtu.min(theirs.mtu),
        };
        let pair = common(me, mine, pe, theirs);
        let global = match (mine.link, pair) {
            (LinkLayer::Ethernet, None) => {
                return Err(Error::new(ErrorKind::Mismatch, action())
                    .because(format!(
                        "they have no kind of address in common: {me} has {}, {pe} has {}",
                        classes(&mine.gids),
                        classes(&theirs.gids)
                    ))
                    .about(pe)
                    .hint("set OXSHMEM_IB_ROCE_VERSION_NUM, OXSHMEM_IB_ADDR_FAMILY or OXSHMEM_IB_GID_INDEX alike"));
            }
            (LinkLayer::Ethernet, pair) => pair,
            (LinkLayer::InfiniBand, Some((own, other))) => {
                // The first half of a GID is its subnet: only another one is reached over a router.
                let routed = own.raw[..8] != other.raw[..8] || mine.lid == 0 || theirs.lid == 0;
                (routed || config.gid_index.is_some()).then_some((own, other))
            }
            (LinkLayer::InfiniBand, None) => None,
        };
        if mine.link == LinkLayer::InfiniBand && theirs.lid == 0 && global.is_none() {
            return Err(Error::new(ErrorKind::Unreachable, action())
                .because(format!("the port of {pe} has no local identifier"))
                .about(pe)
                .hint("is a subnet manager running?"));
        }
        let ah = AhAttr {
            port: nic.port.number,
            dlid: theirs.lid,
            sl: config.service_level,
            global: global.map(|(own, other)| (other.raw, own.index)),
            hop_limit: HOPS,
            traffic_class: config.traffic_class,
        };
        let mac = match mine.link {
            LinkLayer::Ethernet => nic.hca.resolve_mac(nic.pd, &ah).map_err(|error| {
                Error::new(ErrorKind::Unreachable, action())
                    .because(format!("its Ethernet address can't be found: {error}"))
                    .about(pe)
                    .hint("is its IP address reachable from this port?")
            })?,
            LinkLayer::InfiniBand => [0; 6],
        };
        let log_rd_atomic = nic.caps.log_rd_atomic().0.min(theirs.log_rd_atomic);
        Ok(Self { nic, config, mtu, log_rd_atomic, ah, mac, class: global.map(|(own, _)| own.class) })
    }

    /// What queue pair `qpn` is connected with.
    pub(super) fn link(&self, qpn: u32, remote_qpn: u32) -> Link {
        let AhAttr { dlid, global, hop_limit, traffic_class, .. } = self.ah;
        let route = match (self.nic.port.link, global) {
            (LinkLayer::Ethernet, Some((gid, index))) => Route::Roce {
                mac: self.mac,
                gid,
                gid_index: index as u8,
                hop_limit,
                eth_prio: self.config.service_level & 7,
                dscp: traffic_class >> 2,
                udp_source_port: self.udp_source_port(qpn, remote_qpn),
            },
            _ => Route::InfiniBand {
                lid: dlid,
                sl: self.config.service_level,
                traffic_class,
                global: global.map(|(gid, index)| GlobalRoute {
                    gid,
                    gid_index: index as u8,
                    hop_limit,
                    flow_label: 0,
                }),
            },
        };
        Link { remote_qpn, mtu: self.mtu, route, log_rd_atomic: self.log_rd_atomic, ah: self.ah }
    }

    /// By which switches tell the queue pairs of two ports apart.
    fn udp_source_port(&self, qpn: u32, remote_qpn: u32) -> u16 {
        if !matches!(self.class, Some(Class::V2Ipv4 | Class::V2Ipv6)) {
            return 0;
        }
        let (least, most) = self.nic.caps.udp_ports();
        if !self.config.udp_sport_spread {
            return least;
        }
        // The numbers of queue pairs are often consecutive; a multiplication spreads them.
        let mixed = (qpn ^ remote_qpn.rotate_left(12)).wrapping_mul(0x9e37_79b1) >> 8;
        least + (mixed % (u32::from(most - least) + 1)) as u16
    }
}

/// The addresses of the first kind that both have. Both ends come to the same: the lower PE's order counts.
fn common(me: Pe, mine: &PortCard, pe: Pe, theirs: &PortCard) -> Option<(Candidate, Candidate)> {
    if me.number() < pe.number() {
        gid::common(&mine.gids, &theirs.gids).map(|(own, other)| (mine.gids[own], theirs.gids[other]))
    } else {
        gid::common(&theirs.gids, &mine.gids).map(|(other, own)| (mine.gids[own], theirs.gids[other]))
    }
}

fn classes(gids: &[Candidate]) -> String {
    let names: Vec<&str> = gids.iter().map(|gid| gid.class.text()).collect();
    if names.is_empty() { "none".into() } else { names.join(" and ") }
}

fn wire(link: LinkLayer) -> &'static str {
    match link {
        LinkLayer::InfiniBand => "InfiniBand",
        LinkLayer::Ethernet => "Ethernet",
    }
}

/// Bytes of `enum ibv_mtu`.
pub(super) fn mtu_bytes(mtu: u8) -> u64 {
    128 << mtu.min(5)
}
