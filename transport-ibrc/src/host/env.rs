//! What all queue pairs of a proxy share.

use oxshmem_raw::fabric::FabricDevice;

use super::copies::{self, Copies};
use super::flush::Flush;
use super::keys::{Keyed, Keys};
use super::ring::RingEnd;
use super::scratch::Chunks;
use super::stop::Refusal;
use super::words::Here;

/// What a queue pair is posted with.
pub(super) struct Env<'a> {
    pub(super) device: &'a dyn FabricDevice,
    pub(super) keys: &'a Keys,
    pub(super) rings: &'a mut [RingEnd],
    pub(super) chunks: &'a mut Chunks,
    pub(super) copies: &'a Copies,
    pub(super) flush: &'a Flush,
    pub(super) words: Here,
    /// The most bytes of one message.
    pub(super) max_message: u64,
}

impl Env<'_> {
    /// The heap behind NIC `peer` from offset `at` on.
    pub(super) fn remote(&self, peer: u32, at: u64) -> Result<Keyed, Refusal> {
        self.keys.remote(peer, at).ok_or(Refusal::Request)
    }

    /// Whether memory that is not registered can be copied here: `by_host`, as memory of this process.
    pub(super) fn reaches(&self, by_host: bool, at: u64) -> bool {
        by_host || self.copies.knows(at)
    }

    /// Begins to copy between a chunk and memory that is not registered; it is there behind [`Copies::finish`]. Whether
    /// it could begin.
    pub(super) fn copy(&self, by_host: bool, to: u64, from: u64, bytes: u64) -> bool {
        if by_host {
            copies::by_host(to, from, bytes);
            return true;
        }
        self.copies.begin(to, from, bytes).is_ok()
    }

    /// What gets brought is where who asked for it sees it: in memory of kernels, and out of chunks. Whether that worked.
    pub(super) fn arrive(&self) -> bool {
        self.copies.finish().is_ok() && self.flush.now().is_ok()
    }
}
