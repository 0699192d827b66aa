//! What a PE tells of an extent of its heap: how others' operations name it, on each of its NICs.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::rdma::wire::MAX_NICS;

/// What the bytes begin with; the last one is the version.
const MAGIC: [u8; 4] = *b"IBK\x01";

/// The keys of an extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// Writes to it may arrive in any order.
    pub(super) relaxed: bool,
    /// As the library says them, by NIC of the PE that tells.
    pub(super) rkeys: Vec<u32>,
}

impl Told {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([u8::from(self.relaxed), self.rkeys.len() as u8]);
        bytes.extend(self.rkeys.iter().flat_map(|rkey| rkey.to_le_bytes()));
        bytes
    }

    /// What `pe` told.
    ///
    /// # Errors
    /// It is not in this form.
    pub(super) fn decode(pe: Pe, bytes: &[u8]) -> Result<Self> {
        Self::read(bytes).ok_or_else(|| {
            Error::new(ErrorKind::Malformed, format!("reach the heap of {pe}"))
                .because("what it offered is not in the form of this transport")
                .about(pe)
        })
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let ([relaxed, count], rest) = rest.split_first_chunk()?;
        let (keys, []) = rest.as_chunks() else { return None };
        let fits = *relaxed <= 1 && keys.len() == usize::from(*count) && (1..=MAX_NICS as usize).contains(&keys.len());
        let rkeys = keys.iter().map(|key| u32::from_le_bytes(*key)).collect();
        fits.then_some(Self { relaxed: *relaxed == 1, rkeys })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_as_they_were_and_in_part_not_at_all() {
        let told = Told { relaxed: true, rkeys: vec![0x1234_5678, 9] };
        let bytes = told.encode();
        assert_eq!(Told::decode(Pe::new(1), &bytes).unwrap(), told);
        for end in 0..bytes.len() {
            let error = Told::decode(Pe::new(1), &bytes[..end]).unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Malformed, Some(Pe::new(1))), "{end}");
        }
        assert!(Told::decode(Pe::new(1), &[&bytes[..], &[0; 4]].concat()).is_err());
        assert!(Told::decode(Pe::new(1), &Told { relaxed: false, rkeys: Vec::new() }.encode()).is_err(), "of no NIC");
    }
}
