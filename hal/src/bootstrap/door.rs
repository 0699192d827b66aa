//! The root's door: strangers become PEs here, or go away. All of them are heard at once, each for a bounded time.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use super::auth::{self, HELLO, MAC, Role, Session, Verdict};
use super::link::Link;
use super::uid::{Secret, random};

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
        if !auth::same(proof, &auth::mac(&self.secret, Role::Pe, *pe, *n_pes, theirs, ours)) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let verdict = match self.came.get(*pe as usize) {
            _ if *n_pes != self.n_pes() => Verdict::OtherSize,
            None => Verdict::NoSuchPe,
            Some(true) => Verdict::Taken,
            Some(false) => Verdict::Admitted,
        };
        send_now(link, &auth::verdict(&self.secret, session, verdict))?;
        if verdict != Verdict::Admitted {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.came[*pe as usize] = true;
        Ok(Some(*pe))
    }
}

fn greet(link: &Link, hello: &[u8]) -> io::Result<Session> {
    let hello = hello.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
    let (pe, n_pes, theirs) = auth::read_hello(hello).ok_or(io::ErrorKind::InvalidData)?;
    let ours = random().map_err(|_| io::ErrorKind::Other)?;
    send_now(link, &auth::challenge(&ours))?;
    Ok(Session { pe, n_pes, ours, theirs })
}

/// Sends a few bytes on a fresh connection, whose buffer has room for them.
fn send_now(link: &Link, bytes: &[u8]) -> io::Result<()> {
    if link.send_some(bytes)? == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}
