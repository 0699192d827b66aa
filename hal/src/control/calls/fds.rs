//! Passes file descriptors from each PE to the others on its host.
//!
//! The PEs of a host form a tree. Each PE listens on a UNIX socket in the abstract namespace, which needs no file. It
//! accepts its children and receives the descriptors of their subtrees; then it connects to its parent, sends those of
//! its own subtree and receives all others; then it sends each child the others. This order can't deadlock. Both sides
//! check that the other runs as the same user and knows the secret.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags};
use nix::sys::socket::{getsockopt, sockopt};
use oxshmem_core::{ErrorKind, Pe, Result};

use super::{Calls, Exchange, ExchangeError, agree_on_outcome, lock};
use crate::bootstrap::connection::{Connection, FD_BATCH, lacks_descriptors, poll, wait_for};
use crate::bootstrap::frame::Op;
use crate::bootstrap::meeting::handshake::{self, AdmissionReply, CHALLENGE, HELLO, Handshake, MAC, Prover, REPLY};
use crate::bootstrap::meeting::uid::{Secret, hex, random};
use crate::bootstrap::tree::{FAN_OUT, Tree};

/// The largest number of descriptors that one PE passes in one exchange.
pub const MAX_FDS: usize = 1024;
/// Longest time for one connection's handshake.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(5);
/// Pause before descriptors are sent again if too many are in flight.
const FLIGHT_PAUSE: Duration = Duration::from_millis(1);
/// Number of silent connections kept; beyond it the oldest is dropped.
const MAX_SILENT: usize = 64;

/// The means by which descriptors are passed.
pub(crate) enum FdChannel {
    /// The PEs are threads of one process and take duplicates from this table.
    InProcess(Arc<InProcessFds>),
    /// The PEs are processes with this secret.
    Sockets(Secret),
}

type Received = Vec<Option<Vec<OwnedFd>>>;

impl FdChannel {
    /// Returns the world's secret, if its PEs are processes.
    pub(crate) fn secret(&self) -> Option<&Secret> {
        match self {
            Self::InProcess(_) => None,
            Self::Sockets(secret) => Some(secret),
        }
    }

    /// Passes `mine` to all PEs of this host and returns their descriptors, indexed by PE. `number` counts the
    /// exchanges of this world, so that each has its own secret.
    pub(crate) fn exchange(&self, number: u64, calls: &Calls, step: &str, mine: &[BorrowedFd<'_>]) -> Result<Received> {
        let received = match self {
            FdChannel::InProcess(offered) => {
                let own = duplicate(mine).or_else(|failed| failed.refuse(calls, Op::Fds, step))?;
                let _offer = offered.offer(number, calls.pe, own);
                calls.call(Op::Fds, step, &[])?;
                let taken = (0..calls.n_pes).map(|pe| match offered.duplicates(number, Pe::new(pe))? {
                    Some(fds) => Ok(Some(fds)),
                    None => Err(ExchangeError::because_of(pe)),
                });
                let received = taken.collect();
                return agree_on_outcome(calls, Op::Fds, step, received);
            }
            FdChannel::Sockets(secret) => {
                let ready = duplicate(mine).and_then(|own| Ok((own, FdListener::open(mine.len())?)));
                let (own, listener) = ready.or_else(|failed| failed.refuse(calls, Op::Fds, step))?;
                let all = calls.call(Op::Fds, step, &listener.announcement())?;
                let here: Vec<u32> = (0..calls.n_pes).filter(|pe| calls.is_same_host(Pe::new(*pe))).collect();
                let at = here.iter().position(|pe| *pe == calls.pe.number()).unwrap_or(0) as u32;
                let tree = Tree { n_pes: here.len() as u32, fan_out: FAN_OUT };
                let places = |pes: Range<u32>| pes.start as usize..pes.end as usize;
                let sockets = SocketExchange {
                    exchange: Exchange::new(calls, (Op::Fds, b"fds"), step, secret, number),
                    subtree: places(tree.subtree(at)),
                    children: tree.children(at).into_iter().map(places).collect(),
                    parent: tree.parent(at).map(|parent| here[parent as usize]),
                    here,
                    all: &all,
                };
                sockets.run(own, &listener)
            }
        };
        agree_on_outcome(calls, Op::Fds, step, received)
    }
}

fn duplicate(fds: &[BorrowedFd<'_>]) -> Result<Vec<OwnedFd>, ExchangeError> {
    if fds.len() > MAX_FDS {
        let text = format!("{} descriptors were given, {MAX_FDS} are allowed", fds.len());
        return Err(ExchangeError::new(ErrorKind::OutOfRange, text));
    }
    Ok(fds.iter().map(|fd| fd.try_clone_to_owned()).collect::<io::Result<_>>()?)
}

/// The socket to which PEs with higher numbers connect.
struct FdListener {
    socket: UnixListener,
    name: [u8; 16],
    count: u32,
}

impl FdListener {
    fn open(count: usize) -> Result<Self, ExchangeError> {
        let name = random().map_err(|error| ExchangeError::new(ErrorKind::System, error.to_string()))?;
        let socket = UnixListener::bind_addr(&address(&name)?)?;
        socket.set_nonblocking(true)?;
        Ok(Self { socket, name, count: count as u32 })
    }

    fn announcement(&self) -> Vec<u8> {
        [self.name.as_slice(), &self.count.to_le_bytes()].concat()
    }
}

fn address(name: &[u8; 16]) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("oxshmem-{}", hex(name)))
}

/// One PE's part in an exchange over sockets.
struct SocketExchange<'a> {
    exchange: Exchange<'a>,
    /// The PEs of this host. The following are places in this list.
    here: Vec<u32>,
    subtree: Range<usize>,
    children: Vec<Range<usize>>,
    /// The PE to which this one connects.
    parent: Option<u32>,
    /// Indexed by PE: socket name and descriptor count.
    all: &'a [Vec<u8>],
}

impl SocketExchange<'_> {
    fn run(&self, own: Vec<OwnedFd>, listener: &FdListener) -> Result<Received, ExchangeError> {
        let mut received: Received = (0..self.exchange.calls.n_pes).map(|_| None).collect();
        received[self.exchange.calls.pe.index()] = Some(own);
        let (from, to) = (self.subtree.start, self.subtree.end);
        let mut children = Vec::new();
        let mut silent = VecDeque::new();
        while children.len() < self.children.len() {
            for connection in self.ready(listener, &mut silent)? {
                // A connection that fails the handshake is dropped without affecting the others.
                let Ok(pe) = self.admit(&connection) else { continue };
                let known = |(_, child): &(_, Range<usize>)| self.here[child.start] == pe;
                let expected = self.children.iter().find(|child| self.here[child.start] == pe);
                if let Some(child) = expected.filter(|_| !children.iter().any(known)) {
                    // No other child sends before its own handshake, so that few descriptors are in flight at a time.
                    self.receive(&connection, &self.here[child.clone()], &mut received)?;
                    children.push((connection, child.clone()));
                }
            }
        }
        if let Some(parent) = self.parent {
            let connection = self.connect_to(parent)?;
            self.send(&connection, &self.here[from..to], &received)?;
            let others = [&self.here[..from], &self.here[to..]].concat();
            self.receive(&connection, &others, &mut received)?;
        }
        for (connection, child) in &children {
            let others = [&self.here[..child.start], &self.here[child.end..]].concat();
            self.send(connection, &others, &received)?;
        }
        Ok(received)
    }

    fn announced_by(&self, pe: u32) -> Result<([u8; 16], usize), ExchangeError> {
        let announced_nothing = || ExchangeError::because_of(pe);
        let (name, count) = self.all[pe as usize].split_first_chunk::<16>().ok_or_else(announced_nothing)?;
        let count = u32::from_le_bytes(count.try_into().map_err(|_| announced_nothing())?) as usize;
        if count > MAX_FDS {
            return Err(ExchangeError::new(ErrorKind::Malformed, format!("PE {pe} announced {count} descriptors")));
        }
        Ok((*name, count))
    }

    /// Connects to the parent, and returns once it is ready to receive.
    fn connect_to(&self, pe: u32) -> Result<Connection, ExchangeError> {
        let (name, _) = self.announced_by(pe)?;
        let connection = Connection::unix(UnixStream::connect_addr(&address(&name)?)?)?;
        check_user(&connection)?;
        let (me, n_pes) = (self.exchange.calls.pe.number(), self.exchange.calls.n_pes);
        let secret = self.exchange.secret_of(pe);
        let ours = random().map_err(|error| ExchangeError::new(ErrorKind::System, error.to_string()))?;
        connection.send_all(&handshake::hello(me, n_pes, &ours), self.exchange.deadline)?;
        let mut challenge = [0; CHALLENGE];
        self.recv_all(&connection, &mut challenge)?;
        let theirs =
            handshake::read_challenge(&challenge).ok_or(io::ErrorKind::InvalidData).map_err(io::Error::from)?;
        connection.send_all(&handshake::mac(&secret, Prover::Pe, me, n_pes, &ours, &theirs), self.exchange.deadline)?;
        let mut reply = [0; REPLY];
        self.recv_all(&connection, &mut reply)?;
        let expected = handshake::mac(&secret, Prover::Root(AdmissionReply::Admitted), me, n_pes, &ours, &theirs);
        if reply[0] != AdmissionReply::Admitted as u8 || !handshake::same(&expected, &reply[1..]) {
            return Err(ExchangeError::new(
                ErrorKind::System,
                format!("the process at PE {pe}'s socket is not PE {pe}"),
            ));
        }
        Ok(connection)
    }

    /// Returns the connections that have become readable; `silent` keeps the others.
    fn ready(
        &self,
        listener: &FdListener,
        silent: &mut VecDeque<Connection>,
    ) -> Result<Vec<Connection>, ExchangeError> {
        self.exchange.check_progress()?;
        let mut fds = vec![PollFd::new(listener.socket.as_fd(), PollFlags::POLLIN)];
        fds.extend(silent.iter().map(|connection| PollFd::new(connection.as_fd(), PollFlags::POLLIN)));
        poll(&mut fds, self.exchange.next_check())?;
        let readable: Vec<bool> = fds.iter().map(|fd| fd.any().unwrap_or(true)).collect();
        let (ready, still) =
            std::mem::take(silent).into_iter().zip(&readable[1..]).partition::<Vec<_>, _>(|(_, readable)| **readable);
        silent.extend(still.into_iter().map(|(connection, _)| connection));
        let accepted = if readable[0] { listener.socket.accept().map(Some) } else { Ok(None) };
        match accepted {
            Ok(Some((stream, _))) => {
                let connection = Connection::unix(stream)?;
                if check_user(&connection).is_ok() {
                    silent.push_back(connection);
                }
                if silent.len() > MAX_SILENT {
                    silent.pop_front();
                }
            }
            Err(error) if lacks_descriptors(&error) => return Err(error.into()),
            _ => {}
        }
        Ok(ready.into_iter().map(|(connection, _)| connection).collect())
    }

    fn admit(&self, connection: &Connection) -> Result<u32, ExchangeError> {
        let by = self.exchange.deadline.within(HANDSHAKE_LIMIT);
        let refused = || ExchangeError::new(ErrorKind::System, "not a PE of this world");
        let mut hello = [0; HELLO];
        connection.recv_all(&mut hello, by)?;
        let (pe, n_pes, theirs) = handshake::read_hello(&hello).ok_or_else(refused)?;
        let ours = random().map_err(|_| refused())?;
        connection.send_all(&handshake::challenge(&ours), by)?;
        let mut proof = [0; MAC];
        connection.recv_all(&mut proof, by)?;
        let secret = self.exchange.secret_of(self.exchange.calls.pe.number());
        if n_pes != self.exchange.calls.n_pes
            || !handshake::same(&proof, &handshake::mac(&secret, Prover::Pe, pe, n_pes, &theirs, &ours))
        {
            return Err(refused());
        }
        let session = Handshake { pe, n_pes, ours, theirs };
        connection.send_all(&handshake::reply_message(&secret, &session, AdmissionReply::Admitted), by)?;
        Ok(pe)
    }

    /// Sends the descriptors of `pes`.
    fn send(&self, connection: &Connection, pes: &[u32], have: &Received) -> Result<(), ExchangeError> {
        let fds = pes.iter().flat_map(|pe| have[*pe as usize].iter().flatten());
        let fds: Vec<BorrowedFd<'_>> = fds.map(AsFd::as_fd).collect();
        for batch in fds.chunks(FD_BATCH) {
            while let Err(error) = connection.send_fds(batch) {
                match error.kind() {
                    io::ErrorKind::WouldBlock => self.wait(connection, PollFlags::POLLOUT)?,
                    // The user has as many descriptors in flight as one process may have. Their receivers take them.
                    _ if error.raw_os_error() == Some(libc::ETOOMANYREFS) => {
                        self.exchange.check_progress()?;
                        std::thread::sleep(FLIGHT_PAUSE);
                    }
                    _ => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Receives the descriptors of `pes`.
    fn receive(&self, connection: &Connection, pes: &[u32], to: &mut Received) -> Result<(), ExchangeError> {
        let counts = pes.iter().map(|pe| Ok(self.announced_by(*pe)?.1)).collect::<Result<Vec<_>, ExchangeError>>()?;
        let count = counts.iter().sum();
        let mut got = Vec::with_capacity(count);
        while got.len() < count {
            self.wait(connection, PollFlags::POLLIN)?;
            got.extend(connection.recv_fds()?);
        }
        if got.len() > count {
            let text = format!("{count} descriptors were announced and {} sent", got.len());
            return Err(ExchangeError::new(ErrorKind::Malformed, text));
        }
        let mut got = got.into_iter();
        for (pe, count) in pes.iter().zip(counts) {
            to[*pe as usize] = Some(got.by_ref().take(count).collect());
        }
        Ok(())
    }

    fn recv_all(&self, connection: &Connection, bytes: &mut [u8]) -> Result<(), ExchangeError> {
        let mut got = 0;
        while got < bytes.len() {
            self.wait(connection, PollFlags::POLLIN)?;
            match connection.recv_some(&mut bytes[got..]) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Ok(read) => got += read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits until the connection is ready. Fails if the limit has passed or a PE died.
    fn wait(&self, connection: &Connection, what: PollFlags) -> Result<(), ExchangeError> {
        loop {
            match wait_for(connection.as_fd(), what, self.exchange.next_check()) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => self.exchange.check_progress()?,
                other => return Ok(other?),
            }
        }
    }
}

fn check_user(connection: &Connection) -> Result<(), ExchangeError> {
    let other = getsockopt(connection, sockopt::PeerCredentials).map_err(io::Error::from)?;
    match other.uid() == nix::unistd::geteuid().as_raw() {
        true => Ok(()),
        false => Err(ExchangeError::new(
            ErrorKind::System,
            format!("the process at the other end belongs to user {}", other.uid()),
        )),
    }
}

/// The descriptors offered at present, by exchange and PE.
#[derive(Default)]
pub(crate) struct InProcessFds(Mutex<BTreeMap<(u64, Pe), Vec<OwnedFd>>>);

/// The descriptors that one PE offers; dropping it withdraws them.
pub(crate) struct OfferedFds<'a> {
    offered: &'a InProcessFds,
    key: (u64, Pe),
}

impl InProcessFds {
    pub(crate) fn offer(&self, exchange: u64, pe: Pe, fds: Vec<OwnedFd>) -> OfferedFds<'_> {
        let key = (exchange, pe);
        lock(&self.0).insert(key, fds);
        OfferedFds { offered: self, key }
    }

    /// Duplicates the descriptors that `pe` offers; `None` if it offers none.
    pub(crate) fn duplicates(&self, exchange: u64, pe: Pe) -> io::Result<Option<Vec<OwnedFd>>> {
        let offered = lock(&self.0);
        offered.get(&(exchange, pe)).map(|fds| fds.iter().map(OwnedFd::try_clone).collect()).transpose()
    }
}

impl Drop for OfferedFds<'_> {
    fn drop(&mut self) {
        lock(&self.offered.0).remove(&self.key);
    }
}
