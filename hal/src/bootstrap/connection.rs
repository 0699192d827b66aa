//! One non-blocking stream socket, and waiting on it up to a moment.
//!
//! What goes over a connection once it is trusted: frames of a fixed header, a step's name and a blob.
//!
//! ```text
//! byte  0     1   2         4         8          12    16          24
//!       kind  op  step_len  blob_len  PE/origin  zero  sequence    step, then blob
//! ```
//! All numbers are little-endian. A frame is read by a pure function over the bytes so far, which
//! bounds both lengths before anything is kept for them.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::socket::{
    ControlMessage, ControlMessageOwned, MsgFlags, Shutdown, recv, recvmsg, send, sendmsg, setsockopt, shutdown,
    sockopt,
};

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
        Ok(_) | Err(Errno::EINTR) => Ok(()),
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

/// How many descriptors go in one message; the kernel allows 253.
pub(super) const FD_BATCH: usize = 64;

/// One connected stream socket (TCP or UNIX), non-blocking.
pub(super) struct Connection(OwnedFd);

impl Connection {
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

    /// Sends `fds`, at most [`FD_BATCH`], with a byte that carries them; `WouldBlock` if there is no room.
    pub(super) fn send_fds(&self, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let fds: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
        let (bytes, rights) = ([IoSlice::new(&[0])], [ControlMessage::ScmRights(&fds)]);
        again(|| sendmsg::<()>(self.0.as_raw_fd(), &bytes, &rights, MsgFlags::MSG_NOSIGNAL, None)).map(drop)
    }

    /// Receives the descriptors of one message; none if it has not arrived yet.
    pub(super) fn recv_fds(&self) -> io::Result<Vec<OwnedFd>> {
        let mut byte = [0];
        let mut bytes = [IoSliceMut::new(&mut byte)];
        let mut room = nix::cmsg_space!([RawFd; FD_BATCH]);
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let message = match recvmsg::<()>(self.0.as_raw_fd(), &mut bytes, Some(&mut room), flags) {
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

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
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

/// The longest blob that one PE gives to one collective call, in bytes.
pub const MAX_BLOB_BYTES: usize = 64 << 20;
/// The longest name of a step, in bytes.
pub const MAX_STEP_BYTES: usize = 4 << 10;

pub(super) const HEADER: usize = 24;

/// What a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum FrameKind {
    /// PE to root: arrived at a collective call, with this blob.
    Arrive = 1,
    /// PE to root: the blob says why this PE can't go on.
    Fail = 2,
    /// PE to root: arrived, but can't take part; the blob says why.
    Refuse = 3,
    /// Root to PE: the blob that `pe` gave.
    Part = 4,
    /// Root to PE: the call ends in an error; `op` is its code, the blob its text.
    Failure = 5,
    /// Root to PE: `pe` is dead; the blob says how it is known.
    Dead = 6,
}

/// Which collective call it is about. PEs that arrive at one call with different ones made a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Op {
    Gather = 1,
    Barrier = 2,
    Agree = 3,
    Fds = 4,
    Leave = 5,
    Connect = 6,
}

impl Op {
    pub(super) const fn from_raw(raw: u8) -> Option<Self> {
        Some(match raw {
            1 => Self::Gather,
            2 => Self::Barrier,
            3 => Self::Agree,
            4 => Self::Fds,
            5 => Self::Leave,
            6 => Self::Connect,
            _ => return None,
        })
    }

    /// How messages call it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Barrier => "barrier",
            Self::Agree => "agreement",
            Self::Fds => "file descriptors",
            Self::Leave => "leave",
            Self::Connect => "connect",
        }
    }
}

/// One frame, borrowed from the bytes it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub kind: FrameKind,
    /// Raw, since its meaning is the kind's.
    pub op: u8,
    pub pe: u32,
    pub seq: u64,
    pub step: &'a str,
    pub blob: &'a [u8],
}

/// What is wrong with bytes that can't become a frame, whatever follows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Malformed {
    Kind(u8),
    StepLength(usize),
    BlobLength(usize),
    Reserved,
    StepText,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Kind(kind) => write!(f, "it sent a message of unknown kind {kind}"),
            Self::StepLength(bytes) => write!(f, "it sent a step name of {bytes} bytes, {MAX_STEP_BYTES} are allowed"),
            Self::BlobLength(bytes) => write!(f, "it sent a blob of {bytes} bytes, {MAX_BLOB_BYTES} are allowed"),
            Self::Reserved => write!(f, "it sent a message with reserved bytes set"),
            Self::StepText => write!(f, "it sent a step name that is not UTF-8"),
        }
    }
}

impl Frame<'_> {
    /// The header and the step's name. The blob follows; it is not copied.
    ///
    /// The caller has checked both lengths.
    pub(super) fn head(&self) -> Vec<u8> {
        debug_assert!(self.step.len() <= MAX_STEP_BYTES && self.blob.len() <= MAX_BLOB_BYTES);
        let mut bytes = Vec::with_capacity(HEADER + self.step.len());
        bytes.extend_from_slice(&[self.kind as u8, self.op]);
        bytes.extend_from_slice(&(self.step.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&(self.blob.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.pe.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&self.seq.to_le_bytes());
        bytes.extend_from_slice(self.step.as_bytes());
        bytes
    }
}

/// The frame at the start of `bytes` and how many bytes it has; nothing if more must come first.
///
/// # Errors
/// What is wrong, as soon as the bytes so far can't be the start of a frame.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Frame<'_>, usize)>, Malformed> {
    let Some(&raw_kind) = bytes.first() else { return Ok(None) };
    let kind = match raw_kind {
        1 => FrameKind::Arrive,
        2 => FrameKind::Fail,
        3 => FrameKind::Refuse,
        4 => FrameKind::Part,
        5 => FrameKind::Failure,
        6 => FrameKind::Dead,
        other => return Err(Malformed::Kind(other)),
    };
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let step_len = usize::from(u16::from_le_bytes([header[2], header[3]]));
    let blob_len = word(4) as usize;
    if step_len > MAX_STEP_BYTES {
        return Err(Malformed::StepLength(step_len));
    }
    if blob_len > MAX_BLOB_BYTES {
        return Err(Malformed::BlobLength(blob_len));
    }
    if word(12) != 0 {
        return Err(Malformed::Reserved);
    }
    let Some((step, rest)) = rest.split_at_checked(step_len) else { return Ok(None) };
    let step = std::str::from_utf8(step).map_err(|_| Malformed::StepText)?;
    let Some((blob, _)) = rest.split_at_checked(blob_len) else { return Ok(None) };
    let seq = u64::from(word(16)) | u64::from(word(20)) << 32;
    Ok(Some((Frame { kind, op: header[1], pe: word(8), seq, step, blob }, HEADER + step_len + blob_len)))
}

/// Bytes that arrived and are not yet frames. It grows by what arrives, never by what a header claims.
#[derive(Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
    taken: usize,
}

impl Inbox {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        if self.bytes.is_empty() {
            // The room of a large blob is given back.
            self.bytes.shrink_to(1 << 16);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame.
    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, Malformed> {
        let parsed = parse(&self.bytes[self.taken..])?;
        Ok(parsed.map(|(frame, bytes)| {
            self.taken += bytes;
            frame
        }))
    }
}

#[cfg(test)]
#[path = "tests/connection.rs"]
mod tests;
