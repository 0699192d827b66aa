//! What a queue has counted.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a queue, which its proxy adds to and others read.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Work requests that were posted.
    pub(super) posted: AtomicU64,
    /// Of those, how many are complete.
    pub(super) completed: AtomicU64,
    /// Lists that were posted, each with one doorbell.
    pub(super) lists: AtomicU64,
    /// Bytes of data that were posted.
    pub(super) bytes: AtomicU64,
    /// 1 if it has stopped.
    pub(super) errors: AtomicU64,
}

impl Counts {
    /// One more list: so many work requests and bytes in all.
    pub(super) fn posted(&self, posted: u64, bytes: u64) {
        self.posted.store(posted, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.lists.fetch_add(1, Ordering::Relaxed);
    }
}
