//! Resources that all send queues of a progress thread share.

use oxshmem_rdma::fabric::FabricDevice;

use crate::host::memory::bounce::BouncePool;
use crate::host::memory::gpu_flush::GpuFlush;
use crate::host::memory::keys::{KeyedRange, Keys};
use crate::host::ring::consumer::RingConsumer;
use crate::host::ring::words::HostWords;
use crate::host::send_queue::refusal::Refusal;

/// Device, memory and rings that a send queue works with.
pub(in crate::host) struct PostContext<'a> {
    pub(in crate::host) device: &'a dyn FabricDevice,
    pub(in crate::host) keys: &'a Keys,
    pub(in crate::host) rings: &'a mut [RingConsumer],
    pub(in crate::host) bounce: &'a mut BouncePool,
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
}
