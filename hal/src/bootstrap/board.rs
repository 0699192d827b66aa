//! Descriptors between PEs that are threads of one process: laid out as duplicates, and duplicated again by each.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Mutex;

use oxshmem_core::Pe;

use super::monitor::lock;

/// What is laid out now, by exchange and PE.
#[derive(Default)]
pub(super) struct Board(Mutex<BTreeMap<(u64, Pe), Vec<OwnedFd>>>);

/// What one PE laid out; dropping it takes it away.
pub(super) struct LaidOut<'a> {
    board: &'a Board,
    key: (u64, Pe),
}

impl Board {
    pub(super) fn lay_out(&self, exchange: u64, pe: Pe, fds: Vec<OwnedFd>) -> LaidOut<'_> {
        let key = (exchange, pe);
        lock(&self.0).insert(key, fds);
        LaidOut { board: self, key }
    }

    /// Duplicates of what `pe` laid out; none if it did not.
    pub(super) fn take(&self, exchange: u64, pe: Pe) -> io::Result<Option<Vec<OwnedFd>>> {
        let board = lock(&self.0);
        board.get(&(exchange, pe)).map(|fds| fds.iter().map(OwnedFd::try_clone).collect()).transpose()
    }
}

impl Drop for LaidOut<'_> {
    fn drop(&mut self) {
        lock(&self.board.0).remove(&self.key);
    }
}
