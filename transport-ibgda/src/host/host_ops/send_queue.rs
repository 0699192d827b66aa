//! A send queue to which the host itself posts.

use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, Result};
use oxshmem_core::{Fault, FaultStep, Pe};
use oxshmem_raw::queue::amo::NicAtomic;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_rdma::mlx5::{self, BLOCK_BYTES, CqeTail, Key, Segment, ce, cqe, opcode};

use super::BounceBuffer;
use crate::host::queue_pair::QueuePair;

/// The number of polls between two checks of the clock, at which the thread also yields.
const POLLS: u32 = 1 << 8;

/// A queue pair to which the host posts.
#[derive(Debug)]
pub struct HostSendQueue {
    /// Owns the memory at the addresses.
    queue: QueuePair,
    /// The bounce buffer that the NIC may still access for this queue. It is dropped after the queue pair.
    pub(super) left: Option<BounceBuffer>,
    pub(super) pe: Pe,
    at: HostAddresses,
    qpn: u32,
    depth: u64,
    pub(super) posted: u64,
    pub(super) done: u64,
    stopped: Option<Fault>,
}

/// The host's addresses of the parts of the queue pair.
#[derive(Clone, Copy, Debug)]
struct HostAddresses {
    sq: u64,
    cqe: u64,
    dbr: u64,
}

/// The direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Put,
    Get,
}

impl HostSendQueue {
    /// Returns a word of 8 bytes of the queue's memory.
    fn word(&self, at: u64) -> &AtomicU64 {
        // SAFETY: all callers pass aligned addresses within the send queue or the completion; their memory is on the
        // host, kept by `self.queue`, and accessed by atomics only.
        unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(at as usize)) }
    }

    /// Returns a word of 4 bytes of the queue's memory.
    fn half(&self, at: u64) -> &AtomicU32 {
        // SAFETY: all callers pass aligned addresses within the completion or the doorbell record; their memory is on
        // the host, kept by `self.queue`, and accessed by atomics only.
        unsafe { AtomicU32::from_ptr(with_exposed_provenance_mut(at as usize)) }
    }

    /// Takes a connected queue pair to `pe`; `None` if its memory is not on the host.
    pub fn new(pe: Pe, queue: QueuePair) -> Option<Self> {
        let at = queue.host_addresses()?;
        let at = HostAddresses { sq: at.sq, cqe: at.cqe, dbr: at.dbr };
        let (qpn, depth) = (queue.qpn(), queue.depth().into());
        Some(Self { queue, left: None, pe, at, qpn, depth, posted: 0, done: 0, stopped: None })
    }

    /// Returns the queue pair.
    pub fn queue(&self) -> &QueuePair {
        &self.queue
    }

    /// Returns the queue pair.
    pub fn into_queue(self) -> QueuePair {
        self.queue
    }

    /// Posts one operation, rings for it, and returns its index. There is room, since far fewer operations are in
    /// flight than the queue has blocks.
    pub(super) fn post(
        &mut self,
        direction: Direction,
        (local, lkey): (u64, u32),
        (remote, rkey): (u64, u32),
        bytes: u32,
    ) -> u64 {
        let index = self.posted;
        let code = match direction {
            Direction::Put => opcode::RDMA_WRITE,
            Direction::Get => opcode::RDMA_READ,
        };
        self.write(&[
            mlx5::ctrl(0, code, index, self.qpn, 3, ce::ALWAYS),
            mlx5::raddr(remote, Key::new(rkey)),
            mlx5::data(bytes, Key::new(lkey), local),
        ]);
        self.ring();
        index
    }

    /// Posts an atomic on 8 bytes, rings for it, and returns its index. The NIC writes the previous value to `local`.
    pub(super) fn post_atomic(&mut self, op: NicAtomic, (local, lkey): (u64, u32), (remote, rkey): (u64, u32)) -> u64 {
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

    /// Writes an entry into the blocks after the last one. There is room for it.
    pub fn write(&mut self, segments: &[Segment]) {
        const SEGMENTS: usize = BLOCK_BYTES / size_of::<Segment>();
        for (block, segments) in (self.posted..).zip(segments.chunks(SEGMENTS)) {
            let block = self.at.sq + (block & (self.depth - 1)) * BLOCK_BYTES as u64;
            for (word, value) in segments.iter().flat_map(|&Segment(first, second)| [first, second]).enumerate() {
                self.word(block + 8 * word as u64).store(value, Ordering::Relaxed);
            }
        }
        self.posted += segments.len().div_ceil(SEGMENTS) as u64;
    }

    /// Rings the NIC for all entries that were written.
    pub fn ring(&self) {
        // When rung, the NIC reads the doorbell record, and then the blocks that it announces.
        fence(Ordering::SeqCst);
        self.half(self.at.dbr).store(mlx5::send_dbr(self.posted), Ordering::Release);
        fence(Ordering::SeqCst);
        self.queue.ring(mlx5::doorbell(self.posted, self.qpn));
    }

    /// Waits until all entries before `index` are complete.
    pub fn wait(&mut self, index: u64, limit: Option<Duration>) -> Result<()> {
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
                // Later operations would wait for this one too.
                self.stopped = Some(fault);
                return Err(Error::from_fault(format!("copy to or from {}", self.pe), fault));
            }
            std::thread::yield_now();
        }
    }

    /// Reads the completion.
    pub(super) fn poll(&mut self) -> Result<()> {
        if self.stopped.is_none() {
            let tail = self.tail();
            match tail.opcode() {
                cqe::REQ => self.done = mlx5::done_after(self.done, tail.wqe_counter()).min(self.posted),
                cqe::REQ_ERR | cqe::RESP_ERR => self.stopped = Some(self.failed()),
                _ => {}
            }
        }
        match self.stopped {
            Some(fault) => Err(Error::from_fault(format!("copy to or from {}", self.pe), fault)),
            None => Ok(()),
        }
    }

    /// Returns the last word of the completion.
    pub fn tail(&self) -> CqeTail {
        CqeTail(self.half(self.at.cqe + cqe::TAIL_OFFSET as u64).load(Ordering::Acquire))
    }

    /// Returns the fault of an error completion. Index and opcode are read in one word and before the syndrome, since
    /// the flush of a later entry may overwrite all of them at any time: the cause is never reported of another entry.
    fn failed(&self) -> Fault {
        let word = self.word(self.at.cqe + cqe::QPN_OFFSET as u64).load(Ordering::Acquire);
        let [opcode, _, _, _, tail @ ..] = word.to_ne_bytes();
        let [_, _, vendor, syndrome] =
            self.half(self.at.cqe + cqe::ERROR_OFFSET as u64).load(Ordering::Relaxed).to_ne_bytes();
        let index = mlx5::done_after(self.done, CqeTail(u32::from_ne_bytes(tail)).wqe_counter()).wrapping_sub(1);
        let mut fault = crate::host::stopped_fault(Stopped { index, opcode, syndrome, vendor });
        fault.pe = self.pe.number();
        fault
    }
}
