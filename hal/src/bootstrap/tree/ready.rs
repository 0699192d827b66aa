//! The wait for the sockets of a hub.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags};

use super::member::Member;
use crate::bootstrap::connection::{Deadline, poll};
use crate::bootstrap::meeting::handshake::Admission;

/// The sockets that a wait found ready.
pub(super) struct ReadySockets {
    /// The PEs at the other ends.
    pub(super) members: Vec<u32>,
    /// The connection to the parent.
    pub(super) up: bool,
    pub(super) listener: bool,
    /// In the order of [`Admission::sockets`] at the time of the wait.
    pub(super) unproven: Vec<bool>,
}

impl ReadySockets {
    /// Waits until a socket is ready, or until a moment.
    pub(super) fn wait(
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
