//! The message by which a PE lets its peers reach an extent of its heap: a remote key and a first address for each of
//! its NICs.
//!
//! ```text
//! magic [4] | relaxed u8 | NICs u8 | for each NIC: address u64, key
//! ```
//!
//! Numbers are little-endian. A key is a `u16` length and that many bytes, which only the transport understands.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::bytes::{ByteReader, push_bytes};
use super::connect_data::Magic;
use crate::nic_params::MAX_NICS;

/// The remote keys of an extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtentOffer {
    /// Whether writes to the extent may arrive in any order.
    pub relaxed: bool,
    /// One key for each NIC of the offering PE, 1 to [`MAX_NICS`].
    pub keys: Vec<RemoteKey>,
}

/// The key and address by which peers access an extent through one NIC of its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteKey {
    /// The address of the extent's first byte in that NIC's registration.
    pub address: u64,
    /// The key: for verbs the 4 bytes of an rkey, for other providers any bytes.
    pub key: Vec<u8>,
}

impl RemoteKey {
    /// Returns the key of a verbs registration.
    pub fn of_rkey(rkey: u32, address: u64) -> Self {
        Self { address, key: rkey.to_le_bytes().to_vec() }
    }

    /// Returns the rkey of a verbs registration; `None` if the key is not 4 bytes long.
    pub fn rkey(&self) -> Option<u32> {
        self.key.as_slice().try_into().ok().map(u32::from_le_bytes)
    }
}

impl ExtentOffer {
    /// Encodes the offer.
    pub fn encode(&self, magic: Magic) -> Vec<u8> {
        let mut bytes = magic.to_vec();
        bytes.extend([u8::from(self.relaxed), self.keys.len() as u8]);
        for RemoteKey { address, key } in &self.keys {
            bytes.extend(address.to_le_bytes());
            push_bytes(&mut bytes, key);
        }
        bytes
    }

    /// Decodes the offer of `pe`. `known` is the number of NICs in its earlier offers, if there were any.
    ///
    /// # Errors
    /// `Malformed`: the bytes have another form, or the number of NICs has changed.
    pub fn decode(magic: Magic, pe: Pe, bytes: &[u8], known: Option<usize>) -> Result<Self> {
        let offer =
            read(magic, bytes).ok_or_else(|| malformed(pe, "its offer is not in the form of this transport"))?;
        let count = offer.keys.len();
        match known {
            Some(known) if known != count => {
                Err(malformed(pe, format!("its earlier offers had the keys of {known} NICs, and this one has {count}")))
            }
            _ => Ok(offer),
        }
    }
}

/// Returns the error for an offer that can't be used.
pub fn malformed(pe: Pe, reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Malformed, format!("reach the heap of {pe}")).because(reason.into()).about(pe)
}

fn read(magic: Magic, bytes: &[u8]) -> Option<ExtentOffer> {
    let mut rest = ByteReader(bytes);
    if rest.array()? != magic {
        return None;
    }
    let (relaxed, count) = (rest.u8()?, rest.u8()?);
    if relaxed > 1 || !(1..=MAX_NICS).contains(&u32::from(count)) {
        return None;
    }
    let key = |rest: &mut ByteReader<'_>| Some(RemoteKey { address: rest.u64()?, key: rest.bytes()?.to_vec() });
    let keys = (0..count).map(|_| key(&mut rest)).collect::<Option<Vec<_>>>()?;
    rest.0.is_empty().then_some(ExtentOffer { relaxed: relaxed == 1, keys })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: Magic = *b"IBX\x01";

    fn decode(bytes: &[u8], known: Option<usize>) -> Result<ExtentOffer> {
        ExtentOffer::decode(MAGIC, Pe::new(1), bytes, known)
    }

    #[test]
    fn an_offer_decodes_to_itself_and_no_prefix_decodes() {
        let opaque = RemoteKey { address: 1 << 40, key: vec![1; 40] };
        let offer = ExtentOffer { relaxed: true, keys: vec![RemoteKey::of_rkey(0x1234_5678, 9), opaque] };
        let bytes = offer.encode(MAGIC);
        assert_eq!(decode(&bytes, None).unwrap(), offer);
        assert_eq!((offer.keys[0].rkey(), offer.keys[1].rkey()), (Some(0x1234_5678), None));
        for end in 0..bytes.len() {
            let error = decode(&bytes[..end], None).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))), "{end}");
        }
        assert!(decode(&[&bytes[..], &[0; 4]].concat(), None).is_err());
        assert!(decode(&ExtentOffer { relaxed: false, keys: Vec::new() }.encode(MAGIC), None).is_err(), "of no NIC");
        let error = ExtentOffer::decode(*b"IBX\x02", Pe::new(1), &bytes, None).unwrap_err();
        assert!(error.to_string().contains("not in the form of this transport"), "{error}");
    }

    #[test]
    fn a_peer_keeps_its_number_of_nics() {
        let bytes = ExtentOffer { relaxed: false, keys: vec![RemoteKey::of_rkey(1, 0); 2] }.encode(MAGIC);
        decode(&bytes, Some(2)).unwrap();
        let error = decode(&bytes, Some(1)).unwrap_err().to_string();
        assert!(error.contains("keys of 1 NICs, and this one has 2"), "{error}");
    }
}
