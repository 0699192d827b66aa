//! Arrivals at barriers, told by the proxies.

use oxshmem_core::{Fault, Group, OrderingDomain, Pe, PeSet, Qp, QpSet, SymAddr, Width};
use oxshmem_raw::queue::barrier::Far;
use oxshmem_raw::state::WorldState;

use super::calls;
use super::done::told;
use super::resource::Queues;

/// Far PEs are told of arrivals by a write to the word that they keep for this PE.
#[derive(Clone, Copy, Debug)]
pub struct ByProxy;

/// Far PEs are told by the proxies.
pub const FAR: ByProxy = ByProxy;

impl Far for ByProxy {
    const SOME: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(self, state: &WorldState, group: G) -> Result<(), Fault> {
        Queues::new(state, Qp::Default).quiet(group, PeSet::All, QpSet::All)
    }

    /// A barrier is passed when the others have arrived, and this PE's own word may still be on its way then. The next
    /// one's must not come ahead of it: all go on one queue, whichever block is in the barrier.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn arrive(self, state: &WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
        let queue = Queues::new(state, Qp::Default).first_toward(pe);
        told(queue, calls::write_word(queue, SymAddr::new(8 * state.my_pe as u64), Width::B8, round))
    }
}
