//! The launcher's part: a unique id, the socket behind it, and what each PE's process is given.

use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use oxshmem_core::{Error, ErrorKind, Pe, Result};

use super::uid::UniqueId;

/// Starts the PEs of one world as processes of this host.
///
/// Drop it once all are started: the socket is PE 0's then, and closes with it.
#[derive(Debug)]
pub struct Launcher {
    id: UniqueId,
    listener: Arc<TcpListener>,
    n_pes: u32,
}

impl Launcher {
    /// Listens on a free port of the loopback for a world of `n_pes`.
    ///
    /// # Errors
    /// `OutOfRange` for no PEs or too many; `System` if the loopback can't be listened on.
    pub fn new(n_pes: u32) -> Result<Self> {
        if n_pes == 0 || n_pes > super::MAX_PES {
            return Err(Error::new(ErrorKind::OutOfRange, format!("start a world of {n_pes} PEs"))
                .because(format!("a world has 1 to {} PEs", super::MAX_PES)));
        }
        let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into())?;
        Ok(Self { id, listener: Arc::new(listener), n_pes })
    }

    /// The world's id.
    pub fn id(&self) -> &UniqueId {
        &self.id
    }

    /// The listening socket that PE 0 inherits, under this number.
    pub fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// The environment of `pe`. It holds the secret: a process's environment is its user's alone to read.
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

    /// Gives `command` the environment of `pe`, and PE 0 the socket.
    pub fn prepare(&self, pe: Pe, command: &mut Command) {
        command.env_remove("OXSHMEM_ROOT_FD").envs(self.environment(pe));
        if pe.number() == 0 {
            let listener = self.listener.clone();
            let keep_open = move || {
                fcntl(&*listener, FcntlArg::F_SETFD(FdFlag::empty()))?;
                Ok(())
            };
            // SAFETY: between fork and exec only async-signal-safe calls are allowed, and it makes one: `fcntl`.
            unsafe { command.pre_exec(keep_open) };
        }
    }
}
