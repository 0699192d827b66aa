//! The message by which a PE lets another connect rows of queues: the addresses of its NICs and the endpoints of its
//! queues to that PE, both opaque here.
//!
//! ```text
//! magic [4] | NICs u8 | address of each NIC | rows u32 | PEs u32 | NIC of each row u8 | endpoint of each row
//! ```
//!
//! Numbers are little-endian. An address or an endpoint is a `u16` length and that many bytes.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::bytes::{ByteReader, push_bytes};

/// The first bytes of a message, which name the sending transport and the version of the form.
pub type Magic = [u8; 4];

/// One PE's part of the exchange that connects rows of queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectData {
    /// The address of each NIC that the PE uses.
    pub nics: Vec<Vec<u8>>,
    /// The number of each row's NIC, an index into `nics`.
    pub nic_of_row: Vec<u8>,
    /// Endpoints by row and PE; an empty one stands for no queue.
    pub endpoints: Vec<Vec<Vec<u8>>>,
}

/// The message of another PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerConnectData {
    /// The address of each NIC that the PE uses.
    pub nics: Vec<Vec<u8>>,
    /// The number of each row's NIC, an index into `nics`.
    pub nic_of_row: Vec<u8>,
    /// By row, the endpoint of its queue to this PE; an empty one stands for no queue.
    pub endpoints: Vec<Vec<u8>>,
}

impl ConnectData {
    /// Encodes the message for each of `n_pes` PEs.
    pub fn messages(&self, magic: Magic, n_pes: usize) -> Vec<Vec<u8>> {
        let mut common = magic.to_vec();
        common.push(self.nics.len() as u8);
        self.nics.iter().for_each(|address| push_bytes(&mut common, address));
        common.extend((self.endpoints.len() as u32).to_le_bytes());
        common.extend((n_pes as u32).to_le_bytes());
        common.extend(&self.nic_of_row);
        let message = |pe: usize| {
            let mut bytes = common.clone();
            self.endpoints.iter().for_each(|row| push_bytes(&mut bytes, &row[pe]));
            bytes
        };
        (0..n_pes).map(message).collect()
    }
}

impl PeerConnectData {
    /// Decodes the message of `pe`, which must have as many rows and PEs as this PE has.
    ///
    /// # Errors
    /// `Malformed`: the message is empty or has another form, or the numbers of rows or PEs differ.
    pub fn decode(magic: Magic, pe: Pe, bytes: &[u8], rows: usize, n_pes: usize) -> Result<Self> {
        if bytes.is_empty() {
            return Err(malformed(pe, "it sent no connection data: its transport has no NIC"));
        }
        let (data, their_pes) = read(magic, bytes).ok_or_else(|| malformed(pe, WRONG_FORM))?;
        let their_rows = data.endpoints.len();
        if (their_rows, their_pes) != (rows, n_pes) {
            return Err(malformed(
                pe,
                format!(
                    "it has {their_rows} rows of queue pairs to {their_pes} PEs, this PE {rows} to {n_pes}; both need the \
                     same settings"
                ),
            ));
        }
        Ok(data)
    }
}

/// The reason for refusing a message that has another form.
pub const WRONG_FORM: &str = "its connection data are not in the form of this transport";

/// Returns the error for a message that can't be used.
pub fn malformed(pe: Pe, reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Malformed, format!("connect queue pairs with {pe}")).because(reason.into()).about(pe)
}

/// Returns the error for a peer that made no queue to this PE although this PE made one to it.
pub fn no_endpoint(pe: Pe) -> Error {
    Error::new(ErrorKind::Mismatch, format!("connect queue pairs with {pe}"))
        .because("it has none to this PE: it reaches this PE by another transport")
        .about(pe)
        .hint("the settings of both PEs must be the same")
}

/// Returns the message and the number of PEs that it names.
fn read(magic: Magic, bytes: &[u8]) -> Option<(PeerConnectData, usize)> {
    let mut rest = ByteReader(bytes);
    if rest.array()? != magic {
        return None;
    }
    let nics = rest.u8()?;
    let nics = (0..nics).map(|_| rest.bytes().map(<[u8]>::to_vec)).collect::<Option<Vec<_>>>()?;
    let (rows, n_pes) = (rest.u32()? as usize, rest.u32()? as usize);
    let nic_of_row = rest.slice(rows)?.to_vec();
    if nic_of_row.iter().any(|nic| usize::from(*nic) >= nics.len()) {
        return None;
    }
    // Each endpoint takes 2 bytes or more. A count that the message can't hold is refused before anything is allocated.
    if rest.0.len() < rows.checked_mul(2)? {
        return None;
    }
    let endpoints = (0..rows).map(|_| rest.bytes().map(<[u8]>::to_vec)).collect::<Option<Vec<_>>>()?;
    rest.0.is_empty().then_some((PeerConnectData { nics, nic_of_row, endpoints }, n_pes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: Magic = *b"IBX\x01";

    fn data() -> ConnectData {
        let none = Vec::new;
        ConnectData {
            nics: vec![vec![7; 24], vec![9; 3]],
            nic_of_row: vec![1, 0],
            endpoints: vec![vec![none(), vec![1, 2, 3, 4], vec![5; 8]], vec![none(), vec![6; 300], none()]],
        }
    }

    /// Returns the message for PE 1.
    fn message() -> Vec<u8> {
        data().messages(MAGIC, 3).swap_remove(1)
    }

    #[test]
    fn each_message_decodes_to_the_part_for_its_pe_and_no_prefix_decodes() {
        for (to, bytes) in data().messages(MAGIC, 3).into_iter().enumerate() {
            let ConnectData { nics, nic_of_row, endpoints } = data();
            let endpoints = endpoints.into_iter().map(|row| row[to].clone()).collect();
            let read = PeerConnectData::decode(MAGIC, Pe::new(1), &bytes, 2, 3).unwrap();
            assert_eq!(read, PeerConnectData { nics, nic_of_row, endpoints });
            for end in 0..bytes.len() {
                let error = PeerConnectData::decode(MAGIC, Pe::new(1), &bytes[..end], 2, 3).unwrap_err();
                assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))), "{end}");
            }
            assert!(PeerConnectData::decode(MAGIC, Pe::new(1), &[&bytes[..], &[0]].concat(), 2, 3).is_err());
        }
        let none = ConnectData { nic_of_row: Vec::new(), endpoints: Vec::new(), ..data() };
        for bytes in none.messages(MAGIC, 3) {
            assert_eq!(PeerConnectData::decode(MAGIC, Pe::new(1), &bytes, 0, 3).unwrap().endpoints.len(), 0);
            assert!(PeerConnectData::decode(MAGIC, Pe::new(1), &bytes, 0, 4).is_err(), "another number of PEs");
        }
    }

    #[test]
    fn a_message_with_a_changed_byte_is_refused_or_means_something_else() {
        let good = message();
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                if let Ok(decoded) = PeerConnectData::decode(MAGIC, Pe::new(0), &bytes, 2, 3) {
                    let PeerConnectData { nics, nic_of_row, endpoints } = decoded;
                    let endpoints = endpoints.into_iter().map(|endpoint| vec![endpoint; 3]).collect();
                    assert_eq!(
                        ConnectData { nics, nic_of_row, endpoints }.messages(MAGIC, 3)[1],
                        bytes,
                        "{value} at {at}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_row_on_a_nic_that_has_no_address_is_refused() {
        let bytes = ConnectData { nic_of_row: vec![0, 2], ..data() }.messages(MAGIC, 3).swap_remove(1);
        assert_eq!(PeerConnectData::decode(MAGIC, Pe::new(1), &bytes, 2, 3).unwrap_err().kind(), ErrorKind::Malformed);
    }

    #[test]
    fn the_message_of_another_transport_or_version_is_refused() {
        let error = PeerConnectData::decode(*b"IBX\x02", Pe::new(1), &message(), 2, 3).unwrap_err();
        assert!(error.to_string().contains("not in the form of this transport"), "{error}");
    }

    #[test]
    fn another_number_of_rows_is_reported_with_both_numbers() {
        let error = PeerConnectData::decode(MAGIC, Pe::new(2), &message(), 4, 3).unwrap_err().to_string();
        assert!(error.contains("PE 2") && error.contains("2 rows") && error.contains("4 to 3"), "{error}");
    }
}
