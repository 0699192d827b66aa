//! Ordering on the memory system.

use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, QpSet};
use oxshmem_raw::gpu::order;

use super::resource::LoadStore;

impl OrderingDomain for LoadStore<'_> {
    /// A fence of the machine orders the accesses to every PE at once, whichever are asked for.
    ///
    /// The group meets, its leader fences, the group meets again. A fence is cumulative: it orders all that its
    /// thread has seen, and by the first meeting that is what the others stored; and nobody issues anything behind it
    /// before the second meeting. For what the leader itself does next that is PTX's own model. For the others it rests
    /// on how GPUs do it: the fence ends when those stores are delivered, so that whatever any thread stores later comes
    /// later. The litmus tests watch that, with signals by the group's last thread.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        group.sync();
        if group.leads() {
            order::delivered_before_later();
        }
        group.sync();
        Ok(())
    }

    /// As a fence of the machine, but also against later reads.
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
