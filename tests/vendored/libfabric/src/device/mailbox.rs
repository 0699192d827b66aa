//! The mailbox: messages that carry atomics, and the memory that libfabric uses for them.
//!
//! 1. The requester sends an order. Its operation has a [`Ticket`].
//! 2. The target's poll receives the order, executes it and sends an answer with the same ticket.
//! 3. The requester's poll receives the answer, which ends the operation. Nothing waits for an answer whose operation
//!    has ended before, and such an answer is ignored.
//!
//! An answer never waits for a receive buffer of its own side: orders give their buffers back at once, and answers that
//! libfabric does not take yet are kept in letters. There are at most as many letters as the PEs have operations
//! outstanding with this one, so that no cycle of full queues can form and memory is bounded.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use oxshmem_rdma::fabric::Status;

use super::failure::Failure;
use super::message::{Answer, Bytes, MESSAGE_BYTES, Message, Order, Ticket};
use crate::libfabric::channel::{Channel, Near, NotPosted};

/// Receives that are posted at a time. A provider keeps messages beyond them, or repeats them; one that gives up
/// reports that the receiver is not ready.
pub(super) const RECEIVES: usize = 256;

/// The purpose of an operation of libfabric, which its context names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// An operation of the transport.
    Operation(u32),
    /// A message that is sent.
    Letter(u32),
    /// A message that is received.
    Receive(u32),
}

impl Context {
    /// Returns the number for libfabric; never 0, because a provider may report 0 where it knows of no operation.
    pub(super) const fn number(self) -> usize {
        match self {
            Self::Operation(number) => (number as usize) << 2 | 1,
            Self::Letter(number) => (number as usize) << 2 | 2,
            Self::Receive(number) => (number as usize) << 2 | 3,
        }
    }

    pub(super) const fn of(number: usize) -> Option<Self> {
        let index = (number >> 2) as u32;
        match number & 3 {
            1 => Some(Self::Operation(index)),
            2 => Some(Self::Letter(index)),
            3 => Some(Self::Receive(index)),
            _ => None,
        }
    }
}

/// A message that is sent. libfabric reads its bytes until it has ended, so that it must not move.
struct Letter {
    bytes: Bytes,
    length: usize,
    peer: u64,
    /// The operation of an order; an answer has none.
    ticket: Option<Ticket>,
    since: Instant,
}

/// A message that arrived.
pub(super) enum Arrived {
    /// An order of a peer, with its number.
    Order(Order, u64),
    Answer(Answer),
}

/// Messages to and from all peers.
pub(super) struct Mailbox {
    /// This device's address, to which answers go.
    address: Vec<u8>,
    // Boxed one by one, so that a longer table does not move letters that libfabric uses.
    #[allow(clippy::vec_box, reason = "libfabric holds addresses of them")]
    letters: Vec<Box<Letter>>,
    free: Vec<u32>,
    /// Letters with answers that libfabric has not taken yet.
    waiting: Vec<u32>,
    receives: Box<[Bytes; RECEIVES]>,
    /// Receives that libfabric does not have.
    idle: Vec<u32>,
    /// Numbers of the requesters in the channel's table, by address.
    peers: HashMap<Box<[u8]>, u64>,
}

impl Mailbox {
    /// Creates a mailbox of the device with this address. It posts its receives at the first progress.
    pub(super) fn new(address: Vec<u8>) -> Self {
        Self {
            address,
            letters: Vec::new(),
            free: Vec::new(),
            waiting: Vec::new(),
            receives: Box::new([[0; MESSAGE_BYTES]; RECEIVES]),
            idle: (0..RECEIVES as u32).collect(),
            peers: HashMap::new(),
        }
    }

    /// Takes a letter to `peer` from those that are free.
    fn letter(&mut self, peer: u64, ticket: Option<Ticket>) -> (u32, &mut Letter) {
        let since = Instant::now();
        let number = self.free.pop().unwrap_or_else(|| {
            self.letters.push(Box::new(Letter { bytes: [0; MESSAGE_BYTES], length: 0, peer, ticket, since }));
            (self.letters.len() - 1) as u32
        });
        let letter = &mut *self.letters[number as usize];
        (letter.peer, letter.ticket, letter.since) = (peer, ticket, since);
        (number, letter)
    }

    fn post(&mut self, channel: &Channel, number: u32) -> Result<(), NotPosted> {
        let letter = &mut *self.letters[number as usize];
        let at = letter.bytes.as_mut_ptr().cast();
        let near = Near { at, bytes: letter.length, descriptor: std::ptr::null_mut() };
        // SAFETY: **stays**: the letter is boxed, and is not reused before libfabric has reported its end. The channel
        // is closed before the mailbox is dropped.
        unsafe { channel.send(near, letter.peer, Context::Letter(number).number()) }
    }

    /// Sends an order to `peer`.
    pub(super) fn ask(&mut self, channel: &Channel, peer: u64, order: &Order) -> Result<(), NotPosted> {
        let address = std::mem::take(&mut self.address);
        let (number, letter) = self.letter(peer, Some(order.ticket));
        let length = order.put(&address, &mut letter.bytes);
        letter.length = length.unwrap_or(0);
        self.address = address;
        let sent = length.ok_or(NotPosted::Failed(libc::EINVAL)).and_then(|_| self.post(channel, number));
        if sent.is_err() {
            self.free.push(number);
        }
        sent
    }

    /// Sends an answer to `peer`, or keeps it until libfabric takes it.
    pub(super) fn answer(&mut self, channel: &Channel, peer: u64, answer: &Answer) {
        let (number, letter) = self.letter(peer, None);
        letter.length = answer.put(&mut letter.bytes);
        match self.post(channel, number) {
            Ok(()) => {}
            Err(NotPosted::Again) => self.waiting.push(number),
            // The requester is gone.
            Err(NotPosted::Failed(_)) => self.free.push(number),
        }
    }

    /// Reports whether libfabric has at least one receive.
    pub(super) fn is_receiving(&self) -> bool {
        self.idle.len() < RECEIVES
    }

    /// Records that libfabric has ended a letter. Returns the operation whose order could not be sent. An answer for
    /// which the requester was not ready is sent again.
    pub(super) fn sent(&mut self, number: u32, failure: Option<Failure>) -> Option<(Ticket, Failure)> {
        let ticket = self.letters.get(number as usize)?.ticket;
        match (ticket, failure) {
            (None, Some((Status::NotReady, _))) => self.waiting.push(number),
            _ => self.free.push(number),
        }
        ticket.zip(failure)
    }

    /// Takes a message that libfabric has received. A receive that failed has none.
    pub(super) fn received(&mut self, channel: &Channel, number: u32, failed: bool) -> Option<Arrived> {
        let bytes = self.receives.get(number as usize)?;
        self.idle.push(number);
        if failed {
            return None;
        }
        match Message::of(bytes)? {
            Message::Answer(answer) => Some(Arrived::Answer(answer)),
            Message::Order(order, from) => {
                let peer = match self.peers.get(from) {
                    Some(peer) => *peer,
                    None => {
                        // A requester that can't be reached gets no answer, and its operation fails after its limit.
                        let peer = channel.insert(from).ok()?;
                        self.peers.insert(from.into(), peer);
                        peer
                    }
                };
                Some(Arrived::Order(order, peer))
            }
        }
    }

    /// Posts receives and answers that libfabric does not have. Answers older than `limit` are dropped.
    pub(super) fn progress(&mut self, channel: &Channel, limit: Duration) {
        while let Some(number) = self.idle.pop() {
            let bytes = &mut self.receives[number as usize];
            let near = Near { at: bytes.as_mut_ptr().cast(), bytes: bytes.len(), descriptor: std::ptr::null_mut() };
            // SAFETY: **stays**: the buffer is boxed, and is not read before libfabric has reported its end. The
            // channel is closed before the mailbox is dropped.
            if unsafe { channel.receive(near, Context::Receive(number).number()) }.is_err() {
                self.idle.push(number);
                break;
            }
        }
        let mut at = 0;
        while at < self.waiting.len() {
            let number = self.waiting[at];
            match self.post(channel, number) {
                Err(NotPosted::Again) if self.letters[number as usize].since.elapsed() <= limit => {
                    at += 1;
                    continue;
                }
                Ok(()) => {}
                Err(_) => self.free.push(number),
            }
            self.waiting.swap_remove(at);
        }
    }
}
