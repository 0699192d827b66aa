//! Collectives as calls of the host: after the work of the world's own stream, complete on return. Calls of several
//! threads run side by side, each on a stream of its own.
//!
//! Arguments are those of the calls on streams. A kernel's failure is an error too. A call in a capture is refused before
//! it runs: other members would count a call whose error this PE takes for one that was not made.

use oxshmem_core::host::Result;
use oxshmem_core::{AnyOp, Comparable, Element, Number, ReduceOp, SymPtr};

use super::World;
use super::collective_grids::CollectiveOptions;
use super::teams::Team;

impl World {
    /// Waits for every member of a team, after completing this PE's work of the world's own stream.
    ///
    /// # Errors
    /// As [`team_barrier_on`](World::team_barrier_on); a member did not come within the limit, or died; or a graph is
    /// recorded by this thread, or of the world's own stream.
    pub fn team_barrier(&self, team: &Team) -> Result<()> {
        self.at_once("team_barrier", |stream| self.team_barrier_on(stream, team))
    }

    /// Waits for every member of a team, as [`team_barrier`](World::team_barrier), without completing operations on
    /// remote paths.
    ///
    /// # Errors
    /// As [`team_barrier`](World::team_barrier).
    pub fn team_sync(&self, team: &Team) -> Result<()> {
        self.at_once("team_sync", |stream| self.team_sync_on(stream, team))
    }

    /// Performs [`broadcast_on`](World::broadcast_on), and waits for its end.
    ///
    /// # Errors
    /// As [`broadcast_on`](World::broadcast_on), and those of [`team_barrier`](World::team_barrier).
    pub fn broadcast<T: Element>(
        &self,
        team: &Team,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
        root: u32,
    ) -> Result<()> {
        let options = CollectiveOptions::default();
        self.at_once("broadcast", |stream| self.broadcast_on(stream, team, options, dest, source, count, root))
    }

    /// Performs [`fcollect_on`](World::fcollect_on), and waits for its end.
    ///
    /// # Errors
    /// As [`fcollect_on`](World::fcollect_on), and those of [`team_barrier`](World::team_barrier).
    pub fn fcollect<T: Element>(&self, team: &Team, dest: SymPtr<T>, source: SymPtr<T>, count: usize) -> Result<()> {
        let options = CollectiveOptions::default();
        self.at_once("fcollect", |stream| self.fcollect_on(stream, team, options, dest, source, count))
    }

    /// Performs [`alltoall_on`](World::alltoall_on), and waits for its end.
    ///
    /// # Errors
    /// As [`alltoall_on`](World::alltoall_on), and those of [`team_barrier`](World::team_barrier).
    pub fn alltoall<T: Element>(&self, team: &Team, dest: SymPtr<T>, source: SymPtr<T>, count: usize) -> Result<()> {
        let options = CollectiveOptions::default();
        self.at_once("alltoall", |stream| self.alltoall_on(stream, team, options, dest, source, count))
    }

    /// Performs [`alltoallv_on`](World::alltoallv_on), and waits for its end.
    ///
    /// # Errors
    /// As [`alltoallv_on`](World::alltoallv_on), and those of [`team_barrier`](World::team_barrier).
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
        self.at_once("alltoallv", |stream| {
            self.alltoallv_on(stream, team, options, dest, dest_starts, source, source_starts, counts)
        })
    }

    /// Performs [`reduce_on`](World::reduce_on), and waits for its end.
    ///
    /// # Errors
    /// As [`reduce_on`](World::reduce_on), and those of [`team_barrier`](World::team_barrier).
    pub fn reduce<T: Number, O: ReduceOp<T> + Into<AnyOp>>(
        &self,
        team: &Team,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<()> {
        let options = CollectiveOptions::default();
        self.at_once("reduce", |stream| self.reduce_on(stream, team, options, op, dest, source, count))
    }

    /// Performs [`reduce_maxloc_on`](World::reduce_maxloc_on), and waits for its end.
    ///
    /// # Errors
    /// As [`reduce_maxloc_on`](World::reduce_maxloc_on), and those of [`team_barrier`](World::team_barrier).
    pub fn reduce_maxloc<T: Comparable>(
        &self,
        team: &Team,
        dest: SymPtr<u64>,
        source: SymPtr<u64>,
        count: usize,
    ) -> Result<()> {
        let options = CollectiveOptions::default();
        self.at_once("reduce_maxloc", |stream| self.reduce_maxloc_on::<T>(stream, team, options, dest, source, count))
    }

    /// Performs [`reducescatter_on`](World::reducescatter_on), and waits for its end.
    ///
    /// # Errors
    /// As [`reducescatter_on`](World::reducescatter_on), and those of [`team_barrier`](World::team_barrier).
    pub fn reducescatter<T: Number, O: ReduceOp<T> + Into<AnyOp>>(
        &self,
        team: &Team,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<()> {
        let options = CollectiveOptions::default();
        self.at_once("reducescatter", |stream| self.reducescatter_on(stream, team, options, op, dest, source, count))
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_core::host::ErrorKind;

    use super::*;
    use crate::{Config, DeviceChoice};

    #[test]
    fn a_collective_of_the_host_is_refused_while_any_thread_records_the_worlds_own_stream() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        World::threads(1, &config, |world| {
            let team = world.team_world()?;
            let graph = world.own_stream().capture(|_| {
                let other = || world.team_barrier(&team).unwrap_err();
                let refused = std::thread::scope(|scope| scope.spawn(other).join().unwrap());
                assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
                assert!(refused.to_string().contains("`team_barrier` on a stream that is being captured"), "{refused}");
                Ok(())
            })?;
            assert_eq!(graph.dot()?, "digraph graph_of_host_tasks {\n}\n", "no call is recorded");
            Ok(())
        })
        .unwrap();
    }
}
