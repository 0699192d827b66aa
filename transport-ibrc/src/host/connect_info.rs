//! What PEs announce to each other so that their endpoints can be connected.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

/// First bytes of the announcement; the last one is the version.
const MAGIC: [u8; 4] = *b"IBR\x04";

/// Addresses of a row's endpoints, by PE.
pub(super) type RowAddresses = Vec<Option<Vec<u8>>>;

/// Addresses of a PE's devices and of its endpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConnectInfo {
    /// By device.
    pub(super) devices: Vec<Vec<u8>>,
    /// Which device each row is on.
    pub(super) nics: Vec<u8>,
    /// By row.
    pub(super) endpoints: Vec<RowAddresses>,
    /// By row: those of the endpoints for fetches, where they are apart.
    pub(super) fetch_endpoints: Vec<RowAddresses>,
}

impl ConnectInfo {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(self.devices.len() as u8);
        for device in &self.devices {
            bytes.extend((device.len() as u16).to_le_bytes());
            bytes.extend(device);
        }
        let n_pes = self.endpoints.first().map_or(0, Vec::len);
        bytes.extend((self.endpoints.len() as u32).to_le_bytes());
        bytes.extend((n_pes as u32).to_le_bytes());
        bytes.extend(&self.nics);
        for address in [&self.endpoints, &self.fetch_endpoints].into_iter().flatten().flatten() {
            // 0 is none, so that an address may be empty.
            let length = address.as_ref().map_or(0, |address| address.len() as u16 + 1);
            bytes.extend(length.to_le_bytes());
            bytes.extend(address.iter().flatten());
        }
        bytes
    }

    /// Decodes what `pe` announced, which must have `rows` rows to `n_pes` PEs.
    ///
    /// # Errors
    /// It announced nothing, something else, or another number of rows.
    pub(super) fn decode(pe: Pe, bytes: &[u8], rows: usize, n_pes: usize) -> Result<Self> {
        let fail = |reason: String| {
            Err(Error::new(ErrorKind::Malformed, format!("connect queue pairs with {pe}")).because(reason).about(pe))
        };
        if bytes.is_empty() {
            return fail("it announced none: its transport has no queues".into());
        }
        let Some(info) = Reader(bytes).info() else {
            return fail("its announcement is not in the form of this transport".into());
        };
        let theirs = (info.endpoints.len(), info.endpoints.first().map_or(n_pes, Vec::len));
        if theirs != (rows, n_pes) {
            return fail(format!(
                "it has {} rows of queue pairs to {} PEs, this PE {rows} to {n_pes}; both need the same settings",
                theirs.0, theirs.1
            ));
        }
        Ok(info)
    }
}

/// Takes bytes from the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn info(&mut self) -> Option<ConnectInfo> {
        if self.take::<4>()? != MAGIC {
            return None;
        }
        let [devices] = self.take()?;
        let device = |reader: &mut Self| {
            let length = u16::from_le_bytes(reader.take()?);
            reader.bytes(length.into())
        };
        let devices = (0..devices).map(|_| device(self)).collect::<Option<Vec<_>>>()?;
        let [rows, n_pes] = [self.take()?, self.take()?].map(|word| u32::from_le_bytes(word) as usize);
        // Each address has a length of 2 bytes at least: no more is allocated than was sent.
        if rows.checked_mul(n_pes)?.checked_mul(4)? > self.0.len() {
            return None;
        }
        let nics = self.bytes(rows)?;
        if nics.iter().any(|nic| usize::from(*nic) >= devices.len()) {
            return None;
        }
        let row = |reader: &mut Self| (0..n_pes).map(|_| reader.address()).collect::<Option<Vec<_>>>();
        let endpoints = (0..rows).map(|_| row(self)).collect::<Option<Vec<_>>>()?;
        let fetch_endpoints = (0..rows).map(|_| row(self)).collect::<Option<Vec<_>>>()?;
        self.0.is_empty().then_some(ConnectInfo { devices, nics, endpoints, fetch_endpoints })
    }

    fn address(&mut self) -> Option<Option<Vec<u8>>> {
        let length = u16::from_le_bytes(self.take()?);
        Some(match length.checked_sub(1) {
            Some(length) => Some(self.bytes(length.into())?),
            None => None,
        })
    }

    fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes.to_vec())
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

    fn info() -> ConnectInfo {
        let some = |bytes: &[u8]| Some(bytes.to_vec());
        ConnectInfo {
            devices: vec![vec![1, 2, 3], Vec::new()],
            nics: vec![1, 0],
            endpoints: vec![vec![None, some(&[7; 40]), some(&[])], vec![None, some(&[4]), some(&[5, 6])]],
            fetch_endpoints: vec![vec![None, None, some(&[9])], vec![None; 3]],
        }
    }

    #[test]
    fn an_announcement_comes_back_as_it_was_and_in_part_not_at_all() {
        let bytes = info().encode();
        assert_eq!(ConnectInfo::decode(Pe::new(1), &bytes, 2, 3).unwrap(), info());
        for end in 0..bytes.len() {
            let error = ConnectInfo::decode(Pe::new(1), &bytes[..end], 2, 3).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))), "{end}");
        }
        assert!(ConnectInfo::decode(Pe::new(1), &[&bytes[..], &[0]].concat(), 2, 3).is_err());
    }

    #[test]
    fn any_bytes_are_decoded_or_refused() {
        let good = info().encode();
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                if let Ok(other) = ConnectInfo::decode(Pe::new(0), &bytes, 2, 3) {
                    assert_eq!(other.encode(), bytes, "byte {at} = {value}");
                }
            }
        }
    }

    #[test]
    fn a_row_on_a_device_that_was_not_announced_is_refused() {
        let bytes = ConnectInfo { nics: vec![0, 2], ..info() }.encode();
        assert_eq!(ConnectInfo::decode(Pe::new(1), &bytes, 2, 3).unwrap_err().kind(), ErrorKind::Malformed);
    }

    #[test]
    fn another_number_of_rows_is_reported_with_both_numbers() {
        let error = ConnectInfo::decode(Pe::new(2), &info().encode(), 4, 3).unwrap_err().to_string();
        assert!(error.contains("PE 2") && error.contains("2 rows") && error.contains("4 to 3"), "{error}");
    }
}
