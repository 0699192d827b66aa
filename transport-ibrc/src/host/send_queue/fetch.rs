//! Fetches by devices that may end them without their data.
//!
//! Such a device ([`empty_fetches`](oxshmem_raw::fabric::Capabilities::empty_fetches)) may take the acknowledgement of a write that
//! was sent again for the answer of a fetch behind it, however long the write is complete, if packets overtake each
//! other. So fetches go on a queue pair of their own, where no write ever goes: what is sent again there is a fetch, which
//! is answered again. Each of both is used when nothing is under way on the other, so that requests complete in their
//! order as on one.
//!
//! A peer without such queue pairs (its device has no such fault) leaves one for both. A fetch is posted there when every
//! write ahead of it is complete: that is enough unless packets overtake each other. Writes may follow it at once.
//!
//! An atomic whose answer nobody waits for is none: it was executed when it completes.
//!
//! The slot of a fetch holds a mark of its own before, drawn from a seed; a fetch that completes and has left it there
//! has not fetched. Marks are 8 bytes, as no fewer could be told from data: reads of fewer and gets have none.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use oxshmem_raw::fabric::Endpoint;

use crate::host::memory::bounce::SLOT_BYTES;
use crate::host::ring::reader::SharedWords;
use crate::host::send_queue::SendQueue;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::in_flight::InFlight;
use crate::request::{Line, flags};

/// What a queue pair knows of its fetches.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct FetchGuard {
    /// Whether they may end without their data.
    guarded: bool,
    /// Whether their own queue pair is the one in use.
    is_apart: bool,
    /// What marks are drawn from.
    seed: u64,
    /// How many work requests were made up to the last write.
    wrote: u64,
}

impl FetchGuard {
    pub(in crate::host) fn new(guarded: bool) -> Self {
        let seed = if guarded { RandomState::new().hash_one(0) } else { 0 };
        Self { guarded, is_apart: false, seed, wrote: 0 }
    }

    /// A write was made, the last of so many work requests.
    #[inline]
    pub(in crate::host) fn wrote(&mut self, built: u64) {
        self.wrote = built;
    }

    /// What the slot of work request `wr` holds before its data come.
    fn mark(&self, wr: u64) -> u64 {
        let mut mixed = self.seed.wrapping_add(wr.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

/// Whether somebody waits for what a request finds. Of an atomic that is complete nothing else can be missing.
#[inline]
pub(in crate::host) fn wants_answer(line: &Line) -> bool {
    line.flags() & flags::ANSWER != 0
}

impl SendQueue {
    /// Whether the next work request, a fetch or another one, must wait for what is under way. Where it need not, it is
    /// its queue pair's [`turn`](Self::turn). `is_first`: it begins its request, or is the signal after its data.
    #[inline]
    pub(super) fn must_wait(&mut self, is_fetch: bool, is_first: bool) -> bool {
        if !self.params.ordered && is_first && self.completed < self.built {
            return true;
        }
        let fetches = &mut self.fetches;
        if !fetches.guarded {
            return false;
        }
        if self.params.fetch_endpoint.is_none() {
            return is_fetch && self.completed < fetches.wrote;
        }
        if fetches.is_apart != is_fetch && self.completed < self.built {
            return true;
        }
        fetches.is_apart = is_fetch;
        false
    }

    /// The queue pair in use.
    #[inline]
    pub(super) fn current_endpoint(&self) -> Endpoint {
        self.params.fetch_endpoint.filter(|_| self.fetches.is_apart).unwrap_or(self.params.endpoint)
    }

    /// The slot of the next work request is to get 8 bytes.
    #[inline]
    pub(super) fn mark_slot(&self, cx: &PostContext<'_>) {
        if self.fetches.guarded {
            cx.words.store(self.slot_of(self.built), self.fetches.mark(self.built));
        }
    }

    /// What a fetch has brought to its slot, of which it was to bring `bytes`. `None`: nothing.
    #[inline]
    pub(super) fn fetched_word(&self, cx: &PostContext<'_>, entry: &InFlight, bytes: u8) -> Option<u64> {
        let word = cx.words.load(self.slot_of(entry.wr));
        let is_left = self.fetches.guarded && bytes == 8 && word == self.fetches.mark(entry.wr);
        (!is_left).then_some(word)
    }

    /// Where the slot of work request `wr` is.
    #[inline]
    pub(super) fn slot_of(&self, wr: u64) -> u64 {
        self.params.slots + SLOT_BYTES * (wr % self.params.endpoint.depth as u64)
    }
}
