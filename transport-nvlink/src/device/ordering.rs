//! Ordering on the memory system.

use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, QpSet};
use oxshmem_raw::order;

use super::resource::LoadStore;

impl OrderingDomain for LoadStore<'_> {
    /// A fence of the machine orders the accesses of a thread to every PE at once, whichever are asked for.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        order::delivered_before_later();
        group.sync();
        Ok(())
    }

    /// Each thread completes its own operations; then the group knows that all are complete.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        order::complete_before_later();
        group.sync();
        Ok(())
    }
}
