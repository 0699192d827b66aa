//! The peer of a queue pair: which NIC a path names.

use oxshmem_rdma::hca::{GidKind, LinkLayer};

use super::core::Core;
use super::gid;
use super::qp::{Answer, bad};
use crate::decode::Address;
use crate::decode::mailbox::QpContext;

impl Core {
    /// Returns the LID to which a datagram's address leads, or the reason why it leads nowhere.
    pub(crate) fn datagram_route(&self, to: &Address) -> Result<u16, String> {
        if self.options.link == LinkLayer::InfiniBand {
            return Ok(to.rlid);
        }
        let lid = gid::lid_of(LinkLayer::Ethernet, to.rgid);
        lid.filter(|lid| gid::mac(*lid) == to.rmac)
            .ok_or_else(|| format!("no NIC has the GID {:02x?} and the Ethernet address {:02x?}", to.rgid, to.rmac))
    }

    /// Returns one of the port's own GIDs.
    pub(crate) fn own_gid(&self, index: u8) -> Option<[u8; 16]> {
        let gids = gid::gids(self.options.link, self.lid());
        gids.get(usize::from(index)).map(|gid| gid.raw)
    }

    /// Returns the LID to which a path leads.
    pub(super) fn route(&self, asked: &QpContext) -> Answer<u16> {
        let gids = gid::gids(self.options.link, self.lid());
        let lid = match self.options.link {
            LinkLayer::InfiniBand if asked.rlid == 0 => return bad("the peer's LID (rlid) is 0"),
            LinkLayer::InfiniBand => asked.rlid,
            LinkLayer::Ethernet => {
                let Some(lid) = gid::lid_of(LinkLayer::Ethernet, asked.rgid) else {
                    return bad(format!("no NIC has the GID {:02x?}", asked.rgid));
                };
                if asked.rmac != gid::mac(lid) {
                    return bad(format!(
                        "the GID is that of {:02x?}, the path's rmac {:02x?}",
                        gid::mac(lid),
                        asked.rmac
                    ));
                }
                let Some(own) = gids.get(usize::from(asked.src_addr_index)) else {
                    return bad(format!("GID index {} of {}", asked.src_addr_index, gids.len()));
                };
                if !gid::gids(LinkLayer::Ethernet, lid).iter().any(|gid| gid.kind == own.kind && gid.raw == asked.rgid)
                {
                    return bad(format!("GID index {} is {:?}, the peer's GID is not", asked.src_addr_index, own.kind));
                }
                if own.kind == GidKind::RoceV2 && asked.udp_sport < 0xc000 {
                    return bad(format!("UDP source port {:#x} is below 0xc000", asked.udp_sport));
                }
                if asked.hop_limit == 0 {
                    return bad("a hop limit of 0 leads nowhere");
                }
                lid
            }
        };
        if !self.port.may_reach(lid) {
            return bad(format!(
                "no software NIC of this process has the LID {lid}; NICs of several processes meet in a folder that \
                 OXSHMEM_SOFTNIC_WIRE names in each of them"
            ));
        }
        Ok(lid)
    }
}
