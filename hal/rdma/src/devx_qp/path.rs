//! The parameters with which a NIC connects the two ends of a queue pair.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::caps::NicCaps;
use crate::hca::{AhAttr, Handle, Hca, LinkLayer, Port, VerbsConnect};
use crate::mlx5::devx::{self, GlobalRoute};
use crate::wire::{Class, PathInfo, PortInfo, WireParams};

/// The parameters of one queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectParams {
    /// The number of the peer's queue pair.
    pub remote_qpn: u32,
    /// The MTU, of `enum ibv_mtu`.
    pub mtu: u8,
    /// The way to the peer's port.
    pub route: devx::Route,
    /// The most reads and atomics in flight, as a power of two: as many as both ends support.
    pub log_rd_atomic: u8,
    /// The same parameters for verbs.
    pub verbs: VerbsConnect,
}

/// The port of this PE from which queue pairs are connected.
#[derive(Clone, Copy, Debug)]
pub struct LocalPort<'a> {
    /// Its NIC.
    pub hca: &'a dyn Hca,
    /// A protection domain of the NIC.
    pub pd: Handle,
    /// The capabilities of the NIC.
    pub caps: &'a NicCaps,
    /// The port.
    pub port: &'a Port,
    /// The settings.
    pub wire: &'a WireParams,
}

/// The path from one of this PE's ports to one of a peer's, the same for all queue pairs between them.
#[derive(Clone, Copy, Debug)]
pub struct PeerPath {
    path: PathInfo,
    link: LinkLayer,
    mac: [u8; 6],
}

impl PeerPath {
    /// Finds the path from `me` to `pe`, from the port infos of both.
    ///
    /// # Errors
    /// There is no path, or the peer's Ethernet address can't be resolved.
    pub fn find(local: &LocalPort<'_>, mine: (Pe, &PortInfo), (pe, theirs): (Pe, &PortInfo)) -> Result<Self> {
        let path = PathInfo::find(local.wire, local.port.number, mine, (pe, theirs))?;
        let mac = match local.port.link {
            LinkLayer::Ethernet => local.hca.resolve_mac(local.pd, &path.ah).map_err(|error| {
                Error::new(ErrorKind::Unreachable, format!("connect queue pairs of {} with {pe}", mine.0))
                    .because(format!("its Ethernet address can't be found: {error}"))
                    .about(pe)
                    .hint("is its IP address reachable from this port?")
            })?,
            LinkLayer::InfiniBand => [0; 6],
        };
        Ok(Self { path, link: local.port.link, mac })
    }

    /// Returns the parameters that connect queue pair `qpn` of the port with the peer's `remote_qpn`.
    pub fn params(&self, local: &LocalPort<'_>, qpn: u32, remote_qpn: u32) -> ConnectParams {
        let AhAttr { dlid, global, hop_limit, traffic_class, sl, .. } = self.path.ah;
        let route = match (self.link, global) {
            (LinkLayer::Ethernet, Some((gid, index))) => devx::Route::Roce {
                mac: self.mac,
                gid,
                gid_index: index as u8,
                hop_limit,
                eth_prio: sl & 7,
                traffic_class,
                dscp: if self.is_roce_v2() { traffic_class >> 2 } else { 0 },
                udp_source_port: self.udp_source_port(local, qpn, remote_qpn),
            },
            _ => devx::Route::InfiniBand {
                lid: dlid,
                sl,
                traffic_class,
                global: global.map(|(gid, index)| GlobalRoute {
                    gid,
                    gid_index: index as u8,
                    hop_limit,
                    flow_label: 0,
                }),
            },
        };
        let log_rd_atomic = self.path.rd_atomic.ilog2() as u8;
        let verbs = self.path.by_verbs(local.wire, remote_qpn);
        ConnectParams { remote_qpn, mtu: self.path.mtu, route, log_rd_atomic, verbs }
    }

    fn is_roce_v2(&self) -> bool {
        matches!(self.path.class, Some(Class::V2Ipv4 | Class::V2Ipv6))
    }

    /// Returns the UDP source port, by which switches spread the queue pairs between two ports.
    fn udp_source_port(&self, local: &LocalPort<'_>, qpn: u32, remote_qpn: u32) -> u16 {
        if !self.is_roce_v2() {
            return 0;
        }
        let (least, most) = local.caps.udp_ports();
        if !local.wire.udp_sport_spread {
            return least;
        }
        // The numbers of queue pairs are often consecutive; the multiplication spreads them.
        let mixed = (qpn ^ remote_qpn.rotate_left(12)).wrapping_mul(0x9e37_79b1) >> 8;
        least + (mixed % (u32::from(most - least) + 1)) as u16
    }
}
