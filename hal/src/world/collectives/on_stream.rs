//! Collectives as work of a stream.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{AnyOp, Collective, Comparable, Element, Located, Number, ReduceOp, SymPtr};

use super::grids::{Algorithm, CollectiveOptions, varied};
use crate::world::World;
use crate::world::stream::Stream;
use crate::world::teams::Team;

/// A team's calls on a stream: [`Team::on`].
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

    /// Returns the parts, after the check that stream and team are of one world: first of all, so that a call without
    /// elements is no exception.
    fn parts(&self, call: &str) -> Result<(&'a World, &'a Team<'a>, &'a Stream<'a>, CollectiveOptions)> {
        let Self { team, stream, options } = *self;
        match std::ptr::eq(team.world, stream.world) {
            true => Ok((team.world, team, stream, options)),
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
        let (world, team, stream, _) = self.parts("team_barrier")?;
        let threads = team.n_pes().next_multiple_of(32).min(256);
        world.run_collective(&stream.state, team, "team_barrier", (1, threads), (team.handle(), 1u32))
    }

    /// Enqueues a barrier as [`barrier`](TeamOn::barrier), which does not complete operations on remote
    /// paths.
    ///
    /// # Errors
    /// As [`barrier`](TeamOn::barrier).
    pub fn sync(&self) -> Result<()> {
        let (world, team, stream, _) = self.parts("team_sync")?;
        let threads = team.n_pes().next_multiple_of(32).min(256);
        world.run_collective(&stream.state, team, "team_barrier", (1, threads), (team.handle(), 0u32))
    }

    /// Enqueues a broadcast: copies `count` elements of member `root`'s `source` to every member's `dest`. `dest` may
    /// be `source`; otherwise the ranges are disjoint.
    ///
    /// # Errors
    /// As [`barrier`](TeamOn::barrier); or a range is outside the heap, they overlap, or there
    /// is no such member.
    pub fn broadcast<T: Element>(&self, dest: SymPtr<T>, source: SymPtr<T>, count: usize, root: u32) -> Result<()> {
        let (world, team, stream, options) = self.parts("broadcast")?;
        if root >= team.n_pes() {
            return Err(Error::new(ErrorKind::OutOfRange, format!("broadcast from member {root} of a team"))
                .because(format!("the team has members 0 to {}", team.n_pes() - 1))
                .amount(root.into(), team.n_pes().into(), "members"));
        }
        let Some(bytes) = world.ends("broadcast", (dest, count), (source, count))? else { return Ok(()) };
        world.apart("broadcast", (dest, count), (source, count), dest)?;
        let (grid, way) = world.grid_of(team, options, Collective::Broadcast, bytes)?;
        let args = (team.handle(), dest.cast::<u8>(), source.cast::<u8>(), bytes, root);
        world.run_collective(&stream.state, team, &format!("broadcast_{way}"), grid, args)
    }

    /// Enqueues an all-gather: `count` elements of every member's `source` go to every member's `dest`, those of member
    /// `i` from element `i * count` on. `source` may be this member's own part of `dest`; otherwise the ranges are
    /// disjoint.
    ///
    /// # Errors
    /// As [`barrier`](TeamOn::barrier); or a range is outside the heap, or they overlap.
    pub fn fcollect<T: Element>(&self, dest: SymPtr<T>, source: SymPtr<T>, count: usize) -> Result<()> {
        let (world, team, stream, options) = self.parts("fcollect")?;
        let all = count.saturating_mul(team.n_pes() as usize);
        let Some(_) = world.ends("fcollect", (dest, all), (source, count))? else { return Ok(()) };
        let own = dest.add(count * team.my_pe() as usize);
        world.apart("fcollect", (dest, all), (source, count), own)?;
        world.run_copies(stream, Collective::Fcollect, team, options, dest, source, count)
    }

    /// Enqueues an all-to-all: `count` elements of `source`, from element `i * count` on, go to member `i`, and `dest`
    /// gets from each member, in the same order, its part for this one. The ranges are disjoint.
    ///
    /// # Errors
    /// As [`fcollect`](TeamOn::fcollect).
    pub fn alltoall<T: Element>(&self, dest: SymPtr<T>, source: SymPtr<T>, count: usize) -> Result<()> {
        let (world, team, stream, options) = self.parts("alltoall")?;
        let all = count.saturating_mul(team.n_pes() as usize);
        let Some(_) = world.ends("alltoall", (dest, all), (source, all))? else { return Ok(()) };
        // No part may be in place.
        world.apart("alltoall", (dest, all), (source, all), dest.add(all))?;
        world.run_copies(stream, Collective::Alltoall, team, options, dest, source, count)
    }

    /// Enqueues an all-to-all with a count for each pair of members: `counts[i]` elements of `source`, from element
    /// `source_starts[i]` on, go to member `i`. They arrive in that member's `dest`, from element `dest_starts[j]` of
    /// that member's list on, where `j` is this member. The lists are symmetric, with a number for each member, and are
    /// read when the stream comes to the call.
    ///
    /// # Errors
    /// As [`barrier`](TeamOn::barrier); or a list or an end is outside the heap.
    pub fn alltoallv<T: Element>(
        &self,
        dest: SymPtr<T>,
        dest_starts: SymPtr<u64>,
        source: SymPtr<T>,
        source_starts: SymPtr<u64>,
        counts: SymPtr<u64>,
    ) -> Result<()> {
        let (world, team, stream, options) = self.parts("alltoallv")?;
        for list in [counts, source_starts, dest_starts] {
            world.remote("alltoallv", list, team.n_pes() as usize, world.me)?;
        }
        world.ends("alltoallv", (dest, 1), (source, 1))?;
        // The amount is unknown on the host.
        let grid = varied(team, options);
        let (dest, source) = (dest.cast::<u8>(), source.cast::<u8>());
        let args = (team.handle(), T::WIDTH.bytes(), dest, source, counts, source_starts, dest_starts);
        world.run_collective(&stream.state, team, "alltoallv", grid, args)
    }

    /// Enqueues a reduction of `count` elements of every member's `source`; every member gets the result in `dest`.
    /// Operands are combined in the order of the members, so that each member, algorithm and run gives the same bits.
    /// `dest` may be `source`; otherwise the ranges are disjoint.
    ///
    /// # Errors
    /// As [`fcollect`](TeamOn::fcollect).
    pub fn reduce<T: Number, O: ReduceOp<T> + Into<AnyOp>>(
        &self,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<()> {
        let (world, team, stream, options) = self.parts("reduce")?;
        let Some(bytes) = world.ends("reduce", (dest, count), (source, count))? else { return Ok(()) };
        world.apart("reduce", (dest, count), (source, count), dest)?;
        world.run_reduction(stream, Collective::Reduce, team, options, op.into(), (dest, source), count, bytes)
    }

    /// Enqueues a reduction to the largest value and its index: for each of `count` elements, every member gets in
    /// `dest` the largest value of all members' `source` with its index. An element is a
    /// [`Located<T>`](oxshmem_core::Located): two words, the value's bits and its index. Of equal values the smaller
    /// index wins; a NaN loses to every number. `dest` may be `source`; otherwise the ranges are disjoint. Data goes by
    /// packets, or with remote members through the team's memory.
    ///
    /// # Errors
    /// As [`fcollect`](TeamOn::fcollect).
    pub fn reduce_maxloc<T: Comparable>(&self, dest: SymPtr<u64>, source: SymPtr<u64>, count: usize) -> Result<()> {
        let (world, team, stream, options) = self.parts("reduce_maxloc")?;
        let words = count.saturating_mul(Located::<T>::WORDS);
        let Some(bytes) = world.ends("reduce_maxloc", (dest, words), (source, words))? else { return Ok(()) };
        world.apart("reduce_maxloc", (dest, words), (source, words), dest)?;
        let options = options.with_algorithm(Algorithm::Packets);
        let (grid, _) = world.grid_of(team, options, Collective::ReduceMaxloc, bytes)?;
        let args = (team.handle(), dest, source, count);
        world.run_collective(&stream.state, team, &format!("reduce_maxloc_{}", kernel_type::<T>()), grid, args)
    }

    /// Enqueues a reduction whose result is shared out: `dest` of member `i` gets the reduction of elements `i *
    /// count..(i + 1) * count` of every member's `source`. Operands are combined in the order of the members. `dest`
    /// may be this member's own part of `source`; otherwise the ranges are disjoint.
    ///
    /// # Errors
    /// As [`fcollect`](TeamOn::fcollect).
    pub fn reducescatter<T: Number, O: ReduceOp<T> + Into<AnyOp>>(
        &self,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<()> {
        let (world, team, stream, options) = self.parts("reducescatter")?;
        let all = count.saturating_mul(team.n_pes() as usize);
        let Some(bytes) = world.ends("reducescatter", (dest, count), (source, all))? else { return Ok(()) };
        let own = source.add(count * team.my_pe() as usize);
        world.apart("reducescatter", (source, all), (dest, count), own)?;
        world.run_reduction(stream, Collective::Reducescatter, team, options, op.into(), (dest, source), count, bytes)
    }
}

impl World {
    /// Checks both ranges, and returns the size of the destination in bytes; `None` if there is nothing to do.
    fn ends<T: Element>(
        &self,
        call: &str,
        (dest, dest_count): (SymPtr<T>, usize),
        (source, source_count): (SymPtr<T>, usize),
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

    #[allow(clippy::too_many_arguments, reason = "the arguments of a collective")]
    fn run_copies<T: Element>(
        &self,
        stream: &Stream<'_>,
        collective: Collective,
        team: &Team<'_>,
        options: CollectiveOptions,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<()> {
        let bytes = count * T::WIDTH.bytes();
        let (grid, way) = self.grid_of(team, options, collective, bytes)?;
        let args = (team.handle(), dest.cast::<u8>(), source.cast::<u8>(), bytes);
        self.run_collective(&stream.state, team, &format!("{}_{way}", collective.name()), grid, args)
    }

    #[allow(clippy::too_many_arguments, reason = "the arguments of a collective")]
    fn run_reduction<T: Number>(
        &self,
        stream: &Stream<'_>,
        collective: Collective,
        team: &Team<'_>,
        options: CollectiveOptions,
        op: AnyOp,
        (dest, source): (SymPtr<T>, SymPtr<T>),
        count: usize,
        bytes: usize,
    ) -> Result<()> {
        let (grid, way) = self.grid_of(team, options, collective, bytes)?;
        let args = (team.handle(), op as u32, dest, source, count);
        self.run_collective(
            &stream.state,
            team,
            &format!("{}_{}_{way}", collective.name(), kernel_type::<T>()),
            grid,
            args,
        )
    }
}

/// Returns the type in the names of the kernels for this type: reductions of types with the same values share kernels.
fn kernel_type<T: Element>() -> String {
    match T::NAME {
        "isize" => "i64".into(),
        "usize" => "u64".into(),
        name => name.to_lowercase(),
    }
}
