//! Ordering on the memory system.

use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, QpSet};
use oxshmem_raw::order;

use super::resource::LoadStore;

impl OrderingDomain for LoadStore<'_> {
    /// A fence of the machine orders the accesses of a thread to every PE at once, whichever are asked for. The group
    /// meets before it: then each thread's fence orders what the others did too, whichever of them goes on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        group.sync();
        order::delivered_before_later();
        Ok(())
    }

    /// The group meets; then each thread completes what it did itself and what it met.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        group.sync();
        order::complete_before_later();
        Ok(())
    }
}
