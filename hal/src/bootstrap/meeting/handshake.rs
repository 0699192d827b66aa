//! Mutual authentication: a challenge and a response before either side trusts any other byte.
//!
//! ```text
//! PE   -> root   hello      magic, PE, number of PEs, nonce
//! root -> PE     challenge  magic, nonce
//! PE   -> root   proof      MAC("pe", PE, number of PEs, both nonces)
//! root -> PE     reply      one byte, MAC("root", reply, PE, number of PEs, both nonces)
//! ```
//!
//! The PE proves itself first, so a stranger who connects to the port learns nothing that derives from the secret. The
//! MAC is SipHash-2-4 with 128 bits of output, once for each half of the 32-byte secret. The handshake authenticates
//! the connection only; the frames that follow are neither encrypted nor signed, as is usual on a cluster's own
//! network.
//!
//! [`Admission`] is the root's side. It serves all unproven connections at once, each for a bounded time.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use siphasher::sip128::SipHasher24;

use super::uid::{Secret, random};
use crate::bootstrap::connection::Connection;
use crate::bootstrap::frame::byte_enum;

const MAGIC: [u8; 8] = *b"oxshmemC";

pub(crate) const NONCE: usize = 16;
pub(crate) const MAC: usize = 32;
pub(crate) const HELLO: usize = 8 + 4 + 4 + NONCE;
pub(crate) const CHALLENGE: usize = 8 + NONCE;
pub(crate) const REPLY: usize = 1 + MAC;

/// The values that both sides of a connection know before the proofs.
#[derive(Clone, Copy)]
pub(crate) struct Handshake {
    pub pe: u32,
    pub n_pes: u32,
    pub ours: [u8; NONCE],
    pub theirs: [u8; NONCE],
}

byte_enum! {
    /// The root's answer to a PE that knows the secret.
    AdmissionReply {
        Admitted = 1,
        /// A PE with this number is already connected.
        Taken = 2,
        /// The PE number is not below the number of PEs.
        NoSuchPe = 3,
        /// The root was started for another number of PEs.
        OtherSize = 4,
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Prover {
    /// The side that connects.
    Pe,
    /// The side that accepts, and its reply.
    Root(AdmissionReply),
}

pub(crate) fn hello(pe: u32, n_pes: u32, nonce: &[u8; NONCE]) -> [u8; HELLO] {
    let mut bytes = [0; HELLO];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&pe.to_le_bytes());
    bytes[12..16].copy_from_slice(&n_pes.to_le_bytes());
    bytes[16..].copy_from_slice(nonce);
    bytes
}

/// Reads PE, number of PEs and nonce from a hello; `None` if the bytes are not one.
pub(crate) fn read_hello(bytes: &[u8; HELLO]) -> Option<(u32, u32, [u8; NONCE])> {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    (bytes[..8] == MAGIC).then(|| (word(8), word(12), std::array::from_fn(|i| bytes[16 + i])))
}

pub(crate) fn challenge(nonce: &[u8; NONCE]) -> [u8; CHALLENGE] {
    let mut bytes = [0; CHALLENGE];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..].copy_from_slice(nonce);
    bytes
}

pub(crate) fn read_challenge(bytes: &[u8; CHALLENGE]) -> Option<[u8; NONCE]> {
    (bytes[..8] == MAGIC).then(|| std::array::from_fn(|i| bytes[8 + i]))
}

/// Computes the MAC of one side. `pe_nonce` is the nonce of the side that connects.
pub(crate) fn mac(secret: &Secret, role: Prover, pe: u32, n_pes: u32, pe_nonce: &[u8], root_nonce: &[u8]) -> [u8; MAC] {
    let mut message = Vec::with_capacity(64);
    match role {
        Prover::Pe => message.extend_from_slice(b"pe\0\0\0"),
        Prover::Root(reply) => message.extend_from_slice(&[b'r', b'o', b'o', b't', reply as u8]),
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

/// Derives a secret for one purpose: a MAC made with it proves nothing for another purpose.
pub(crate) fn derive(secret: &Secret, purpose: &[u8]) -> Secret {
    Secret::from_bytes(keyed(secret, &[b"derive", purpose].concat()))
}

/// Compares without stopping at the first difference, so that the duration does not reveal its position.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// Builds the root's answer to a proof.
pub(crate) fn reply_message(secret: &Secret, handshake: &Handshake, reply: AdmissionReply) -> [u8; REPLY] {
    let mut bytes = [0; REPLY];
    bytes[0] = reply as u8;
    let Handshake { pe, n_pes, ours, theirs } = handshake;
    bytes[1..].copy_from_slice(&mac(secret, Prover::Root(reply), *pe, *n_pes, theirs, ours));
    bytes
}

/// Longest time for a hello and a proof. It is generous because a slow network may deliver single bytes.
pub(crate) const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
/// Number of unproven connections kept in addition to one for each PE; beyond it the oldest is dropped.
const SPARE_UNPROVEN: usize = 64;

/// One connection that has not proved itself.
struct UnprovenConnection {
    connection: Connection,
    until: Instant,
    got: Vec<u8>,
    handshake: Option<Handshake>,
}

/// A PE that proved itself and was sent the reply.
pub(crate) struct AdmittedPe {
    pub pe: u32,
    pub connection: Connection,
}

pub(crate) struct Admission {
    secret: Secret,
    n_pes: u32,
    /// By PE that may connect: whether it was admitted, even if it is gone again.
    admitted: BTreeMap<u32, bool>,
    /// Number of PEs that have not been admitted.
    missing: usize,
    unproven: Vec<UnprovenConnection>,
}

impl Admission {
    /// Waits for each of `expected`, PEs of a world of `n_pes`. `present` needs no connection.
    pub(crate) fn new(secret: Secret, n_pes: u32, present: u32, expected: impl Iterator<Item = u32>) -> Self {
        let mut admitted: BTreeMap<u32, bool> = expected.map(|pe| (pe, false)).collect();
        let missing = admitted.len();
        admitted.insert(present, true);
        Self { secret, n_pes, admitted, missing, unproven: Vec::new() }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.missing == 0
    }

    pub(crate) fn add(&mut self, connection: Connection) {
        if self.unproven.len() >= self.admitted.len() + SPARE_UNPROVEN {
            self.unproven.remove(0);
        }
        let until = Instant::now() + HANDSHAKE_LIMIT;
        self.unproven.push(UnprovenConnection {
            connection,
            until,
            got: Vec::with_capacity(HELLO + MAC),
            handshake: None,
        });
    }

    pub(crate) fn sockets(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.unproven.iter().map(|candidate| candidate.connection.as_fd())
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.unproven.iter().map(|candidate| candidate.until).min()
    }

    /// Reads from the unproven connections that are readable and returns the PEs that have proved themselves. `ready`
    /// is in the order of [`sockets`](Self::sockets); connections past its end are new and are read too.
    pub(crate) fn advance(&mut self, ready: &[bool]) -> Vec<AdmittedPe> {
        let mut admitted = Vec::new();
        let now = Instant::now();
        for (at, mut candidate) in std::mem::take(&mut self.unproven).into_iter().enumerate() {
            let outcome = if ready.get(at).copied().unwrap_or(true) { self.read(&mut candidate) } else { Ok(None) };
            match outcome {
                Ok(Some(pe)) => admitted.push(AdmittedPe { pe, connection: candidate.connection }),
                Ok(None) if now < candidate.until => self.unproven.push(candidate),
                // Timed out, closed, or not a PE of this world: drops the connection without an answer.
                Ok(None) | Err(_) => {}
            }
        }
        admitted
    }

    /// Reads from an unproven connection; returns its PE number once it has proved itself.
    fn read(&mut self, candidate: &mut UnprovenConnection) -> io::Result<Option<u32>> {
        loop {
            let want = if candidate.handshake.is_none() { HELLO } else { MAC };
            let mut bytes = [0; if HELLO > MAC { HELLO } else { MAC }];
            let room = want - candidate.got.len();
            match candidate.connection.recv_some(&mut bytes[..room]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => candidate.got.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            }
            if candidate.got.len() < want {
                continue;
            }
            let message = std::mem::take(&mut candidate.got);
            match candidate.handshake {
                None => candidate.handshake = Some(challenge_back(&candidate.connection, &message)?),
                Some(handshake) => return self.verify(&candidate.connection, &handshake, &message),
            }
        }
    }

    fn verify(&mut self, connection: &Connection, handshake: &Handshake, proof: &[u8]) -> io::Result<Option<u32>> {
        let Handshake { pe, n_pes, ours, theirs } = handshake;
        if !same(proof, &mac(&self.secret, Prover::Pe, *pe, *n_pes, theirs, ours)) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let reply = match self.admitted.get(pe) {
            _ if *n_pes != self.n_pes => AdmissionReply::OtherSize,
            None => AdmissionReply::NoSuchPe,
            Some(true) => AdmissionReply::Taken,
            Some(false) => AdmissionReply::Admitted,
        };
        send_now(connection, &reply_message(&self.secret, handshake, reply))?;
        if reply != AdmissionReply::Admitted {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.admitted.insert(*pe, true);
        self.missing -= 1;
        Ok(Some(*pe))
    }
}

fn challenge_back(connection: &Connection, hello: &[u8]) -> io::Result<Handshake> {
    let hello = hello.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
    let (pe, n_pes, theirs) = read_hello(hello).ok_or(io::ErrorKind::InvalidData)?;
    let ours = random().map_err(|_| io::ErrorKind::Other)?;
    send_now(connection, &challenge(&ours))?;
    Ok(Handshake { pe, n_pes, ours, theirs })
}

/// Sends a few bytes on a fresh connection, whose send buffer has room for them.
fn send_now(connection: &Connection, bytes: &[u8]) -> io::Result<()> {
    if connection.send_some(bytes)? == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

#[cfg(test)]
#[path = "tests/handshake.rs"]
mod tests;
