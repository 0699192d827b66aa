//! Fetches (reads and atomics) on devices that may complete them without their data.
//!
//! Such a device ([`empty_fetches`](oxshmem_rdma::fabric::Capabilities::empty_fetches)) may take the acknowledgement of
//! a retransmitted write for the answer of a later fetch. If packets overtake each other, this happens even if the
//! write was complete long before. Therefore fetches have an endpoint of their own, which carries no writes: any
//! retransmitted request there is a fetch, and is answered again. An endpoint is used only when nothing is in flight on
//! the other one, so that requests complete in order as on a single endpoint.
//!
//! A peer whose device is not affected has no endpoint for fetches, and both kinds share one. A fetch is then posted
//! when every earlier write is complete. That suffices unless packets overtake each other. Writes may follow at once.
//!
//! An atomic whose answer is not requested does not count as a fetch: its completion means that it was executed.
//!
//! Before a fetch is posted, its slot gets a mark that is derived from a random seed. If the mark is still there on
//! completion, no data came. Marks have 8 bytes, because shorter ones could equal data; shorter reads and gets have
//! none.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use oxshmem_rdma::fabric::Endpoint;

use crate::host::memory::bounce::SLOT_BYTES;
use crate::host::ring::reader::SharedWords;
use crate::host::send_queue::SendQueue;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::in_flight::InFlight;

/// State of a queue's fetches.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct FetchGuard {
    /// Whether they may complete without their data.
    guarded: bool,
    /// Whether the endpoint for fetches is in use now.
    is_apart: bool,
    /// Seed of the marks.
    seed: u64,
    /// Number of work requests up to the last write.
    wrote: u64,
}

impl FetchGuard {
    pub(in crate::host) fn new(guarded: bool) -> Self {
        let seed = if guarded { RandomState::new().hash_one(0) } else { 0 };
        Self { guarded, is_apart: false, seed, wrote: 0 }
    }

    /// Notes that the last of `built` work requests is a write.
    #[inline]
    pub(in crate::host) fn wrote(&mut self, built: u64) {
        self.wrote = built;
    }

    /// Returns the mark in the slot of work request `wr` before its data come.
    fn mark(&self, wr: u64) -> u64 {
        let mut mixed = self.seed.wrapping_add(wr.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

impl SendQueue {
    /// Returns whether the next work request must wait for those in flight. If not,
    /// [`current_endpoint`](Self::current_endpoint) is the endpoint for it. `is_first`: it is the first of its request,
    /// or the signal after the request's data.
    #[inline]
    pub(super) fn must_wait(&mut self, is_fetch: bool, is_first: bool) -> bool {
        if !self.params.ordered && is_first && self.completed < self.built {
            return true;
        }
        let fetches = &mut self.fetches;
        if !fetches.guarded {
            return false;
        }
        if self.params.link.fetch_endpoint.is_none() {
            return is_fetch && self.completed < fetches.wrote;
        }
        if fetches.is_apart != is_fetch && self.completed < self.built {
            return true;
        }
        fetches.is_apart = is_fetch;
        false
    }

    /// Returns the endpoint in use.
    #[inline]
    pub(super) fn current_endpoint(&self) -> Endpoint {
        self.params.link.fetch_endpoint.filter(|_| self.fetches.is_apart).unwrap_or(self.params.link.endpoint)
    }

    /// Marks the slot of the next work request, which will fetch 8 bytes.
    #[inline]
    pub(super) fn mark_slot(&self, cx: &PostContext<'_>) {
        if self.fetches.guarded {
            cx.words.store(self.slot_of(self.built), self.fetches.mark(self.built));
        }
    }

    /// Returns the word that a fetch of `bytes` bytes brought to its slot. `None`: no data came.
    #[inline]
    pub(super) fn fetched_word(&self, cx: &PostContext<'_>, entry: &InFlight, bytes: u8) -> Option<u64> {
        let word = cx.words.load(self.slot_of(entry.wr));
        let is_left = self.fetches.guarded && bytes == 8 && word == self.fetches.mark(entry.wr);
        (!is_left).then_some(word)
    }

    /// Returns the address of the slot of work request `wr`.
    #[inline]
    pub(super) fn slot_of(&self, wr: u64) -> u64 {
        self.params.link.slots + SLOT_BYTES * (wr % self.params.link.endpoint.depth as u64)
    }
}
