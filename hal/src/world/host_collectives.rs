//! Collectives as calls of the host: on the world's own stream, complete on return.
//!
//! Arguments are those of the calls on streams. A kernel's failure is an error too.

use oxshmem_core::host::Result;
use oxshmem_core::{AnyOp, Comparable, Element, Number, ReduceOp, SymPtr};

use super::World;
use super::collective_grids::CollectiveOptions;
use super::teams::Team;

impl World {
    /// Waits for every member of a team, after completing this PE's work of the world's own stream.
    ///
    /// # Errors
    /// As [`team_barrier_on`](World::team_barrier_on); or a member did not come within the limit, or died.
    pub fn team_barrier(&self, team: &Team) -> Result<()> {
        self.team_barrier_on(self.own_stream(), team)?;
        self.synchronize()
    }

    /// Waits for every member of a team, as [`team_barrier`](World::team_barrier), without completing operations on
    /// remote paths.
    ///
    /// # Errors
    /// As [`team_barrier`](World::team_barrier).
    pub fn team_sync(&self, team: &Team) -> Result<()> {
        self.team_sync_on(self.own_stream(), team)?;
        self.synchronize()
    }

    /// Performs [`broadcast_on`](World::broadcast_on), and waits for its end.
    ///
    /// # Errors
    /// As [`broadcast_on`](World::broadcast_on); or a member did not come within the limit, or died.
    pub fn broadcast<T: Element>(
        &self,
        team: &Team,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
        root: u32,
    ) -> Result<()> {
        self.broadcast_on(self.own_stream(), team, CollectiveOptions::default(), dest, source, count, root)?;
        self.synchronize()
    }

    /// Performs [`fcollect_on`](World::fcollect_on), and waits for its end.
    ///
    /// # Errors
    /// As [`fcollect_on`](World::fcollect_on); or a member did not come within the limit, or died.
    pub fn fcollect<T: Element>(&self, team: &Team, dest: SymPtr<T>, source: SymPtr<T>, count: usize) -> Result<()> {
        self.fcollect_on(self.own_stream(), team, CollectiveOptions::default(), dest, source, count)?;
        self.synchronize()
    }

    /// Performs [`alltoall_on`](World::alltoall_on), and waits for its end.
    ///
    /// # Errors
    /// As [`alltoall_on`](World::alltoall_on); or a member did not come within the limit, or died.
    pub fn alltoall<T: Element>(&self, team: &Team, dest: SymPtr<T>, source: SymPtr<T>, count: usize) -> Result<()> {
        self.alltoall_on(self.own_stream(), team, CollectiveOptions::default(), dest, source, count)?;
        self.synchronize()
    }

    /// Performs [`alltoallv_on`](World::alltoallv_on), and waits for its end.
    ///
    /// # Errors
    /// As [`alltoallv_on`](World::alltoallv_on); or a member did not come within the limit, or died.
    #[allow(clippy::too_many_arguments, reason = "MPI's own list")]
    pub fn alltoallv<T: Element>(
        &self,
        team: &Team,
        dest: SymPtr<T>,
        dest_starts: SymPtr<u64>,
        source: SymPtr<T>,
        source_starts: SymPtr<u64>,
        counts: SymPtr<u64>,
    ) -> Result<()> {
        let options = CollectiveOptions::default();
        self.alltoallv_on(self.own_stream(), team, options, dest, dest_starts, source, source_starts, counts)?;
        self.synchronize()
    }

    /// Performs [`reduce_on`](World::reduce_on), and waits for its end.
    ///
    /// # Errors
    /// As [`reduce_on`](World::reduce_on); or a member did not come within the limit, or died.
    pub fn reduce<T: Number, O: ReduceOp<T> + Into<AnyOp>>(
        &self,
        team: &Team,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<()> {
        self.reduce_on(self.own_stream(), team, CollectiveOptions::default(), op, dest, source, count)?;
        self.synchronize()
    }

    /// Performs [`reduce_maxloc_on`](World::reduce_maxloc_on), and waits for its end.
    ///
    /// # Errors
    /// As [`reduce_maxloc_on`](World::reduce_maxloc_on); or a member did not come within the limit, or died.
    pub fn reduce_maxloc<T: Comparable>(
        &self,
        team: &Team,
        dest: SymPtr<u64>,
        source: SymPtr<u64>,
        count: usize,
    ) -> Result<()> {
        self.reduce_maxloc_on::<T>(self.own_stream(), team, CollectiveOptions::default(), dest, source, count)?;
        self.synchronize()
    }

    /// Performs [`reducescatter_on`](World::reducescatter_on), and waits for its end.
    ///
    /// # Errors
    /// As [`reducescatter_on`](World::reducescatter_on); or a member did not come within the limit, or died.
    pub fn reducescatter<T: Number, O: ReduceOp<T> + Into<AnyOp>>(
        &self,
        team: &Team,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<()> {
        self.reducescatter_on(self.own_stream(), team, CollectiveOptions::default(), op, dest, source, count)?;
        self.synchronize()
    }
}
