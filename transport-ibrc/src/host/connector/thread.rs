//! The connector's thread: the state of each queue, and the steps that connect it.

use std::collections::HashMap;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_rdma::fabric::Handle;

use super::ConnectorParts;
use super::message::{Body, Message};
use crate::host::connection::connect_event::{ConnectEvent, QueueKey, UnconnectedQueue};
use crate::host::connection::endpoint_pair::EndpointPair;
use crate::host::connection::link::Link;
use crate::host::connection::{Connection, HINT_OF_QPS};
use crate::host::memory::bounce::ScratchMemory;
use crate::host::progress::thread::Command;

/// Queues that share a completion queue, at most.
const SHARING: u32 = 16;

/// How far the connection of a queue is.
#[derive(Debug)]
enum State {
    /// Neither end has used it.
    Unused,
    /// This end's address is sent.
    Announced,
    /// This end is connected and has sent `Ready`. The other end has not.
    Connected(Link),
    /// Both ends are connected.
    Open,
    /// It can't be connected: the reason.
    Failed(String),
}

#[derive(Debug)]
struct Entry {
    queue: UnconnectedQueue,
    state: State,
    /// Whether this end has requests for it.
    is_wanted: bool,
}

/// The thread's state.
pub(super) struct ConnectorThread {
    parts: ConnectorParts,
    /// By row and PE.
    queues: HashMap<(u32, Pe), Entry>,
    /// By proxy: the completion queue that has room, and for how many queues.
    room: Vec<(Handle, u32)>,
    dead: HashMap<Pe, String>,
}

impl ConnectorThread {
    pub(super) fn new(parts: ConnectorParts) -> Self {
        let room = vec![(Handle(0), 0); parts.proxies.len()];
        Self { parts, queues: HashMap::new(), room, dead: HashMap::new() }
    }

    /// Handles events until [`ConnectEvent::Stop`].
    pub(super) fn run(mut self, events: &Receiver<ConnectEvent>) {
        for event in events {
            match event {
                ConnectEvent::Add(queues) => self.queues.extend(queues.into_iter().map(|queue| {
                    ((queue.key.row, queue.key.pe), Entry { queue, state: State::Unused, is_wanted: false })
                })),
                ConnectEvent::Forget(rows, done) => {
                    self.queues.retain(|(row, _), _| !rows.contains(row));
                    // The caller waits.
                    let _ = done.send(());
                }
                ConnectEvent::Want(key) => self.want(key),
                ConnectEvent::Message(from, bytes) => match Message::decode(&bytes) {
                    Some(Message { batch, row, body }) => self.message(QueueKey { row, pe: from, batch }, body),
                    None => self.lose(from, "it sent a message that is not a connector's"),
                },
                ConnectEvent::Died(pe, reason) => {
                    let reason = format!("{pe} died: {reason}");
                    self.lose(pe, &reason);
                    self.dead.insert(pe, reason);
                }
                ConnectEvent::Stop => return,
            }
        }
    }

    /// Returns the queue of this name, unless its row was destroyed.
    fn entry(&mut self, key: QueueKey) -> Option<&mut Entry> {
        self.queues.get_mut(&(key.row, key.pe)).filter(|entry| entry.queue.key == key)
    }

    /// Begins the connection of a queue that has its first request.
    fn want(&mut self, key: QueueKey) {
        let dead = self.dead.get(&key.pe).cloned();
        let Some(entry) = self.entry(key) else { return };
        entry.is_wanted = true;
        match (dead, &entry.state) {
            (Some(reason), _) => self.fail(key, reason),
            (None, State::Unused) => self.announce(key),
            (None, _) => {}
        }
    }

    fn message(&mut self, key: QueueKey, body: Body) {
        let Some(entry) = self.entry(key) else { return };
        match (&entry.state, body) {
            (State::Failed(reason), Body::Address { .. }) => {
                let failed = Body::Failed(reason.clone());
                self.send(key, failed);
            }
            (State::Unused | State::Announced, Body::Address { nic, device, endpoints }) => {
                if matches!(entry.state, State::Unused) {
                    self.announce(key);
                }
                self.connect(key, nic, &device, &endpoints);
            }
            (State::Connected(link), Body::Ready) => {
                let (link, proxy, number) = (*link, entry.queue.proxy, entry.queue.number);
                entry.state = State::Open;
                // A proxy that has ended has stopped its queues.
                let _ = self.parts.proxies[proxy].send(Command::Connected(number, link));
            }
            (State::Unused | State::Announced | State::Connected(_), Body::Failed(reason)) => {
                self.fail(key, format!("{} could not: {reason}", key.pe));
            }
            // A message that comes twice has no effect.
            _ => {}
        }
    }

    /// Creates this end and sends its address.
    fn announce(&mut self, key: QueueKey) {
        match self.create(key) {
            Ok(address) => {
                if let Some(entry) = self.entry(key) {
                    entry.state = State::Announced;
                }
                self.send(key, address);
            }
            Err(error) => self.fail(key, error.hint(HINT_OF_QPS).to_string()),
        }
    }

    /// Creates the endpoints of a queue and returns the message with their addresses.
    fn create(&mut self, key: QueueKey) -> Result<Body> {
        let Some(Entry { queue, .. }) = self.queues.get(&(key.row, key.pe)) else { return Ok(Body::Ready) };
        let (number, nic, depth) = (queue.nic, self.parts.nics[queue.nic].clone(), self.parts.depth);
        let (cq, left) = &mut self.room[queue.proxy];
        if *left == 0 {
            let queues = (nic.caps.max_completions / depth).clamp(1, SHARING);
            *cq = nic.device.create_completion_queue(queues * depth)?;
            *left = queues;
            self.parts.cqs.lock().unwrap_or_else(PoisonError::into_inner).push(nic.clone(), *cq);
        }
        let (mut connection, endpoints) = Connection::create(&nic, depth, *cq)?;
        *left -= 1;
        let slots = Arc::new(ScratchMemory::new(&nic.device, connection.slot_bytes())?);
        connection.set_slots(&slots, slots.at());
        *queue.queue.connection() = Some(connection);
        Ok(Body::Address { nic: number as u8, device: nic.device.address(), endpoints })
    }

    /// Connects this end's endpoint, which exists, with the other end's, and sends `Ready`.
    fn connect(&mut self, key: QueueKey, nic: u8, device: &[u8], endpoints: &EndpointPair) {
        let peer = (usize::from(nic) * self.parts.n_pes + key.pe.index()) as u32;
        let Some(entry) = self.entry(key).filter(|entry| matches!(entry.state, State::Announced)) else { return };
        let connected = match entry.queue.queue.connection().as_mut() {
            Some(connection) => connection.connect(key.pe, device, endpoints).map(|()| connection.link(peer)),
            None => Ok(None),
        };
        match connected {
            Ok(Some(link)) => {
                entry.state = State::Connected(link);
                self.send(key, Body::Ready);
            }
            Ok(None) => {}
            Err(error) => self.fail(key, error.to_string()),
        }
    }

    /// Stops a queue that can't be connected, on both ends.
    fn fail(&mut self, key: QueueKey, reason: String) {
        let Some(entry) = self.entry(key) else { return };
        if matches!(entry.state, State::Open | State::Failed(_)) {
            return;
        }
        entry.state = State::Failed(reason.clone());
        let (proxy, number) = (entry.queue.proxy, entry.queue.number);
        entry.queue.queue.connection().take();
        // A proxy that has ended has stopped its queues.
        let _ = self.parts.proxies[proxy].send(Command::NotConnected(number, reason.clone()));
        self.send(key, Body::Failed(reason));
    }

    /// Stops the queues to a PE that are half connected and that this end waits for. The others can still be used by a
    /// PE that has announced its end and is not gone yet.
    fn lose(&mut self, pe: Pe, reason: &str) {
        let half = |entry: &&Entry| entry.is_wanted && matches!(entry.state, State::Announced | State::Connected(_));
        let to_pe = self.queues.values().filter(|entry| entry.queue.key.pe == pe).filter(half);
        let keys: Vec<QueueKey> = to_pe.map(|entry| entry.queue.key).collect();
        keys.into_iter().for_each(|key| self.fail(key, reason.to_string()));
    }

    fn send(&self, key: QueueKey, body: Body) {
        let QueueKey { row, pe, batch } = key;
        // If this PE has left the world, nobody waits for the connection.
        let _ = self.parts.messages.send(pe, &Message { batch, row, body }.encode());
    }
}
