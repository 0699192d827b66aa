//! Counters of queues and rings.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::host::RingCounters;

/// Counters of a queue. Its progress thread alone changes them.
#[derive(Debug, Default)]
pub(in crate::host) struct QueueCounts {
    /// Work requests that were posted.
    pub(in crate::host) posted: AtomicU64,
    /// Work requests that are complete.
    pub(in crate::host) completed: AtomicU64,
    /// Lists that were posted, each with one doorbell.
    pub(in crate::host) lists: AtomicU64,
    /// Bytes of data that were posted.
    pub(in crate::host) bytes: AtomicU64,
    /// 1 if the queue has stopped.
    pub(in crate::host) errors: AtomicU64,
    /// The provider's explanation of the first completion that failed.
    pub(in crate::host) failure: OnceLock<String>,
}

impl QueueCounts {
    /// Counts a list that was posted. `posted` and `bytes` are totals.
    pub(in crate::host) fn posted(&self, posted: u64, bytes: u64) {
        self.posted.store(posted, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        // One thread alone adds, so that no atomic addition is needed.
        self.lists.store(self.lists.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// Counters of a ring. Its progress thread alone changes them.
#[derive(Debug, Default)]
pub(in crate::host) struct RingCounts {
    /// Requests that were taken out of the ring.
    pub(in crate::host) requests: AtomicU64,
    /// Histogram of batch sizes: 1, 2 to 3, 4 to 7, and so on.
    pub(in crate::host) batches: [AtomicU64; RingCounters::BATCHES],
    /// Requests that named no queue.
    pub(in crate::host) strays: AtomicU64,
}

impl RingCounts {
    /// Counts a batch of `count` requests, at least one.
    #[inline]
    pub(in crate::host) fn taken(&self, count: usize) {
        let size = &self.batches[(count.ilog2() as usize).min(RingCounters::BATCHES - 1)];
        // One thread alone adds, so that no atomic addition is needed.
        size.store(size.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.requests.store(self.requests.load(Ordering::Relaxed) + count as u64, Ordering::Relaxed);
    }
}
