//! What the host itself posts: puts, gets and atomics of its own, on queue pairs of its own.
//!
//! They go through a registered buffer on the host, a few pieces at a time, and each call waits for its own. Where it
//! can't (its queue has stopped, or the limit has passed), the NIC may yet read and write the buffer: then the buffer
//! stays that queue's for good, and others get a new one.

use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, ErrorKind, HostAmo, Result};
use oxshmem_core::{Fault, FaultStep, Pe, Remote};
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::queue::amo::{Atomic, NicAtomic, Swapped};
use oxshmem_raw::rdma::hca::access;
use oxshmem_raw::rdma::mlx5::{self, BLOCK_BYTES, CqeTail, Key, Segment, ce, cqe, opcode};
use oxshmem_raw::state::nic::Stopped;

use super::nic::{Nic, Registered};
use super::queue::Queue;

/// Bytes that travel at once, and how many of them are on their way.
const PIECE: usize = 256 << 10;
const PIECES: u64 = 4;
/// Polls between two looks at the clock, in which others may run.
const POLLS: u32 = 1 << 8;

/// The host's own queues, by PE, and the buffer that their data goes through.
#[derive(Debug)]
pub(super) struct Poster {
    queues: Vec<Option<HostQueue>>,
    /// `None`: it was left to a queue.
    buffer: Option<Buffer>,
    memory: Memory,
    limit: Option<Duration>,
    nic: Arc<Nic>,
}

/// Memory that data goes through.
#[derive(Debug)]
struct Buffer {
    key: Registered,
    chunk: Chunk,
}

impl Buffer {
    fn new(nic: &Arc<Nic>, memory: &Memory) -> Result<Self> {
        let chunk = Chunk::on_host(memory, PIECE * PIECES as usize)?;
        let (place, bytes, at) = (chunk.place(), chunk.bytes() as u64, chunk.host().unwrap_or(0));
        let key = nic.register("buffer of the host", &place, bytes, at, access::LOCAL_WRITE)?;
        Ok(Self { key, chunk })
    }
}

/// A queue that the host posts to.
#[derive(Debug)]
pub(super) struct HostQueue {
    /// Keeps what the addresses lead to.
    queue: Queue,
    /// What the NIC may still read and write for it. It goes after the queue.
    left: Option<Buffer>,
    pe: Pe,
    places: Addresses,
    qpn: u32,
    depth: u64,
    posted: u64,
    done: u64,
    stopped: Option<Fault>,
}

/// Where the host reaches the parts of a queue.
#[derive(Clone, Copy, Debug)]
struct Addresses {
    sq: u64,
    cqe: u64,
    dbr: u64,
    register: u64,
}

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Put,
    Get,
}

impl Poster {
    /// Without queues yet.
    ///
    /// # Errors
    /// There is no memory, or the NIC can't reach it.
    pub(super) fn new(nic: &Arc<Nic>, memory: &Memory, n_pes: usize, limit: Option<Duration>) -> Result<Self> {
        let buffer = Some(Buffer::new(nic, memory)?);
        let queues = (0..n_pes).map(|_| None).collect();
        Ok(Self { queues, buffer, memory: memory.clone(), limit, nic: nic.clone() })
    }

    /// Takes a connected queue to `pe` over.
    pub(super) fn add(&mut self, pe: Pe, queue: Queue) {
        self.queues[pe.index()] = HostQueue::new(pe, queue);
    }

    /// Writes `from` to heap offset `at` of `pe`, of which `keys` knows the keys. Complete when it returns.
    pub(super) fn put(&mut self, pe: Pe, at: u64, from: &[u8], keys: impl Fn(u64) -> Option<(u32, u64)>) -> Result<()> {
        let fill = |buffer: &Chunk, slot: usize, range: Range<usize>| buffer.write(slot * PIECE, &from[range]);
        self.copy(pe, |run| run.pieces(Way::Put, at, from.len(), keys, fill, |_, _, _| Ok(())))
    }

    /// Reads from heap offset `at` of `pe` into `to`.
    pub(super) fn get(
        &mut self,
        pe: Pe,
        at: u64,
        to: &mut [u8],
        keys: impl Fn(u64) -> Option<(u32, u64)>,
    ) -> Result<()> {
        let bytes = to.len();
        let empty = |buffer: &Chunk, slot: usize, range: Range<usize>| buffer.read(slot * PIECE, &mut to[range]);
        self.copy(pe, |run| run.pieces(Way::Get, at, bytes, keys, |_, _, _| Ok(()), empty))
    }

    /// Does an atomic to a word of a peer; the word as it was.
    pub(super) fn atomic(
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

    /// Does a copy, or what else goes through the buffer, on the queue to `pe`.
    fn copy<T>(&mut self, pe: Pe, copy: impl FnOnce(&mut Run<'_>) -> Result<T>) -> Result<T> {
        let queue = self.queues[pe.index()].as_mut().ok_or_else(|| unreachable(pe))?;
        // Nothing more is posted on a queue that has stopped.
        queue.poll()?;
        let buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => Buffer::new(&self.nic, &self.memory)?,
        };
        let copied = copy(&mut Run { queue, buffer: &buffer, limit: self.limit });
        if copied.is_err() {
            // What is on its way ends first, if it does at all.
            let _ = queue.wait(queue.posted, self.limit);
        }
        match queue.done == queue.posted {
            true => self.buffer = Some(buffer),
            // The queue has stopped, so that this happens once.
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

/// A piece on its way: the index of its work queue entry, its slot, and which bytes it has.
struct Piece {
    index: u64,
    slot: usize,
    range: Range<usize>,
}

/// A copy.
struct Run<'a> {
    queue: &'a mut HostQueue,
    buffer: &'a Buffer,
    limit: Option<Duration>,
}

impl Run<'_> {
    /// Posts a copy piece by piece: `before` a piece is posted, and `after` it is complete.
    fn pieces(
        &mut self,
        way: Way,
        at: u64,
        bytes: usize,
        keys: impl Fn(u64) -> Option<(u32, u64)>,
        before: impl Fn(&Chunk, usize, Range<usize>) -> Result<()>,
        mut after: impl FnMut(&Chunk, usize, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let Buffer { key, chunk } = self.buffer;
        let (lkey, base) = (key.mr.lkey, chunk.host().unwrap_or(0));
        let mut on_the_way = std::collections::VecDeque::<Piece>::new();
        let (mut start, mut slot) = (0, 0);
        while start < bytes || !on_the_way.is_empty() {
            if start < bytes && (on_the_way.len() as u64) < PIECES {
                let here = at + start as u64;
                let (rkey, room) = keys(here).ok_or_else(|| self.not_registered(here))?;
                let end = start + (bytes - start).min(PIECE).min(usize::try_from(room).unwrap_or(usize::MAX));
                before(chunk, slot, start..end)?;
                let local = base + (slot * PIECE) as u64;
                let index = self.queue.post(way, (local, lkey), (here, rkey), (end - start) as u32);
                on_the_way.push_back(Piece { index, slot, range: start..end });
                (start, slot) = (end, (slot + 1) % PIECES as usize);
                continue;
            }
            if let Some(piece) = on_the_way.pop_front() {
                self.queue.wait(piece.index + 1, self.limit)?;
                after(chunk, piece.slot, piece.range)?;
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    fn not_registered(&self, at: u64) -> Error {
        Error::new(ErrorKind::OutOfRange, format!("reach heap offset {at:#x} of {}", self.queue.pe))
            .because("it is not registered")
    }

    /// Does an atomic to some of the 8 bytes at heap offset `whole`, in as many rounds as it takes.
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

impl HostQueue {
    /// A connected queue to `pe`; `None` if it is not on the host.
    pub(super) fn new(pe: Pe, queue: Queue) -> Option<Self> {
        let places = queue.host_places()?;
        let places = Addresses { sq: places.sq, cqe: places.cqe, dbr: places.dbr, register: queue.register() };
        let (qpn, depth) = (queue.qpn(), queue.depth().into());
        Some(Self { queue, left: None, pe, places, qpn, depth, posted: 0, done: 0, stopped: None })
    }

    /// The queue itself.
    pub(super) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Gives the queue back.
    pub(super) fn into_queue(self) -> Queue {
        self.queue
    }

    /// Posts one operation and rings for it; its index. There is room: far fewer are on their way than there are blocks.
    fn post(&mut self, way: Way, (local, lkey): (u64, u32), (remote, rkey): (u64, u32), bytes: u32) -> u64 {
        let index = self.posted;
        let code = match way {
            Way::Put => opcode::RDMA_WRITE,
            Way::Get => opcode::RDMA_READ,
        };
        self.write(&[
            mlx5::ctrl(0, code, index, self.qpn, 3, ce::ALWAYS),
            mlx5::raddr(remote, Key::new(rkey)),
            mlx5::data(bytes, Key::new(lkey), local),
        ]);
        self.ring();
        index
    }

    /// Posts an atomic on 8 bytes, and rings for it; its index. What was there before comes to `local`.
    fn post_atomic(&mut self, op: NicAtomic, (local, lkey): (u64, u32), (remote, rkey): (u64, u32)) -> u64 {
        let index = self.posted;
        let (code, operands) = match op {
            NicAtomic::CompareSwap { compare, swap } => (opcode::ATOMIC_CS, mlx5::compare_swap(compare, swap)),
            NicAtomic::FetchAdd { add } => (opcode::ATOMIC_FA, mlx5::fetch_add(add)),
        };
        self.write(&[
            mlx5::ctrl(0, code, index, self.qpn, 4, ce::ALWAYS),
            mlx5::raddr(remote, Key::new(rkey)),
            operands,
            mlx5::data(8, Key::new(lkey), local),
        ]);
        self.ring();
        index
    }

    /// Writes an entry into the blocks behind the last one. There is room for it.
    pub(super) fn write(&mut self, segments: &[Segment]) {
        const SEGMENTS: usize = BLOCK_BYTES / size_of::<Segment>();
        for (block, segments) in (self.posted..).zip(segments.chunks(SEGMENTS)) {
            let block = self.places.sq + (block & (self.depth - 1)) * BLOCK_BYTES as u64;
            for (word, value) in segments.iter().flat_map(|&Segment(first, second)| [first, second]).enumerate() {
                word_at(block + 8 * word as u64).store(value, Ordering::Relaxed);
            }
        }
        self.posted += segments.len().div_ceil(SEGMENTS) as u64;
    }

    /// Tells the NIC of all that was written.
    pub(super) fn ring(&self) {
        // The NIC reads the block after it has read the record, and the record after it was rung.
        fence(Ordering::SeqCst);
        half_at(self.places.dbr).store(mlx5::send_dbr(self.posted), Ordering::Release);
        fence(Ordering::SeqCst);
        word_at(self.places.register).store(mlx5::doorbell(self.posted, self.qpn), Ordering::Release);
    }

    /// Waits until everything before `index` is complete.
    pub(super) fn wait(&mut self, index: u64, limit: Option<Duration>) -> Result<()> {
        let since = Instant::now();
        let mut polls = 0u32;
        loop {
            self.poll()?;
            if self.done >= index {
                return Ok(());
            }
            polls = polls.wrapping_add(1);
            if !polls.is_multiple_of(POLLS) {
                std::hint::spin_loop();
                continue;
            }
            if limit.is_some_and(|limit| since.elapsed() > limit) {
                let mut fault = Fault::new(FaultStep::Queue);
                (fault.pe, fault.asked, fault.seen) = (self.pe.number(), index, self.done);
                // What comes later would wait for this too.
                self.stopped = Some(fault);
                return Err(Error::from_fault(format!("copy to or from {}", self.pe), fault));
            }
            std::thread::yield_now();
        }
    }

    /// Looks at the completion.
    fn poll(&mut self) -> Result<()> {
        if self.stopped.is_none() {
            let tail = self.tail();
            match tail.opcode() {
                cqe::REQ => self.done = mlx5::done_after(self.done, tail.wqe_counter()).min(self.posted),
                cqe::REQ_ERR | cqe::RESP_ERR => self.stopped = Some(self.failed(tail)),
                _ => {}
            }
        }
        match self.stopped {
            Some(fault) => Err(Error::from_fault(format!("copy to or from {}", self.pe), fault)),
            None => Ok(()),
        }
    }

    /// The last word of the completion.
    pub(super) fn tail(&self) -> CqeTail {
        CqeTail(half_at(self.places.cqe + cqe::TAIL_OFFSET as u64).load(Ordering::Acquire))
    }

    /// The fault of an error completion.
    fn failed(&self, tail: CqeTail) -> Fault {
        let [_, _, vendor, syndrome] =
            half_at(self.places.cqe + cqe::ERROR_OFFSET as u64).load(Ordering::Relaxed).to_ne_bytes();
        let [opcode, ..] = half_at(self.places.cqe + cqe::QPN_OFFSET as u64).load(Ordering::Relaxed).to_ne_bytes();
        let index = mlx5::done_after(self.done, tail.wqe_counter()).wrapping_sub(1);
        let mut fault = super::stopped_fault(Stopped { index, opcode, syndrome, vendor });
        fault.pe = self.pe.number();
        fault
    }
}

/// A word of 8 bytes of a queue's memory, or a register.
pub(super) fn word_at<'a>(at: u64) -> &'a AtomicU64 {
    // SAFETY: the addresses are those of a queue's own memory and register, aligned, and live with the queue, which
    // outlasts this call; all access is atomic.
    unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(at as usize)) }
}

/// A word of 4 bytes of a queue's memory.
fn half_at<'a>(at: u64) -> &'a AtomicU32 {
    // SAFETY: as for `word_at`.
    unsafe { AtomicU32::from_ptr(with_exposed_provenance_mut(at as usize)) }
}
