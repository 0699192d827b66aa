//! Connects queues at their first use (`OXSHMEM_QP_CONNECT=lazy`), by a thread of its own.
//!
//! The thread is needed because either end may be the first to use a queue, and because creating an endpoint takes
//! long: a progress thread serves its other queues meanwhile. Requests wait in their send queue until it is connected.
//!
//! 1. A progress thread that takes the first request of a queue requests its connection from the connector, once.
//! 2. The connector creates the endpoint and sends its address to the peer's connector.
//! 3. A connector that gets an address creates its own endpoint if there is none yet, and sends its address. It
//!    connects its endpoint with the peer's, and then sends `Ready`.
//! 4. With the peer's `Ready` both ends are connected: the progress thread gets the endpoint, and posts.
//!
//! Both ends do the same, so that either one may begin, or both. An end never posts before the other
//! one can receive, since its requests would only be retried after a timeout. If an end fails, or dies, the queue
//! of the other end stops with the reason.
//!
//! | file | contents |
//! |---|---|
//! | `thread` | the thread and the state of each queue |
//! | `message` | the messages between connectors |

mod message;
mod thread;

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::transport::{PeerEvent, PeerMessages};

use crate::host::connection::CompletionQueues;
use crate::host::connection::connect_event::{ConnectEvent, UnconnectedQueue};
use crate::host::progress::proxy::Commands;
use crate::host::setup::nic::Nic;
use thread::ConnectorThread;

/// The channel to a connector that is not started yet.
#[derive(Debug)]
pub(in crate::host) struct Events {
    pub(in crate::host) sender: Sender<ConnectEvent>,
    receiver: Receiver<ConnectEvent>,
}

impl Events {
    pub(in crate::host) fn new() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }
}

/// The resources of a connector.
#[derive(Debug)]
pub(in crate::host) struct ConnectorParts {
    pub(in crate::host) messages: Arc<dyn PeerMessages>,
    pub(in crate::host) n_pes: usize,
    /// By number.
    pub(in crate::host) nics: Vec<Arc<Nic>>,
    /// By number.
    pub(in crate::host) proxies: Vec<Arc<Commands>>,
    /// Work requests of a queue.
    pub(in crate::host) depth: u32,
    /// Takes the completion queues, which must outlast the endpoints.
    pub(in crate::host) cqs: Arc<Mutex<CompletionQueues>>,
}

/// The handle of the connector's thread, which ends when it is dropped.
#[derive(Debug)]
pub(in crate::host) struct Connector {
    events: Sender<ConnectEvent>,
    thread: Option<JoinHandle<()>>,
}

impl Connector {
    /// Starts the thread.
    ///
    /// # Errors
    /// `Exhausted`: the system has no thread for it.
    pub(in crate::host) fn start(me: Pe, events: Events, parts: ConnectorParts) -> Result<Self> {
        let Events { sender, receiver } = events;
        let of_peers = sender.clone();
        parts.messages.receive(Box::new(move |pe, event| {
            // A connector that has ended needs no events.
            let _ = of_peers.send(match event {
                PeerEvent::Message(bytes) => ConnectEvent::Message(pe, bytes.to_vec()),
                PeerEvent::Died(reason) => ConnectEvent::Died(pe, reason.into()),
            });
        }));
        let name = format!("oxshmem-connector-{}", me.number());
        let run = move || ConnectorThread::new(parts).run(&receiver);
        let thread = Builder::new().name(name.clone()).spawn(run).map_err(|error| {
            Error::new(ErrorKind::Exhausted, format!("start the thread {name}")).because(error.to_string())
        })?;
        Ok(Self { events: sender, thread: Some(thread) })
    }

    /// Connects these queues from now on, when this PE or its peer first uses them.
    pub(in crate::host) fn add(&self, queues: Vec<UnconnectedQueue>) {
        // The thread ends with this value.
        let _ = self.events.send(ConnectEvent::Add(queues));
    }

    /// Forgets the queues of destroyed rows. After it returns, the thread holds none of them.
    pub(in crate::host) fn forget(&self, rows: HashSet<u32>) {
        let (done, wait) = channel();
        let _ = self.events.send(ConnectEvent::Forget(rows, done));
        // An error is the end of the thread, which then holds nothing either.
        let _ = wait.recv();
    }
}

impl Drop for Connector {
    fn drop(&mut self) {
        let _ = self.events.send(ConnectEvent::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
