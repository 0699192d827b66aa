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

use siphasher::sip128::SipHasher24;

use super::uid::Secret;

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
pub(super) fn verdict(secret: &Secret, session: &Session, verdict: Verdict) -> [u8; VERDICT] {
    let mut bytes = [0; VERDICT];
    bytes[0] = verdict as u8;
    let Session { pe, n_pes, ours, theirs } = session;
    bytes[1..].copy_from_slice(&mac(secret, Role::Root(verdict), *pe, *n_pes, theirs, ours));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_what_a_proof_covers_changes_it() {
        let secret = Secret::from_bytes(std::array::from_fn(|i| i as u8));
        let base = mac(&secret, Role::Pe, 1, 4, &[1; 16], &[2; 16]);
        let others = [
            mac(&secret, Role::Root(Verdict::Admitted), 1, 4, &[1; 16], &[2; 16]),
            mac(&secret, Role::Root(Verdict::Taken), 1, 4, &[1; 16], &[2; 16]),
            mac(&secret, Role::Pe, 2, 4, &[1; 16], &[2; 16]),
            mac(&secret, Role::Pe, 1, 5, &[1; 16], &[2; 16]),
            mac(&secret, Role::Pe, 1, 4, &[2; 16], &[1; 16]),
            mac(
                &Secret::from_bytes(std::array::from_fn(|i| i as u8 ^ (i == 31) as u8)),
                Role::Pe,
                1,
                4,
                &[1; 16],
                &[2; 16],
            ),
        ];
        for (at, other) in others.iter().enumerate() {
            assert!(!same(&base, other), "case {at}");
        }
        assert!(same(&base, &mac(&secret, Role::Pe, 1, 4, &[1; 16], &[2; 16])));
    }
}
