//! What all queue pairs of a proxy share.

use oxshmem_raw::rc::RcDevice;

use super::keys::{Keyed, Keys};
use super::ring::RingEnd;
use super::scratch::Chunks;
use super::stop::Refusal;
use super::words::Here;

/// What a queue pair is posted with.
pub(super) struct Env<'a> {
    pub(super) device: &'a dyn RcDevice,
    pub(super) keys: &'a Keys,
    pub(super) rings: &'a mut [RingEnd],
    pub(super) chunks: &'a mut Chunks,
    pub(super) words: Here,
    /// The most bytes of one message.
    pub(super) max_message: u64,
}

impl Env<'_> {
    /// The heap behind NIC `peer` from offset `at` on.
    pub(super) fn remote(&self, peer: u32, at: u64) -> Result<Keyed, Refusal> {
        self.keys.remote(peer, at).ok_or(Refusal::Request)
    }

    /// Copies between a chunk and kernels' memory that is not registered.
    pub(super) fn copy(&self, to: u64, from: u64, bytes: u64) {
        use std::ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut};
        // SAFETY: one of both is a chunk of this proxy's, which nobody else uses now; who asked for the operation vouches
        // for the other, until he knows that it is complete.
        unsafe {
            copy_nonoverlapping(
                with_exposed_provenance::<u8>(from as usize),
                with_exposed_provenance_mut::<u8>(to as usize),
                bytes as usize,
            )
        }
    }
}
