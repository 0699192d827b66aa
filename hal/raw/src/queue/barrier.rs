//! Barriers over all PEs in one step: each PE announces its arrival to every other PE.
//!
//! The transport to a PE carries the announcement; the words are the same for all transports. The word that PE `a`
//! keeps for PE `b` is the number of barriers at which `b` has arrived, and only `b` changes it, always in the same
//! way.

use core::mem::offset_of;

use oxshmem_core::{Fault, FaultStep, Group, Pe};

use crate::gpu::{order, ptx};
use crate::state::fault;
use crate::state::wait::{self, WaitBudget};
use crate::state::{LocalState, WorldState};

/// Announces arrivals to remote PEs.
///
/// # Safety of its functions
///
/// - **live**: `world` is the state of a world whose memory stays mapped during the call; its paths are those of the
///   implementor.
pub trait RemoteArrival: Copy {
    /// Whether there may be remote PEs. If not, no code is compiled for them.
    const SOME: bool;

    /// Completes the operations that the group has issued to remote PEs, on every queue.
    ///
    /// # Errors
    /// A queue has stopped, or the limit was reached.
    ///
    /// # Safety
    ///
    /// - **live**: see [`RemoteArrival`].
    unsafe fn quiet<G: Group>(self, world: &WorldState, group: G) -> Result<(), Fault>;

    /// Sets the word that `pe` keeps for this PE to `round`.
    ///
    /// # Errors
    /// As [`quiet`](RemoteArrival::quiet).
    ///
    /// # Safety
    ///
    /// - **live**: see [`RemoteArrival`].
    unsafe fn arrive(self, world: &WorldState, pe: Pe, round: u64) -> Result<(), Fault>;
}

/// Waits until every PE has arrived. The stores of each PE's group to its own memory are then visible to all; with
/// `complete`, so are its operations on other PEs' memory.
///
/// One group of each PE calls. The threads of the group share the peers.
///
/// Arrivals of complete barriers release and waits acquire, which completes operations on load/store peers: a PE that
/// has seen an arrival sees all that was stored before it. An arrival adds one to the word that the peer keeps for this
/// PE, so nothing is read before it is sent: the count to wait for, and whether a fault was reported, are read while
/// the arrivals are in flight. Remote peers receive theirs after a quiet.
///
/// # Errors
/// The limit was reached before some PE arrived (named), a PE died, or a queue to a remote PE has stopped. Each of
/// these is reported, and once a fault is reported no barrier of this PE succeeds. (The host notifies its peers.)
///
/// # Safety
///
/// - **live**: `state` belongs to a world whose memory stays mapped during the call; its paths are those of `remote`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn barrier_all<G: Group, R: RemoteArrival>(
    state: &WorldState,
    group: G,
    remote: R,
    complete: bool,
) -> Result<(), Fault> {
    let count = (state.local + offset_of!(LocalState, barriers) as u64) as *mut u64;
    let (me, peers) = (Pe::new(state.my_pe), state.n_pes - 1);
    let (rank, size) = (group.rank(), group.size());
    let (mut ended, mut budget, mut round) = (Ok(()), WaitBudget::new(), 0);
    if R::SOME && complete && state.has_remote() {
        // SAFETY: **live**: the caller's **live** covers the world and the paths of `remote`.
        ended = unsafe { remote.quiet(state, group) };
    }
    // All threads have made their stores before any of them announces the arrival.
    group.sync();
    if rank < peers || rank == 0 {
        // One fence for all the arrivals that follow. It is cumulative: it carries the group's stores, which this
        // thread has observed by the meeting.
        if complete {
            order::delivered_before_later();
        } else {
            order::own_memory_before_announced();
        }
        let mut k = rank;
        while k < peers {
            let pe = nth_after(state, k);
            if !R::SOME || state.is_load_store(pe) {
                // SAFETY: **live**: the arrival words are in the reserved part of a heap, which is mapped.
                unsafe { ptx::red_add_relaxed_sys_u64(state.arrival(pe, me), 1) }
            }
            k += size;
        }
        // SAFETY: **live**: `local` is this PE's LocalState, which is mapped, and one group at a time is in a barrier.
        round = unsafe { ptx::ld_weak_u64(count) } + 1;
        if fault::reported(state) {
            // `report` returns the first fault.
            ended = Err(fault::report(state, Fault::new(FaultStep::Aborted)));
        }
        if R::SOME && state.has_remote() {
            let mut k = rank;
            while k < peers && ended.is_ok() {
                let pe = nth_after(state, k);
                if !state.is_load_store(pe) {
                    // SAFETY: **live**: the caller's **live** covers the world and the paths of `remote`.
                    ended = unsafe { remote.arrive(state, pe, round) };
                }
                k += size;
            }
        }
        let mut k = rank;
        while k < peers && ended.is_ok() {
            let pe = nth_after(state, k);
            let word = (state.own + 8 * pe.number() as u64) as *const u64;
            // SAFETY: **live**: the word is in the reserved part of this PE's own heap, which is mapped.
            let seen = || unsafe { ptx::ld_acquire_sys_u64(word) };
            ended =
                wait::until_word(state, &mut budget, || (seen() >= round).then_some(()), || late(pe, round, seen()));
            k += size;
        }
    }
    if R::SOME {
        // Load/store peers have counted this arrival already, which can't be undone, so a queue's fault too ends
        // barriers for good. It is reported before the threads that did not see it report that they were aborted.
        if let Err(fault) = ended {
            ended = Err(fault::report(state, fault));
        }
    }
    // A fault may be seen by some threads only, so the group agrees to fail. Afterwards all have read the count.
    let failed = group.any(ended.is_err());
    if rank == 0 && !failed {
        // SAFETY: **live**: the word is in this PE's LocalState. Only this thread writes it, and the next barrier's
        // threads meet before they read it.
        unsafe { ptx::st_weak_u64(count, round) }
    }
    match (ended, failed) {
        (Ok(()), true) => Err(fault::report(state, Fault::new(FaultStep::Aborted))),
        (ended, _) => ended,
    }
}

/// Returns the PE whose number is `k` + 1 above this PE's, modulo the number of PEs. Each PE begins with its right
/// neighbour, so that not all PEs write to the same one at once. `k` is less than the number of PEs.
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
