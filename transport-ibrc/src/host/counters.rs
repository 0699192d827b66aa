//! Counters of queues and rings.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::host::TransportCounter;

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

/// Counters of a ring, which carries requests to a thread of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingCounters {
    /// The index of the thread that serves the ring.
    pub proxy: u32,
    /// Whether the ring carries this process's own operations. Otherwise it carries those of kernels.
    pub of_host: bool,
    /// Number of requests for which the ring has room.
    pub depth: u32,
    /// Requests taken out of the ring.
    pub requests: u64,
    /// Histogram of batch sizes: 1, 2 to 3, 4 to 7, and so on.
    pub batches: [u64; RingCounters::BATCHES],
    /// Slots that are reserved or in use.
    pub occupied: u64,
    /// Number of times that a thread found the ring full.
    pub stalls: u64,
    /// Requests that named no queue. Each has stopped all queues of the ring.
    pub strays: u64,
}

impl RingCounters {
    /// Number of batch sizes that the histogram distinguishes.
    pub const BATCHES: usize = 8;

    /// Returns the counters with their names.
    pub(in crate::host) fn named(&self) -> Vec<TransportCounter> {
        let whose = if self.of_host { "the host" } else { "kernels" };
        let of = format!("ring of {whose}, proxy {}", self.proxy);
        let one = [("depth", self.depth.into()), ("requests", self.requests), ("occupied slots", self.occupied)];
        let more = [("stalls", self.stalls), ("strays", self.strays)];
        let named = one.into_iter().chain(more).map(|(name, value)| (name.to_string(), value));
        let batches = self.batches.iter().enumerate().map(|(size, count)| (Self::batches_of(size), *count));
        named.chain(batches).map(|(name, value)| TransportCounter { of: of.clone(), name, value }).collect()
    }

    /// Returns the name of the count at an index of [`batches`](Self::batches).
    fn batches_of(size: usize) -> String {
        let least = 1 << size;
        match size {
            0 => "batches of 1 request".into(),
            _ if size + 1 == Self::BATCHES => format!("batches of {least} or more requests"),
            _ => format!("batches of {least} to {} requests", 2 * least - 1),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rings_counters_have_names_with_the_sizes_that_they_count() {
        let counts = RingCounts::default();
        [1, 2, 3, 127, 128, 500].into_iter().for_each(|count| counts.taken(count));
        let ring = RingCounters {
            proxy: 3,
            of_host: false,
            depth: 512,
            requests: counts.requests.load(Ordering::Relaxed),
            batches: counts.batches.each_ref().map(|size| size.load(Ordering::Relaxed)),
            occupied: 5,
            stalls: 6,
            strays: 7,
        };
        let named = ring.named();
        assert!(named.iter().all(|one| one.of == "ring of kernels, proxy 3"), "{named:?}");
        let value = |name: &str| named.iter().find(|one| one.name == name).unwrap().value;
        assert_eq!(["depth", "requests", "occupied slots", "stalls", "strays"].map(value), [512, 761, 5, 6, 7]);
        let batches = ["1 request", "2 to 3 requests", "4 to 7 requests", "64 to 127 requests", "128 or more requests"];
        assert_eq!(batches.map(|of| value(&format!("batches of {of}"))), [1, 2, 0, 1, 2]);
        assert_eq!(named.len(), 5 + RingCounters::BATCHES);
    }
}
