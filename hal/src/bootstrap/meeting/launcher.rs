//! The launcher's side and the started process's side: environment variables and the inherited listening socket.

use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::socket::{SockaddrStorage, getpeername, getsockopt, sockopt};
use oxshmem_core::{Error, ErrorKind, Pe, Result};
use oxshmem_raw::os::pmix::Library;

use super::detect::{Detected, MeetingPoint, ProcessIds, Variables, detect};
use super::pmix;
use super::uid::UniqueId;
use super::{BootstrapConfig, RootAt};
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
        let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into())?;
        Ok(Self { id, listener: Arc::new(listener), n_pes })
    }

    /// The world's id.
    pub fn id(&self) -> &UniqueId {
        &self.id
    }

    /// The listening socket. PE 0 inherits it under the same descriptor number.
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
    /// As [`detect`]; `NotFound` if PMIx was chosen and either no launcher offers it or libpmix is missing; `Malformed`
    /// if `OXSHMEM_ROOT_FD` is not the listening socket of `OXSHMEM_UID`. With PMIx, the server's own error, and
    /// `Timeout` if some processes of the job did not join within the limit.
    pub fn from_env(choice: BootstrapChoice, limit: Option<Duration>) -> Result<Option<Self>> {
        let variable = |name: &str| std::env::var(name).ok();
        let without = match pmix::is_asked(&variable, choice)?.then(Library::open) {
            Some(Ok(library)) => return pmix::job_config(library, limit).map(Some),
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

#[cfg(test)]
#[path = "tests/launcher.rs"]
mod tests;
