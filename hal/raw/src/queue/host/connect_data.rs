//! The message by which PEs connect rows of queues: the addresses of a PE's NICs and the endpoints of its queues, both
//! opaque here.
//!
//! ```text
//! magic [4] | NICs u8 | address of each NIC | rows u32 | PEs u32 | NIC of each row u8 | endpoint of each row and PE
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

impl ConnectData {
    /// Encodes the message.
    pub fn encode(&self, magic: Magic) -> Vec<u8> {
        let mut bytes = magic.to_vec();
        bytes.push(self.nics.len() as u8);
        self.nics.iter().for_each(|address| push_bytes(&mut bytes, address));
        let n_pes = self.endpoints.first().map_or(0, Vec::len);
        bytes.extend((self.endpoints.len() as u32).to_le_bytes());
        bytes.extend((n_pes as u32).to_le_bytes());
        bytes.extend(&self.nic_of_row);
        self.endpoints.iter().flatten().for_each(|endpoint| push_bytes(&mut bytes, endpoint));
        bytes
    }

    /// Decodes the message of `pe`, which must have as many rows and PEs as this PE has.
    ///
    /// # Errors
    /// `Malformed`: the message is empty or has another form, or the numbers of rows or PEs differ.
    pub fn decode(magic: Magic, pe: Pe, bytes: &[u8], rows: usize, n_pes: usize) -> Result<Self> {
        if bytes.is_empty() {
            return Err(malformed(pe, "it sent no connection data: its transport has no NIC"));
        }
        let data = read(magic, bytes).ok_or_else(|| malformed(pe, WRONG_FORM))?;
        let theirs = (data.endpoints.len(), data.endpoints.first().map_or(n_pes, Vec::len));
        if theirs != (rows, n_pes) {
            let (their_rows, their_pes) = theirs;
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
pub(crate) const WRONG_FORM: &str = "its connection data are not in the form of this transport";

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

fn read(magic: Magic, bytes: &[u8]) -> Option<ConnectData> {
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
    // A message without rows has no PEs.
    if rows == 0 && n_pes != 0 {
        return None;
    }
    // Each endpoint takes 2 bytes or more. Counts that the message can't hold are refused before anything is allocated.
    if rest.0.len() < rows.checked_mul(n_pes)?.checked_mul(2)? {
        return None;
    }
    let row =
        |rest: &mut ByteReader<'_>| (0..n_pes).map(|_| rest.bytes().map(<[u8]>::to_vec)).collect::<Option<Vec<_>>>();
    let endpoints = (0..rows).map(|_| row(&mut rest)).collect::<Option<Vec<_>>>()?;
    rest.0.is_empty().then_some(ConnectData { nics, nic_of_row, endpoints })
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

    #[test]
    fn the_message_decodes_to_itself_and_no_prefix_decodes() {
        let bytes = data().encode(MAGIC);
        assert_eq!(ConnectData::decode(MAGIC, Pe::new(1), &bytes, 2, 3).unwrap(), data());
        for end in 0..bytes.len() {
            let error = ConnectData::decode(MAGIC, Pe::new(1), &bytes[..end], 2, 3).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))), "{end}");
        }
        assert!(ConnectData::decode(MAGIC, Pe::new(1), &[&bytes[..], &[0]].concat(), 2, 3).is_err());
        let none = ConnectData { nic_of_row: Vec::new(), endpoints: Vec::new(), ..data() };
        let mut bytes = none.encode(MAGIC);
        assert_eq!(ConnectData::decode(MAGIC, Pe::new(1), &bytes, 0, 3).unwrap(), none);
        let n_pes = bytes.len() - 4;
        bytes[n_pes] = 1;
        assert!(ConnectData::decode(MAGIC, Pe::new(1), &bytes, 0, 3).is_err(), "no rows, and yet PEs");
    }

    #[test]
    fn a_message_with_a_changed_byte_is_refused_or_means_something_else() {
        let good = data().encode(MAGIC);
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                if let Ok(decoded) = ConnectData::decode(MAGIC, Pe::new(0), &bytes, 2, 3) {
                    assert_eq!(decoded.encode(MAGIC), bytes, "{value} at {at}");
                }
            }
        }
    }

    #[test]
    fn a_row_on_a_nic_that_has_no_address_is_refused() {
        let bytes = ConnectData { nic_of_row: vec![0, 2], ..data() }.encode(MAGIC);
        assert_eq!(ConnectData::decode(MAGIC, Pe::new(1), &bytes, 2, 3).unwrap_err().kind(), ErrorKind::Malformed);
    }

    #[test]
    fn the_message_of_another_transport_or_version_is_refused() {
        let error = ConnectData::decode(*b"IBX\x02", Pe::new(1), &data().encode(MAGIC), 2, 3).unwrap_err();
        assert!(error.to_string().contains("not in the form of this transport"), "{error}");
    }

    #[test]
    fn another_number_of_rows_is_reported_with_both_numbers() {
        let error = ConnectData::decode(MAGIC, Pe::new(2), &data().encode(MAGIC), 4, 3).unwrap_err().to_string();
        assert!(error.contains("PE 2") && error.contains("2 rows") && error.contains("4 to 3"), "{error}");
    }
}
