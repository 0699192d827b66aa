//! Reads fields from the front of a message that another PE sent.

/// The unread rest of a message.
#[derive(Debug)]
pub struct ByteReader<'a>(pub &'a [u8]);

impl<'a> ByteReader<'a> {
    /// Reads the next `N` bytes; `None` if the message is shorter.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    /// Reads the next `count` bytes; `None` if the message is shorter.
    pub fn slice(&mut self, count: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

    /// Reads the next byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// Reads the next little-endian word of 4 bytes.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads the next little-endian word of 8 bytes.
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads the next byte string, with its length in front.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.array().map(u16::from_le_bytes)?;
        self.slice(count.into())
    }
}

/// Appends a byte string with its length in front.
///
/// # Panics
/// The string is 64 KiB or longer.
pub(crate) fn push_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    let count = u16::try_from(bytes.len()).expect("keys and addresses are shorter than 64 KiB");
    to.extend(count.to_le_bytes());
    to.extend(bytes);
}
