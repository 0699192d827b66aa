//! A unique id that any process may make: the id's maker answers at its address, and passes PE 0's address on.
//!
//! 1. The maker listens from the moment it makes the id. It accepts connections, and reads nothing but whose they are.
//! 2. If the maker is started as PE 0, it listens itself: the root gets the socket and the connections that wait.
//! 3. Otherwise PE 0 connects to the maker with the handshake of all PEs, and announces the addresses at which it
//!    listens as the root.
//! 4. The maker makes the handshake with each other PE, also with the one in its own process, and sends it these
//!    addresses. The PE connects to the root with the same secret.
//! 5. When all PEs have the addresses, the maker stops listening.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};
use nix::sys::socket::{MsgFlags, recv};
use oxshmem_core::{Error, ErrorKind, Pe, Result};

use super::handshake::{Admission, AdmittedPe, HANDSHAKE_LIMIT, HELLO, read_hello};
use super::uid::{Secret, UniqueId};
use super::{Ends, Location, Meeting, cannot_listen, join, start_listening, stop_listening};
use crate::bootstrap::connection::{Connection, Deadline, poll};
use crate::bootstrap::frame::{Frame, FrameKind, Inbox, root_at};
use crate::bootstrap::{MAX_PES, addresses};

/// The most connections that wait for PE 0; beyond it the oldest is dropped.
const MOST_WAITING: usize = MAX_PES as usize + 64;
/// The most connections whose other ends present themselves as PE 0; beyond it the oldest without a proof is dropped.
const MOST_CANDIDATES: usize = 64;
/// The other end of a stream has ended its direction.
const HUNG_UP: PollFlags = PollFlags::from_bits_retain(libc::POLLRDHUP);
/// Pause after a failure of the system, such as a lack of descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// The maker of a unique id, which answers at the id's address until all PEs of the world have met or it is dropped.
#[derive(Debug)]
pub struct IdMaker {
    id: UniqueId,
    /// The process whose thread answers: a child made by `fork` has a copy of this value, and no thread.
    process: u32,
    /// Its other end ends the thread.
    stop: UnixStream,
    thread: Mutex<Option<JoinHandle<Option<Waiting>>>>,
}

/// The socket at an id's address, and the connections on it of which nothing has been read.
#[derive(Debug)]
struct Waiting {
    listener: TcpListener,
    connections: Vec<UnreadConnection>,
    /// How long a connection waits for PE 0.
    limit: Duration,
}

/// A connection of which nothing has been read.
#[derive(Debug)]
struct UnreadConnection {
    stream: TcpStream,
    caller: Caller,
    until: Instant,
}

/// The knowledge about the process at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    /// It has sent nothing.
    Unknown,
    /// It presents itself as a PE other than PE 0.
    Other,
}

impl IdMaker {
    /// Makes an id, as [`UniqueId::listen_to_others`] does, and answers at its address.
    ///
    /// # Errors
    /// As [`UniqueId::listen_to_others`]; `System` if the process has no threads or descriptors left.
    pub fn new(interfaces: Option<&str>) -> Result<Self> {
        // A PE waits no longer for an answer, and then connects again. Strangers can't hold the descriptors for ever.
        UniqueId::listen_to_others(interfaces).and_then(|(id, listener)| Self::of(id, listener, HANDSHAKE_LIMIT))
    }

    /// Answers at the address of `id`, where `listener` listens. Each connection waits for PE 0 until `limit`.
    fn of(id: UniqueId, listener: TcpListener, limit: Duration) -> Result<Self> {
        let failed = |error: io::Error| cannot_listen(&id.address().to_string(), &error);
        let (stop, stopped) = UnixStream::pair().map_err(failed)?;
        listener.set_nonblocking(true).and_then(|()| start_listening(&listener)).map_err(failed)?;
        let (secret, waiting) = (id.secret(), Waiting { listener, connections: Vec::new(), limit });
        let answer = move || waiting.answer(&secret, &stopped);
        let thread = std::thread::Builder::new().name("oxshmem-id".into()).spawn(answer).map_err(failed)?;
        Ok(Self { id, process: std::process::id(), stop, thread: Mutex::new(Some(thread)) })
    }

    /// Returns the id.
    pub fn id(&self) -> &UniqueId {
        &self.id
    }

    /// Ends the thread, and returns its socket and the connections on it, unless PE 0 has come from another process.
    fn take(&self) -> Option<Waiting> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        if self.process != std::process::id() {
            // The thread's number may be that of a new thread in this process, which is not to be detached.
            std::mem::forget(thread);
            return None;
        }
        // It fails only if the thread has ended.
        let _ = self.stop.shutdown(std::net::Shutdown::Both);
        thread.join().ok().flatten()
    }
}

impl Drop for IdMaker {
    fn drop(&mut self) {
        if let Some(waiting) = self.take() {
            stop_listening(&waiting.listener);
        }
    }
}

/// Returns PE `pe`'s part in the meeting by an id; `maker` is its maker if that is this process.
///
/// # Errors
/// PE 0 can't listen, or as [`join`] for the maker.
pub(super) fn meeting(
    id: &UniqueId,
    maker: Option<&IdMaker>,
    pe: Pe,
    n_pes: u32,
    limit: Option<Duration>,
) -> Result<Meeting> {
    let (address, secret) = (id.address(), id.secret());
    let name = format!("{address}, where the process that made the unique id listens,");
    let find = {
        let secret = secret.clone();
        move || Ok(Location { addresses: vec![address], secret: secret.clone(), may_be_stale: false })
    };
    if pe.number() != 0 {
        return Ok(Meeting::Join { name, find: Box::new(find) });
    }
    if let Some(Waiting { listener, connections, .. }) = maker.and_then(IdMaker::take) {
        let waiting = connections.into_iter().filter_map(|one| Connection::tcp(one.stream).ok()).collect();
        return Ok(Meeting::Listen { listener, waiting, secret, when_complete: Box::new(|| {}) });
    }
    let (connection, _) = join(Ends { pe, n_pes, to: pe }, &name, limit, find)?;
    let failed = |error: io::Error| cannot_listen("an address that the other PEs reach", &error);
    let (listener, own) = addresses::listen_beside(connection.local().map_err(failed)?, true)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let blob = addresses::encode(&own);
    let frame = Frame { kind: FrameKind::Listens, op: 0, pe: 0, count: 0, seq: 0, step: "", blob: &blob };
    connection.send_all(&frame.encoded(), Deadline::after(limit)).map_err(|error| {
        Error::new(ErrorKind::Unreachable, format!("announce PE 0 at {name}"))
            .because(format!("the connection broke: {error}"))
    })?;
    Ok(Meeting::Listen { listener, waiting: Vec::new(), secret, when_complete: Box::new(|| {}) })
}

/// A connection whose other end presents itself as PE 0.
struct Candidate {
    n_pes: u32,
    /// Its handshake; `None` after it.
    admission: Option<Admission>,
    proven: Option<(Connection, Inbox)>,
}

impl Candidate {
    fn new(secret: &Secret, n_pes: u32, connection: Connection) -> Self {
        let mut admission = Admission::new(secret.clone(), n_pes, u32::MAX, std::iter::once(0));
        admission.add(connection);
        Self { n_pes, admission: Some(admission), proven: None }
    }

    /// Returns the end of the time for the handshake.
    fn deadline(&self) -> Option<Instant> {
        self.admission.as_ref().and_then(Admission::deadline)
    }

    fn sockets(&self) -> impl Iterator<Item = PollFd<'_>> {
        let of_handshake = self.admission.iter().flat_map(Admission::sockets);
        let sockets = of_handshake.chain(self.proven.iter().map(|(connection, _)| connection.as_fd()));
        sockets.map(|fd| PollFd::new(fd, PollFlags::POLLIN))
    }

    /// Reads what has arrived. Returns PE 0's addresses once they are there.
    ///
    /// # Errors
    /// The connection has ended, or is none of PE 0.
    fn advance(&mut self) -> Result<Option<Vec<u8>>, ()> {
        if let Some(admission) = &mut self.admission {
            self.proven = admission.advance(&[]).pop().map(|pe| (pe.connection, Inbox::default()));
            if self.proven.is_none() {
                return if admission.sockets().next().is_some() { Ok(None) } else { Err(()) };
            }
            self.admission = None;
        }
        let Some((connection, inbox)) = &mut self.proven else { return Err(()) };
        let mut bytes = [0; 4096];
        match connection.recv_some(&mut bytes) {
            Ok(0) => return Err(()),
            Ok(got) => inbox.push(&bytes[..got]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(_) => return Err(()),
        }
        let frame = inbox.next().map_err(drop)?;
        frame.map(|frame| (frame.kind == FrameKind::Listens).then(|| frame.blob.to_vec()).ok_or(())).transpose()
    }
}

impl Waiting {
    /// Answers until all PEs have PE 0's addresses, or until `stopped` has ended. Then it returns itself if PE 0 has not
    /// come.
    fn answer(mut self, secret: &Secret, stopped: &UnixStream) -> Option<Self> {
        let mut candidates: Vec<Candidate> = Vec::new();
        loop {
            let mut fds = vec![
                PollFd::new(stopped.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.listener.as_fd(), PollFlags::POLLIN),
            ];
            fds.extend(self.connections.iter().map(|UnreadConnection { stream, caller, .. }| {
                // The hello of a known caller stays in the socket, which is readable all the time.
                let of = if *caller == Caller::Unknown { PollFlags::POLLIN } else { PollFlags::empty() };
                PollFd::new(stream.as_fd(), of | HUNG_UP)
            }));
            fds.extend(candidates.iter().flat_map(Candidate::sockets));
            let until = self.connections.iter().map(|one| one.until);
            let until = until.chain(candidates.iter().filter_map(Candidate::deadline)).min();
            let polled = poll(&mut fds, Deadline::at(until));
            let is_ready = |fd: &PollFd<'_>| fd.any().unwrap_or(true);
            let (ends, calls) = (is_ready(&fds[0]), is_ready(&fds[1]));
            let ready: Vec<bool> = fds[2..][..self.connections.len()].iter().map(is_ready).collect();
            if ends {
                return Some(self);
            }
            candidates.extend(self.look(&ready, secret));
            while candidates.len() > MOST_CANDIDATES {
                candidates.remove(candidates.iter().position(|one| one.proven.is_none()).unwrap_or(0));
            }
            // A new connection may displace one, so that `ready` holds before this alone.
            let accepted = if calls { self.accept() } else { Ok(()) };
            if polled.is_err() || accepted.is_err() {
                std::thread::sleep(PAUSE);
            }
            let mut root = None;
            candidates.retain_mut(|candidate| match candidate.advance() {
                Ok(Some(addresses)) => {
                    root = Some((candidate.n_pes, addresses));
                    false
                }
                Ok(None) => true,
                Err(()) => false,
            });
            if let Some((n_pes, addresses)) = root {
                // Another PE 0 gets an answer when it connects again.
                drop(candidates);
                self.pass_on(secret, stopped, n_pes, &addresses);
                stop_listening(&self.listener);
                return None;
            }
        }
    }

    fn accept(&mut self) -> io::Result<()> {
        match self.listener.accept() {
            Ok((stream, _)) => {
                if self.connections.len() >= MOST_WAITING {
                    self.connections.remove(0);
                }
                let until = Instant::now() + self.limit;
                self.connections.push(UnreadConnection { stream, caller: Caller::Unknown, until });
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Looks at the hello on each connection that is ready, and drops those that have ended, that have waited too long
    /// or that no PE has made. Returns the connections of PE 0.
    fn look(&mut self, ready: &[bool], secret: &Secret) -> Vec<Candidate> {
        let (now, mut candidates) = (Instant::now(), Vec::new());
        for (at, one) in std::mem::take(&mut self.connections).into_iter().enumerate() {
            if !ready.get(at).copied().unwrap_or(false) {
                self.connections.extend(Some(one).filter(|one| now < one.until));
                continue;
            }
            let UnreadConnection { stream, caller, until } = one;
            let mut hello = [0; HELLO];
            let peek = MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT;
            // A hello is sent by one call; a PE whose hello comes in parts tries again.
            let is_whole = recv(std::os::fd::AsRawFd::as_raw_fd(&stream), &mut hello, peek) == Ok(HELLO);
            match read_hello(&hello).filter(|_| is_whole && caller == Caller::Unknown) {
                Some((0, n_pes, _)) => {
                    candidates.extend(Connection::tcp(stream).ok().map(|one| Candidate::new(secret, n_pes, one)));
                }
                Some(_) => self.connections.push(UnreadConnection { stream, caller: Caller::Other, until }),
                // A known caller that is ready has gone.
                None => {}
            }
        }
        candidates
    }

    /// Sends the addresses of the root to each other PE, until all have them or `stopped` has ended.
    fn pass_on(&mut self, secret: &Secret, stopped: &UnixStream, n_pes: u32, addresses: &[u8]) {
        let mut admission = Admission::new(secret.clone(), n_pes, 0, 1..n_pes);
        for one in self.connections.drain(..) {
            Connection::tcp(one.stream).into_iter().for_each(|connection| admission.add(connection));
        }
        let mut ready = Vec::new();
        while !admission.is_complete() {
            for AdmittedPe { connection, .. } in admission.advance(&ready) {
                // If the connection is broken, the PE reports it.
                let _ = connection.send_all(&root_at(addresses), Deadline::after(Some(HANDSHAKE_LIMIT)));
            }
            if admission.is_complete() {
                return;
            }
            let mut fds = vec![
                PollFd::new(stopped.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.listener.as_fd(), PollFlags::POLLIN),
            ];
            fds.extend(admission.sockets().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
            let polled = poll(&mut fds, Deadline::at(admission.deadline()));
            let is_ready = |fd: &PollFd<'_>| fd.any().unwrap_or(true);
            let (ends, calls) = (is_ready(&fds[0]), is_ready(&fds[1]));
            ready = fds[2..].iter().map(is_ready).collect();
            if ends {
                return;
            }
            let accepted = if calls { self.listener.accept().map(Some) } else { Ok(None) };
            match accepted
                .and_then(|new| new.map(|(stream, _): (TcpStream, SocketAddr)| Connection::tcp(stream)).transpose())
            {
                Ok(new) => new.into_iter().for_each(|connection| admission.add(connection)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => std::thread::sleep(PAUSE),
            }
            if polled.is_err() {
                std::thread::sleep(PAUSE);
            }
        }
    }
}

#[cfg(test)]
#[path = "tests/maker.rs"]
mod tests;
