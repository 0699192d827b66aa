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
/// # Errors
/// The limit was reached before some PE arrived (named), a PE died, or a fault of before: once one is
/// reported, no barrier of this PE succeeds.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn barrier_all<G: Group>(state: &WorldState, group: G) -> Result<(), Fault> {
    // As a quiet does: the group meets before each thread's fence, so that the fence carries what all have stored.
    group.sync();
    order::complete_before_later();
    sync_all(state, group)
}

/// Every PE has arrived. Remote operations of before need not be complete; stores of before are visible.
///
/// # Errors
/// As [`barrier_all`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn sync_all<G: Group>(state: &WorldState, group: G) -> Result<(), Fault> {
    let count = (state.local + offset_of!(LocalState, barriers) as u64) as *mut u64;
    // SAFETY: `local` is the live LocalState of this PE; one group at a time is in a barrier.
    let round = unsafe { ptx::ld_weak_u64(count) } + 1;
    // All have read the count and made their stores before any of them tells a peer. Behind a fault no barrier
    // means anything any more; a fault may be seen by some threads only, so that they agree to leave.
    if group.any(fault::reported(state)) {
        // Reporting gives back the first fault.
        return Err(fault::report(state, Fault::new(FaultStep::Aborted)));
    }
    let me = Pe::new(state.my_pe);
    // Each PE begins with its right neighbour, so that not all write to the same one at once.
    let mut k = group.rank();
    while k < state.n_pes {
        let pe = Pe::new((state.my_pe + 1 + k) % state.n_pes);
        // SAFETY: the arrival words are in the reserved part of a mapped heap. The release carries what the
        // group's barrier made this thread see.
        unsafe { ptx::st_release_sys_u64(state.arrival(pe, me), round) }
        k += group.size();
    }
    let (mut ended, mut patience) = (Ok(()), Patience::new());
    let mut k = group.rank();
    while k < state.n_pes && ended.is_ok() {
        let pe = Pe::new((state.my_pe + 1 + k) % state.n_pes);
        let word = state.arrival(me, pe);
        // SAFETY: as above, in this PE's own heap.
        let seen = || unsafe { ptx::ld_acquire_sys_u64(word) };
        ended = wait::until(state, &mut patience, 1, || (seen() >= round).then_some(()), || late(pe, round, seen()));
        k += group.size();
    }
    let failed = group.any(ended.is_err());
    if group.leads() && !failed {
        // SAFETY: as above; the others read the count of the next round behind its first barrier, or after this call.
        unsafe { ptx::st_weak_u64(count, round) }
    }
    // The next round's read must see the count.
    group.sync();
    match (ended, failed) {
        (Ok(()), true) => Err(fault::first(state).unwrap_or(Fault::new(FaultStep::Barrier))),
        (ended, _) => ended,
    }
}

#[cold]
fn late(pe: Pe, round: u64, seen: u64) -> Fault {
    let mut fault = Fault::new(FaultStep::Barrier);
    (fault.pe, fault.asked, fault.seen) = (pe.number(), round, seen);
    fault
}
