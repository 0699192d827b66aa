//! The tree in which the PEs of a world pass calls on: its shape, and the connections of its nodes.
//!
//! The shape is a pure function of the number of PEs and the fan-out. Each subtree is a range of PEs and its first PE
//! is the subtree's top, so the blobs of a subtree are in PE order, and PEs with neighbouring numbers, which launchers
//! place on one host, are near each other in the tree.
//!
//! | file | contents |
//! |---|---|
//! | `hub` | the thread of a PE to which others connect |
//! | `state` | its state of the collective calls in progress |
//! | `joining` | how a PE finds its place |

pub(crate) mod hub;
pub(crate) mod joining;
mod node;
pub(crate) mod relay;
pub(crate) mod state;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::TcpListener;
use std::ops::Range;
use std::os::fd::AsFd;
use std::sync::Arc;

use nix::poll::{PollFd, PollFlags};

use crate::bootstrap::connection::{Connection, Deadline, poll};
use crate::bootstrap::frame::Inbox;
use crate::bootstrap::meeting::handshake::Admission;

/// The number of PEs for which one PE passes calls on, unless PE 0 chooses another.
///
/// A PE sends the result of a call to each of these PEs, so a small number lets the busiest PE send less; a large one
/// makes the tree flatter. With 16, worlds of up to 17 PEs are a star around PE 0, 256 PEs are two steps from PE 0 and
/// 4,000 three.
pub const FAN_OUT: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub n_pes: u32,
    /// At least 1.
    pub fan_out: u32,
}

impl Tree {
    /// Returns the subtrees directly below the top of `range`, at most as many as the fan-out.
    fn below(self, range: &Range<u32>) -> impl Iterator<Item = Range<u32>> + use<> {
        let (first, rest) = (range.start + 1, range.len() as u32 - 1);
        let parts = rest.min(self.fan_out);
        let at = move |part: u32| first + (u64::from(rest) * u64::from(part) / u64::from(parts)) as u32;
        (0..parts).map(move |part| at(part)..at(part + 1))
    }

    /// Returns the subtree of which `pe` is the top, and the PEs between `pe` and the root, nearest first.
    fn find(self, pe: u32) -> (Range<u32>, Vec<u32>) {
        let (mut range, mut way) = (0..self.n_pes, Vec::new());
        while range.start != pe {
            way.insert(0, range.start);
            let Some(part) = self.below(&range).find(|part| part.contains(&pe)) else { break };
            range = part;
        }
        (range, way)
    }

    /// Returns the PEs through which the calls of `pe` go, nearest first and PE 0 last; for PE 0 none.
    pub(crate) fn way(self, pe: u32) -> Vec<u32> {
        self.find(pe).1
    }

    /// Returns the PE that passes the calls of `pe` on; for PE 0 none.
    pub(crate) fn parent(self, pe: u32) -> Option<u32> {
        self.way(pe).first().copied()
    }

    /// Returns `pe` and the PEs whose calls go through it.
    pub(crate) fn subtree(self, pe: u32) -> Range<u32> {
        self.find(pe).0
    }

    /// Returns the subtrees of the PEs that connect to `pe`.
    pub(crate) fn children(self, pe: u32) -> Vec<Range<u32>> {
        self.below(&self.subtree(pe)).collect()
    }
}

/// A trusted connection of a hub: its inbox of partial frames, and its outbox of pieces to send.
pub(crate) struct Member {
    pub connection: Connection,
    /// The PEs whose frames arrive on it.
    pub pes: Range<u32>,
    /// Whether it leads to a PE without a place in the tree; it ends when the PE is connected to its parent.
    pub joins: bool,
    pub inbox: Inbox,
    /// Pieces to send. Of the first one, `sent` bytes are sent.
    outbox: VecDeque<Arc<[u8]>>,
    sent: usize,
}

impl Member {
    pub(crate) fn new(connection: Connection, pes: Range<u32>) -> Self {
        Self { connection, pes, joins: false, inbox: Inbox::default(), outbox: VecDeque::new(), sent: 0 }
    }

    /// Queues pieces to send.
    pub(crate) fn queue(&mut self, pieces: impl IntoIterator<Item = Arc<[u8]>>) {
        self.outbox.extend(pieces);
    }

    /// Returns whether everything queued has been sent.
    pub(crate) fn is_idle(&self) -> bool {
        self.outbox.is_empty()
    }

    /// Sends as much as fits now.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        while let Some(first) = self.outbox.front() {
            match self.connection.send_some(&first[self.sent..]) {
                Ok(bytes) => self.sent += bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            if self.sent == first.len() {
                self.outbox.pop_front();
                self.sent = 0;
            }
        }
        Ok(())
    }

    /// Reads the bytes that have arrived into the inbox. The error is the reason why the connection has ended.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<(), String> {
        match self.connection.recv_some(buffer) {
            Ok(0) => Err("its connection closed before it left".into()),
            Ok(bytes) => {
                self.inbox.push(&buffer[..bytes]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(format!("its connection broke: {error}")),
        }
    }

    /// Returns the entry of `poll` that is ready when it can receive, or can send if pieces are queued.
    pub(crate) fn poll_fd(&self) -> PollFd<'_> {
        let out = if self.is_idle() { PollFlags::empty() } else { PollFlags::POLLOUT };
        PollFd::new(self.connection.as_fd(), PollFlags::POLLIN | out)
    }
}

/// The sockets that a wait found ready.
struct ReadySockets {
    /// The PEs at the other ends.
    members: Vec<u32>,
    /// The connection to the parent.
    up: bool,
    listener: bool,
    /// In the order of [`Admission::sockets`] at the time of the wait.
    unproven: Vec<bool>,
}

impl ReadySockets {
    /// Waits until a socket is ready, or until a moment.
    fn wait(
        members: &BTreeMap<u32, Member>,
        up: Option<&Member>,
        listener: Option<&TcpListener>,
        admission: Option<&Admission>,
        until: Deadline,
    ) -> io::Result<Self> {
        let mut fds = Vec::with_capacity(members.len() + 8);
        fds.extend(members.values().chain(up).map(Member::poll_fd));
        let listener_at = fds.len();
        fds.extend(listener.map(|listener| PollFd::new(listener.as_fd(), PollFlags::POLLIN)));
        let strangers_at = fds.len();
        if let Some(admission) = admission {
            fds.extend(admission.sockets().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        }
        poll(&mut fds, until)?;
        // A member that can send again is flushed in any case.
        let readable = |fd: &PollFd<'_>| fd.revents().is_none_or(|events| events.intersects(!PollFlags::POLLOUT));
        Ok(Self {
            members: members.keys().zip(&fds).filter(|(_, fd)| readable(fd)).map(|(pe, _)| *pe).collect(),
            up: fds[members.len()..listener_at].iter().any(readable),
            listener: fds[listener_at..strangers_at].iter().any(readable),
            unproven: fds[strangers_at..].iter().map(readable).collect(),
        })
    }
}

#[cfg(test)]
#[path = "tests/tree.rs"]
mod tests;
