//! Barriers, named for their use. The call site reads as the protocol; the instruction is chosen here.

use crate::gpu::ptx;

/// What a fence promises: this thread's earlier operations are delivered before its later ones, to
/// every observer in the system. A later plain signal is then a release.
#[inline(always)]
pub fn delivered_before_later() {
    ptx::fence_acq_rel_sys()
}

/// What a quiet promises: this thread's earlier operations are complete and visible everywhere, also
/// against a later read of this thread. Two PEs that each write, quiet and read can't both miss the
/// other's write, which a release and an acquire alone would allow.
#[inline(always)]
pub fn complete_before_later() {
    ptx::fence_sc_sys()
}

/// Entries of a work queue, and the data that they name, before whatever lets the NIC read them. `wide`: some of it is
/// in memory of the host.
///
/// It is cumulative: what other threads wrote and this one has met is ordered with it. In the GPU's own memory the
/// scope of the GPU is enough, since the NIC's reads are served by the same L2.
#[inline(always)]
pub fn written_before_told(wide: bool) {
    if wide { ptx::fence_acq_rel_sys() } else { ptx::fence_acq_rel_gpu() }
}

/// The doorbell record before the doorbell.
#[inline(always)]
pub fn record_before_doorbell(wide: bool) {
    if wide { ptx::fence_acq_rel_sys() } else { ptx::fence_acq_rel_gpu() }
}

/// What this thread wrote before what it reads next, in one order with every thread that does the same: of two that
/// each write a word and read the other's, one sees what the other wrote.
#[inline(always)]
pub fn mine_before_theirs() {
    ptx::fence_sc_gpu()
}

/// [`mine_before_theirs`] among the threads of a block.
#[inline(always)]
pub fn mine_before_theirs_of_block() {
    ptx::fence_sc_cta()
}
