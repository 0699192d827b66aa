//! The unique id of a world: the address where its PEs meet, and the secret they share. The PEs of one host can meet
//! without configuration: PE 0 writes its id to a file that only this user can read.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, TcpListener};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use nix::unistd::geteuid;
use oxshmem_core::{Error, ErrorKind, Result};
use oxshmem_raw::os::private::own_folder;
use siphasher::sip128::SipHasher24;

use crate::bootstrap::addresses::{listen_at, listen_at_one};

const MAGIC: [u8; 8] = *b"oxshmem\x01";
const BYTES: usize = 128;
// byte  0..8 magic and version | 8 family (4, 6) | 10..12 port, big-endian | 12..28 address | 28..60 secret
//      | 60..64 scope of an IPv6 address, big-endian | 64.. zero
const FAMILY: usize = 8;
const PORT: usize = 10;
const ADDRESS: usize = 12;
const SECRET: usize = 28;
const SCOPE: usize = 60;
const REST: usize = 64;

/// 32 bytes that only the PEs of one world know.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// Draws a fresh secret from the kernel's random source.
    ///
    /// # Errors
    /// `System` if the kernel provides no random bytes.
    pub fn fresh() -> Result<Self> {
        Ok(Self(random()?))
    }

    /// Returns the secret with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads a secret from 64 hexadecimal digits.
    ///
    /// # Errors
    /// `Malformed` if `text` is anything else; the message does not repeat the text.
    pub fn from_hex(text: &str) -> Result<Self> {
        unhex(text.trim()).map(Self).ok_or_else(|| {
            Error::new(ErrorKind::Malformed, "read the secret")
                .because(format!("it has {} characters, not 64 hexadecimal digits", text.trim().len()))
                .hint("make one with `openssl rand -hex 32`")
        })
    }

    pub(crate) const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(not shown)")
    }
}

/// The address where the PEs of one world meet, and the secret that admits them: 128 bytes that PE 0 creates. Every
/// other PE receives them by other means (an environment variable, a file, MPI).
///
/// `Debug` shows the address alone. The text form, 256 hexadecimal digits, holds the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct UniqueId([u8; BYTES]);

impl UniqueId {
    /// Builds the id of a world whose root listens at `address`.
    pub fn new(address: SocketAddr, secret: &Secret) -> Self {
        let mut bytes = [0; BYTES];
        bytes[..FAMILY].copy_from_slice(&MAGIC);
        bytes[PORT..ADDRESS].copy_from_slice(&address.port().to_be_bytes());
        match address {
            SocketAddr::V4(v4) => {
                bytes[FAMILY] = 4;
                bytes[ADDRESS..ADDRESS + 4].copy_from_slice(&v4.ip().octets());
            }
            SocketAddr::V6(v6) => {
                bytes[FAMILY] = 6;
                bytes[ADDRESS..SECRET].copy_from_slice(&v6.ip().octets());
                bytes[SCOPE..REST].copy_from_slice(&v6.scope_id().to_be_bytes());
            }
        }
        bytes[SECRET..SCOPE].copy_from_slice(secret.bytes());
        Self(bytes)
    }

    /// Listens on a free port of `ip` and returns the id of that address with a fresh secret.
    ///
    /// # Errors
    /// `System` if listening at the address fails or the kernel provides no random bytes.
    pub fn listen(ip: IpAddr) -> Result<(Self, TcpListener)> {
        let (listener, addresses) = listen_at(ip)?;
        Ok((Self::new(addresses[0], &Secret::fresh()?), listener))
    }

    /// Listens on a free port of every interface, and returns an id with a fresh secret and with the address of one
    /// interface: of the first that `interfaces` selects (prefixes of names, with commas between; whole names after
    /// `=`; all others after `^`), or else of the first that other hosts can reach; without a network it is the
    /// loopback address.
    ///
    /// # Errors
    /// As [`listen`](Self::listen); `NotFound` if `interfaces` selects none.
    pub fn listen_to_others(interfaces: Option<&str>) -> Result<(Self, TcpListener)> {
        let (listener, address) = listen_at_one(interfaces)?;
        Ok((Self::new(address, &Secret::fresh()?), listener))
    }

    /// Reads an id from its bytes.
    ///
    /// # Errors
    /// `Malformed` if they are not an id of this version.
    pub fn from_bytes(bytes: [u8; BYTES]) -> Result<Self> {
        let malformed = |reason: &str| Err(Error::new(ErrorKind::Malformed, "read the unique id").because(reason));
        if bytes[..7] != MAGIC[..7] {
            return malformed("it does not begin as a unique id of oxshmem does");
        }
        if bytes[7] != MAGIC[7] {
            return malformed(&format!("it is of version {}, and this library reads version {}", bytes[7], MAGIC[7]));
        }
        let zero = |from: usize, to: usize| bytes[from..to].iter().all(|&byte| byte == 0);
        let tail_is_zero = match bytes[FAMILY] {
            4 => zero(ADDRESS + 4, SECRET) && zero(SCOPE, REST),
            6 => true,
            _ => return malformed("its address is neither IPv4 nor IPv6"),
        };
        if !(tail_is_zero && zero(FAMILY + 1, PORT) && zero(REST, BYTES)) {
            return malformed("bytes that are zero in this version are not");
        }
        Ok(Self(bytes))
    }

    /// Returns the 128 bytes, which hold the secret.
    pub const fn to_bytes(&self) -> [u8; BYTES] {
        self.0
    }

    /// Returns the 256 hexadecimal digits that [`FromStr`] reads. They hold the secret.
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    /// Returns the address where the root listens.
    pub fn address(&self) -> SocketAddr {
        let port = u16::from_be_bytes([self.0[PORT], self.0[PORT + 1]]);
        let ip: [u8; 16] = std::array::from_fn(|i| self.0[ADDRESS + i]);
        match self.0[FAMILY] {
            4 => (Ipv4Addr::new(ip[0], ip[1], ip[2], ip[3]), port).into(),
            _ => {
                let scope = u32::from_be_bytes(std::array::from_fn(|i| self.0[SCOPE + i]));
                SocketAddrV6::new(Ipv6Addr::from(ip), port, 0, scope).into()
            }
        }
    }

    pub(crate) fn secret(&self) -> Secret {
        Secret(std::array::from_fn(|i| self.0[SECRET + i]))
    }
}

impl FromStr for UniqueId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let bytes = unhex(text).ok_or_else(|| {
            Error::new(ErrorKind::Malformed, "read the unique id").because(format!(
                "it has {} characters, not {} hexadecimal digits",
                text.len(),
                2 * BYTES
            ))
        })?;
        Self::from_bytes(bytes)
    }
}

impl fmt::Debug for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UniqueId({}, secret not shown)", self.address())
    }
}

/// Draws `N` bytes from the kernel's random source.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while filled < N {
        let rest = &mut bytes[filled..];
        // SAFETY: pointer and length are those of `rest`, which is exclusively borrowed during the call.
        let got = unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) };
        match usize::try_from(got) {
            Ok(got) => filled += got,
            Err(_) => {
                let error = std::io::Error::last_os_error();
                if error.kind() != std::io::ErrorKind::Interrupted {
                    return Err(Error::new(ErrorKind::System, "draw random bytes").call(
                        "getrandom",
                        i64::from(error.raw_os_error().unwrap_or(0)),
                        error.to_string(),
                    ));
                }
            }
        }
    }
    Ok(bytes)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |at: u8| char::from(at).to_digit(16);
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(bytes)
}

/// A file of mode 0600 in a directory of mode 0700 that belongs to this user, named after the job.
///
/// PE 0 writes the file under another name, renames it, and removes it as soon as all PEs are connected. The next run
/// of the same job replaces a file that a killed PE 0 left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendezvous {
    directory: PathBuf,
    name: String,
}

/// The published file, removed on drop.
pub(crate) struct PublishedFile(PathBuf);

impl Drop for PublishedFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Rendezvous {
    /// Returns the rendezvous of `job` in `directory`, which is created when it is first used.
    pub fn new(directory: impl Into<PathBuf>, job: &str) -> Self {
        // Any text may name a job; the hash separates jobs whose readable parts are equal.
        let readable =
            job.chars().take(64).map(|c| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' });
        let hash = hex(&SipHasher24::new().hash(job.as_bytes()).as_bytes());
        Self { directory: directory.into(), name: format!("job-{}-{}", readable.collect::<String>(), &hash[..16]) }
    }

    /// Returns the path of the file while PEs connect.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }

    /// Creates the directory if it does not exist and checks its owner and mode.
    ///
    /// # Errors
    /// `Refused` if it belongs to another user, is open to others, or is not a directory.
    pub(crate) fn check(&self) -> Result<()> {
        let directory = &self.directory;
        let action = || format!("use {} to meet the other PEs", directory.display());
        own_folder(directory, action, "remove it, or set OXSHMEM_ROOT and OXSHMEM_SECRET")
    }

    pub(crate) fn publish(&self, id: &UniqueId) -> Result<PublishedFile> {
        self.check()?;
        let path = self.path();
        let draft = self.directory.join(format!(".{}.{}", self.name, std::process::id()));
        let write = || {
            // A draft may be left from an earlier process with the same process number.
            let _ = fs::remove_file(&draft);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(id.to_hex().as_bytes())?;
            fs::rename(&draft, &path)
        };
        write().map_err(|error: io::Error| {
            let _ = fs::remove_file(&draft);
            Error::new(ErrorKind::System, format!("write {}", path.display())).because(error.to_string())
        })?;
        Ok(PublishedFile(path))
    }

    pub(crate) fn read(&self) -> io::Result<UniqueId> {
        let path = self.path();
        let mut text = String::new();
        open_private(&path)?.take(1024).read_to_string(&mut text)?;
        text.parse().map_err(io::Error::other)
    }
}

fn open_private(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != geteuid().as_raw() || found.mode() & 0o077 != 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "other users can access the file"));
    }
    Ok(file)
}

#[cfg(test)]
#[path = "tests/uid.rs"]
mod tests;

#[cfg(test)]
#[path = "tests/rendezvous.rs"]
mod rendezvous_tests;
