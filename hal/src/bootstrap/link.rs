//! One non-blocking stream socket, and waiting on it up to a moment.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::socket::{MsgFlags, Shutdown, recv, send, setsockopt, shutdown, sockopt};

/// A moment by which a wait must end; none is a wait without limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    pub(super) fn after(limit: Option<Duration>) -> Self {
        // A limit past what the clock can count is no limit.
        Self(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    pub(super) const fn at(moment: Option<Instant>) -> Self {
        Self(moment)
    }

    /// The earlier of this one and `limit` from now.
    pub(super) fn within(self, limit: Duration) -> Self {
        let other = Instant::now() + limit;
        Self(Some(self.0.map_or(other, |own| own.min(other))))
    }

    pub(super) fn passed(self) -> bool {
        self.0.is_some_and(|at| Instant::now() >= at)
    }

    pub(super) fn moment(self) -> Option<Instant> {
        self.0
    }

    /// What is left, for `poll`, rounded up so that the wait never ends early.
    fn for_poll(self) -> PollTimeout {
        let Some(at) = self.0 else { return PollTimeout::NONE };
        let left = at.saturating_duration_since(Instant::now());
        let millis = left.as_micros().div_ceil(1000);
        PollTimeout::try_from(millis.min(i32::MAX as u128) as i32).unwrap_or(PollTimeout::MAX)
    }
}

/// `poll`, ended by the deadline at the latest; a signal ends it early with nothing ready.
pub(super) fn poll(fds: &mut [PollFd<'_>], deadline: Deadline) -> io::Result<()> {
    match nix::poll::poll(fds, deadline.for_poll()) {
        Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Waits until `fd` has what is asked for, or an error to tell.
pub(super) fn wait_for(fd: BorrowedFd<'_>, what: PollFlags, deadline: Deadline) -> io::Result<()> {
    loop {
        let mut fds = [PollFd::new(fd, what)];
        poll(&mut fds, deadline)?;
        if fds[0].any().unwrap_or(true) {
            return Ok(());
        }
        if deadline.passed() {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}

/// One connected stream socket (TCP or UNIX), non-blocking.
pub(super) struct Link(OwnedFd);

impl Link {
    /// Over a TCP connection. A host that is gone is noticed within half a minute, also when nothing is said.
    pub(super) fn tcp(stream: std::net::TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        setsockopt(&stream, sockopt::KeepAlive, &true)?;
        setsockopt(&stream, sockopt::TcpKeepIdle, &10)?;
        setsockopt(&stream, sockopt::TcpKeepInterval, &4)?;
        setsockopt(&stream, sockopt::TcpKeepCount, &4)?;
        setsockopt(&stream, sockopt::TcpUserTimeout, &30_000)?;
        Ok(Self(stream.into()))
    }

    pub(super) fn unix(stream: std::os::unix::net::UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self(stream.into()))
    }

    /// Sends what fits now; `WouldBlock` if nothing does.
    pub(super) fn send_some(&self, bytes: &[u8]) -> io::Result<usize> {
        // A peer that is gone is an error here and not a signal to the whole program.
        again(|| send(self.0.as_raw_fd(), bytes, MsgFlags::MSG_NOSIGNAL))
    }

    /// Reads what is there; 0 at the end of the stream, `WouldBlock` if nothing is there yet.
    pub(super) fn recv_some(&self, bytes: &mut [u8]) -> io::Result<usize> {
        again(|| recv(self.0.as_raw_fd(), bytes, MsgFlags::empty()))
    }

    pub(super) fn send_all(&self, mut bytes: &[u8], deadline: Deadline) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.send_some(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_for(self.0.as_fd(), PollFlags::POLLOUT, deadline)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(super) fn recv_all(&self, bytes: &mut [u8], deadline: Deadline) -> io::Result<()> {
        let mut got = 0;
        while got < bytes.len() {
            match self.recv_some(&mut bytes[got..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => got += read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_for(self.0.as_fd(), PollFlags::POLLIN, deadline)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Ends both directions; whoever waits on it, on either side, sees the end of the stream.
    pub(super) fn shut(&self) {
        // It fails only if the other side ended it before.
        let _ = shutdown(self.0.as_raw_fd(), Shutdown::Both);
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn again(mut call: impl FnMut() -> nix::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(nix::errno::Errno::EINTR) => {}
            other => return other.map_err(io::Error::from),
        }
    }
}
