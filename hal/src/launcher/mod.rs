//! How PEs find each other by their launcher. This project's, or any that sets the same variables, passes the meeting
//! point in environment variables and lets PE 0 inherit a listening socket. By a launcher's PMIx server, PE 0 publishes
//! its addresses, and the other PEs read them.

pub mod detect;

use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::socket::{SockaddrStorage, getpeername, getsockopt, sockopt};
use oxshmem_core::{Error, ErrorKind, Pe, Result};
use oxshmem_raw::os::pmix::{Client, Library};

use self::detect::{Detected, MeetingPoint, ProcessIds, StartedBy, Variables, detect, started_by};
use crate::bootstrap::addresses::{host_addresses, listen_at, listen_to_others, loopback, same_network_first};
use crate::bootstrap::meeting::uid::{Secret, UniqueId};
use crate::bootstrap::meeting::{BootstrapConfig, RootAt};
use crate::config::BootstrapChoice;

/// Starts the PEs of one world as processes of this host.
///
/// Drop it after all PEs are started: PE 0 then owns the only socket, which closes with PE 0.
#[derive(Debug)]
pub struct Launcher {
    id: UniqueId,
    listener: Arc<TcpListener>,
    n_pes: u32,
}

impl Launcher {
    /// Listens on a free port of the loopback interface for a world of `n_pes`.
    ///
    /// # Errors
    /// `OutOfRange` for no PEs or too many; `System` if listening on the loopback interface fails.
    pub fn new(n_pes: u32) -> Result<Self> {
        if n_pes == 0 || n_pes > crate::bootstrap::MAX_PES {
            return Err(Error::new(ErrorKind::OutOfRange, format!("start a world of {n_pes} PEs"))
                .because(format!("a world has 1 to {} PEs", crate::bootstrap::MAX_PES)));
        }
        let (id, listener) = UniqueId::listen(loopback())?;
        Ok(Self { id, listener: Arc::new(listener), n_pes })
    }

    /// Returns the world's id.
    pub fn id(&self) -> &UniqueId {
        &self.id
    }

    /// Returns the listening socket. PE 0 inherits it under the same descriptor number.
    pub fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Returns the environment of `pe`. It holds the secret, which only the same user can read from a process's
    /// environment.
    pub fn environment(&self, pe: Pe) -> Vec<(&'static str, String)> {
        let mut environment = vec![
            ("OXSHMEM_PE", pe.number().to_string()),
            ("OXSHMEM_N_PES", self.n_pes.to_string()),
            ("OXSHMEM_UID", self.id.to_hex()),
        ];
        if pe.number() == 0 {
            environment.push(("OXSHMEM_ROOT_FD", self.listener.as_raw_fd().to_string()));
        }
        environment
    }

    /// Adds the environment of `pe` to `command`, and lets PE 0 inherit the socket.
    pub fn prepare(&self, pe: Pe, command: &mut Command) {
        command.env_remove("OXSHMEM_ROOT_FD").envs(self.environment(pe));
        if pe.number() == 0 {
            let listener = self.listener.clone();
            let keep_open = move || {
                fcntl(&*listener, FcntlArg::F_SETFD(FdFlag::empty()))?;
                Ok(())
            };
            // SAFETY: only async-signal-safe calls are allowed between fork and exec, and `keep_open` makes one call:
            // `fcntl`.
            unsafe { command.pre_exec(keep_open) };
        }
    }
}

impl BootstrapConfig {
    /// Reads the configuration of this process from its environment, or from the PMIx server that the environment
    /// names; `None` if no launcher set it. If PMIx is used, the first call is collective over all processes of the
    /// job.
    ///
    /// # Errors
    /// As [`detect()`]; `NotFound` if PMIx was chosen and either no launcher offers it or libpmix is missing;
    /// `Malformed` if `OXSHMEM_ROOT_FD` is not the listening socket of `OXSHMEM_UID`. With PMIx, the server's own
    /// error, and `Timeout` if some processes of the job did not join within the limit.
    pub fn from_env(choice: BootstrapChoice, limit: Option<Duration>) -> Result<Option<Self>> {
        let variable = |name: &str| std::env::var(name).ok();
        let without = match is_asked(&variable, choice)?.then(Library::open) {
            Some(Ok(library)) => return job_config(library, limit).map(Some),
            Some(Err(error)) if choice == BootstrapChoice::Pmix => return Err(error),
            Some(Err(error)) => Some(error),
            None => None,
        };
        Self::from_variables(&variable, limit).map_err(|error| match without {
            // On several hosts, the variables require more settings by the user than PMIx does.
            Some(without) if error.kind() == ErrorKind::NotFound => Error::new(error.kind(), "find the other PEs")
                .because(format!("{error}; the launcher's PMIx would provide it, but oxshmem {without}")),
            _ => error,
        })
    }

    fn from_variables(variable: Variables<'_>, limit: Option<Duration>) -> Result<Option<Self>> {
        let ids = ProcessIds { user: nix::unistd::geteuid().as_raw(), parent: nix::unistd::getppid().as_raw() as u32 };
        let Some(Detected { pe, n_pes, meeting_point, .. }) = detect(variable, ids)? else {
            return Ok(None);
        };
        let root = match meeting_point {
            MeetingPoint::Id(id, fd) => {
                let listener = fd.map(|fd| adopt(fd, &id)).transpose()?.flatten().map(Arc::new);
                RootAt::Id { id, listener }
            }
            MeetingPoint::Address(address, secret) => RootAt::Address { address, secret },
            MeetingPoint::File(rendezvous) => RootAt::File(rendezvous),
            MeetingPoint::Alone => RootAt::Alone,
        };
        Ok(Some(Self { pe: Pe::new(pe), n_pes, root, limit, host: variable("OXSHMEM_HOST") }))
    }
}

/// Duplicates the inherited socket. The original stays open for the next world of this process. Returns `None` if the
/// socket served an earlier world and lost its port when it stopped listening.
fn adopt(fd: RawFd, id: &UniqueId) -> Result<Option<TcpListener>> {
    let wrong =
        |reason: String| Error::new(ErrorKind::Malformed, format!("take over OXSHMEM_ROOT_FD = {fd}")).because(reason);
    // SAFETY: `F_GETFD` takes any number, and only reports whether it is an open descriptor.
    if fd < 0 || unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
        return Err(wrong("it is not open".into()));
    }
    // SAFETY: the previous call found `fd` open. The launcher left it to this process for this use alone, so no other
    // code closes it while `inherited` lives.
    let inherited = unsafe { BorrowedFd::borrow_raw(fd) };
    let listens = getsockopt(&inherited, sockopt::AcceptConn);
    // A connected socket has a peer; one that stopped listening has none.
    if listens != Ok(true) && (listens.is_err() || getpeername::<SockaddrStorage>(fd).is_ok()) {
        return Err(wrong("it is not a listening socket".into()));
    }
    // Programs that this process starts must not inherit it.
    fcntl(inherited, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).map_err(|errno| wrong(errno.to_string()))?;
    let listener: TcpListener = inherited.try_clone_to_owned().map_err(|error| wrong(error.to_string()))?.into();
    let address = listener.local_addr().map_err(|error| wrong(error.to_string()))?;
    if listens == Ok(false) && address.port() == 0 {
        return Ok(None);
    }
    if address.port() != id.address().port() {
        return Err(wrong(format!("it listens at {address}, and {id:?} leads to {}", id.address())));
    }
    debug_assert_ne!(listener.as_raw_fd(), fd);
    Ok(Some(listener))
}

/// The key under which PE 0 publishes the meeting point.
const KEY: &str = "oxshmem.world";
/// First byte of the published value: `IDS` before unique ids, which differ in their addresses, or `FAILED` before the
/// reason why there are none.
const IDS: u8 = b'I';
const FAILED: u8 = b'F';
const ID_BYTES: usize = 128;

/// The variables that a launcher with PMIx sets: the job's name, and one address or more of its server.
const NAMESPACE: &str = "PMIX_NAMESPACE";
const SERVERS: [&str; 5] =
    ["PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI21", "PMIX_SERVER_URI2"];

/// Returns whether this PE's number comes from PMIx.
///
/// # Errors
/// `NotFound` if PMIx was chosen and no launcher offers it.
pub(crate) fn is_asked(variables: Variables<'_>, choice: BootstrapChoice) -> Result<bool> {
    let get = |name: &str| variables(name).filter(|value| !value.is_empty());
    let offered = get(NAMESPACE).is_some() && SERVERS.iter().any(|server| get(server).is_some());
    match choice {
        BootstrapChoice::Env => Ok(false),
        BootstrapChoice::Pmix if offered => Ok(true),
        BootstrapChoice::Pmix => Err(Error::new(ErrorKind::NotFound, "find this PE through PMIx")
            .because(format!("{NAMESPACE} and PMIX_SERVER_URI* are not set, so no launcher offers it"))
            .hint("start the program by `mpirun` or `srun --mpi=pmix`, or choose OXSHMEM_BOOTSTRAP=auto")),
        BootstrapChoice::Auto => {
            // This project's own variables take precedence. `torchrun` inside a job's process numbers its own
            // processes.
            let ours = ["OXSHMEM_PE", "OXSHMEM_UID", "OXSHMEM_ROOT"].iter().any(|name| get(name).is_some());
            let inner = started_by(&get) == Some(StartedBy::Torchrun);
            Ok(offered && !ours && !inner)
        }
    }
}

/// The operations of a launcher's PMIx server for the processes of a job.
pub(crate) trait PmixServer {
    /// Returns the number of this process in the job.
    fn rank(&self) -> u32;
    /// Returns the number of processes in the job.
    fn job_size(&self) -> Result<u32>;
    /// Returns the number of processes on this host, if known.
    fn local_size(&self) -> Result<Option<u32>>;
    /// Publishes bytes, which the others can [`get`](Self::get) after the next fence.
    fn put(&self, key: &str, bytes: &[u8]) -> Result<()>;
    /// Waits for all processes of the job.
    fn fence(&self, limit: Option<Duration>) -> Result<()>;
    /// Returns the bytes that process `rank` published.
    fn get(&self, rank: u32, key: &str, limit: Option<Duration>) -> Result<Vec<u8>>;
}

impl PmixServer for Client {
    fn rank(&self) -> u32 {
        self.rank()
    }

    fn job_size(&self) -> Result<u32> {
        self.job_size()
    }

    fn local_size(&self) -> Result<Option<u32>> {
        self.local_size()
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.put(key, bytes)
    }

    fn fence(&self, limit: Option<Duration>) -> Result<()> {
        self.fence(limit)
    }

    fn get(&self, rank: u32, key: &str, limit: Option<Duration>) -> Result<Vec<u8>> {
        self.get(rank, key, limit)
    }
}

/// The server's answers to this process. It is asked once: all worlds of a process meet at one place, as with a unique
/// id.
static JOB: Mutex<Option<PmixJob>> = Mutex::new(None);

#[derive(Clone, Debug)]
pub(crate) struct PmixJob {
    pub(crate) pe: u32,
    pub(crate) n_pes: u32,
    pub(crate) root: RootAt,
}

/// Returns this process's configuration in its job. The first call is collective over the job.
///
/// # Errors
/// As [`find_world`], and if the server rejects this process.
pub(crate) fn job_config(library: Library, limit: Option<Duration>) -> Result<BootstrapConfig> {
    let mut known = JOB.lock().unwrap_or_else(PoisonError::into_inner);
    let job = match &*known {
        Some(job) => job.clone(),
        None => known.insert(find_world(&Client::connect(library)?, limit)?).clone(),
    };
    let PmixJob { pe, n_pes, root } = job;
    Ok(BootstrapConfig { pe: Pe::new(pe), n_pes, root, limit, host: std::env::var("OXSHMEM_HOST").ok() })
}

/// Finds this PE's number and the addresses at which PE 0 listens.
///
/// # Errors
/// `OutOfRange` for a job that is too large for a world; `Timeout` if some processes of the job did not join;
/// `Unreachable` with PE 0's reason if PE 0 can't listen; the server's own errors.
pub(crate) fn find_world(server: &impl PmixServer, limit: Option<Duration>) -> Result<PmixJob> {
    let (pe, n_pes) = (server.rank(), server.job_size()?);
    if pe >= n_pes || n_pes > crate::bootstrap::MAX_PES {
        return Err(Error::new(ErrorKind::OutOfRange, "find this PE through PMIx").because(format!(
            "this is process {pe} of {n_pes}; a world has 1 to {} PEs, numbered from 0",
            crate::bootstrap::MAX_PES
        )));
    }
    if n_pes == 1 {
        return Ok(PmixJob { pe, n_pes, root: RootAt::Alone });
    }
    // A process that fails before the fence still takes part in it, so that the others don't wait for it in vain.
    let one_host = server.local_size().map(|local| local.is_some_and(|local| local >= n_pes));
    if pe != 0 {
        server.fence(limit)?;
        let (mut addresses, secret) = decode(&server.get(0, KEY, limit)?)?;
        same_network_first(&mut addresses, &host_addresses());
        return Ok(PmixJob { pe, n_pes, root: RootAt::Addresses { addresses, secret, listener: None } });
    }
    let listener = one_host.and_then(listen);
    let published = server.put(KEY, &encode(&listener));
    server.fence(limit)?;
    published?;
    let RootListener { listener, addresses, secret } = listener?;
    Ok(PmixJob { pe, n_pes, root: RootAt::Addresses { addresses, secret, listener: Some(Arc::new(listener)) } })
}

struct RootListener {
    listener: TcpListener,
    addresses: Vec<SocketAddr>,
    secret: Secret,
}

/// Listens on the loopback interface if all PEs are on this host, so that no other host can connect; otherwise on all
/// addresses, which PEs on other hosts try until one is reachable.
fn listen(one_host: bool) -> Result<RootListener> {
    let (listener, addresses) = if one_host { listen_at(loopback())? } else { listen_to_others(None)? };
    Ok(RootListener { listener, addresses, secret: Secret::fresh()? })
}

fn encode(listener: &Result<RootListener>) -> Vec<u8> {
    match listener {
        Ok(RootListener { addresses, secret, .. }) => {
            let ids = addresses.iter().flat_map(|address| UniqueId::new(*address, secret).to_bytes());
            std::iter::once(IDS).chain(ids).collect()
        }
        Err(error) => std::iter::once(FAILED).chain(error.to_string().into_bytes()).collect(),
    }
}

fn decode(published: &[u8]) -> Result<(Vec<SocketAddr>, Secret)> {
    let action = "learn from PE 0 where the PEs meet";
    let malformed = || {
        Error::new(ErrorKind::Malformed, action)
            .because(format!("the {} bytes that it published are of another version of oxshmem", published.len()))
            .about(Pe::new(0))
    };
    let ids = match published.split_first() {
        Some((&FAILED, why)) => {
            let why = format!("it {}", String::from_utf8_lossy(why));
            return Err(Error::new(ErrorKind::Unreachable, action).because(why).about(Pe::new(0)));
        }
        Some((&IDS, ids)) => ids,
        _ => return Err(malformed()),
    };
    let (ids, rest) = ids.as_chunks::<ID_BYTES>();
    let ids = ids.iter().map(|bytes| UniqueId::from_bytes(*bytes)).collect::<Result<Vec<_>>>()?;
    match ids.first() {
        Some(first) if rest.is_empty() => Ok((ids.iter().map(UniqueId::address).collect(), first.secret())),
        _ => Err(malformed()),
    }
}

#[cfg(test)]
#[path = "tests/launcher.rs"]
mod tests;

#[cfg(test)]
#[path = "tests/pmix.rs"]
mod pmix_tests;
