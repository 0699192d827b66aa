//! Arrivals at barriers, told by the NIC.

use oxshmem_core::{Fault, Group, OrderingDomain, Pe, PeSet, Qp, QpSet, SymAddr, Width};
use oxshmem_raw::queue::barrier::Far;
use oxshmem_raw::state::WorldState;

use super::done::told;
use super::resource::{Queues, first_toward};
use super::{calls, keys};

/// Far PEs are told of arrivals by a write to the word that they keep for this PE.
#[derive(Clone, Copy, Debug)]
pub struct ByNic;

/// Far PEs are told by the NIC.
pub const FAR: ByNic = ByNic;

impl Far for ByNic {
    const SOME: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(self, state: &WorldState, group: G) -> Result<(), Fault> {
        Queues::new(state, Qp::Default).quiet(group, PeSet::All, QpSet::All)
    }

    /// A barrier is passed when the others have arrived, and this PE's own word may still be on its way then. The next
    /// one's must not come ahead of it: all go on one queue, whichever block is in the barrier, and where a queue does not
    /// keep the order each waits for the one before.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn arrive(self, state: &WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
        let queue = first_toward(state, pe);
        if keys::relaxed(state) {
            told(queue, calls::wait(queue, queue.reserved()))?;
        }
        let word = SymAddr::new(8 * state.my_pe as u64);
        told(queue, calls::write_word(queue, word, Width::B8, round))
    }
}
