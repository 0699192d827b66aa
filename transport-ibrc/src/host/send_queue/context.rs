//! Resources that all send queues of a progress thread share.

use oxshmem_raw::fabric::FabricDevice;

use crate::host::memory::bounce::BouncePool;
use crate::host::memory::gpu_flush::GpuFlush;
use crate::host::memory::keys::{KeyedRange, Keys};
use crate::host::memory::staging::{self, Staging};
use crate::host::ring::consumer::RingConsumer;
use crate::host::ring::words::HostWords;
use crate::host::send_queue::refusal::Refusal;

/// Device, memory and rings that a send queue works with.
pub(in crate::host) struct PostContext<'a> {
    pub(in crate::host) device: &'a dyn FabricDevice,
    pub(in crate::host) keys: &'a Keys,
    pub(in crate::host) rings: &'a mut [RingConsumer],
    pub(in crate::host) bounce: &'a mut BouncePool,
    pub(in crate::host) staging: &'a Staging,
    pub(in crate::host) flush: &'a GpuFlush,
    pub(in crate::host) words: HostWords,
    /// Bytes of one message, at most.
    pub(in crate::host) max_message: u64,
}

impl PostContext<'_> {
    /// Returns the heap of the peer's NIC number `peer` from offset `at` on.
    pub(in crate::host) fn remote(&self, peer: u32, at: u64) -> Result<KeyedRange, Refusal> {
        self.keys.remote(peer, at).ok_or(Refusal::Request)
    }

    /// Returns whether unregistered memory at `at` can be copied to bounce buffers. `by_host`: it is memory of this
    /// process.
    pub(in crate::host) fn can_stage(&self, by_host: bool, at: u64) -> bool {
        by_host || self.staging.knows(at)
    }

    /// Begins to copy between a bounce buffer and unregistered memory; [`Staging::finish`] completes it. Returns
    /// whether it could begin.
    pub(in crate::host) fn copy(&self, by_host: bool, to: u64, from: u64, bytes: u64) -> bool {
        if by_host {
            staging::by_host(to, from, bytes);
            return true;
        }
        self.staging.begin(to, from, bytes).is_ok()
    }

    /// Makes data fetched by gets visible to the requesters: copies out of bounce buffers are finished, and the GPU is
    /// flushed if needed. Returns whether that worked.
    pub(in crate::host) fn make_visible(&self) -> bool {
        self.staging.finish().is_ok() && self.flush.now().is_ok()
    }
}
