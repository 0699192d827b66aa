//! The check that a kernel module and the host were built with the same layouts.

use crate::state::{self, MAX_PATHS};

/// The symbol of the [`Abi`] in every module.
pub const SYMBOL: &str = "OXSHMEM_ABI";

/// The symbol of a 4-byte word in every module: 1 if its barrier kernel waits for the preceding grid by itself, 0 if
/// the kernel must not be launched before that grid has ended.
pub const BARRIER_WAITS: &str = "OXSHMEM_BARRIER_WAITS";

/// The versions and layouts with which a module was built. The host reads it before it runs any kernel of the module.
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
    /// The names of the paths, load/store first, separated by blanks and padded with zeros.
    pub features: [u8; 48],
    /// Hashes of the layouts of the remote paths, in the order of `features`.
    pub paths: [u64; MAX_PATHS],
}

impl Abi {
    /// First bytes of an [`Abi`].
    pub const MAGIC: [u8; 8] = *b"oxshmem\x01";

    /// Returns the description of this build, with the names of its paths (load/store first) and the layouts of the
    /// remote paths. Empty names end the list.
    pub const fn this(names: &[&str], paths: &[u64], checked: bool) -> Self {
        Self {
            magic: Self::MAGIC,
            layout: layout_hash(),
            checked: checked as u64,
            version: padded(env!("CARGO_PKG_VERSION")),
            features: joined(names),
            paths: {
                let (mut all, mut i) = ([0; MAX_PATHS], 0);
                while i < paths.len() {
                    all[i] = paths[i];
                    i += 1;
                }
                all
            },
        }
    }

    /// Decodes a module's bytes; `None` if they don't begin with [`Abi::MAGIC`].
    pub fn from_bytes(bytes: &[u8; size_of::<Self>()]) -> Option<Self> {
        let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let abi = Self {
            magic: bytes[0..8].try_into().ok()?,
            layout: word(8)?,
            checked: word(16)?,
            version: bytes[24..48].try_into().ok()?,
            features: bytes[48..96].try_into().ok()?,
            paths: [word(96)?, word(104)?, word(112)?],
        };
        (abi.magic == Self::MAGIC).then_some(abi)
    }

    /// Returns the version as text.
    pub fn version(&self) -> &str {
        text(&self.version)
    }

    /// Returns name and layout of each remote path, in order.
    pub fn remote_paths(&self) -> impl Iterator<Item = (&str, u64)> {
        self.features().split(' ').skip(1).zip(self.paths)
    }

    /// Returns the names of the paths as text.
    pub fn features(&self) -> &str {
        text(&self.features)
    }
}

static_assertions::const_assert_eq!(size_of::<Abi>(), 120);

/// Returns the FNV-1a hash of sizes and offsets.
pub const fn layout_of(sizes: &[usize]) -> u64 {
    let (mut hash, mut i) = (FNV_START, 0);
    while i < sizes.len() {
        hash = fnv(hash, &(sizes[i] as u64).to_le_bytes());
        i += 1;
    }
    hash
}

/// Returns the hash of every size and offset that the host and all kernels share. The layout of each path has a hash of
/// its own.
pub const fn layout_hash() -> u64 {
    layout_of(&state::LAYOUT)
}

/// The initial value of FNV-1a.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues FNV-1a from `hash` over `bytes`.
pub const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}

/// Returns text in a field of fixed size, padded with zeros. Longer text is cut.
pub const fn padded<const N: usize>(text: &str) -> [u8; N] {
    let (mut out, bytes, mut i) = ([0; N], text.as_bytes(), 0);
    while i < N && i < bytes.len() {
        out[i] = bytes[i];
        i += 1;
    }
    out
}

/// Returns names in a field of fixed size, separated by blanks.
const fn joined<const N: usize>(names: &[&str]) -> [u8; N] {
    let (mut out, mut end, mut name) = ([0; N], 0, 0);
    while name < names.len() && !names[name].is_empty() {
        if name > 0 {
            out[end] = b' ';
            end += 1;
        }
        let (bytes, mut i) = (names[name].as_bytes(), 0);
        assert!(end + bytes.len() < N, "the names of the paths are too long");
        while i < bytes.len() {
            out[end] = bytes[i];
            (end, i) = (end + 1, i + 1);
        }
        name += 1;
    }
    out
}

/// Returns the text of a padded field.
pub fn text(field: &[u8]) -> &str {
    let end = field.iter().position(|&b| b == 0).unwrap_or(field.len());
    core::str::from_utf8(&field[..end]).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abi_is_read_back_from_its_bytes_and_garbage_is_not_one() {
        let abi = Abi::this(&["nvlink", "ibgda", ""], &[7], true);
        let mut bytes = [0u8; 120];
        bytes[0..8].copy_from_slice(&abi.magic);
        bytes[8..16].copy_from_slice(&abi.layout.to_le_bytes());
        bytes[16..24].copy_from_slice(&abi.checked.to_le_bytes());
        bytes[24..48].copy_from_slice(&abi.version);
        bytes[48..96].copy_from_slice(&abi.features);
        bytes[96..104].copy_from_slice(&7u64.to_le_bytes());
        assert_eq!(Abi::from_bytes(&bytes), Some(abi));
        assert_eq!((abi.version(), abi.features()), (env!("CARGO_PKG_VERSION"), "nvlink ibgda"));
        assert_eq!(abi.remote_paths().collect::<Vec<_>>(), [("ibgda", 7)]);
        bytes[0] ^= 1;
        assert_eq!(Abi::from_bytes(&bytes), None);
    }
}
