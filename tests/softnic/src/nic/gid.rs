//! Addresses. All are derived from the LID, which is unique among the NICs that reach each other.

use oxshmem_rdma::hca::{Gid, GidKind, LinkLayer};

/// Returns the Ethernet address.
pub(crate) fn mac(lid: u16) -> [u8; 6] {
    let [high, low] = lid.to_be_bytes();
    [0x02, 0x5e, 0x0c, 0x00, high, low]
}

/// Returns the GUID.
pub(crate) fn guid(lid: u16) -> u64 {
    let [a, b, c, d, e, f] = mac(lid);
    u64::from_be_bytes([a ^ 2, b, c, 0xff, 0xfe, d, e, f])
}

/// Returns the table of a port.
pub(crate) fn gids(link: LinkLayer, lid: u16) -> Vec<Gid> {
    let mut local = [0; 16];
    local[..2].copy_from_slice(&[0xfe, 0x80]);
    local[8..].copy_from_slice(&guid(lid).to_be_bytes());
    match link {
        LinkLayer::InfiniBand => vec![Gid { index: 0, raw: local, kind: GidKind::InfiniBand }],
        LinkLayer::Ethernet => {
            let mut ip = [0; 16];
            ip[10..].copy_from_slice(&[0xff, 0xff, 10, 77, lid.to_be_bytes()[0], lid.to_be_bytes()[1]]);
            vec![
                Gid { index: 0, raw: local, kind: GidKind::RoceV1 },
                Gid { index: 1, raw: local, kind: GidKind::RoceV2 },
                Gid { index: 2, raw: ip, kind: GidKind::RoceV1 },
                Gid { index: 3, raw: ip, kind: GidKind::RoceV2 },
            ]
        }
    }
}

/// Returns the LID of a GID; `None` if no software NIC has it.
pub(crate) fn lid_of(link: LinkLayer, raw: [u8; 16]) -> Option<u16> {
    let lid = u16::from_be_bytes([raw[14], raw[15]]);
    gids(link, lid).iter().any(|gid| gid.raw == raw).then_some(lid)
}
