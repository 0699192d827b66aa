//! Bytes that peers exchange: addresses of devices, and keys.
//!
//! UCX reads its own bytes without knowing where they end. Each of them therefore begins with a mark of its kind and
//! the number of the bytes that follow.

use crate::ucp::memory::is_within;

/// The kind of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Address,
    Key,
}

const HEAD_BYTES: usize = 8;

impl Kind {
    const fn mark(self) -> [u8; 4] {
        match self {
            Self::Address => *b"ucxA",
            Self::Key => *b"ucxK",
        }
    }

    pub(super) fn wrap(self, bytes: &[u8]) -> Vec<u8> {
        [&self.mark()[..], &(bytes.len() as u32).to_le_bytes(), bytes].concat()
    }

    /// Returns the bytes that were wrapped, if they are of this kind and all there.
    pub(super) fn unwrap(self, wrapped: &[u8]) -> Option<&[u8]> {
        let (head, bytes) = wrapped.split_at_checked(HEAD_BYTES)?;
        let right = [&self.mark()[..], &(bytes.len() as u32).to_le_bytes()].concat();
        (head == right && !bytes.is_empty()).then_some(bytes)
    }
}

/// A key that a peer announced: its memory, and UCX's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PeerKey {
    pub(super) base: u64,
    pub(super) bytes: u64,
    pub(super) packed: Vec<u8>,
}

impl PeerKey {
    pub(super) fn wrap(&self) -> Vec<u8> {
        let range = [self.base.to_le_bytes(), self.bytes.to_le_bytes()];
        Kind::Key.wrap(&[range.as_flattened(), &self.packed].concat())
    }

    pub(super) fn unwrap(wrapped: &[u8]) -> Option<Self> {
        let (base, rest) = Kind::Key.unwrap(wrapped)?.split_first_chunk()?;
        let (bytes, packed) = rest.split_first_chunk()?;
        let (base, bytes) = (u64::from_le_bytes(*base), u64::from_le_bytes(*bytes));
        (!packed.is_empty()).then(|| Self { base, bytes, packed: packed.into() })
    }

    pub(super) fn contains(&self, at: u64, bytes: u32) -> bool {
        is_within(self.base, self.bytes, at, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_whole_and_those_of_another_kind_or_length_are_refused() {
        let (address, key) = (Kind::Address.wrap(&[1, 2, 3]), PeerKey { base: 1 << 40, bytes: 64, packed: vec![7; 9] });
        assert_eq!(Kind::Address.unwrap(&address), Some(&[1, 2, 3][..]));
        assert_eq!(PeerKey::unwrap(&key.wrap()), Some(key.clone()));
        assert_eq!((Kind::Key.unwrap(&address), PeerKey::unwrap(&address)), (None, None));
        for wrapped in [address, key.wrap()] {
            for length in 0..wrapped.len() {
                assert_eq!(Kind::Address.unwrap(&wrapped[..length]), None);
                assert_eq!(PeerKey::unwrap(&wrapped[..length]), None);
            }
        }
        assert_eq!(PeerKey::unwrap(&PeerKey { packed: Vec::new(), ..key }.wrap()), None);
    }
}
