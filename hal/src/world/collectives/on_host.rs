//! Collectives as calls of the host: after the work of the world's own stream, complete on return. Calls of several
//! threads run side by side, each on a stream of its own.
//!
//! Arguments are those of the calls on streams. A kernel's failure is an error too. A call in a capture is refused before
//! it runs: other members would count a call whose error this PE takes for one that was not made.

use oxshmem_core::host::Result;
use oxshmem_core::{AnyOp, Comparable, Count, Element, Lists, ReduceOp, Reducible, SymPtr, Symmetric};

use crate::world::teams::Team;

impl Team<'_> {
    /// Waits for every member, after completing this PE's work of the world's own stream.
    ///
    /// # Errors
    /// As [`TeamOn::barrier`](super::on_stream::TeamOn::barrier); a member did not come within the limit, or died; or a
    /// graph is recorded by this thread, or of the world's own stream.
    pub fn barrier(&self) -> Result<()> {
        self.world.at_once("team_barrier", |stream| self.on(stream).barrier())
    }

    /// Waits for every member, as [`barrier`](Team::barrier), without completing operations on
    /// remote paths.
    ///
    /// # Errors
    /// As [`barrier`](Team::barrier).
    pub fn sync(&self) -> Result<()> {
        self.world.at_once("team_sync", |stream| self.on(stream).sync())
    }

    /// Performs [`TeamOn::broadcast`](super::on_stream::TeamOn::broadcast), and waits for its end.
    ///
    /// # Errors
    /// As [`TeamOn::broadcast`](super::on_stream::TeamOn::broadcast), and those of [`barrier`](Team::barrier).
    pub fn broadcast<T: Element, D: Symmetric<T>>(
        &self,
        dest: D,
        source: impl Symmetric<T>,
        count: impl Count<D>,
        root: u32,
    ) -> Result<()> {
        self.world.at_once("broadcast", |stream| self.on(stream).broadcast(dest, source, count, root))
    }

    /// Performs [`TeamOn::fcollect`](super::on_stream::TeamOn::fcollect), and waits for its end.
    ///
    /// # Errors
    /// As [`TeamOn::fcollect`](super::on_stream::TeamOn::fcollect), and those of [`barrier`](Team::barrier).
    pub fn fcollect<T: Element, S: Symmetric<T>>(
        &self,
        dest: impl Symmetric<T>,
        source: S,
        count: impl Count<S>,
    ) -> Result<()> {
        self.world.at_once("fcollect", |stream| self.on(stream).fcollect(dest, source, count))
    }

    /// Performs [`TeamOn::alltoall`](super::on_stream::TeamOn::alltoall), and waits for its end.
    ///
    /// # Errors
    /// As [`TeamOn::alltoall`](super::on_stream::TeamOn::alltoall), and those of [`barrier`](Team::barrier).
    pub fn alltoall<T: Element, S: Symmetric<T>>(
        &self,
        dest: impl Symmetric<T>,
        source: S,
        count: impl Count<S>,
    ) -> Result<()> {
        self.world.at_once("alltoall", |stream| self.on(stream).alltoall(dest, source, count))
    }

    /// Performs [`TeamOn::alltoallv`](super::on_stream::TeamOn::alltoallv), and waits for its end.
    ///
    /// # Errors
    /// As [`TeamOn::alltoallv`](super::on_stream::TeamOn::alltoallv), and those of [`barrier`](Team::barrier).
    pub fn alltoallv<T: Element>(&self, dest: SymPtr<T>, source: SymPtr<T>, lists: Lists) -> Result<()> {
        self.world.at_once("alltoallv", |stream| self.on(stream).alltoallv(dest, source, lists))
    }

    /// Performs [`TeamOn::reduce`](super::on_stream::TeamOn::reduce), and waits for its end.
    ///
    /// # Errors
    /// As [`TeamOn::reduce`](super::on_stream::TeamOn::reduce), and those of [`barrier`](Team::barrier).
    pub fn reduce<T: Reducible, O: ReduceOp<T> + Into<AnyOp>, D: Symmetric<T>>(
        &self,
        op: O,
        dest: D,
        source: impl Symmetric<T>,
        count: impl Count<D>,
    ) -> Result<()> {
        self.world.at_once("reduce", |stream| self.on(stream).reduce(op, dest, source, count))
    }

    /// Performs [`TeamOn::reduce_maxloc`](super::on_stream::TeamOn::reduce_maxloc), and waits for its end.
    ///
    /// # Errors
    /// As [`TeamOn::reduce_maxloc`](super::on_stream::TeamOn::reduce_maxloc), and those of [`barrier`](Team::barrier).
    pub fn reduce_maxloc<T: Comparable>(
        &self,
        dest: impl Symmetric<u64>,
        source: impl Symmetric<u64>,
        count: usize,
    ) -> Result<()> {
        self.world.at_once("reduce_maxloc", |stream| self.on(stream).reduce_maxloc::<T>(dest, source, count))
    }

    /// Performs [`TeamOn::reducescatter`](super::on_stream::TeamOn::reducescatter), and waits for its end.
    ///
    /// # Errors
    /// As [`TeamOn::reducescatter`](super::on_stream::TeamOn::reducescatter), and those of [`barrier`](Team::barrier).
    pub fn reducescatter<T: Reducible, O: ReduceOp<T> + Into<AnyOp>, D: Symmetric<T>>(
        &self,
        op: O,
        dest: D,
        source: impl Symmetric<T>,
        count: impl Count<D>,
    ) -> Result<()> {
        self.world.at_once("reducescatter", |stream| self.on(stream).reducescatter(op, dest, source, count))
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_core::host::ErrorKind;

    use crate::{Config, DeviceChoice, World};

    #[test]
    fn a_collective_of_the_host_is_refused_while_any_thread_records_the_worlds_own_stream() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        World::threads(1, &config, |world| {
            let team = world.team_world()?;
            let graph = world.own_stream().capture(|_| {
                let other = || team.barrier().unwrap_err();
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
