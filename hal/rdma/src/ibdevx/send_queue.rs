//! A send queue: a ring of basic blocks that the NIC reads, and its doorbell record.
//!
//! 1. [`SendQueue::add`] writes the entry of a work request, if there is room.
//! 2. [`SendQueue::ring`] announces all new entries: the record, then the register.
//! 3. [`SendQueue::complete`] takes the counter of a completion and frees all blocks up to its entry.
//!
//! Indices count blocks, have 64 bits and never wrap; the NIC has their low 16 bits.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use super::doorbell::PostingRegister;
use super::entry::{Entry, Masked, SEGMENTS_OF_BLOCK};
use super::memory::Ring;
use super::regions::Regions;
use crate::fabric::{PostErrorKind, WorkRequest};
use crate::mlx5;

/// The send queue's word of the doorbell record.
const SEND_WORD: usize = 1;

/// An entry that was posted.
#[derive(Clone, Copy, Debug, Default)]
struct Posted {
    /// The work request's number.
    id: u64,
    /// The number of blocks; 0 if no entry begins at this block.
    blocks: u64,
}

/// A result of 4 bytes that the NIC writes big-endian.
#[derive(Clone, Copy, Debug)]
struct ShortResult {
    /// The first block of its entry.
    index: u64,
    key: u32,
    address: u64,
}

/// A send queue.
#[derive(Debug)]
pub(super) struct SendQueue {
    blocks: Ring,
    qpn: u32,
    masked: Masked,
    /// The block after the last entry; the same when the doorbell was rung last; the first block that is not complete.
    next: u64,
    rung: u64,
    done: u64,
    /// By block.
    posted: Box<[Posted]>,
    short_results: VecDeque<ShortResult>,
    /// Whether an entry failed, after which no entry takes effect.
    has_failed: bool,
}

impl SendQueue {
    /// Returns the empty queue of queue pair `qpn`, in these blocks.
    pub(super) fn new(blocks: Ring, qpn: u32, masked: Masked) -> Self {
        let posted = vec![Posted::default(); blocks.units() as usize].into_boxed_slice();
        Self {
            blocks,
            qpn,
            masked,
            next: 0,
            rung: 0,
            done: 0,
            posted,
            short_results: VecDeque::new(),
            has_failed: false,
        }
    }

    /// Writes the entry of a work request. The NIC sees it when the queue is [rung](Self::ring).
    ///
    /// # Errors
    /// `Full`: there is no room until earlier entries complete. `Failed`: the request is malformed.
    #[inline]
    pub(super) fn add(&mut self, wr: &WorkRequest, regions: &Regions) -> Result<(), PostErrorKind> {
        let Some(entry) = Entry::new(wr, self.next, self.qpn, self.masked) else { return Err(PostErrorKind::Failed) };
        let blocks = entry.blocks();
        if self.next + blocks - self.done > self.blocks.units() {
            return Err(PostErrorKind::Full);
        }
        if let Some((key, address)) = entry.short_result {
            if !regions.has(key, address) {
                return Err(PostErrorKind::Failed);
            }
            self.short_results.push_back(ShortResult { index: self.next, key, address });
        }
        for (number, segments) in entry.segments().chunks(SEGMENTS_OF_BLOCK).enumerate() {
            let block = self.blocks.block(self.next + number as u64);
            for (words, segment) in block.chunks_exact(2).zip(segments) {
                words[0].store(segment.0, Ordering::Relaxed);
                words[1].store(segment.1, Ordering::Relaxed);
            }
        }
        let place = self.place(self.next);
        self.posted[place] = Posted { id: wr.id, blocks };
        self.next += blocks;
        Ok(())
    }

    /// Announces the entries that were written since the last call.
    #[inline]
    pub(super) fn ring(&mut self, doorbell: &PostingRegister) {
        let new = self.next - self.rung;
        if new == 0 {
            return;
        }
        let last = self.rung;
        self.rung = self.next;
        // The NIC may read the entries as soon as it sees the record. The register's store follows the record's.
        self.blocks.dbr()[SEND_WORD].store(mlx5::send_dbr(self.next), Ordering::Release);
        match new {
            1 if doorbell.takes_entries() => {
                let block = self.blocks.block(last).each_ref().map(|word| word.load(Ordering::Relaxed));
                doorbell.ring_with(&block);
            }
            _ => doorbell.ring(mlx5::doorbell(self.next, self.qpn)),
        }
    }

    /// Frees all blocks up to the entry whose first block has this counter, and returns the number of its work request.
    /// `None`: no entry in flight begins there. `succeeded`: whether the entry did.
    pub(super) fn complete(&mut self, counter: u16, succeeded: bool, regions: &Regions) -> Option<u64> {
        let index = self.done + u64::from(counter.wrapping_sub(self.done as u16));
        let posted = self.posted[self.place(index)];
        if index >= self.next || posted.blocks == 0 {
            return None;
        }
        while let Some(result) = self.short_results.pop_front_if(|result| result.index <= index) {
            // Entries before one that failed are complete; after a failure nothing is.
            if !self.has_failed && (succeeded || result.index < index) {
                regions.swap(result.key, result.address);
            }
        }
        self.has_failed |= !succeeded;
        self.done = index + posted.blocks;
        Some(posted.id)
    }

    /// Returns the counter of the next entry.
    #[cfg(test)]
    pub(super) fn next_counter(&self) -> u16 {
        self.next as u16
    }

    #[inline(always)]
    fn place(&self, index: u64) -> usize {
        (index & (self.blocks.units() - 1)) as usize
    }
}
