//! Ordering on the memory system.

use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, QpSet};
use oxshmem_raw::gpu::order;

use super::resource::LoadStore;

impl OrderingDomain for LoadStore<'_> {
    /// Orders accesses to every PE, for any `PeSet`: a fence covers the whole memory system.
    ///
    /// 1. The group meets.
    /// 2. Its leader does `fence.acq_rel.sys`.
    /// 3. The group meets again.
    ///
    /// A fence is cumulative: it orders all stores that its thread has observed, which after the first meeting are
    /// those of the whole group. No thread issues a later access before the second meeting. For the leader's own later
    /// accesses this is PTX's memory model. For the other threads it rests on the hardware: the fence ends when the
    /// observed stores are delivered, so a later store of any thread is delivered later. The litmus tests check this,
    /// with signals by the group's last thread.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        group.sync();
        if group.leads() {
            order::delivered_before_later();
        }
        group.sync();
        Ok(())
    }

    /// Does the same with `fence.sc.sys`, which also orders the group's stores before later reads.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        group.sync();
        if group.leads() {
            order::complete_before_later();
        }
        group.sync();
        Ok(())
    }
}
