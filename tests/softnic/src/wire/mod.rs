//! Routes to other NICs: by a table within this process, by sockets in a folder to other processes.

mod claim;
mod connection;
mod frame;
mod serve;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Thread;

use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::nic::Responder;

pub(crate) use connection::Connection;
pub(crate) use frame::{Answer, Question, Ticket};

/// NICs of this process, by folder and LID.
type Here = HashMap<(Option<PathBuf>, u16), Weak<Responder>>;

static HERE: Mutex<Option<Here>> = Mutex::new(None);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A route to a NIC.
#[derive(Clone, Debug)]
pub(crate) enum Link {
    /// In this process.
    Local(Weak<Responder>),
    /// In another.
    Remote(Arc<Connection>),
}

/// Answers from other processes, until the engine takes them.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    answers: Mutex<Vec<Answer>>,
    waiting: AtomicUsize,
    engine: Mutex<Option<Thread>>,
}

impl Inbox {
    fn push(&self, answer: Answer) {
        let mut answers = lock(&self.answers);
        answers.push(answer);
        self.waiting.store(answers.len(), Ordering::Release);
        drop(answers);
        if let Some(engine) = &*lock(&self.engine) {
            engine.unpark();
        }
    }

    /// Takes the answers that have arrived, in each peer's order.
    pub(crate) fn take(&self) -> Vec<Answer> {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return Vec::new();
        }
        self.waiting.store(0, Ordering::Release);
        std::mem::take(&mut *lock(&self.answers))
    }

    /// Wakes this thread when an answer arrives.
    pub(crate) fn wake(&self, engine: Thread) {
        *lock(&self.engine) = Some(engine);
    }
}

/// Returns all LIDs, from one that differs between processes: a LID of another process is then most likely unknown
/// here, where it would otherwise be this process's own NIC.
fn lids_of_process() -> impl Iterator<Item = u16> {
    const LIDS: u32 = 0xbfff;
    let first = std::process::id() % LIDS;
    (0..LIDS).map(move |i| 1 + ((first + i) % LIDS) as u16)
}

/// A NIC's connection to the others.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) lid: u16,
    folder: Option<PathBuf>,
    pub(crate) inbox: Arc<Inbox>,
    connections: Mutex<HashMap<u16, Arc<Connection>>>,
    /// Number of connections with unsent data.
    unsent: AtomicUsize,
    /// Answers other processes' requests; `None` without a folder.
    _server: Option<serve::Server>,
}

impl Port {
    /// Takes the first free LID for a NIC, and makes it reachable.
    ///
    /// # Errors
    /// The folder can't be used, or no LID is free.
    pub(crate) fn attach(folder: Option<PathBuf>, responder: &Arc<Responder>) -> Result<Self> {
        let mut here = lock(&HERE);
        let table = here.get_or_insert_default();
        table.retain(|_, responder| responder.strong_count() > 0);
        let taken = |lid: u16| table.contains_key(&(folder.clone(), lid));
        let (lid, server) = match &folder {
            None => (lids_of_process().find(|lid| !taken(*lid)), None),
            Some(folder) => {
                let (lid, listener) = claim::claim(folder, taken)?;
                (Some(lid), Some(serve::Server::start(folder, lid, listener, responder)?))
            }
        };
        let lid = lid.ok_or_else(|| Error::new(ErrorKind::Exhausted, "give a software NIC a LID"))?;
        table.insert((folder.clone(), lid), Arc::downgrade(responder));
        Ok(Self {
            lid,
            folder,
            inbox: Arc::default(),
            connections: Mutex::default(),
            unsent: AtomicUsize::new(0),
            _server: server,
        })
    }

    /// Returns whether a NIC with this LID could be on the wire: a wire of one process has the NICs of that process
    /// alone.
    pub(crate) fn may_reach(&self, lid: u16) -> bool {
        self.folder.is_some() || lock(&HERE).as_ref().is_some_and(|table| table.contains_key(&(None, lid)))
    }

    /// Returns a route to a NIC; `None` if there is no NIC with this LID, or it can't be reached.
    pub(crate) fn link(&self, lid: u16) -> Option<Link> {
        let here = lock(&HERE);
        if let Some(responder) = here.as_ref().and_then(|table| table.get(&(self.folder.clone(), lid))) {
            return Some(Link::Local(responder.clone()));
        }
        drop(here);
        let folder = self.folder.as_ref()?;
        let mut connections = lock(&self.connections);
        if let Some(connection) = connections.get(&lid).filter(|connection| connection.is_alive()) {
            return Some(Link::Remote(connection.clone()));
        }
        let connection = Connection::open(&claim::path(folder, lid), &self.inbox).ok()?;
        connections.insert(lid, connection.clone());
        Some(Link::Remote(connection))
    }

    /// Marks a connection as having unsent data.
    pub(crate) fn something_to_send(&self) {
        self.unsent.fetch_add(1, Ordering::Relaxed);
    }

    /// Sends the unsent data of all connections.
    pub(crate) fn flush(&self) {
        if self.unsent.load(Ordering::Relaxed) == 0 {
            return;
        }
        self.unsent.store(0, Ordering::Relaxed);
        lock(&self.connections).values().for_each(|connection| connection.flush());
    }
}
