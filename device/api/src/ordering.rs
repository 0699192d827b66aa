//! Ordering and barriers.

use oxshmem_core::{Fault, FaultStep, Group, OrderingDomain, Pe, PeSet, Qp, QpSet};
use oxshmem_raw::gpu::group::{Block, Thread};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::barrier;
use oxshmem_raw::queue::path::{PathList, RemotePaths};
use oxshmem_raw::state::LocalState;
use oxshmem_raw::state::wait::{self, WaitBudget};

use crate::{Shmem, check, grid};

/// The sum of a grid barrier's arrivals.
const TURN: u32 = 1 << 31;

impl<P: PathList> Shmem<'_, P> {
    /// Orders delivery on all queues: this thread's earlier operations are delivered to each PE before its later ones.
    ///
    /// # Errors
    /// A queue has stopped.
    #[inline(always)]
    pub fn fence(&self) -> Result<(), Fault> {
        self.fence_on(Thread, PeSet::All, QpSet::All)
    }

    /// Completes this thread's earlier operations on all queues: when it returns, they are visible at their targets.
    ///
    /// # Errors
    /// A queue has stopped, or the world's limit was reached.
    #[inline(always)]
    pub fn quiet(&self) -> Result<(), Fault> {
        self.quiet_on(Thread, PeSet::All, QpSet::All)
    }

    /// Performs [`fence`](Shmem::fence) over exactly these PEs and queues, for the operations of every thread of the
    /// group.
    ///
    /// # Errors
    /// As [`fence`](Shmem::fence); or a PE or queue is not of this world.
    #[inline(always)]
    pub fn fence_on<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        self.check_sets(pes, qps)?;
        self.queue_of(Qp::Default).fence(group, pes, qps)
    }

    /// Performs [`quiet`](Shmem::quiet) over exactly these PEs and queues, for the operations of every thread of the
    /// group.
    ///
    /// # Errors
    /// As [`quiet`](Shmem::quiet); or a PE or queue is not of this world.
    #[inline(always)]
    pub fn quiet_on<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        self.check_sets(pes, qps)?;
        self.queue_of(Qp::Default).quiet(group, pes, qps)
    }

    /// Waits for every PE, and completes all earlier operations of the group. One group of each PE calls, all of the
    /// same kind. The kernels must run at the same time, so they are launched collectively. One barrier of a PE is in
    /// flight at a time: during the call no other group, and no kernel or host barrier of another stream, is in a
    /// barrier.
    ///
    /// # Errors
    /// A PE (named) did not arrive within the world's limit, or died.
    #[inline(always)]
    pub fn barrier_all<G: Group>(&self, group: G) -> Result<(), Fault> {
        self.meet(group, true)
    }

    /// Waits for every PE. Stores of the group to this PE's own memory are then visible to all; operations on other PEs
    /// need not be complete. The rules of [`barrier_all`](Shmem::barrier_all) apply.
    ///
    /// # Errors
    /// As [`barrier_all`](Shmem::barrier_all).
    #[inline(always)]
    pub fn sync_all<G: Group>(&self, group: G) -> Result<(), Fault> {
        self.meet(group, false)
    }

    /// Performs [`barrier_all`](Shmem::barrier_all) if `complete`, otherwise [`sync_all`](Shmem::sync_all).
    ///
    /// # Errors
    /// As [`barrier_all`](Shmem::barrier_all).
    #[inline(always)]
    pub fn meet<G: Group>(&self, group: G, complete: bool) -> Result<(), Fault> {
        check::all_reached::<P>(&self.state, self.state.n_pes, Pe::new)?;
        check::collective(&self.state, self.state.n_pes.saturating_sub(1))?;
        // SAFETY: **live**: by **live** of `from_state`, and the module's paths are `P`.
        unsafe { barrier::barrier_all(&self.state, group, RemotePaths::<P>::ALL, complete) }
    }

    /// Waits for every thread of this PE's grid. The kernel must be launched collectively (all its blocks
    /// resident), and be the only such kernel of this PE at a time.
    ///
    /// # Errors
    /// The world's limit was reached before all blocks arrived.
    #[inline(always)]
    pub fn sync_grid(&self) -> Result<(), Fault> {
        let local = self.state.local as *mut LocalState;
        // SAFETY: **live** of `from_state`: `local` is this PE's LocalState, which is mapped.
        let arrived = unsafe { &raw mut (*local).grid_arrived };
        let blocks = grid::blocks_in_grid();
        check::collective(&self.state, blocks.saturating_sub(1))?;
        let mut ended = Ok(());
        Block.sync();
        if Block.leads() {
            // The last arrival itself flips the bit, so that no block needs a second atomic to announce it.
            let step = if grid::block_idx() == [0; 3] { TURN.wrapping_sub(blocks.wrapping_sub(1)) } else { 1 };
            // SAFETY: the word is in the LocalState.
            let before = unsafe { ptx::atom_add_acq_rel_gpu_u32(arrived, step) };
            let is_turned = |now: u32| (now ^ before) & TURN != 0;
            if !is_turned(before.wrapping_add(step)) {
                // SAFETY: the word is in the LocalState.
                let turned = || is_turned(unsafe { ptx::ld_acquire_gpu_u32(arrived) }).then_some(());
                // A block that waits for a PE that died reports a fault, which ends this wait too.
                let concerns = |_| false;
                ended = wait::until_among(&self.state, &mut WaitBudget::new(), 1, concerns, turned, || {
                    let mut fault = Fault::new(FaultStep::NotCollective);
                    fault.asked = blocks as u64;
                    fault
                });
            }
        }
        if Block.any(ended.is_err()) && ended.is_ok() {
            ended = Err(oxshmem_raw::state::fault::first(&self.state).unwrap_or(Fault::new(FaultStep::NotCollective)));
        }
        ended
    }

    #[inline(always)]
    fn check_sets(&self, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        if let PeSet::One(pe) = pes {
            check::pe(&self.state, pe)?;
        }
        check::qps::<P>(&self.state, qps)
    }
}
