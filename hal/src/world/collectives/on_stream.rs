//! Collectives as work of a stream.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{
    AnyOp, Collective, Comparable, Count, Element, Lists, Located, ReduceOp, Reducible, SymPtr, Symmetric,
};
use oxshmem_raw::state::collective::{CollectiveKernel, DataWay};

use super::grids::{Algorithm, CollectiveOptions, varied};
use crate::launch::KernelArgs;
use crate::world::World;
use crate::world::stream::Stream;
use crate::world::teams::Team;

/// A team's calls on a stream: [`Team::on`].
///
/// Sources and destinations are [`SymSlice`](oxshmem_core::SymSlice)s, which no call leaves, or
/// [`SymPtr`](oxshmem_core::SymPtr)s. A count of `..` stands for all elements of a slice: that with `count` elements,
/// or in an all-to-all the source.
#[derive(Clone, Copy, Debug)]
pub struct TeamOn<'a> {
    team: &'a Team<'a>,
    stream: &'a Stream<'a>,
    options: CollectiveOptions,
}

impl Team<'_> {
    /// Returns the team's calls on a stream of its world.
    ///
    /// ```
    /// use oxshmem_collectives as _; // Links the kernels of collectives, for PEs on host threads.
    /// use oxshmem_hal::{Config, DeviceChoice, Sum, World};
    ///
    /// let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    /// World::threads(2, &config, |world| {
    ///     let (team, stream, sum) = (world.team_world()?, world.stream()?, world.calloc::<u64>(1)?);
    ///     world.write(sum, &[world.my_pe().number() as u64 + 1])?;
    ///     team.on(&stream).reduce(Sum, sum, sum, 1)?;
    ///     stream.synchronize()?;
    ///     assert_eq!(world.g(sum, world.my_pe())?, 3);
    ///     world.barrier_all()
    /// })?;
    /// # Ok::<(), oxshmem_hal::Error>(())
    /// ```
    pub fn on<'a>(&'a self, stream: &'a Stream<'_>) -> TeamOn<'a> {
        TeamOn { team: self, stream, options: CollectiveOptions::new() }
    }
}

impl<'a> TeamOn<'a> {
    /// Sets the options of the calls.
    #[must_use]
    pub const fn with_options(mut self, options: CollectiveOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the world, after the check that stream and team are of one: first of all, so that a call without
    /// elements is no exception.
    fn world(&self, call: &str) -> Result<&'a World> {
        match std::ptr::eq(self.team.world, self.stream.world) {
            true => Ok(self.team.world),
            false => Err(Error::new(ErrorKind::InvalidArgument, format!("call `{call}`"))
                .because("the stream is of another world")
                .hint("make one with the `stream` of the team's world")),
        }
    }

    /// Enqueues a barrier of the team: later work of the stream starts when every member's earlier work of its stream has
    /// ended and its puts are delivered. Returns at once.
    ///
    /// One stream at a time makes calls on a team; a program that changes the stream orders the two by events. The
    /// calls can be captured in a graph.
    ///
    /// # Errors
    /// The stream is of another world, an earlier kernel has reported a fault, or the kernels of collectives
    /// are missing.
    pub fn barrier(&self) -> Result<()> {
        self.world("team_barrier")?;
        self.meet(1)
    }

    /// Enqueues a barrier as [`barrier`](TeamOn::barrier), which does not complete operations on remote
    /// paths.
    ///
    /// # Errors
    /// As [`barrier`](TeamOn::barrier).
    pub fn sync(&self) -> Result<()> {
        self.world("team_sync")?;
        self.meet(0)
    }

    /// Enqueues a broadcast: copies `count` elements of member `root`'s `source` to every member's `dest`. `dest` may
    /// be `source`; otherwise the ranges are disjoint.
    ///
    /// # Errors
    /// As [`barrier`](TeamOn::barrier); or a range is outside the heap or longer than its slice, they overlap, or there
    /// is no such member.
    pub fn broadcast<T: Element, D: Symmetric<T>>(
        &self,
        dest: D,
        source: impl Symmetric<T>,
        count: impl Count<D>,
        root: u32,
    ) -> Result<()> {
        let (world, team) = (self.world("broadcast")?, self.team);
        let count = count.or_all(dest.limit());
        if root >= team.n_pes() {
            return Err(Error::new(ErrorKind::OutOfRange, format!("broadcast from member {root} of a team"))
                .because(format!("the team has members 0 to {}", team.n_pes() - 1))
                .amount(root.into(), team.n_pes().into(), "members"));
        }
        let Some(bytes) = world.ends("broadcast", (dest, count), (source, count))? else { return Ok(()) };
        let (dest, source) = (dest.start(), source.start());
        world.apart("broadcast", (dest, count), (source, count), dest)?;
        let args = (team.handle(), dest.cast::<u8>(), source.cast::<u8>(), bytes, root);
        self.run(Collective::Broadcast, bytes, CollectiveKernel::Broadcast, args)
    }

    /// Enqueues an all-gather: `count` elements of every member's `source` go to every member's `dest`, those of member
    /// `i` from element `i * count` on. `source` may be this member's own part of `dest`; otherwise the ranges are
    /// disjoint.
    ///
    /// # Errors
    /// As [`barrier`](TeamOn::barrier); or a range is outside the heap or longer than its slice, or they overlap.
    pub fn fcollect<T: Element, S: Symmetric<T>>(
        &self,
        dest: impl Symmetric<T>,
        source: S,
        count: impl Count<S>,
    ) -> Result<()> {
        let (world, team) = (self.world("fcollect")?, self.team);
        let count = count.or_all(source.limit());
        let all = count.saturating_mul(team.n_pes() as usize);
        let Some(_) = world.ends("fcollect", (dest, all), (source, count))? else { return Ok(()) };
        let (dest, source) = (dest.start(), source.start());
        let own = dest.add(count * team.my_pe() as usize);
        world.apart("fcollect", (dest, all), (source, count), own)?;
        let bytes = count * T::WIDTH.bytes();
        let args = (team.handle(), dest.cast::<u8>(), source.cast::<u8>(), bytes);
        self.run(Collective::Fcollect, bytes, CollectiveKernel::Fcollect, args)
    }

    /// Enqueues an all-to-all: `count` elements of `source`, from element `i * count` on, go to member `i`, and `dest`
    /// gets from each member, in the same order, its part for this one. The ranges are disjoint.
    ///
    /// # Errors
    /// As [`fcollect`](TeamOn::fcollect); or `count` is `..`, and the members do not share out `source` equally.
    pub fn alltoall<T: Element, S: Symmetric<T>>(
        &self,
        dest: impl Symmetric<T>,
        source: S,
        count: impl Count<S>,
    ) -> Result<()> {
        let (world, team) = (self.world("alltoall")?, self.team);
        let members = team.n_pes() as usize;
        if count.is_all() && !source.limit().is_multiple_of(members) {
            let all = source.limit();
            return Err(Error::new(ErrorKind::InvalidArgument, format!("alltoall of {all} elements"))
                .because(format!("they are no equal shares for {members} members")));
        }
        let count = count.or_all(source.limit() / members);
        let all = count.saturating_mul(members);
        let Some(_) = world.ends("alltoall", (dest, all), (source, all))? else { return Ok(()) };
        let (dest, source) = (dest.start(), source.start());
        // No part may be in place.
        world.apart("alltoall", (dest, all), (source, all), dest.add(all))?;
        let bytes = count * T::WIDTH.bytes();
        let args = (team.handle(), dest.cast::<u8>(), source.cast::<u8>(), bytes);
        self.run(Collective::Alltoall, bytes, CollectiveKernel::Alltoall, args)
    }

    /// Enqueues an all-to-all with a count for each pair of members: `counts[i]` elements of `source`, from element
    /// `source_starts[i]` on, go to member `i`. They arrive in that member's `dest`, from element `dest_starts[j]` of
    /// that member's list on, where `j` is this member. The lists are read when the stream comes to the call.
    ///
    /// # Errors
    /// As [`barrier`](TeamOn::barrier); or a list or an end is outside the heap.
    pub fn alltoallv<T: Element>(&self, dest: SymPtr<T>, source: SymPtr<T>, lists: Lists) -> Result<()> {
        let (world, team, Lists { counts, source_starts, dest_starts }) = (self.world("alltoallv")?, self.team, lists);
        for list in [counts, source_starts, dest_starts] {
            world.remote("alltoallv", list, team.n_pes() as usize, world.me)?;
        }
        world.ends("alltoallv", (dest, 1), (source, 1))?;
        // The amount is unknown on the host.
        let grid = varied(team, self.options);
        let (dest, source) = (dest.cast::<u8>(), source.cast::<u8>());
        let args = (team.handle(), T::WIDTH.bytes(), dest, source, counts, source_starts, dest_starts);
        self.launch(CollectiveKernel::Alltoallv, grid, args)
    }

    /// Enqueues a reduction of `count` elements of every member's `source`; every member gets the result in `dest`.
    /// Operands are combined in the order of the members, so that each member, algorithm and run gives the same bits.
    /// `dest` may be `source`; otherwise the ranges are disjoint.
    ///
    /// # Errors
    /// As [`fcollect`](TeamOn::fcollect).
    pub fn reduce<T: Reducible, O: ReduceOp<T> + Into<AnyOp>, D: Symmetric<T>>(
        &self,
        op: O,
        dest: D,
        source: impl Symmetric<T>,
        count: impl Count<D>,
    ) -> Result<()> {
        let (world, team) = (self.world("reduce")?, self.team);
        let count = count.or_all(dest.limit());
        let Some(bytes) = world.ends("reduce", (dest, count), (source, count))? else { return Ok(()) };
        let (dest, source) = (dest.start(), source.start());
        world.apart("reduce", (dest, count), (source, count), dest)?;
        let args = (team.handle(), op.into() as u32, dest, source, count);
        self.run(Collective::Reduce, bytes, |way| CollectiveKernel::Reduce(T::TYPE, way), args)
    }

    /// Enqueues a reduction to the largest value and its index: for each of `count` elements, every member gets in
    /// `dest` the largest value of all members' `source` with its index. An element is a
    /// [`Located<T>`](oxshmem_core::Located): two words, the value's bits and its index. Of equal values the smaller
    /// index wins; a NaN loses to every number. `dest` may be `source`; otherwise the ranges are disjoint. Data goes by
    /// packets, or with remote members through the team's memory.
    ///
    /// # Errors
    /// As [`fcollect`](TeamOn::fcollect).
    pub fn reduce_maxloc<T: Comparable>(
        &self,
        dest: impl Symmetric<u64>,
        source: impl Symmetric<u64>,
        count: usize,
    ) -> Result<()> {
        let (world, team) = (self.world("reduce_maxloc")?, self.team);
        let words = count.saturating_mul(Located::<T>::WORDS);
        let Some(bytes) = world.ends("reduce_maxloc", (dest, words), (source, words))? else { return Ok(()) };
        let (dest, source) = (dest.start(), source.start());
        world.apart("reduce_maxloc", (dest, words), (source, words), dest)?;
        let options = self.options.with_algorithm(Algorithm::Packets);
        let (grid, _) = world.grid_of(team, options, Collective::ReduceMaxloc, bytes)?;
        self.launch(CollectiveKernel::ReduceMaxloc(T::TYPE), grid, (team.handle(), dest, source, count))
    }

    /// Enqueues a reduction whose result is shared out: `dest` of member `i` gets the reduction of elements `i *
    /// count..(i + 1) * count` of every member's `source`. Operands are combined in the order of the members. `dest`
    /// may be this member's own part of `source`; otherwise the ranges are disjoint.
    ///
    /// # Errors
    /// As [`fcollect`](TeamOn::fcollect).
    pub fn reducescatter<T: Reducible, O: ReduceOp<T> + Into<AnyOp>, D: Symmetric<T>>(
        &self,
        op: O,
        dest: D,
        source: impl Symmetric<T>,
        count: impl Count<D>,
    ) -> Result<()> {
        let (world, team) = (self.world("reducescatter")?, self.team);
        let count = count.or_all(dest.limit());
        let all = count.saturating_mul(team.n_pes() as usize);
        let Some(bytes) = world.ends("reducescatter", (dest, count), (source, all))? else { return Ok(()) };
        let (dest, source) = (dest.start(), source.start());
        let own = source.add(count * team.my_pe() as usize);
        world.apart("reducescatter", (source, all), (dest, count), own)?;
        let args = (team.handle(), op.into() as u32, dest, source, count);
        self.run(Collective::Reducescatter, bytes, |way| CollectiveKernel::Reducescatter(T::TYPE, way), args)
    }

    /// Enqueues a collective of `bytes` bytes for each pair of members, by the kernel for the way of its data.
    fn run(
        &self,
        collective: Collective,
        bytes: usize,
        kernel: impl FnOnce(DataWay) -> CollectiveKernel,
        args: impl KernelArgs,
    ) -> Result<()> {
        let (grid, way) = self.team.world.grid_of(self.team, self.options, collective, bytes)?;
        self.launch(kernel(way), grid, args)
    }

    /// Enqueues a barrier. `complete`: 1 completes earlier operations, 0 does not.
    fn meet(&self, complete: u32) -> Result<()> {
        let threads = self.team.n_pes().next_multiple_of(32).min(256);
        self.launch(CollectiveKernel::Barrier, (1, threads), (self.team.handle(), complete))
    }

    fn launch(&self, kernel: CollectiveKernel, grid: (u32, u32), args: impl KernelArgs) -> Result<()> {
        self.team.world.run_collective(&self.stream.state, self.team, kernel, grid, args)
    }
}

impl World {
    /// Checks both ranges, and returns the size of the destination in bytes; `None` if there is nothing to do.
    fn ends<T: Element>(
        &self,
        call: &str,
        (dest, dest_count): (impl Symmetric<T>, usize),
        (source, source_count): (impl Symmetric<T>, usize),
    ) -> Result<Option<usize>> {
        self.remote(call, dest, dest_count, self.me)?;
        self.remote(call, source, source_count, self.me)?;
        // Kernels that check compare the calls of all members, so that each of them runs one.
        let runs = dest_count > 0 || self.collectives_check()?;
        Ok(runs.then_some(dest_count * T::WIDTH.bytes()))
    }

    /// Checks that two ranges are disjoint, unless the smaller one begins at `in_place`.
    fn apart<T: Element>(
        &self,
        call: &str,
        (large, large_count): (SymPtr<T>, usize),
        (small, small_count): (SymPtr<T>, usize),
        in_place: SymPtr<T>,
    ) -> Result<()> {
        let range = |at: SymPtr<T>, count: usize| {
            let start = at.addr().offset();
            start..start + (count * T::WIDTH.bytes()) as u64
        };
        let (large, at, small) = (range(large, large_count), small, range(small, small_count));
        if at == in_place || large.end <= small.start || small.end <= large.start {
            return Ok(());
        }
        Err(Error::new(ErrorKind::InvalidArgument, call).because(format!(
            "the destination and the source overlap: heap offsets {:#x} to {:#x}, and {:#x} to {:#x}",
            large.start, large.end, small.start, small.end
        )))
    }
}
