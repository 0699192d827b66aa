//! The answering side: executes other processes' requests to a NIC.

use std::io::{self, BufReader, BufWriter, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::JoinHandle;

use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::nic::{Ask, Envelope, Nak, Responder, syndrome};

use super::frame::{self, Question};
use super::{claim, lock};

/// Answers requests until it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    path: PathBuf,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    streams: Mutex<Vec<UnixStream>>,
}

impl Server {
    pub(super) fn start(folder: &Path, lid: u16, listener: UnixListener, responder: &Arc<Responder>) -> Result<Self> {
        let (shared, responder) = (Arc::new(Shared::default()), Arc::downgrade(responder));
        let thread = {
            let shared = shared.clone();
            std::thread::Builder::new()
                .name(format!("softnic lid {lid}"))
                .spawn(move || accept(&listener, &shared, &responder))
        };
        let thread = thread.map_err(|e| {
            Error::new(ErrorKind::System, format!("answer for LID {lid}")).call("clone", 0, e.to_string())
        })?;
        Ok(Self { path: claim::path(folder, lid), shared, thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        // Wakes the thread that waits for connections.
        let _ = UnixStream::connect(&self.path);
        let _ = std::fs::remove_file(&self.path);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        for stream in lock(&self.shared.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn accept(listener: &UnixListener, shared: &Arc<Shared>, responder: &Weak<Responder>) {
    for stream in listener.incoming() {
        if shared.stop.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else { return };
        let Ok(kept) = stream.try_clone() else { continue };
        lock(&shared.streams).push(kept);
        let responder = responder.clone();
        let served = std::thread::Builder::new().name("softnic serves".into());
        // A connection that can't be served is closed, which the peer notices.
        let _ = served.spawn(move || drop(serve(&stream, &responder)));
    }
}

fn serve(stream: &UnixStream, responder: &Weak<Responder>) -> io::Result<()> {
    let mut questions = BufReader::with_capacity(256 << 10, stream.try_clone()?);
    let mut answers = BufWriter::with_capacity(256 << 10, stream);
    let mut data = Vec::new();
    loop {
        let (ticket, envelope, question) = frame::hear(&mut questions, &mut data)?;
        let result = match responder.upgrade() {
            Some(responder) => execute(&responder, &envelope, &question),
            None => Err(Nak::fault(syndrome::RETRY_EXCEEDED, "the peer's NIC is gone")),
        };
        frame::answer(&mut answers, ticket, &result)?;
        if questions.buffer().is_empty() {
            answers.flush()?;
        }
    }
}

fn execute(responder: &Responder, envelope: &Envelope, question: &Question<'_>) -> Result<Vec<u8>, Nak> {
    match *question {
        Question::Check { bytes, needs } => responder.check(envelope, bytes, needs).map(|()| Vec::new()),
        Question::Write { data } => responder.execute(envelope, Ask::Write { data }).map(|_| Vec::new()),
        Question::Read { bytes } => {
            let mut data = vec![0; bytes as usize];
            responder.read(envelope, &mut data).map(|()| data)
        }
        Question::Message(message) => responder.receive(envelope, &message).map(|()| Vec::new()),
        Question::Atomic { what } => {
            responder.execute(envelope, Ask::Atomic { what }).map(|value| value.to_le_bytes().to_vec())
        }
    }
}
