//! The asking side of a connection to a NIC of another process.

use std::collections::VecDeque;
use std::io::{self, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::nic::{Envelope, Nak, syndrome};

use super::frame::{self, Answer, Question, Ticket};
use super::{Inbox, lock};

/// A peer that takes no data for this time is lost.
const LOST: Duration = Duration::from_secs(20);

/// Bytes that are sent before the engine's round ends.
const MUCH: usize = 256 << 10;

/// A connection. Its answers go to the inbox; if it is lost, so are the answers to all its questions.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: UnixStream,
    out: Mutex<Vec<u8>>,
    /// Questions without an answer yet. The peer answers in order.
    asked: Mutex<VecDeque<Ticket>>,
    alive: AtomicBool,
    inbox: Arc<Inbox>,
}

impl Connection {
    pub(super) fn open(path: &Path, inbox: &Arc<Inbox>) -> io::Result<Arc<Self>> {
        let stream = UnixStream::connect(path)?;
        stream.set_write_timeout(Some(LOST))?;
        let reader = stream.try_clone()?;
        let connection = Arc::new(Self {
            stream,
            out: Mutex::default(),
            asked: Mutex::default(),
            alive: AtomicBool::new(true),
            inbox: inbox.clone(),
        });
        let listening = Arc::downgrade(&connection);
        std::thread::Builder::new().name("softnic answers".into()).spawn(move || {
            let mut reader = BufReader::with_capacity(256 << 10, reader);
            while let Ok(answer) = frame::hear_answer(&mut reader) {
                let Some(connection) = listening.upgrade() else { return };
                lock(&connection.asked).pop_front();
                connection.inbox.push(answer);
            }
            if let Some(connection) = listening.upgrade() {
                connection.lose();
            }
        })?;
        Ok(connection)
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Adds a question, which the next [`flush`](Self::flush) sends.
    pub(crate) fn ask(&self, ticket: Ticket, envelope: &Envelope, question: &Question<'_>) {
        lock(&self.asked).push_back(ticket);
        let mut out = lock(&self.out);
        frame::ask(&mut out, ticket, envelope, question);
        let much = out.len() > MUCH;
        drop(out);
        if !self.is_alive() {
            self.lose();
        } else if much {
            self.flush();
        }
    }

    /// Sends the questions.
    pub(super) fn flush(&self) {
        let mut out = lock(&self.out);
        if out.is_empty() {
            return;
        }
        let sent = (&self.stream).write_all(&out);
        out.clear();
        drop(out);
        if sent.is_err() {
            self.lose();
        }
    }

    /// Loses the peer: outstanding questions get a negative answer.
    fn lose(&self) {
        self.alive.store(false, Ordering::Release);
        let _ = self.stream.shutdown(Shutdown::Both);
        for ticket in std::mem::take(&mut *lock(&self.asked)) {
            let nak = Nak::fault(syndrome::RETRY_EXCEEDED, "the peer's process is gone");
            self.inbox.push(Answer { ticket, result: Err(nak) });
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Ends its reader.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
