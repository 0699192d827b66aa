//! Who is there: a mutual challenge and response, before any other byte is trusted.
//!
//! ```text
//! PE   -> root   hello      magic, PE, number of PEs, nonce
//! root -> PE     challenge  magic, nonce
//! PE   -> root   proof      MAC("pe", PE, number of PEs, both nonces)
//! root -> PE     verdict    one byte, MAC("root", verdict, PE, number of PEs, both nonces)
//! ```
//!
//! The PE proves itself first, so a stranger on the port learns nothing that is made from the secret.
//! The MAC is SipHash-2-4 with 128 bits of output, once for each half of the 32-byte secret. It
//! proves who connects; what follows is neither encrypted nor signed, as is usual on a cluster's own network.
//!
//! The root's door: strangers become PEs here, or go away. All of them are heard at once, each for a bounded time.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use siphasher::sip128::SipHasher24;

use super::connection::Link;
use super::uid::{Secret, random};

const MAGIC: [u8; 8] = *b"oxshmemB";

pub(super) const NONCE: usize = 16;
pub(super) const MAC: usize = 32;
pub(super) const HELLO: usize = 8 + 4 + 4 + NONCE;
pub(super) const CHALLENGE: usize = 8 + NONCE;
pub(super) const VERDICT: usize = 1 + MAC;

/// What both sides of one connection know before the proofs.
#[derive(Clone, Copy)]
pub(super) struct Session {
    pub pe: u32,
    pub n_pes: u32,
    pub ours: [u8; NONCE],
    pub theirs: [u8; NONCE],
}

/// What the root says of a PE that knows the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Verdict {
    Admitted = 1,
    /// A PE with this number is already connected.
    Taken = 2,
    /// The number is not below the number of PEs.
    NoSuchPe = 3,
    /// The root was started for another number of PEs.
    OtherSize = 4,
}

impl Verdict {
    pub(super) fn from_raw(raw: u8) -> Option<Self> {
        Some(match raw {
            1 => Self::Admitted,
            2 => Self::Taken,
            3 => Self::NoSuchPe,
            4 => Self::OtherSize,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy)]
pub(super) enum Role {
    /// The side that connects.
    Pe,
    /// The side that is connected to, and its verdict.
    Root(Verdict),
}

pub(super) fn hello(pe: u32, n_pes: u32, nonce: &[u8; NONCE]) -> [u8; HELLO] {
    let mut bytes = [0; HELLO];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&pe.to_le_bytes());
    bytes[12..16].copy_from_slice(&n_pes.to_le_bytes());
    bytes[16..].copy_from_slice(nonce);
    bytes
}

/// PE, number of PEs and nonce of a hello; nothing if it is not one.
pub(super) fn read_hello(bytes: &[u8; HELLO]) -> Option<(u32, u32, [u8; NONCE])> {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    (bytes[..8] == MAGIC).then(|| (word(8), word(12), std::array::from_fn(|i| bytes[16 + i])))
}

pub(super) fn challenge(nonce: &[u8; NONCE]) -> [u8; CHALLENGE] {
    let mut bytes = [0; CHALLENGE];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..].copy_from_slice(nonce);
    bytes
}

pub(super) fn read_challenge(bytes: &[u8; CHALLENGE]) -> Option<[u8; NONCE]> {
    (bytes[..8] == MAGIC).then(|| std::array::from_fn(|i| bytes[8 + i]))
}

/// The MAC of one side. `pe_nonce` is the nonce of the side that connects.
pub(super) fn mac(secret: &Secret, role: Role, pe: u32, n_pes: u32, pe_nonce: &[u8], root_nonce: &[u8]) -> [u8; MAC] {
    let mut message = Vec::with_capacity(64);
    match role {
        Role::Pe => message.extend_from_slice(b"pe\0\0\0"),
        Role::Root(verdict) => message.extend_from_slice(&[b'r', b'o', b'o', b't', verdict as u8]),
    }
    message.extend_from_slice(&pe.to_le_bytes());
    message.extend_from_slice(&n_pes.to_le_bytes());
    message.extend_from_slice(pe_nonce);
    message.extend_from_slice(root_nonce);
    keyed(secret, &message)
}

fn keyed(secret: &Secret, message: &[u8]) -> [u8; MAC] {
    let mut mac = [0; MAC];
    for (half, out) in mac.chunks_exact_mut(16).enumerate() {
        let key = std::array::from_fn(|i| secret.bytes()[16 * half + i]);
        out.copy_from_slice(&SipHasher24::new_with_key(&key).hash(message).as_bytes());
    }
    mac
}

/// A secret for one purpose: what is said under it proves nothing under another.
pub(super) fn derive(secret: &Secret, purpose: &[u8]) -> Secret {
    Secret::from_bytes(keyed(secret, &[b"derive", purpose].concat()))
}

/// Compares without stopping at the first difference, so that time tells nothing of where it is.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// The root's answer after the proof.
pub(super) fn verdict_message(secret: &Secret, session: &Session, verdict: Verdict) -> [u8; VERDICT] {
    let mut bytes = [0; VERDICT];
    bytes[0] = verdict as u8;
    let Session { pe, n_pes, ours, theirs } = session;
    bytes[1..].copy_from_slice(&mac(secret, Role::Root(verdict), *pe, *n_pes, theirs, ours));
    bytes
}

/// How long a stranger has for its hello and its proof. Generous, since a slow network delivers single bytes.
pub(super) const HANDSHAKE: Duration = Duration::from_secs(10);
/// How many strangers are heard at once beside one for each PE; the one that waited longest gives way.
const SPARE: usize = 64;

/// One connection that has not proved itself.
struct Stranger {
    link: Link,
    until: Instant,
    got: Vec<u8>,
    session: Option<Session>,
}

/// A PE that proved itself and has been told so.
pub(super) struct Admission {
    pub pe: u32,
    pub link: Link,
}

pub(super) struct Door {
    secret: Secret,
    /// Indexed by PE: whether it was admitted, even if it is gone again.
    came: Vec<bool>,
    strangers: Vec<Stranger>,
}

impl Door {
    /// PE 0 is inside.
    pub(super) fn new(secret: Secret, n_pes: u32) -> Self {
        let mut came = vec![false; n_pes as usize];
        came[0] = true;
        Self { secret, came, strangers: Vec::new() }
    }

    pub(super) fn n_pes(&self) -> u32 {
        self.came.len() as u32
    }

    pub(super) fn all_came(&self) -> bool {
        self.came.iter().all(|&came| came)
    }

    pub(super) fn knock(&mut self, link: Link) {
        if self.strangers.len() >= self.came.len() + SPARE {
            self.strangers.remove(0);
        }
        let until = Instant::now() + HANDSHAKE;
        self.strangers.push(Stranger { link, until, got: Vec::with_capacity(HELLO + MAC), session: None });
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.strangers.iter().map(|stranger| stranger.link.as_fd())
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.strangers.iter().map(|stranger| stranger.until).min()
    }

    /// Hears the strangers that have something to say (`ready`, in the order of [`waiting`](Self::waiting);
    /// later ones have just come), and gives those who proved to be PEs.
    pub(super) fn listen(&mut self, ready: &[bool]) -> Vec<Admission> {
        let mut admitted = Vec::new();
        let now = Instant::now();
        for (at, mut stranger) in std::mem::take(&mut self.strangers).into_iter().enumerate() {
            let heard = if ready.get(at).copied().unwrap_or(true) { self.hear(&mut stranger) } else { Ok(None) };
            match heard {
                Ok(Some(pe)) => admitted.push(Admission { pe, link: stranger.link }),
                Ok(None) if now < stranger.until => self.strangers.push(stranger),
                // Out of time, gone, or not one of us: the connection is dropped, and nothing is said.
                Ok(None) | Err(_) => {}
            }
        }
        admitted
    }

    /// Takes in what the stranger said; its number if that makes it a PE.
    fn hear(&mut self, stranger: &mut Stranger) -> io::Result<Option<u32>> {
        loop {
            let want = if stranger.session.is_none() { HELLO } else { MAC };
            let mut bytes = [0; if HELLO > MAC { HELLO } else { MAC }];
            let room = want - stranger.got.len();
            match stranger.link.recv_some(&mut bytes[..room]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => stranger.got.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            }
            if stranger.got.len() < want {
                continue;
            }
            let said = std::mem::take(&mut stranger.got);
            match stranger.session {
                None => stranger.session = Some(greet(&stranger.link, &said)?),
                Some(session) => return self.judge(&stranger.link, &session, &said),
            }
        }
    }

    fn judge(&mut self, link: &Link, session: &Session, proof: &[u8]) -> io::Result<Option<u32>> {
        let Session { pe, n_pes, ours, theirs } = session;
        if !same(proof, &mac(&self.secret, Role::Pe, *pe, *n_pes, theirs, ours)) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let verdict = match self.came.get(*pe as usize) {
            _ if *n_pes != self.n_pes() => Verdict::OtherSize,
            None => Verdict::NoSuchPe,
            Some(true) => Verdict::Taken,
            Some(false) => Verdict::Admitted,
        };
        send_now(link, &verdict_message(&self.secret, session, verdict))?;
        if verdict != Verdict::Admitted {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.came[*pe as usize] = true;
        Ok(Some(*pe))
    }
}

fn greet(link: &Link, hello: &[u8]) -> io::Result<Session> {
    let hello = hello.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
    let (pe, n_pes, theirs) = read_hello(hello).ok_or(io::ErrorKind::InvalidData)?;
    let ours = random().map_err(|_| io::ErrorKind::Other)?;
    send_now(link, &challenge(&ours))?;
    Ok(Session { pe, n_pes, ours, theirs })
}

/// Sends a few bytes on a fresh connection, whose buffer has room for them.
fn send_now(link: &Link, bytes: &[u8]) -> io::Result<()> {
    if link.send_some(bytes)? == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

#[cfg(test)]
#[path = "tests/handshake.rs"]
mod tests;
