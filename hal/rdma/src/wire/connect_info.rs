//! Connection data of queue pairs on NICs: ports as addresses, numbers of queue pairs as endpoints.

use super::gid::{Candidate, Class};
use crate::hca::LinkLayer;
use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_raw::queue::host::connect_data::{self, WRONG_FORM};
use oxshmem_raw::queue::host::{ByteReader, ConnectData, Magic, PeerConnectData};

/// The ports and queue pairs of a PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectInfo {
    /// One port of each of its NICs.
    pub ports: Vec<PortInfo>,
    /// The number of each row's NIC.
    pub nics: Vec<u8>,
    /// The numbers of queue pairs, by row and PE; 0: none.
    pub qpns: Vec<Vec<u32>>,
}

/// The ports of a peer, and its queue pairs to this PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerConnectInfo {
    /// One port of each of its NICs.
    pub ports: Vec<PortInfo>,
    /// The number of each row's NIC.
    pub nics: Vec<u8>,
    /// By row, the number of its queue pair to this PE; 0: none.
    pub qpns: Vec<u32>,
}

/// The address of a port for peers, and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// The kind of wire.
    pub link: LinkLayer,
    /// The local identifier, on InfiniBand.
    pub lid: u16,
    /// The active MTU, of `enum ibv_mtu`.
    pub mtu: u8,
    /// The most reads and atomics that a queue pair can have in flight as requester.
    pub rd_atomic: u8,
    /// The most reads and atomics that it can answer at a time as responder.
    pub dest_rd_atomic: u8,
    /// Whether packets from and to the port must have a global route header: see
    /// [`Port::grh_required`](crate::hca::Port::grh_required).
    pub grh_required: bool,
    /// The addresses that peers may use, the preferred ones first.
    pub gids: Vec<Candidate>,
}

impl PortInfo {
    /// Encodes the port as an address of [`ConnectData`].
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![match self.link {
            LinkLayer::InfiniBand => 1,
            LinkLayer::Ethernet => 2,
        }];
        bytes.extend([self.mtu, self.rd_atomic, self.dest_rd_atomic, self.gids.len() as u8]);
        bytes.extend(self.lid.to_le_bytes());
        bytes.push(u8::from(self.grh_required));
        for gid in &self.gids {
            bytes.push(gid.class as u8);
            bytes.extend(gid.index.to_le_bytes());
            bytes.extend(gid.raw);
        }
        bytes
    }

    /// Decodes such an address; `None` if it has another form.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = ByteReader(bytes);
        let [link, mtu, rd_atomic, dest_rd_atomic, gids] = rest.array()?;
        let link = match link {
            1 => LinkLayer::InfiniBand,
            2 => LinkLayer::Ethernet,
            _ => return None,
        };
        let lid = u16::from_le_bytes(rest.array()?);
        let grh_required = match rest.u8()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        let gid = |rest: &mut ByteReader<'_>| {
            Some(Candidate { class: Class::from_raw(rest.u8()?)?, index: rest.u32()?, raw: rest.array()? })
        };
        let gids = (0..gids).map(|_| gid(&mut rest)).collect::<Option<Vec<_>>>()?;
        rest.0.is_empty().then_some(Self { link, lid, mtu, rd_atomic, dest_rd_atomic, grh_required, gids })
    }
}

impl ConnectInfo {
    /// Encodes a transport's message for each of `n_pes` PEs.
    pub fn messages(&self, magic: Magic, n_pes: usize) -> Vec<Vec<u8>> {
        let endpoint = |qpn: &u32| if *qpn == 0 { Vec::new() } else { qpn.to_le_bytes().to_vec() };
        let data = ConnectData {
            nics: self.ports.iter().map(PortInfo::encode).collect(),
            nic_of_row: self.nics.clone(),
            endpoints: self.qpns.iter().map(|row| row.iter().map(endpoint).collect()).collect(),
        };
        data.messages(magic, n_pes)
    }
}

impl PeerConnectInfo {
    /// Decodes the message of `pe`, which must have as many rows and PEs as this PE has.
    ///
    /// # Errors
    /// As [`PeerConnectData::decode`].
    pub fn decode(magic: Magic, pe: Pe, bytes: &[u8], rows: usize, n_pes: usize) -> Result<Self> {
        let PeerConnectData { nics, nic_of_row, endpoints } = PeerConnectData::decode(magic, pe, bytes, rows, n_pes)?;
        let wrong = || connect_data::malformed(pe, WRONG_FORM);
        let qpn = |endpoint: &Vec<u8>| match endpoint.as_slice() {
            [] => Some(0),
            bytes => bytes.try_into().ok().map(u32::from_le_bytes).filter(|qpn| *qpn != 0),
        };
        let ports = nics.iter().map(|port| PortInfo::decode(port)).collect::<Option<_>>().ok_or_else(wrong)?;
        let qpns = endpoints.iter().map(qpn).collect::<Option<_>>().ok_or_else(wrong)?;
        Ok(Self { ports, nics: nic_of_row, qpns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_core::host::ErrorKind;

    const MAGIC: Magic = *b"IBX\x01";

    fn info() -> ConnectInfo {
        let ethernet = PortInfo {
            link: LinkLayer::Ethernet,
            lid: 0x1234,
            mtu: 5,
            rd_atomic: 16,
            dest_rd_atomic: 4,
            grh_required: false,
            gids: vec![
                Candidate { class: Class::V2Ipv4, index: 3, raw: [7; 16] },
                Candidate { class: Class::V2Ipv6, index: 1, raw: [9; 16] },
            ],
        };
        let infiniband =
            PortInfo { link: LinkLayer::InfiniBand, grh_required: true, gids: Vec::new(), ..ethernet.clone() };
        ConnectInfo {
            ports: vec![ethernet, infiniband],
            nics: vec![1, 0],
            qpns: vec![vec![0, 0xabcdef, 2], vec![0, 4, 5]],
        }
    }

    /// Returns the message for PE 1.
    fn message() -> Vec<u8> {
        info().messages(MAGIC, 3).swap_remove(1)
    }

    #[test]
    fn connect_info_comes_back_as_it_was_and_in_part_not_at_all() {
        for (to, bytes) in info().messages(MAGIC, 3).into_iter().enumerate() {
            let ConnectInfo { ports, nics, qpns } = info();
            let qpns = qpns.iter().map(|row| row[to]).collect();
            let read = PeerConnectInfo::decode(MAGIC, Pe::new(1), &bytes, 2, 3).unwrap();
            assert_eq!(read, PeerConnectInfo { ports, nics, qpns });
            for end in 0..bytes.len() {
                let error = PeerConnectInfo::decode(MAGIC, Pe::new(1), &bytes[..end], 2, 3).unwrap_err();
                assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))), "{end}");
            }
            assert!(PeerConnectInfo::decode(MAGIC, Pe::new(1), &[&bytes[..], &[0]].concat(), 2, 3).is_err());
        }
    }

    #[test]
    fn a_port_comes_back_as_it_was_and_in_part_or_with_more_not_at_all() {
        for port in info().ports {
            let bytes = port.encode();
            assert!((0..bytes.len()).all(|end| PortInfo::decode(&bytes[..end]).is_none()));
            assert_eq!(PortInfo::decode(&[&bytes[..], &[0]].concat()), None);
            assert_eq!(PortInfo::decode(&bytes), Some(port));
        }
    }

    #[test]
    fn whatever_bytes_come_they_are_read_or_refused() {
        let good = message();
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                match PeerConnectInfo::decode(MAGIC, Pe::new(0), &bytes, 2, 3) {
                    Ok(PeerConnectInfo { ports, nics, qpns }) => {
                        let qpns = qpns.into_iter().map(|qpn| vec![qpn; 3]).collect();
                        let again = ConnectInfo { ports, nics, qpns }.messages(MAGIC, 3);
                        assert_eq!(again[1], bytes, "{value} at {at}");
                    }
                    Err(error) => assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(0)))),
                }
            }
        }
    }
}
