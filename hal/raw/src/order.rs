//! Barriers, named for their use. The call site reads as the protocol; the instruction is chosen here.

use crate::ptx;

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
