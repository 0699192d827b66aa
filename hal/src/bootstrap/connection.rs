//! One non-blocking stream socket with bounded waits, and the traffic over all of them.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::socket::{
    ControlMessage, ControlMessageOwned, MsgFlags, Shutdown, SockaddrStorage, getsockname, recv, recvmsg, send,
    sendmsg, setsockopt, shutdown, sockopt,
};
use oxshmem_core::{Error, ErrorKind, Pe, Result};

use super::addresses;
use super::frame::name_pes;

/// The moment at which a wait must end; `None` waits without limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn after(limit: Option<Duration>) -> Self {
        // A limit beyond the range of the clock counts as no limit.
        Self(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    pub(crate) const fn at(moment: Option<Instant>) -> Self {
        Self(moment)
    }

    /// Returns the earlier of this deadline and `limit` from now.
    pub(crate) fn within(self, limit: Duration) -> Self {
        let other = Instant::now() + limit;
        Self(Some(self.0.map_or(other, |own| own.min(other))))
    }

    pub(crate) fn passed(self) -> bool {
        self.0.is_some_and(|at| Instant::now() >= at)
    }

    pub(crate) fn moment(self) -> Option<Instant> {
        self.0
    }

    /// Returns the remaining time for `poll`, rounded up so that the wait never ends early.
    fn for_poll(self) -> PollTimeout {
        let Some(at) = self.0 else { return PollTimeout::NONE };
        let left = at.saturating_duration_since(Instant::now());
        let millis = left.as_micros().div_ceil(1000);
        PollTimeout::try_from(millis.min(i32::MAX as u128) as i32).unwrap_or(PollTimeout::MAX)
    }
}

/// Returns how much longer than the limit a PE waits for the root, which ends calls at the limit.
pub(crate) fn grace(limit: Duration) -> Duration {
    (limit / 4).clamp(Duration::from_millis(500), Duration::from_secs(5))
}

/// The remedy for [`lacks_descriptors`].
pub(crate) const DESCRIPTORS_HINT: &str = "`ulimit -n` says how many descriptors a process may have";

/// Returns whether this process, or the system, has no descriptor left.
pub(crate) fn lacks_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Calls `poll` until the deadline at the latest. A signal ends it early with nothing ready.
pub(crate) fn poll(fds: &mut [PollFd<'_>], deadline: Deadline) -> io::Result<()> {
    match nix::poll::poll(fds, deadline.for_poll()) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Waits until `fd` reports one of `what`, or an error.
pub(crate) fn wait_for(fd: BorrowedFd<'_>, what: PollFlags, deadline: Deadline) -> io::Result<()> {
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

/// The traffic of this process's control planes since it started, over sockets of every kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Number of calls of the system that sent some.
    pub sends: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Number of calls of the system that received some.
    pub receives: u64,
}

/// One direction of [`Traffic`].
struct Count {
    bytes: AtomicU64,
    calls: AtomicU64,
}

impl Count {
    const fn new() -> Self {
        Self { bytes: AtomicU64::new(0), calls: AtomicU64::new(0) }
    }

    fn add(&self, bytes: &io::Result<usize>) {
        if let Ok(bytes) = bytes {
            self.bytes.fetch_add(*bytes as u64, Ordering::Relaxed);
            self.calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn read(&self) -> (u64, u64) {
        (self.bytes.load(Ordering::Relaxed), self.calls.load(Ordering::Relaxed))
    }
}

static SENT: Count = Count::new();
static RECEIVED: Count = Count::new();

/// Returns the traffic of this process's control planes so far.
pub fn traffic() -> Traffic {
    let ((sent_bytes, sends), (received_bytes, receives)) = (SENT.read(), RECEIVED.read());
    Traffic { sent_bytes, sends, received_bytes, receives }
}

/// Number of descriptors in one message; the kernel allows 253.
pub(crate) const FD_BATCH: usize = 64;

/// One connected stream socket (TCP or UNIX), non-blocking.
pub(crate) struct Connection {
    fd: OwnedFd,
    /// The PEs through which it leads to the root, nearest first and PE 0 last.
    way: Vec<u32>,
}

impl Connection {
    /// Wraps a TCP connection. The keep-alive settings detect a host that is gone within half a minute, even on an idle
    /// connection.
    pub(crate) fn tcp(stream: std::net::TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        setsockopt(&stream, sockopt::KeepAlive, &true)?;
        setsockopt(&stream, sockopt::TcpKeepIdle, &10)?;
        setsockopt(&stream, sockopt::TcpKeepInterval, &4)?;
        setsockopt(&stream, sockopt::TcpKeepCount, &4)?;
        setsockopt(&stream, sockopt::TcpUserTimeout, &30_000)?;
        Ok(Self { fd: stream.into(), way: vec![0] })
    }

    pub(crate) fn unix(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { fd: stream.into(), way: vec![0] })
    }

    /// Returns the two ends of a connection within this process.
    pub(crate) fn pair() -> Result<(Self, Self)> {
        UnixStream::pair()
            .and_then(|(a, b)| Ok((Self::unix(a)?, Self::unix(b)?)))
            .map_err(|error| Error::new(ErrorKind::System, "connect a PE to the root").because(error.to_string()))
    }

    /// Sets the PEs through which the connection leads to the root.
    pub(crate) fn through(self, way: Vec<u32>) -> Self {
        Self { way, ..self }
    }

    /// Returns the PE whose end of the connection closes if that PE dies.
    pub(crate) fn parent(&self) -> Pe {
        Pe::new(self.way.first().copied().unwrap_or(0))
    }

    /// Returns the text of an error: no answer came from the root.
    pub(crate) fn no_answer(&self, limit: Duration) -> String {
        match self.way.as_slice() {
            [through @ .., _] if !through.is_empty() => {
                format!("no answer of the root, PE 0, has come through {} within {limit:?}", name_pes(through))
            }
            _ => format!("the root, PE 0, has not answered within {limit:?}"),
        }
    }

    /// Returns this host's address on a TCP connection.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        let local: SockaddrStorage = getsockname(self.fd.as_raw_fd())?;
        addresses::socket_address(&local).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// Sends as much as fits now; `WouldBlock` if nothing fits.
    pub(crate) fn send_some(&self, bytes: &[u8]) -> io::Result<usize> {
        // A closed connection must be an error here and not a signal to the whole program.
        let sent = again(|| send(self.fd.as_raw_fd(), bytes, MsgFlags::MSG_NOSIGNAL));
        SENT.add(&sent);
        sent
    }

    /// Reads the bytes that have arrived; 0 at the end of the stream, `WouldBlock` if none have arrived yet.
    pub(crate) fn recv_some(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let received = again(|| recv(self.fd.as_raw_fd(), bytes, MsgFlags::empty()));
        RECEIVED.add(&received);
        received
    }

    /// Sends `fds`, at most [`FD_BATCH`], with one byte that carries them; `WouldBlock` if there is no room.
    pub(crate) fn send_fds(&self, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let fds: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
        let (bytes, rights) = ([IoSlice::new(&[0])], [ControlMessage::ScmRights(&fds)]);
        again(|| sendmsg::<()>(self.fd.as_raw_fd(), &bytes, &rights, MsgFlags::MSG_NOSIGNAL, None)).map(drop)
    }

    /// Receives the descriptors of one message; none if no message has arrived yet.
    pub(crate) fn recv_fds(&self) -> io::Result<Vec<OwnedFd>> {
        let mut byte = [0];
        let mut bytes = [IoSliceMut::new(&mut byte)];
        let mut room = nix::cmsg_space!([RawFd; FD_BATCH]);
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let message = match recvmsg::<()>(self.fd.as_raw_fd(), &mut bytes, Some(&mut room), flags) {
            Ok(message) => message,
            Err(Errno::EAGAIN | Errno::EINTR) => return Ok(Vec::new()),
            Err(errno) => return Err(errno.into()),
        };
        if message.bytes == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut received = Vec::new();
        // The kernel cuts the message short if this process has no room for more descriptors.
        for part in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(fds) = part {
                // SAFETY: the kernel created these descriptors for this call, so nothing else owns them.
                received.extend(fds.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
            }
        }
        Ok(received)
    }

    pub(crate) fn send_all(&self, mut bytes: &[u8], deadline: Deadline) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.send_some(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_for(self.fd.as_fd(), PollFlags::POLLOUT, deadline)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(crate) fn recv_all(&self, bytes: &mut [u8], deadline: Deadline) -> io::Result<()> {
        let mut got = 0;
        while got < bytes.len() {
            match self.recv_some(&mut bytes[got..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => got += read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_for(self.fd.as_fd(), PollFlags::POLLIN, deadline)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Ends both directions; waits on either side then see the end of the stream.
    pub(crate) fn shut(&self) {
        // It fails only if the other side has ended the connection before.
        let _ = shutdown(self.fd.as_raw_fd(), Shutdown::Both);
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn again(mut call: impl FnMut() -> nix::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            other => return other.map_err(io::Error::from),
        }
    }
}
