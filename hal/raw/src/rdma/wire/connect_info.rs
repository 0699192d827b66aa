//! What PEs say to each other so that their queue pairs can be connected.

use super::gid::{Candidate, Class};
use crate::rdma::hca::LinkLayer;
use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

/// What the bytes begin with: which transport speaks, and in which version.
pub type Magic = [u8; 4];

/// How a PE's ports are called, and its queue pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectInfo {
    /// Its NICs, one port of each.
    pub ports: Vec<PortInfo>,
    /// Which of them each row is on.
    pub nics: Vec<u8>,
    /// Numbers of queue pairs, by row and PE; 0: none.
    pub qpns: Vec<Vec<u32>>,
}

/// How a port is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// What the wire is.
    pub link: LinkLayer,
    /// Its local identifier, on InfiniBand.
    pub lid: u16,
    /// `enum ibv_mtu`.
    pub mtu: u8,
    /// Reads and atomics that a queue pair can have outstanding, as the one that asks.
    pub rd_atomic: u8,
    /// Those that it can answer at a time, as the one that is asked.
    pub dest_rd_atomic: u8,
    /// By which addresses it may be called, the preferred ones first.
    pub gids: Vec<Candidate>,
}

impl PortInfo {
    /// The bytes of one port alone.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        bytes
    }

    /// The port of those bytes. `None`: they are not in this form.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = Reader(bytes);
        rest.port().filter(|_| rest.0.is_empty())
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(match self.link {
            LinkLayer::InfiniBand => 1,
            LinkLayer::Ethernet => 2,
        });
        bytes.extend([self.mtu, self.rd_atomic, self.dest_rd_atomic, self.gids.len() as u8]);
        bytes.extend(self.lid.to_le_bytes());
        for gid in &self.gids {
            bytes.push(gid.class as u8);
            bytes.extend(gid.index.to_le_bytes());
            bytes.extend(gid.raw);
        }
    }
}

impl ConnectInfo {
    /// The bytes of a transport's card.
    pub fn encode(&self, magic: Magic) -> Vec<u8> {
        let mut bytes = magic.to_vec();
        bytes.push(self.ports.len() as u8);
        self.ports.iter().for_each(|port| port.encode(&mut bytes));
        let n_pes = self.qpns.first().map_or(0, Vec::len);
        bytes.extend((self.qpns.len() as u32).to_le_bytes());
        bytes.extend((n_pes as u32).to_le_bytes());
        bytes.extend(&self.nics);
        for qpn in self.qpns.iter().flatten() {
            bytes.extend(qpn.to_le_bytes());
        }
        bytes
    }

    /// What `pe` said, which must have as many rows of as many PEs as this PE has.
    ///
    /// # Errors
    /// It said nothing, something else, or has another number of rows.
    pub fn decode(magic: Magic, pe: Pe, bytes: &[u8], rows: usize, n_pes: usize) -> Result<Self> {
        let fail = |reason: String| {
            Error::new(ErrorKind::Malformed, format!("connect queue pairs with {pe}")).because(reason).about(pe)
        };
        if bytes.is_empty() {
            return Err(fail("it has none: its transport has no NIC".into()));
        }
        let mut rest = Reader(bytes);
        let card = rest.card(magic).ok_or_else(|| fail("what it said is not in the form of this transport".into()))?;
        let theirs = (card.qpns.len(), card.qpns.first().map_or(n_pes, Vec::len));
        if theirs != (rows, n_pes) {
            return Err(fail(format!(
                "it has {} rows of queue pairs to {} PEs, this PE {rows} to {n_pes}; both need the same settings",
                theirs.0, theirs.1
            )));
        }
        Ok(card)
    }
}

/// Takes bytes from the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn card(&mut self, magic: Magic) -> Option<ConnectInfo> {
        if self.take::<4>()? != magic {
            return None;
        }
        let [ports] = self.take()?;
        let ports = (0..ports).map(|_| self.port()).collect::<Option<Vec<_>>>()?;
        let (rows, n_pes) = (self.word()? as usize, self.word()? as usize);
        if self.0.len() != n_pes.checked_mul(4)?.checked_add(1)?.checked_mul(rows)? {
            return None;
        }
        let (nics, rest) = self.0.split_at_checked(rows)?;
        self.0 = rest;
        if nics.iter().any(|nic| usize::from(*nic) >= ports.len()) {
            return None;
        }
        let row = |reader: &mut Self| (0..n_pes).map(|_| reader.word()).collect::<Option<Vec<_>>>();
        let qpns = (0..rows).map(|_| row(self)).collect::<Option<Vec<_>>>()?;
        Some(ConnectInfo { ports, nics: nics.to_vec(), qpns })
    }

    fn port(&mut self) -> Option<PortInfo> {
        let [link, mtu, rd_atomic, dest_rd_atomic, gids] = self.take()?;
        let link = match link {
            1 => LinkLayer::InfiniBand,
            2 => LinkLayer::Ethernet,
            _ => return None,
        };
        let lid = u16::from_le_bytes(self.take()?);
        let gids = (0..gids).map(|_| self.gid()).collect::<Option<Vec<_>>>()?;
        Some(PortInfo { link, lid, mtu, rd_atomic, dest_rd_atomic, gids })
    }

    fn gid(&mut self) -> Option<Candidate> {
        let [class] = self.take()?;
        Some(Candidate { class: Class::from_raw(class)?, index: self.word()?, raw: self.take()? })
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: Magic = *b"IBX\x01";

    fn card() -> ConnectInfo {
        let ethernet = PortInfo {
            link: LinkLayer::Ethernet,
            lid: 0x1234,
            mtu: 5,
            rd_atomic: 16,
            dest_rd_atomic: 4,
            gids: vec![
                Candidate { class: Class::V2Ipv4, index: 3, raw: [7; 16] },
                Candidate { class: Class::V2Ipv6, index: 1, raw: [9; 16] },
            ],
        };
        let infiniband = PortInfo { link: LinkLayer::InfiniBand, gids: Vec::new(), ..ethernet.clone() };
        ConnectInfo {
            ports: vec![ethernet, infiniband],
            nics: vec![1, 0],
            qpns: vec![vec![0, 0xabcdef, 2], vec![0, 4, 5]],
        }
    }

    #[test]
    fn a_card_comes_back_as_it_was_and_in_part_not_at_all() {
        let bytes = card().encode(MAGIC);
        assert_eq!(ConnectInfo::decode(MAGIC, Pe::new(1), &bytes, 2, 3).unwrap(), card());
        for end in 0..bytes.len() {
            let error = ConnectInfo::decode(MAGIC, Pe::new(1), &bytes[..end], 2, 3).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))), "{end}");
        }
        assert!(ConnectInfo::decode(MAGIC, Pe::new(1), &[&bytes[..], &[0]].concat(), 2, 3).is_err());
    }

    #[test]
    fn a_port_comes_back_as_it_was_and_in_part_or_with_more_not_at_all() {
        for port in card().ports {
            let bytes = port.to_bytes();
            assert!((0..bytes.len()).all(|end| PortInfo::from_bytes(&bytes[..end]).is_none()));
            assert_eq!(PortInfo::from_bytes(&[&bytes[..], &[0]].concat()), None);
            assert_eq!(PortInfo::from_bytes(&bytes), Some(port));
        }
    }

    #[test]
    fn whatever_bytes_come_they_are_read_or_refused() {
        let good = card().encode(MAGIC);
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                let _ = ConnectInfo::decode(MAGIC, Pe::new(0), &bytes, 2, 3);
            }
        }
    }

    #[test]
    fn a_row_on_a_nic_that_is_not_said_is_refused() {
        let error =
            ConnectInfo::decode(MAGIC, Pe::new(1), &ConnectInfo { nics: vec![0, 2], ..card() }.encode(MAGIC), 2, 3)
                .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed);
    }

    #[test]
    fn what_another_transport_says_is_refused() {
        let error = ConnectInfo::decode(*b"IBX\x02", Pe::new(1), &card().encode(MAGIC), 2, 3).unwrap_err();
        assert!(error.to_string().contains("not in the form of this transport"), "{error}");
    }

    #[test]
    fn another_number_of_rows_is_told_with_both_numbers() {
        let error = ConnectInfo::decode(MAGIC, Pe::new(2), &card().encode(MAGIC), 4, 3).unwrap_err().to_string();
        assert!(error.contains("PE 2") && error.contains("2 rows") && error.contains("4 to 3"), "{error}");
    }
}
