//! How a PE finds its place in the tree.
//!
//! 1. The PE connects to the root, which replies with the tree's fan-out. If another process made the unique id, the PE
//!    connects to it first, and gets the root's addresses.
//! 2. If other PEs connect to it, it listens and announces its addresses to the root.
//! 3. If its parent is the root, it listens for its siblings on a socket of its own.
//! 4. If its parent is not the root, it waits for its parent's addresses, connects there with the same handshake, and
//!    closes the connection to the root. Until then the root sends it failures and deaths on that connection.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;
use oxshmem_core::{Error, ErrorKind, Pe, Result};

use super::Tree;
use super::hub::Hub;
use crate::bootstrap::addresses;
use crate::bootstrap::connection::{Connection, Deadline, grace, wait_for};
use crate::bootstrap::frame::{Frame, FrameKind, Inbox, Op, action, connect_hint, failure_kind, text_of};
use crate::bootstrap::meeting::handshake::{Admission, derive};
use crate::bootstrap::meeting::uid::Secret;
use crate::bootstrap::meeting::{AttemptError, Ends, Location, join, join_at};

/// The socket to which a PE's siblings connect, and its addresses.
pub(crate) type ForSiblings = (TcpListener, Vec<SocketAddr>);

/// A PE's place in the tree.
pub(crate) struct Place {
    /// The connection for its calls.
    pub connection: Connection,
    /// The world's secret.
    pub secret: Secret,
    /// Its hub, if other PEs connect to it.
    pub hub: Option<Hub>,
    /// The socket for its siblings, if its parent is the root.
    pub for_siblings: Option<ForSiblings>,
}

/// Connects `pe`, which is not PE 0, to the tree.
///
/// # Errors
/// As [`join`], for the root and for the parent; the error of the first call if that has failed before this PE has its
/// place; `PeerDied` if a PE died; `Timeout` if the root does not answer.
pub(crate) fn take_place(
    pe: Pe,
    n_pes: u32,
    name: &str,
    limit: Option<Duration>,
    by_name: bool,
    find: impl FnMut() -> Result<Location, AttemptError>,
) -> Result<Place> {
    let (begun, ends) = (Instant::now(), Ends { pe, n_pes, to: Pe::new(0) });
    let (connection, secret) = join(ends, name, limit, find)?;
    let mut root = Lobby { connection, inbox: Inbox::default(), pe, deadline: waits_until(limit), limit };
    let first = |frame: &Frame<'_>| match frame.kind {
        FrameKind::Tree => Some(Ok(frame.pe)),
        FrameKind::Root => Some(Err(addresses::decode(frame.blob))),
        _ => None,
    };
    let fan_out = match root.next(first)? {
        Ok(fan_out) => fan_out,
        Err(at) => {
            let none = || cannot(ErrorKind::Malformed, "the maker of the unique id sent no address of it", ends.to);
            let at = at.filter(|at| !at.is_empty()).ok_or_else(none)?;
            let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
            root.connection = join_at(ends, &at, &secret, left, || Ok(()))?;
            root.inbox = Inbox::default();
            root.next(|frame| (frame.kind == FrameKind::Tree).then_some(frame.pe))?
        }
    };
    let tree = Tree { n_pes, fan_out: fan_out.max(1) };
    let (me, way) = (pe.number(), tree.way(pe.number()));
    let children = tree.children(me);
    let listener = match children.is_empty() {
        true => None,
        false => Some(root.listen(!by_name)?),
    };
    let (up, for_siblings) = match way.as_slice() {
        [] | [0] => {
            // Without it the world has one connection less if the root dies.
            let alone = tree.children(0).len() == 1;
            let beside = || addresses::listen_beside(root.connection.local().ok()?, !by_name).ok();
            let listens = if alone { None } else { beside() };
            (root.connection, listens)
        }
        [parent, ..] => {
            let up = root.meet(Pe::new(*parent), n_pes, &secret)?;
            root.announce(FrameKind::Moved, &[]);
            (up, None)
        }
    };
    let connection = up.through(way.clone());
    let Some(listener) = listener else { return Ok(Place { connection, secret, hub: None, for_siblings }) };
    let (ours, hub_end) = Connection::pair()?;
    let expected = children.into_iter().map(|child| child.start);
    let admission = Admission::new(for_children_of(&secret, me), n_pes, me, expected);
    let hub = Hub::relay(tree, me, hub_end, connection, listener, admission);
    Ok(Place { connection: ours.through(way), secret, hub: Some(hub), for_siblings })
}

/// Returns the secret of the connections to the children of `pe`.
fn for_children_of(secret: &Secret, pe: u32) -> Secret {
    derive(secret, &[b"hub".as_slice(), &pe.to_le_bytes()].concat())
}

/// Returns the deadline of a PE without a place: a little after the limit, at which the root ends the first call.
fn waits_until(limit: Option<Duration>) -> Deadline {
    Deadline::after(limit.map(|limit| limit + grace(limit)))
}

/// The connection to the root of a PE that has no place yet.
struct Lobby {
    connection: Connection,
    inbox: Inbox,
    pe: Pe,
    deadline: Deadline,
    limit: Option<Duration>,
}

impl Lobby {
    /// Waits for a frame that `wanted` takes.
    fn next<T>(&mut self, wanted: impl Fn(&Frame<'_>) -> Option<T>) -> Result<T> {
        loop {
            if let Some(taken) = self.received(&wanted)? {
                return Ok(taken);
            }
            match wait_for(self.connection.as_fd(), PollFlags::POLLIN, self.deadline) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    let reason = self.connection.no_answer(self.limit.unwrap_or_default());
                    return Err(cannot(ErrorKind::Timeout, reason, Pe::new(0)));
                }
                // Reading reports any other error.
                _ => self.read()?,
            }
        }
    }

    /// Looks through the frames received for one that `wanted` takes.
    ///
    /// # Errors
    /// The failure of the first call, or a death, that the root has announced.
    fn received<T>(&mut self, wanted: impl Fn(&Frame<'_>) -> Option<T>) -> Result<Option<T>> {
        loop {
            let frame = self.inbox.next().map_err(|malformed| gone(&malformed.to_string()))?;
            let Some(frame) = frame else { return Ok(None) };
            match frame.kind {
                FrameKind::Failure => {
                    return Err(cannot(failure_kind(frame.op), text_of(frame.blob), Pe::new(frame.pe)));
                }
                FrameKind::Dead => {
                    let pe = Pe::new(frame.pe);
                    return Err(cannot(ErrorKind::PeerDied, format!("{pe} died: {}", text_of(frame.blob)), pe));
                }
                _ => {
                    if let Some(taken) = wanted(&frame) {
                        return Ok(Some(taken));
                    }
                }
            }
        }
    }

    /// Reads from the frame that is arriving, and no byte after it: the next frames may be for the connection's later
    /// user.
    fn read(&mut self) -> Result<()> {
        let mut buffer = [0; 4096];
        let wanted = self.inbox.missing().min(buffer.len());
        match self.connection.recv_some(&mut buffer[..wanted]) {
            Ok(0) => Err(gone("its connection closed before it left")),
            Ok(bytes) => {
                self.inbox.push(&buffer[..bytes]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(gone(&format!("its connection broke: {error}"))),
        }
    }

    /// Listens for this PE's children and announces the addresses to the root.
    fn listen(&self, one_host: bool) -> Result<TcpListener> {
        let broken = |error: io::Error| gone(&format!("its connection broke: {error}"));
        let (listener, addresses) = addresses::listen_beside(self.connection.local().map_err(broken)?, one_host)?;
        listener.set_nonblocking(true).map_err(|error| {
            Error::new(ErrorKind::System, "listen for the PEs that connect to this one").because(error.to_string())
        })?;
        self.announce(FrameKind::Listens, &addresses::encode(&addresses));
        Ok(listener)
    }

    /// Sends a frame to the root. If the connection is broken, a later read reports it.
    fn announce(&self, kind: FrameKind, blob: &[u8]) {
        let frame = Frame { kind, op: 0, pe: self.pe.number(), count: 0, seq: 0, step: "", blob };
        let _ = self.connection.send_all(&[&frame.head(), blob].concat(), self.deadline);
    }

    /// Waits until `parent` listens, and connects to it.
    fn meet(&mut self, parent: Pe, n_pes: u32, secret: &Secret) -> Result<Connection> {
        let listens = |frame: &Frame<'_>| (frame.kind == FrameKind::Parent).then(|| addresses::decode(frame.blob));
        let addresses = self.next(listens)?.filter(|addresses| !addresses.is_empty());
        let addresses =
            addresses.ok_or_else(|| cannot(ErrorKind::Malformed, "the root sent no address of its parent", parent))?;
        let secret = for_children_of(secret, parent.number());
        let ends = Ends { pe: self.pe, n_pes, to: parent };
        // The world may have failed meanwhile.
        join_at(ends, &addresses, &secret, self.limit, || {
            self.read().and_then(|()| self.received(|_| None::<()>)).map(drop)
        })
    }
}

fn gone(reason: &str) -> Error {
    cannot(ErrorKind::PeerDied, format!("PE 0 died: {reason}"), Pe::new(0))
}

fn cannot(kind: ErrorKind, reason: impl Into<String>, about: Pe) -> Error {
    connect_hint(Error::new(kind, action(Op::Connect, "")).because(reason.into()).about(about))
}
