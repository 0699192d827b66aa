//! A queue to which the test posts, with checks of its completions.

use std::collections::VecDeque;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_rdma::mlx5::{self, BLOCK_BYTES, CqeTail, Segment, ce, cqe, opcode};
use oxshmem_transport_ibgda::host::for_tests::{HostSendQueue, QueueAddresses, QueuePair};

use crate::report::{Fine, wrong};

/// The longest time for any operation.
pub(super) const LIMIT: Duration = Duration::from_secs(10);
const SEGMENTS: usize = BLOCK_BYTES / size_of::<Segment>();

const NO_COMPLETION: &str = "doorbells don't arrive or the NIC can't reach the queue's memory: `dmesg` for errors of \
                             mlx5_core and the IOMMU; compare with the line of the verbs queue pair";
const WRONG_COUNTER: &str = "waiters would go on too early or never: don't use this NIC, and report its firmware";

/// A connected queue, its indices, and its entries that request a completion.
#[derive(Debug)]
pub(super) struct TestPoster {
    by: PostBy,
    qpn: u32,
    depth: u64,
    posted: u64,
    done: u64,
    asked: VecDeque<u64>,
}

/// How the host accesses the queue.
#[derive(Debug)]
enum PostBy {
    /// As the transport's host half does.
    Direct(HostSendQueue),
    /// By copies: for memory of a GPU or of another library.
    Copies { queue: QueuePair, memory: Memory, addresses: QueueAddresses },
}

impl TestPoster {
    /// Posts to `queue` as the transport's host half does.
    pub(super) fn direct(queue: QueuePair) -> Result<Self> {
        let (qpn, depth) = (queue.qpn(), queue.depth().into());
        let queue = HostSendQueue::new(Pe::new(0), queue).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "post to a queue from the host").because("it is not on the host")
        })?;
        Ok(Self { by: PostBy::Direct(queue), qpn, depth, posted: 0, done: 0, asked: VecDeque::new() })
    }

    /// Posts to `queue`, which is in `memory`, by copies.
    pub(super) fn by_copies(queue: QueuePair, memory: &Memory) -> Self {
        let (qpn, depth, addresses) = (queue.qpn(), queue.depth().into(), queue.addresses());
        let by = PostBy::Copies { queue, memory: memory.clone(), addresses };
        Self { by, qpn, depth, posted: 0, done: 0, asked: VecDeque::new() }
    }

    pub(super) fn queue(&self) -> &QueuePair {
        match &self.by {
            PostBy::Direct(queue) => queue.queue(),
            PostBy::Copies { queue, .. } => queue,
        }
    }

    pub(super) fn into_queue(self) -> QueuePair {
        match self.by {
            PostBy::Direct(queue) => queue.into_queue(),
            PostBy::Copies { queue, .. } => queue,
        }
    }

    pub(super) fn depth(&self) -> u64 {
        self.depth
    }

    /// Returns the index after the last entry.
    pub(super) fn posted(&self) -> u64 {
        self.posted
    }

    /// Writes an entry without ringing. `asks`: it requests a completion. Like kernels, this adds an empty entry that
    /// requests it in place of an entry of several blocks.
    pub(super) fn entry(&mut self, opmod: u8, code: u8, rest: &[Segment], asks: bool) -> Result<()> {
        let blocks = (1 + rest.len()).div_ceil(SEGMENTS);
        self.put(opmod, code, rest, asks && blocks == 1)?;
        if asks && blocks > 1 { self.put(0, opcode::NOP, &[], true) } else { Ok(()) }
    }

    fn put(&mut self, opmod: u8, code: u8, rest: &[Segment], asks: bool) -> Result<()> {
        let when = if asks { ce::ALWAYS } else { ce::ON_ERROR };
        let mut segments = vec![mlx5::ctrl(opmod, code, self.posted, self.qpn, 1 + rest.len() as u8, when)];
        segments.extend(rest);
        match &mut self.by {
            PostBy::Direct(queue) => queue.write(&segments),
            PostBy::Copies { memory, addresses, .. } => {
                for (block, segments) in (self.posted..).zip(segments.chunks(SEGMENTS)) {
                    let at = addresses.sq + (block & (self.depth - 1)) * BLOCK_BYTES as u64;
                    let words = segments.iter().flat_map(|&Segment(first, second)| [first, second]);
                    let bytes: Vec<u8> = words.flat_map(u64::to_ne_bytes).collect();
                    // SAFETY: **mapped**: `at` is a block of the send queue in `memory`, which `queue` keeps.
                    unsafe { memory.write(at, &bytes) }?;
                }
            }
        }
        if asks {
            self.asked.push_back(self.posted);
        }
        self.posted += segments.len().div_ceil(SEGMENTS) as u64;
        Ok(())
    }

    /// Rings the NIC for all entries.
    pub(super) fn ring(&mut self) -> Result<()> {
        match &self.by {
            PostBy::Direct(queue) => queue.ring(),
            PostBy::Copies { queue, memory, addresses } => {
                fence(Ordering::SeqCst);
                // SAFETY: **mapped**: the send queue's word of the doorbell record is in `memory`, which `queue` keeps.
                unsafe { memory.write(addresses.dbr, &mlx5::send_dbr(self.posted).to_ne_bytes()) }?;
                fence(Ordering::SeqCst);
                queue.ring(mlx5::doorbell(self.posted, self.qpn));
            }
        }
        Ok(())
    }

    /// Posts one entry that requests a completion, and waits for it.
    pub(super) fn execute(&mut self, opmod: u8, code: u8, rest: &[Segment]) -> Fine<()> {
        self.entry(opmod, code, rest, true)?;
        self.ring()?;
        self.finish()
    }

    /// Waits until all entries are complete; the last one requests a completion.
    ///
    /// # Errors
    /// There is no completion in time, it is an error, or it names an entry that is not in flight or requested none.
    pub(super) fn finish(&mut self) -> Fine<()> {
        self.finish_to(self.posted)
    }

    /// Waits until all entries before `index` are complete.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub(super) fn finish_to(&mut self, index: u64) -> Fine<()> {
        let since = Instant::now();
        loop {
            let before = self.done;
            self.look()?;
            if self.done >= index {
                break;
            }
            if self.done == before {
                self.pause(since)?;
            }
        }
        if let PostBy::Direct(queue) = &mut self.by {
            // The transport's own code must see the same.
            queue.wait(index, Some(LIMIT))?;
        }
        Ok(())
    }

    fn pause(&self, since: Instant) -> Fine<()> {
        if since.elapsed() > LIMIT {
            return Err(wrong(
                format!("queue pair {:#x}, completion of entry {}", self.qpn, self.posted.saturating_sub(1)),
                format!("within {LIMIT:?}"),
                format!("none; what is before entry {} is complete", self.done),
                NO_COMPLETION,
            ));
        }
        std::thread::yield_now();
        Ok(())
    }

    /// Reads the completion once.
    ///
    /// # Errors
    /// As [`finish`](Self::finish), except for the time.
    pub(super) fn look(&mut self) -> Fine<()> {
        let tail = self.tail()?;
        match tail.opcode() {
            cqe::INVALID => Ok(()),
            cqe::REQ => self.take(tail.wqe_counter()),
            cqe::REQ_ERR | cqe::RESP_ERR => {
                let stopped = self.stopped(tail)?;
                Err(wrong(
                    format!("queue pair {:#x}, entry {}", self.qpn, stopped.index),
                    "success",
                    in_words(&stopped),
                    advice(stopped.syndrome),
                ))
            }
            other => Err(wrong(
                format!("queue pair {:#x}, opcode of the completion", self.qpn),
                "0x0 (requester) or 0xd (error)",
                format!("{other:#x}"),
                "the completion queue has another form than asked for: report the NIC's firmware",
            )),
        }
    }

    /// Takes a completion's 16 bits of an index as kernels do.
    fn take(&mut self, counter: u16) -> Fine<()> {
        let done = mlx5::done_after(self.done, counter);
        let on_the_way = self.asked.iter().position(|&index| index + 1 == done);
        let is_of_before = done == self.done && counter.wrapping_add(1) == done as u16;
        match on_the_way {
            Some(place) => {
                self.asked.drain(..=place);
                self.done = done;
                Ok(())
            }
            None if is_of_before => Ok(()),
            None => {
                let asked: Vec<String> =
                    self.asked.iter().take(4).map(|index| format!("{:#06x}", *index as u16)).collect();
                Err(wrong(
                    format!("queue pair {:#x}, counter of the completion behind entry {}", self.qpn, self.done),
                    format!("one of the entries that asked for it: {} ...", asked.join(", ")),
                    format!("{counter:#06x}"),
                    WRONG_COUNTER,
                ))
            }
        }
    }

    /// Waits for an error completion.
    ///
    /// # Errors
    /// There is none in time, or the entry completes without an error.
    pub(super) fn error(&mut self, what: &str) -> Fine<Stopped> {
        let since = Instant::now();
        loop {
            let tail = self.tail()?;
            match tail.opcode() {
                cqe::REQ_ERR | cqe::RESP_ERR => return Ok(self.stopped(tail)?),
                cqe::REQ => {
                    let before = self.done;
                    self.take(tail.wqe_counter())?;
                    if self.done != before && self.done == self.posted {
                        let todo = "keys and bounds are not checked: don't use this NIC, and report its firmware";
                        return Err(wrong(what, "an error completion", "success", todo));
                    }
                }
                _ => {}
            }
            self.pause(since)?;
        }
    }

    fn tail(&self) -> Result<CqeTail> {
        match &self.by {
            PostBy::Direct(queue) => Ok(queue.tail()),
            PostBy::Copies { memory, addresses, .. } => {
                let mut word = [0; 4];
                // SAFETY: **mapped**: the completion's last word is in `memory`, which `queue` keeps.
                unsafe { memory.read(&mut word, addresses.cqe + cqe::TAIL_OFFSET as u64) }?;
                fence(Ordering::Acquire);
                Ok(CqeTail(u32::from_ne_bytes(word)))
            }
        }
    }

    /// Decodes an error completion.
    fn stopped(&self, tail: CqeTail) -> Result<Stopped> {
        let (memory, at) = match &self.by {
            PostBy::Direct(queue) => (&Memory::Host, queue.queue().addresses().cqe),
            PostBy::Copies { memory, addresses, .. } => (memory, addresses.cqe),
        };
        let mut entry = [0; BLOCK_BYTES];
        // SAFETY: **mapped**: the completion is in `memory`, which the queue keeps.
        unsafe { memory.read(&mut entry, at) }?;
        // A flush may have overwritten the entry of `tail`: all fields are taken from one entry, the one that was read.
        let now = entry[cqe::TAIL_OFFSET..].first_chunk().map_or(tail, |word| CqeTail(u32::from_ne_bytes(*word)));
        let index = mlx5::done_after(self.done, now.wqe_counter()).wrapping_sub(1);
        let (opcode, vendor) = (entry[cqe::QPN_OFFSET], entry[cqe::ERROR_OFFSET + 2]);
        Ok(Stopped { index, opcode, syndrome: entry[cqe::ERROR_OFFSET + 3], vendor })
    }
}

/// Describes an error completion.
pub(super) fn in_words(stopped: &Stopped) -> String {
    let Stopped { opcode, syndrome, vendor, .. } = stopped;
    let words = cqe::syndrome_words(*syndrome);
    format!("{words} (syndrome {syndrome:#04x}, the vendor's {vendor:#04x}) of opcode {opcode:#04x}")
}

/// Returns the advice for a syndrome.
fn advice(syndrome: u8) -> &'static str {
    use cqe::syndrome::*;
    match syndrome {
        LOCAL_LENGTH | LOCAL_QP_OPERATION => "the NIC takes this entry for malformed: report its model and firmware",
        LOCAL_PROTECTION | LOCAL_ACCESS => {
            "the NIC can't reach registered memory: `dmesg`, IOMMU, and for a GPU's peermem"
        }
        REMOTE_ACCESS => "the NIC refuses a key or right that it gave: compare QUERY_QP's line (rwe, rre, rae)",
        REMOTE_INVALID_REQUEST => {
            "the responder refuses this operation: compare QUERY_QP's line (atomic_mode, log_rra_max)"
        }
        RETRIES_EXCEEDED => {
            "packets don't come back to this port: check its GID or LID, for RoCE also PFC/ECN, MTU and firewalls"
        }
        FLUSHED => {
            "a later completion overwrote the first error: compare with the line of the verbs queue pair, which keeps it, or test \
             again"
        }
        NOT_READY_RETRIES_EXCEEDED => "the responder had nothing to receive into, which no operation here needs",
        _ => "report the NIC's model and firmware with this line",
    }
}
