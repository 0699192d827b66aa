//! Barriers, named for their use. The call site reads as the protocol; this file chooses the instruction.

use crate::gpu::ptx;

/// Gives the guarantee of a fence: this thread's earlier operations are delivered before its later ones, to every
/// observer in the system. A later plain signal is then a release.
#[inline(always)]
pub fn delivered_before_later() {
    ptx::fence_acq_rel_sys()
}

/// Gives the guarantee of a quiet: this thread's earlier operations are complete and visible everywhere, also with
/// respect to later reads of this thread. If two PEs each write, quiet and read, at least one of them sees the other's
/// write; a release and an acquire alone would allow both to miss it.
#[inline(always)]
pub fn complete_before_later() {
    ptx::fence_sc_sys()
}

/// Orders the entries of a send queue, and the data that they name, before the store that lets the NIC read them.
/// `wide`: some of these writes are in host memory.
///
/// The barrier is cumulative: it also orders the writes of other threads that this thread has synchronized with. For
/// the GPU's own memory, GPU scope is enough, since the same L2 serves the NIC's reads.
#[inline(always)]
pub fn written_before_announced(wide: bool) {
    if wide { ptx::fence_acq_rel_sys() } else { ptx::fence_acq_rel_gpu() }
}

/// Orders this group's accesses to its GPU's own memory before a later announcement to peers, which then access that
/// memory themselves.
///
/// The barrier is cumulative, as [`written_before_announced`] is. GPU scope is enough: the GPU's L2 serves every access
/// to its memory, also those of peers. A fence of the system also waits for stores to peers; on an H100 it takes 1.1 us
/// longer.
#[inline(always)]
pub fn own_memory_before_announced() {
    ptx::fence_acq_rel_gpu()
}

/// Orders the doorbell record before the doorbell.
#[inline(always)]
pub fn record_before_doorbell(wide: bool) {
    if wide { ptx::fence_acq_rel_sys() } else { ptx::fence_acq_rel_gpu() }
}

/// Orders a reply that this thread has read before its reads of the data that the replier wrote to memory of the host.
#[inline(always)]
pub fn reply_before_data() {
    ptx::fence_acq_rel_sys()
}

/// Orders this thread's earlier writes before its next read, in one total order with every thread that does the same:
/// of two threads that each write a word and read the other's, at least one sees the other's write.
#[inline(always)]
pub fn mine_before_theirs() {
    ptx::fence_sc_gpu()
}

/// Orders as [`mine_before_theirs`] does, among the threads of a block.
#[inline(always)]
pub fn mine_before_theirs_of_block() {
    ptx::fence_sc_cta()
}
