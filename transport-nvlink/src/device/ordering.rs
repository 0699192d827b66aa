//! Ordering on the memory system.

use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, QpSet};
use oxshmem_raw::order;

use super::resource::LoadStore;

impl OrderingDomain for LoadStore<'_> {
    /// A fence of the machine orders the accesses to every PE at once, whichever are asked for.
    ///
    /// The group meets, its leader fences, the group meets again. A fence is cumulative: it orders all that its
    /// thread has seen, and by the first meeting that is what the others stored, so it ends only when the stores of
    /// all are delivered; nobody issues anything behind it before the second meeting.
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
