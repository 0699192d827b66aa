//! The host's own operations: puts, gets and atomics, on queue pairs of its own.
//!
//! Data passes through a bounce buffer on the host, a few pieces at a time, and each call waits for its own pieces. If
//! it can't, because its queue has stopped or the limit has passed, the NIC may still read and write the buffer. The
//! buffer then stays with that queue for good, and other queues get a new one.

mod send_queue;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, ErrorKind, HostAmo, Result};
use oxshmem_core::{Pe, Remote};
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::queue::amo::{Atomic, Swapped};
use oxshmem_raw::queue::host::Row;
use oxshmem_rdma::hca::access;

use super::queue_pair::QueuePair;
use super::setup::Setup;
use super::setup::nic::{Nic, Registration};
use send_queue::Direction;
pub use send_queue::HostSendQueue;

/// Bytes of a piece, and the number of pieces in flight.
const PIECE: usize = 256 << 10;
const PIECES: u64 = 4;

/// The host's own queues, by PE, and the bounce buffer for their data.
#[derive(Debug)]
pub(in crate::host) struct HostOps {
    queues: Vec<Option<HostSendQueue>>,
    /// `None` after it was left to a queue.
    buffer: Option<BounceBuffer>,
    memory: Memory,
    limit: Option<Duration>,
    nic: Arc<Nic>,
}

/// Registered memory through which data passes.
#[derive(Debug)]
struct BounceBuffer {
    key: Registration,
    chunk: Chunk,
}

impl BounceBuffer {
    fn new(nic: &Arc<Nic>, memory: &Memory) -> Result<Self> {
        let chunk = Chunk::on_host(memory, PIECE * PIECES as usize)?;
        let (address, bytes, at) = (chunk.address(), chunk.bytes() as u64, chunk.host().unwrap_or(0));
        let key = nic.register("buffer of the host", &address, bytes, at, access::LOCAL_WRITE)?;
        Ok(Self { key, chunk })
    }
}

impl HostOps {
    /// Makes the bounce buffer. There are no queues yet.
    ///
    /// # Errors
    /// There is no memory, or the NIC can't reach it.
    pub(in crate::host) fn new(setup: &Setup) -> Result<Self> {
        let (nic, memory) = (setup.nics[0].clone(), setup.memory.clone());
        let buffer = Some(BounceBuffer::new(&nic, &memory)?);
        let queues = setup.remote.iter().map(|_| None).collect();
        Ok(Self { queues, buffer, memory, limit: setup.config.wait_limit, nic })
    }

    /// Takes a row of connected queue pairs over, if there is one.
    pub(in crate::host) fn take(&mut self, row: Option<Row<QueuePair>>) {
        for (pe, queue) in (0..).map(Pe::new).zip(row.into_iter().flatten()) {
            if let Some(queue) = queue {
                self.queues[pe.index()] = HostSendQueue::new(pe, queue);
            }
        }
    }

    /// Writes `from` to heap offset `at` of `pe`. Complete when it returns. `keys` returns the key of an offset and the
    /// number of bytes that it covers.
    pub(in crate::host) fn put(
        &mut self,
        pe: Pe,
        at: u64,
        from: &[u8],
        keys: impl Fn(u64) -> Option<(u32, u64)>,
    ) -> Result<()> {
        let fill = |buffer: &Chunk, slot: usize, range: Range<usize>| buffer.write(slot * PIECE, &from[range]);
        self.copy(pe, |run| run.pieces(Direction::Put, at, from.len(), keys, fill, |_, _, _| Ok(())))
    }

    /// Reads from heap offset `at` of `pe` into `to`. `keys` is as for [`put`](Self::put).
    pub(in crate::host) fn get(
        &mut self,
        pe: Pe,
        at: u64,
        to: &mut [u8],
        keys: impl Fn(u64) -> Option<(u32, u64)>,
    ) -> Result<()> {
        let bytes = to.len();
        let empty = |buffer: &Chunk, slot: usize, range: Range<usize>| buffer.read(slot * PIECE, &mut to[range]);
        self.copy(pe, |run| run.pieces(Direction::Get, at, bytes, keys, |_, _, _| Ok(()), empty))
    }

    /// Does an atomic to a word of a peer and returns the word's old bits. `keys` is as for [`put`](Self::put).
    pub(in crate::host) fn atomic(
        &mut self,
        at: Remote,
        what: HostAmo,
        keys: impl Fn(u64) -> Option<(u32, u64)>,
    ) -> Result<u64> {
        let (HostAmo { op, of, operand, compare }, offset) = (what, at.at.offset());
        let atomic = Atomic::new(op, of, offset, operand, compare).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("do an atomic at heap offset {offset:#x} of {}", at.pe))
                .because("the offset is not a multiple of the word's size")
        })?;
        self.copy(at.pe, |run| run.atomic(atomic, offset & !7, keys))
    }

    /// Runs an operation that uses the bounce buffer, on the queue to `pe`.
    fn copy<T>(&mut self, pe: Pe, copy: impl FnOnce(&mut HostOp<'_>) -> Result<T>) -> Result<T> {
        let queue = self.queues[pe.index()].as_mut().ok_or_else(|| unreachable(pe))?;
        // Nothing more is posted on a queue that has stopped.
        queue.poll()?;
        let buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => BounceBuffer::new(&self.nic, &self.memory)?,
        };
        let copied = copy(&mut HostOp { queue, buffer: &buffer, limit: self.limit });
        if copied.is_err() {
            // Pieces in flight end first, if they end at all.
            let _ = queue.wait(queue.posted, self.limit);
        }
        match queue.done == queue.posted {
            true => self.buffer = Some(buffer),
            // The queue has stopped, so that this happens at most once a queue.
            false => queue.left = Some(buffer),
        }
        copied
    }
}

fn unreachable(pe: Pe) -> Error {
    Error::new(ErrorKind::Unreachable, format!("reach {pe} by the NIC"))
        .because("there is no queue pair of the host to it")
        .about(pe)
}

/// A piece in flight: the index of its work queue entry, its slot in the buffer, and its range of the data.
struct InFlightPiece {
    index: u64,
    slot: usize,
    range: Range<usize>,
}

/// An operation in progress.
struct HostOp<'a> {
    queue: &'a mut HostSendQueue,
    buffer: &'a BounceBuffer,
    limit: Option<Duration>,
}

impl HostOp<'_> {
    /// Copies piece by piece. `before` is called before a piece is posted, and `after` once it is complete.
    fn pieces(
        &mut self,
        direction: Direction,
        at: u64,
        bytes: usize,
        keys: impl Fn(u64) -> Option<(u32, u64)>,
        before: impl Fn(&Chunk, usize, Range<usize>) -> Result<()>,
        mut after: impl FnMut(&Chunk, usize, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let BounceBuffer { key, chunk } = self.buffer;
        let (lkey, base) = (key.mr.lkey, chunk.host().unwrap_or(0));
        let mut in_flight = std::collections::VecDeque::<InFlightPiece>::new();
        let (mut start, mut slot) = (0, 0);
        while start < bytes || !in_flight.is_empty() {
            if start < bytes && (in_flight.len() as u64) < PIECES {
                let here = at + start as u64;
                let (rkey, room) = keys(here).ok_or_else(|| self.not_registered(here))?;
                let end = start + (bytes - start).min(PIECE).min(usize::try_from(room).unwrap_or(usize::MAX));
                before(chunk, slot, start..end)?;
                let local = base + (slot * PIECE) as u64;
                let index = self.queue.post(direction, (local, lkey), (here, rkey), (end - start) as u32);
                in_flight.push_back(InFlightPiece { index, slot, range: start..end });
                (start, slot) = (end, (slot + 1) % PIECES as usize);
                continue;
            }
            if let Some(piece) = in_flight.pop_front() {
                self.queue.wait(piece.index + 1, self.limit)?;
                after(chunk, piece.slot, piece.range)?;
            }
        }
        Ok(())
    }
}

impl HostOp<'_> {
    fn not_registered(&self, at: u64) -> Error {
        Error::new(ErrorKind::OutOfRange, format!("reach heap offset {at:#x} of {}", self.queue.pe))
            .because("it is not registered")
    }

    /// Does an atomic to some of the 8 bytes at heap offset `whole`, in as many rounds of compare-and-swap as it takes.
    fn atomic(&mut self, atomic: Atomic, whole: u64, keys: impl Fn(u64) -> Option<(u32, u64)>) -> Result<u64> {
        let (rkey, _) = keys(whole).ok_or_else(|| self.not_registered(whole))?;
        let (lkey, base) = (self.buffer.key.mr.lkey, self.buffer.chunk.host().unwrap_or(0));
        let (since, mut guess) = (Instant::now(), atomic.guess(0));
        loop {
            let once = atomic.once();
            let index = self.queue.post_atomic(once.unwrap_or_else(|| atomic.swap(guess)), (base, lkey), (whole, rkey));
            self.queue.wait(index + 1, self.limit)?;
            let mut found = [0; 8];
            self.buffer.chunk.read(0, &mut found)?;
            let found = u64::from_ne_bytes(found);
            if once.is_some() {
                return Ok(atomic.word(found));
            }
            match atomic.swapped(guess, found) {
                Swapped::Done(word) => return Ok(word),
                Swapped::Again if self.limit.is_some_and(|limit| since.elapsed() > limit) => {
                    let action = format!("do an atomic at heap offset {whole:#x} of {}", self.queue.pe);
                    return Err(Error::new(ErrorKind::Timeout, action)
                        .because("others changed the 8 bytes ahead of each try within the world's limit")
                        .about(self.queue.pe));
                }
                Swapped::Again => guess = atomic.guess(found),
            }
        }
    }
}
