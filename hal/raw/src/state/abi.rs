//! Proof that a kernel module and the host mean the same by the same bytes.

use crate::state;

/// The name under which every module carries its [`Abi`].
pub const SYMBOL: &str = "OXSHMEM_ABI";

/// The name under which every module says, in a word of 4 bytes, whether its barrier kernel waits for the grid ahead of
/// it by itself (1), or must not be launched before that has ended (0).
pub const BARRIER_WAITS: &str = "OXSHMEM_BARRIER_WAITS";

/// What a module was built against. The host reads it before it runs anything of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Abi {
    /// [`Abi::MAGIC`].
    pub magic: [u8; 8],
    /// Hash of every size and offset that both sides use.
    pub layout: u64,
    /// 1 if the device checks arguments.
    pub checked: u64,
    /// Version of oxshmem, padded with zeros.
    pub version: [u8; 24],
    /// Transport features by name, with a blank between, padded with zeros.
    pub features: [u8; 48],
}

impl Abi {
    /// First bytes of an [`Abi`].
    pub const MAGIC: [u8; 8] = *b"oxshmem\x01";

    /// This build's own, with these transport features.
    pub const fn this(features: &str, checked: bool) -> Self {
        Self {
            magic: Self::MAGIC,
            layout: layout_hash(),
            checked: checked as u64,
            version: padded(env!("CARGO_PKG_VERSION")),
            features: padded(features),
        }
    }

    /// Reads one out of a module's bytes.
    pub fn from_bytes(bytes: &[u8; size_of::<Self>()]) -> Option<Self> {
        let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let abi = Self {
            magic: bytes[0..8].try_into().ok()?,
            layout: word(8)?,
            checked: word(16)?,
            version: bytes[24..48].try_into().ok()?,
            features: bytes[48..96].try_into().ok()?,
        };
        (abi.magic == Self::MAGIC).then_some(abi)
    }

    /// The version as text.
    pub fn version(&self) -> &str {
        text(&self.version)
    }

    /// The features as text.
    pub fn features(&self) -> &str {
        text(&self.features)
    }
}

static_assertions::const_assert_eq!(size_of::<Abi>(), 96);

/// FNV-1a over the sizes and offsets of everything shared.
pub const fn layout_hash() -> u64 {
    let mut hash = FNV_START;
    let mut i = 0;
    while i < state::LAYOUT.len() {
        hash = fnv(hash, &(state::LAYOUT[i] as u64).to_le_bytes());
        i += 1;
    }
    let mut i = 0;
    while i < state::nic::LAYOUT.len() {
        hash = fnv(hash, &(state::nic::LAYOUT[i] as u64).to_le_bytes());
        i += 1;
    }
    let mut i = 0;
    while i < state::proxy::LAYOUT.len() {
        hash = fnv(hash, &(state::proxy::LAYOUT[i] as u64).to_le_bytes());
        i += 1;
    }
    hash
}

/// Where FNV-1a begins.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, goes on from `hash`.
pub const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}

/// Text in a field of fixed size; what is too long is cut.
pub const fn padded<const N: usize>(text: &str) -> [u8; N] {
    let (mut out, bytes, mut i) = ([0; N], text.as_bytes(), 0);
    while i < N && i < bytes.len() {
        out[i] = bytes[i];
        i += 1;
    }
    out
}

/// The text of a padded field.
pub fn text(field: &[u8]) -> &str {
    let end = field.iter().position(|&b| b == 0).unwrap_or(field.len());
    core::str::from_utf8(&field[..end]).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abi_is_read_back_from_its_bytes_and_garbage_is_not_one() {
        let abi = Abi::this("nvlink", true);
        let mut bytes = [0u8; 96];
        bytes[0..8].copy_from_slice(&abi.magic);
        bytes[8..16].copy_from_slice(&abi.layout.to_le_bytes());
        bytes[16..24].copy_from_slice(&abi.checked.to_le_bytes());
        bytes[24..48].copy_from_slice(&abi.version);
        bytes[48..96].copy_from_slice(&abi.features);
        assert_eq!(Abi::from_bytes(&bytes), Some(abi));
        assert_eq!((abi.version(), abi.features()), (env!("CARGO_PKG_VERSION"), "nvlink"));
        bytes[0] ^= 1;
        assert_eq!(Abi::from_bytes(&bytes), None);
    }
}
