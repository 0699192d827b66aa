//! What all queue pairs of a proxy share.

use oxshmem_raw::fabric::FabricDevice;

use crate::host::memory::bounce::BouncePool;
use crate::host::memory::gpu_flush::GpuFlush;
use crate::host::memory::keys::{KeyedRange, Keys};
use crate::host::memory::staging::{self, Staging};
use crate::host::ring::consumer::RingConsumer;
use crate::host::ring::words::HostWords;
use crate::host::send_queue::refusal::Refusal;

/// What a queue pair is posted with.
pub(in crate::host) struct PostContext<'a> {
    pub(in crate::host) device: &'a dyn FabricDevice,
    pub(in crate::host) keys: &'a Keys,
    pub(in crate::host) rings: &'a mut [RingConsumer],
    pub(in crate::host) bounce: &'a mut BouncePool,
    pub(in crate::host) staging: &'a Staging,
    pub(in crate::host) flush: &'a GpuFlush,
    pub(in crate::host) words: HostWords,
    /// The most bytes of one message.
    pub(in crate::host) max_message: u64,
}

impl PostContext<'_> {
    /// The heap behind NIC `peer` from offset `at` on.
    pub(in crate::host) fn remote(&self, peer: u32, at: u64) -> Result<KeyedRange, Refusal> {
        self.keys.remote(peer, at).ok_or(Refusal::Request)
    }

    /// Whether memory that is not registered can be copied here: `by_host`, as memory of this process.
    pub(in crate::host) fn can_stage(&self, by_host: bool, at: u64) -> bool {
        by_host || self.staging.knows(at)
    }

    /// Begins to copy between a chunk and memory that is not registered; it is there behind [`Staging::finish`]. Whether
    /// it could begin.
    pub(in crate::host) fn copy(&self, by_host: bool, to: u64, from: u64, bytes: u64) -> bool {
        if by_host {
            staging::by_host(to, from, bytes);
            return true;
        }
        self.staging.begin(to, from, bytes).is_ok()
    }

    /// What gets brought is where who asked for it sees it: in memory of kernels, and out of chunks. Whether that worked.
    pub(in crate::host) fn make_visible(&self) -> bool {
        self.staging.finish().is_ok() && self.flush.now().is_ok()
    }
}
