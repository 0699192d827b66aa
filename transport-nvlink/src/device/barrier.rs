//! Barriers over all PEs, in one step: everyone tells everyone.

use core::mem::offset_of;

use oxshmem_core::{Fault, FaultStep, Group, Pe};
use oxshmem_raw::state::{LocalState, WorldState};
use oxshmem_raw::wait::{self, Patience};
use oxshmem_raw::{fault, order, ptx};

/// Every PE has arrived, and what each had done before is complete and visible to all.
///
/// One group of each PE calls. The threads of the group share the peers among them.
///
/// Arrivals release and waits acquire, so that nothing more is needed for completeness: what a PE stored before its
/// arrival is there for everybody who has seen that.
///
/// # Errors
/// The limit was reached before some PE arrived (named), a PE died, or a fault of before: once one is
/// reported, no barrier of this PE succeeds.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn barrier_all<G: Group>(state: &WorldState, group: G) -> Result<(), Fault> {
    let count = (state.local + offset_of!(LocalState, barriers) as u64) as *mut u64;
    // SAFETY: `local` is the live LocalState of this PE; one group at a time is in a barrier. Both loads are on their
    // way while the group meets and while the fence lasts.
    let round = unsafe { ptx::ld_weak_u64(count) } + 1;
    let bad = fault::reported(state);
    // All have read the count and made their stores before any of them tells a peer.
    group.sync();
    let (me, peers) = (Pe::new(state.my_pe), state.n_pes - 1);
    let (rank, size) = (group.rank(), group.size());
    let (mut ended, mut patience) = (Ok(()), Patience::new());
    // Behind a fault no barrier means anything any more: the peers must not take this PE for arrived.
    if !bad && (rank < peers || rank == 0) {
        // One fence for all the stores behind it. It carries what the whole group did, which this thread has met.
        order::delivered_before_later();
        let mut k = rank;
        while k < peers {
            // SAFETY: the arrival words are in the reserved part of a mapped heap.
            unsafe { ptx::st_relaxed_sys_u64(state.arrival(nth_after(state, k), me), round) }
            k += size;
        }
        if rank == 0 {
            // While the arrivals are on their way.
            // SAFETY: as above; the others read the count of the next round behind this one's last meeting.
            unsafe { ptx::st_weak_u64(count, round) }
        }
        let mut k = rank;
        while k < peers && ended.is_ok() {
            let pe = nth_after(state, k);
            let word = state.arrival(me, pe);
            // SAFETY: as above, in this PE's own heap.
            let seen = || unsafe { ptx::ld_acquire_sys_u64(word) };
            ended =
                wait::until(state, &mut patience, 1, || (seen() >= round).then_some(()), || late(pe, round, seen()));
            k += size;
        }
    }
    // A fault may be seen by some threads only, so that they agree to fail.
    let failed = group.any(bad || ended.is_err());
    match (ended, failed) {
        (Ok(()), true) => Err(fault::report(state, Fault::new(FaultStep::Aborted))),
        (ended, _) => ended,
    }
}

/// Every PE has arrived. Remote operations of before need not be complete; stores of before are visible.
///
/// # Errors
/// As [`barrier_all`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn sync_all<G: Group>(state: &WorldState, group: G) -> Result<(), Fault> {
    // An arrival that says nothing of stores would be cheaper, but those to the own memory must be visible.
    barrier_all(state, group)
}

/// The PE `k` + 1 numbers after this one, around the end: each PE begins with its right neighbour, so that not all
/// write to the same one at once. `k` is less than the number of PEs.
#[inline(always)]
fn nth_after(state: &WorldState, k: u32) -> Pe {
    let pe = state.my_pe + 1 + k;
    Pe::new(if pe < state.n_pes { pe } else { pe - state.n_pes })
}

#[cold]
fn late(pe: Pe, round: u64, seen: u64) -> Fault {
    let mut fault = Fault::new(FaultStep::Barrier);
    (fault.pe, fault.asked, fault.seen) = (pe.number(), round, seen);
    fault
}
