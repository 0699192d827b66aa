//! What PEs say to each other so that their queue pairs can be connected.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::hca::LinkLayer;

/// What the bytes begin with; the last one is the version.
const MAGIC: [u8; 4] = *b"IBR\x01";

/// How a PE's port is called, and its queue pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) link: LinkLayer,
    /// `enum ibv_mtu`.
    pub(super) mtu: u8,
    /// Reads and atomics that it can have outstanding as the one that is asked.
    pub(super) rd_atomic: u8,
    pub(super) lid: u16,
    pub(super) gid: [u8; 16],
    /// Numbers of queue pairs, by row and PE; 0: none.
    pub(super) qpns: Vec<Vec<u32>>,
}

impl Card {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([(self.link == LinkLayer::Ethernet) as u8, self.mtu, self.rd_atomic, 0]);
        bytes.extend(self.lid.to_le_bytes());
        bytes.extend(self.gid);
        self.qpns.iter().flatten().for_each(|qpn| bytes.extend(qpn.to_le_bytes()));
        bytes
    }

    /// What `pe` said, which must have as many rows of as many PEs as this PE has.
    ///
    /// # Errors
    /// It said nothing, something else, or has another number of rows.
    pub(super) fn decode(pe: Pe, bytes: &[u8], rows: usize, n_pes: usize) -> Result<Self> {
        let fail = |reason: String| {
            Err(Error::new(ErrorKind::Malformed, format!("connect queue pairs with {pe}")).because(reason).about(pe))
        };
        let Some((head, rest)) = bytes.split_at_checked(26) else {
            return fail(format!("it said {} bytes: its transport has no device", bytes.len()));
        };
        if head[..4] != MAGIC {
            return fail("it speaks another version of this transport, or has another one".into());
        }
        if rest.len() != 4 * rows * n_pes {
            return fail(format!("it made {} queue pairs and this PE {}", rest.len() / 4, rows * n_pes));
        }
        let qpns: Vec<u32> = rest.as_chunks().0.iter().map(|qpn| u32::from_le_bytes(*qpn)).collect();
        Ok(Self {
            link: if head[4] == 1 { LinkLayer::Ethernet } else { LinkLayer::InfiniBand },
            mtu: head[5],
            rd_atomic: head[6],
            lid: u16::from_le_bytes([head[8], head[9]]),
            gid: std::array::from_fn(|i| head[10 + i]),
            qpns: qpns.chunks(n_pes.max(1)).map(<[u32]>::to_vec).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_survives_its_bytes_and_others_are_refused() {
        let card = Card {
            link: LinkLayer::Ethernet,
            mtu: 5,
            rd_atomic: 16,
            lid: 0x1234,
            gid: std::array::from_fn(|i| i as u8),
            qpns: vec![vec![0, 7], vec![0, 0xff_ffff]],
        };
        let bytes = card.encode();
        let pe = Pe::new(1);
        assert_eq!(Card::decode(pe, &bytes, 2, 2).unwrap(), card);
        for (bytes, rows, part) in [
            (&bytes[..10], 2, "has no device"),
            (&[&b"IBQ\x01"[..], &bytes[4..]].concat()[..], 2, "another version"),
            (&bytes[..], 3, "it made 4 queue pairs and this PE 6"),
        ] {
            let error = Card::decode(pe, bytes, rows, 2).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
