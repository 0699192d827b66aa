//! The meeting point of the PEs: the configuration of one PE, and its connection to the root.

pub(crate) mod handshake;
pub(crate) mod maker;
pub(crate) mod uid;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::socket::{Backlog, Shutdown, shutdown};
use oxshmem_core::{Error, ErrorKind, Pe, Result};

use self::handshake::{AdmissionReply, CHALLENGE, HANDSHAKE_LIMIT, NONCE, Prover, REPLY};
use self::maker::IdMaker;
use self::uid::{Rendezvous, Secret, UniqueId, random};
use crate::bootstrap::addresses;
use crate::bootstrap::connection::{Connection, DESCRIPTORS_HINT, Deadline, lacks_descriptors};

/// The parameters that one PE needs to connect to its world.
#[derive(Clone, Debug)]
pub struct BootstrapConfig {
    /// This PE.
    pub pe: Pe,
    /// Number of PEs in the world.
    pub n_pes: u32,
    /// The meeting point of the PEs.
    pub root: RootAt,
    /// Longest wait of each collective call; `None` waits without limit.
    pub limit: Option<Duration>,
    /// Replaces this host's identity: PEs with different values behave as PEs on different hosts.
    pub host: Option<String>,
}

/// The ways to find PE 0.
#[derive(Clone, Debug)]
pub enum RootAt {
    /// At the address of a unique id. PE 0 listens there itself unless it is given the listening socket.
    Id {
        /// Address and secret.
        id: UniqueId,
        /// On PE 0: the socket that listens at the id's address. It stops listening when all PEs have joined a world,
        /// and starts again for the next one.
        listener: Option<Arc<TcpListener>>,
    },
    /// At the address of a unique id that any process has made, of the world or beside it. It passes PE 0's address on.
    Made {
        /// Address and secret.
        id: UniqueId,
        /// The maker, if it is this process.
        maker: Option<Arc<IdMaker>>,
    },
    /// At one of several addresses of PE 0's host. Which of them are reachable differs from host to host, so they are
    /// tried in this order.
    Addresses {
        /// One address or more.
        addresses: Vec<SocketAddr>,
        /// The secret that admits a PE.
        secret: Secret,
        /// On PE 0: the socket that listens there, as with a unique id.
        listener: Option<Arc<TcpListener>>,
    },
    /// At a `host:port` that all PEs know, with a secret that all PEs know.
    Address {
        /// `host:port`. PE 0 listens on this port: at the address if the host is a number, on every interface if it is
        /// a name.
        address: String,
        /// The secret that admits a PE.
        secret: Secret,
    },
    /// All PEs are on one host: PE 0 listens on the loopback interface and writes a file with its address.
    File(Rendezvous),
    /// A world of one PE.
    Alone,
}

/// This PE's part in the meeting.
pub(crate) enum Meeting {
    Listen {
        listener: TcpListener,
        /// Connections of which nothing has been read.
        waiting: Vec<Connection>,
        secret: Secret,
        when_complete: Box<dyn FnOnce() + Send>,
    },
    Join {
        name: String,
        find: Box<dyn Fn() -> Result<Location, AttemptError>>,
    },
    Alone,
}

impl RootAt {
    /// Returns whether PEs find PE 0 by a host name, which may have another address on each host.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self, Self::Address { address, .. } if address.parse::<SocketAddr>().is_err())
    }

    /// Returns PE `pe`'s part in the meeting. PE 0 first announces itself to the maker of the id, if that is another
    /// process, within `limit`.
    pub(crate) fn meeting(&self, pe: Pe, n_pes: u32, limit: Option<Duration>) -> Result<Meeting> {
        if n_pes == 1 {
            // A world of one PE has no other PE to meet.
            return Ok(Meeting::Alone);
        }
        let listen = |listener: TcpListener, secret: Secret, when_complete: Box<dyn FnOnce() + Send>| {
            listener.set_nonblocking(true).map_err(|error| cannot_listen("the given socket", &error))?;
            start_listening(&listener).map_err(|error| cannot_listen("the given socket", &error))?;
            Ok(Meeting::Listen { listener, waiting: Vec::new(), secret, when_complete })
        };
        let is_root = pe.number() == 0;
        let at_addresses = |addresses: Vec<SocketAddr>, secret: Secret, listener: &Option<Arc<TcpListener>>| {
            let name = join_names(&addresses);
            if is_root {
                // A socket that has lost its port can't listen there again.
                let keeps_port = |listener: &&Arc<TcpListener>| {
                    let port = listener.local_addr().map_or(0, |at| at.port());
                    addresses.iter().any(|address| address.port() == port)
                };
                let listener = match listener.as_ref().filter(keeps_port) {
                    Some(listener) => listener.try_clone(),
                    None => TcpListener::bind(addresses.as_slice()),
                };
                let listener = listener.map_err(|error| cannot_listen(&name, &error))?;
                return listen(listener, secret, Box::new(|| {}));
            }
            let find =
                move || Ok(Location { addresses: addresses.clone(), secret: secret.clone(), may_be_stale: false });
            Ok(Meeting::Join { name, find: Box::new(find) })
        };
        match self {
            Self::Alone => Err(Error::new(ErrorKind::InvalidArgument, format!("connect {n_pes} PEs"))
                .because("they have no meeting point")),
            Self::Id { id, listener } => at_addresses(vec![id.address()], id.secret(), listener),
            Self::Made { id, maker } => maker::meeting(id, maker.as_deref(), pe, n_pes, limit),
            Self::Addresses { addresses, secret, listener } => {
                at_addresses(addresses.clone(), secret.clone(), listener)
            }
            Self::Address { address, secret } if is_root => {
                let listener = listen_at(address).map_err(|error| cannot_listen(address, &error))?;
                listen(listener, secret.clone(), Box::new(|| {}))
            }
            Self::Address { address, secret } => {
                let (name, secret) = (address.clone(), secret.clone());
                let find = move || {
                    let addresses = name.to_socket_addrs()?.collect();
                    Ok(Location { addresses, secret: secret.clone(), may_be_stale: false })
                };
                Ok(Meeting::Join { name: address.clone(), find: Box::new(find) })
            }
            Self::File(rendezvous) if is_root => {
                let (id, listener) = UniqueId::listen(addresses::loopback())?;
                let file = rendezvous.publish(&id)?;
                listen(listener, id.secret(), Box::new(move || drop(file)))
            }
            Self::File(rendezvous) => {
                let name = rendezvous.path().display().to_string();
                rendezvous.check()?;
                let rendezvous = rendezvous.clone();
                let find = move || {
                    let id = rendezvous.read()?;
                    Ok(Location { addresses: vec![id.address()], secret: id.secret(), may_be_stale: true })
                };
                Ok(Meeting::Join { name, find: Box::new(find) })
            }
        }
    }
}

/// Starts listening, also on a socket that [`stop_listening`] stopped, with room for many PEs that connect at once.
fn start_listening(listener: &TcpListener) -> io::Result<()> {
    Ok(nix::sys::socket::listen(listener, Backlog::MAXCONN)?)
}

/// Stops listening, also for copies of the socket in other processes: further attempts to connect are refused. The
/// socket keeps its port if it was bound to a given one, so that the kernel gives it to no other program meanwhile.
pub(crate) fn stop_listening(listener: &TcpListener) {
    // It fails only if the socket does not listen.
    let _ = shutdown(listener.as_raw_fd(), Shutdown::Both);
}

fn join_names(addresses: &[SocketAddr]) -> String {
    addresses.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(" or ")
}

/// Listens at `address`. A host name is for the other PEs only: on PE 0's own host it may resolve to the loopback
/// address, so PE 0 listens on every interface then.
fn listen_at(address: &str) -> io::Result<TcpListener> {
    if let Ok(address) = address.parse::<SocketAddr>() {
        return TcpListener::bind(address);
    }
    let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let port = port.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it is not of the form host:port"))?;
    let any_v6: IpAddr = Ipv6Addr::UNSPECIFIED.into();
    TcpListener::bind((any_v6, port)).or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)))
}

fn cannot_listen(at: &str, error: &io::Error) -> Error {
    Error::new(ErrorKind::System, format!("listen at {at} for the other PEs")).because(error.to_string())
}

/// Longest duration of one attempt to connect; the root may be up by the next attempt.
const ATTEMPT: Duration = Duration::from_secs(5);

/// The location of the PE to connect to, as far as it is known now.
pub(crate) struct Location {
    pub addresses: Vec<SocketAddr>,
    pub secret: Secret,
    /// The location comes from a file, possibly of an earlier run, so a root that refuses may be another world's.
    pub may_be_stale: bool,
}

/// The reason why an attempt failed.
pub(crate) enum AttemptError {
    /// Another attempt may succeed.
    Retry(io::Error),
    /// Another attempt would fail again.
    Final(Error),
}

impl From<io::Error> for AttemptError {
    fn from(error: io::Error) -> Self {
        Self::Retry(error)
    }
}

/// The two ends of a connection to make.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    pub pe: Pe,
    pub n_pes: u32,
    /// PE 0, or this PE's parent.
    pub to: Pe,
}

/// Connects to another PE, and retries until `limit` has passed. Calls `find` before each attempt.
///
/// # Errors
/// `Refused` if the two PEs have different secrets; `Unreachable` or `Timeout` if none answers at the address; the
/// other PE's reason if it rejects this PE's number; the error of `find` if it is final.
pub(crate) fn join(
    ends: Ends,
    name: &str,
    limit: Option<Duration>,
    mut find: impl FnMut() -> Result<Location, AttemptError>,
) -> Result<(Connection, Secret)> {
    let deadline = Deadline::after(limit);
    let mut pause = Duration::from_millis(5);
    loop {
        let last = match find() {
            Ok(location) => match attempt(ends, &location, deadline) {
                Ok(connection) => return Ok((connection, location.secret)),
                Err(AttemptError::Final(error)) if !location.may_be_stale => return Err(error),
                Err(AttemptError::Final(error)) => io::Error::other(error.to_string()),
                Err(AttemptError::Retry(error)) => error,
            },
            Err(AttemptError::Final(error)) => return Err(error),
            Err(AttemptError::Retry(error)) => error,
        };
        if deadline.passed() {
            return Err(unreachable(ends, name, limit, &last));
        }
        let until = deadline.within(pause);
        while !until.passed() {
            std::thread::sleep(Duration::from_millis(5));
        }
        pause = (pause * 2).min(Duration::from_millis(200));
    }
}

/// Connects as [`join`] to a PE that listens at these addresses. Calls `check` before each attempt; its error is final.
pub(crate) fn join_at(
    ends: Ends,
    addresses: &[SocketAddr],
    secret: &Secret,
    limit: Option<Duration>,
    mut check: impl FnMut() -> Result<()>,
) -> Result<Connection> {
    let find = || {
        check().map_err(AttemptError::Final)?;
        Ok(Location { addresses: addresses.to_vec(), secret: secret.clone(), may_be_stale: false })
    };
    join(ends, &join_names(addresses), limit, find).map(|(connection, _)| connection)
}

fn unreachable(Ends { pe, to, .. }: Ends, name: &str, limit: Option<Duration>, last: &io::Error) -> Error {
    let kind = match last.kind() {
        io::ErrorKind::TimedOut => ErrorKind::Timeout,
        _ => ErrorKind::Unreachable,
    };
    let within = limit.map(|limit| format!(" within {limit:?}")).unwrap_or_default();
    let is_ours = lacks_descriptors(last);
    let last = match last.kind() {
        io::ErrorKind::TimedOut => "it does not answer".into(),
        io::ErrorKind::UnexpectedEof => "it closes the connection".into(),
        _ => last.to_string(),
    };
    // PE 0 itself connects to the maker of the unique id.
    let (whom, runs) = match pe == to {
        true => ("the other PEs".into(), "the process there".into()),
        false => (to.to_string(), to.to_string()),
    };
    Error::new(kind, format!("reach {whom} at {name}{within}")).because(last).about(to).hint(match is_ours {
        true => DESCRIPTORS_HINT.into(),
        false => format!("check that {runs} runs, and that this host may connect to it there"),
    })
}

fn attempt(ends: Ends, location: &Location, deadline: Deadline) -> Result<Connection, AttemptError> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    let ways: Vec<SocketAddr> = location.addresses.iter().flat_map(|address| addresses::ways_to(*address)).collect();
    let mut unreached = ways.len();
    let mut refused = None;
    for address in ways {
        let by = deadline.within(ATTEMPT);
        let left = by.moment().map_or(ATTEMPT, |at| at.saturating_duration_since(std::time::Instant::now()));
        // The standard library refuses a zero timeout; after this attempt the caller ends the wait.
        match TcpStream::connect_timeout(&address, left.max(Duration::from_millis(1))) {
            Ok(stream) => {
                let connection = Connection::tcp(stream)?;
                match prove(&connection, ends, &location.secret, address, deadline.within(HANDSHAKE_LIMIT)) {
                    Ok(()) => return Ok(connection),
                    Err(AttemptError::Retry(error)) => last = error,
                    // On this PE's network the address may belong to another host, and the root may have one of the
                    // others.
                    Err(AttemptError::Final(error)) if error.kind() == ErrorKind::Refused => {
                        unreached -= 1;
                        refused = refused.or(Some(error));
                    }
                    Err(error) => return Err(error),
                }
            }
            Err(error) => last = error,
        }
    }
    match refused {
        Some(error) if unreached == 0 => Err(AttemptError::Final(error)),
        _ => Err(last.into()),
    }
}

fn prove(
    connection: &Connection,
    Ends { pe, n_pes, to }: Ends,
    secret: &Secret,
    at: SocketAddr,
    by: Deadline,
) -> Result<(), AttemptError> {
    let refused = |reason: String| {
        let action = format!("join the world at {at} as {pe}");
        AttemptError::Final(Error::new(ErrorKind::Refused, action).because(reason).about(to))
    };
    let ours: [u8; NONCE] = random().map_err(AttemptError::Final)?;
    connection.send_all(&handshake::hello(pe.number(), n_pes, &ours), by)?;
    let mut challenge = [0; CHALLENGE];
    connection.recv_all(&mut challenge, by)?;
    let theirs = handshake::read_challenge(&challenge)
        .ok_or_else(|| refused("the program there is not the root of a world".into()))?;
    connection.send_all(&handshake::mac(secret, Prover::Pe, pe.number(), n_pes, &ours, &theirs), by)?;
    let mut message = [0; REPLY];
    match connection.recv_all(&mut message, by) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error.into()),
        Err(_) => return Err(refused("it closed the connection: it has another secret, or it ended".into())),
    }
    let reply = AdmissionReply::from_raw(message[0])
        .ok_or_else(|| refused("the program there is not the root of a world".into()))?;
    let mac = handshake::mac(secret, Prover::Root(reply), pe.number(), n_pes, &ours, &theirs);
    if !handshake::same(&mac, &message[1..]) {
        return Err(refused("the program there does not know the secret".into()));
    }
    let action = format!("join the world at {at}");
    Err(AttemptError::Final(match reply {
        AdmissionReply::Admitted => return Ok(()),
        AdmissionReply::Taken => Error::new(ErrorKind::InvalidArgument, action)
            .because(format!("{pe} is there already"))
            .hint("give each process its own PE number")
            .about(pe),
        AdmissionReply::NoSuchPe => {
            Error::new(ErrorKind::OutOfRange, action).because(format!("it has no {pe}")).about(pe)
        }
        AdmissionReply::OtherSize => Error::new(ErrorKind::Mismatch, action)
            .because(format!("{pe} was started for {n_pes} PEs, {to} for another number"))
            .about(pe),
    }))
}
