//! What a PE announces of a heap extent: for each of its devices a key, and the base of remote addresses.

use oxshmem_raw::rdma::wire::MAX_NICS;

/// First bytes of an offer; the last one is the version.
const MAGIC: [u8; 4] = *b"IBX\x01";

/// An extent as one device has it registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OfferedRegion {
    /// For the peer's device to import.
    pub(super) key: Vec<u8>,
    /// Address of the extent's first byte in work requests.
    pub(super) base: u64,
}

/// The bytes of an offer: the regions by device.
pub(super) fn encode(regions: &[OfferedRegion]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for OfferedRegion { key, base } in regions {
        bytes.extend(base.to_le_bytes());
        bytes.extend((key.len() as u16).to_le_bytes());
        bytes.extend(key);
    }
    bytes
}

/// The regions of an offer by device. `None`: it is not in this form, or has no device or more than a PE may have.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<OfferedRegion>> {
    let mut rest = bytes.strip_prefix(&MAGIC)?;
    let mut regions = Vec::new();
    while !rest.is_empty() {
        let (base, after) = rest.split_first_chunk()?;
        let (length, after) = after.split_first_chunk()?;
        let (key, after) = after.split_at_checked(u16::from_le_bytes(*length).into())?;
        regions.push(OfferedRegion { key: key.to_vec(), base: u64::from_le_bytes(*base) });
        rest = after;
    }
    (1..=MAX_NICS as usize).contains(&regions.len()).then_some(regions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_comes_back_as_it_was_and_cut_within_a_region_not_at_all() {
        let regions =
            vec![OfferedRegion { key: vec![1, 2, 3], base: 7 }, OfferedRegion { key: Vec::new(), base: u64::MAX }];
        let bytes = encode(&regions);
        let one = bytes.len() - 10;
        assert_eq!(decode(&bytes), Some(regions.clone()));
        assert_eq!(decode(&bytes[..one]), Some(regions[..1].to_vec()));
        assert!((0..bytes.len()).filter(|end| *end != one).all(|end| decode(&bytes[..end]).is_none()));
        assert_eq!(decode(b"IBX\x02"), None);
    }
}
