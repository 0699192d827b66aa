//! Collectives that all blocks of a grid make together.

use oxshmem_core::{Element, Fault, Located, Number, OrderingDomain, PeSet, Qp, QpSet, ReduceOp, SymPtr};
use oxshmem_raw::gpu::group::Block;
use oxshmem_raw::queue::path::PathList;

use super::{Lists, Team, Way};
use crate::{check, grid};

/// A team, as the calls of whole grids use it: every thread of the grid makes each call, and the grid of every member
/// has the same number of blocks.
///
/// Each block does a share on a slot of its own, from the team's slot on; blocks beyond the last slot have none. A grid
/// barrier before the call lets every block read elements that any block has written, and one after it lets every block
/// read all results. The kernel is launched collectively, and is the only such kernel of its PE at a time
/// ([`Shmem::sync_grid`](crate::Shmem::sync_grid)).
///
/// # Errors
/// As the calls of a [`Team`]; or not all blocks of the grid made the call within the world's limit.
#[derive(Clone, Copy, Debug)]
pub struct GridTeam<'a, P>(Team<'a, P>);

impl<'a, P: PathList> Team<'a, P> {
    /// Returns the team for calls that all blocks of the grid make together.
    #[inline(always)]
    pub fn by_grid(self) -> GridTeam<'a, P> {
        GridTeam(self)
    }
}

impl<'a, P: PathList> GridTeam<'a, P> {
    /// Returns the number of members.
    #[inline(always)]
    pub fn n_pes(&self) -> u32 {
        self.0.n_pes()
    }

    /// Waits for every member, and completes all earlier operations of the grid.
    #[inline(always)]
    pub fn barrier(&self) -> Result<(), Fault> {
        let team = self.0;
        if !team.all_load_store() {
            team.shmem.queue_of(Qp::Default).quiet(Block, PeSet::All, QpSet::All)?;
        }
        self.meet()?;
        if grid::block_in_grid() == 0 {
            // The fence of the announcements carries the stores of all blocks, which the grid barrier made visible.
            team.barrier(Block)?;
        }
        self.meet()
    }

    /// Copies `count` elements of member `root` as [`Team::broadcast`].
    #[inline(always)]
    pub fn broadcast<T: Element>(
        &self,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
        root: u32,
    ) -> Result<(), Fault> {
        self.0.check_whole(dest, source, count)?;
        let part = self.part();
        self.meet()?;
        if part.takes {
            let (start, share) = part.share::<T>(count);
            part.team.share_of(count * T::WIDTH.bytes()).broadcast(
                Block,
                dest.add(start),
                source.add(start),
                share,
                root,
            )?;
        }
        self.meet()
    }

    /// Gathers `count` elements of each member as [`Team::fcollect`].
    #[inline(always)]
    pub fn fcollect<T: Element>(&self, dest: SymPtr<T>, source: SymPtr<T>, count: usize) -> Result<(), Fault> {
        let part = self.part();
        self.meet()?;
        if part.takes {
            let (start, share) = part.share::<T>(count);
            part.team.fcollect_part(Block, Way::Auto, dest, (source, start), share, count)?;
        }
        self.meet()
    }

    /// Exchanges `count` elements between each pair of members as [`Team::alltoall`].
    #[inline(always)]
    pub fn alltoall<T: Element>(&self, dest: SymPtr<T>, source: SymPtr<T>, count: usize) -> Result<(), Fault> {
        let part = self.part();
        self.meet()?;
        if part.takes {
            let (start, share) = part.share::<T>(count);
            part.team.alltoall_part(Block, Way::Auto, dest, (source, start), share, count)?;
        }
        self.meet()
    }

    /// Exchanges a number of elements for each pair of members as [`Team::alltoallv`].
    #[inline(always)]
    pub fn alltoallv<T: Element>(&self, dest: SymPtr<T>, source: SymPtr<T>, lists: Lists) -> Result<(), Fault> {
        let part = self.part();
        self.meet()?;
        if part.takes {
            let which = (part.number as usize, part.of as usize);
            part.team.alltoallv_part(Block, T::WIDTH.bytes(), dest.addr(), source.addr(), lists, which)?;
        }
        self.meet()
    }

    /// Reduces `count` elements as [`Team::reduce`].
    #[inline(always)]
    pub fn reduce<T: Number, O: ReduceOp<T>>(
        &self,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        self.0.check_whole(dest, source, count)?;
        let part = self.part();
        self.meet()?;
        if part.takes {
            let (start, share) = part.share::<T>(count);
            part.team.share_of(count * T::WIDTH.bytes()).reduce(
                Block,
                op,
                dest.add(start),
                source.add(start),
                share,
            )?;
        }
        self.meet()
    }

    /// Reduces `count` elements for each member as [`Team::reducescatter`].
    #[inline(always)]
    pub fn reducescatter<T: Number, O: ReduceOp<T>>(
        &self,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        let part = self.part();
        self.meet()?;
        if part.takes {
            let (start, share) = part.share::<T>(count);
            part.team.reducescatter_part(Block, Way::Auto, op, (dest, start), source, share, count)?;
        }
        self.meet()
    }

    /// Finds the largest values of `count` elements and their indices as [`Team::reduce_maxloc`].
    #[inline(always)]
    pub fn reduce_maxloc<T: Element + PartialOrd, I: Element + PartialOrd>(
        &self,
        dest: SymPtr<u64>,
        source: SymPtr<u64>,
        count: usize,
    ) -> Result<(), Fault> {
        let words = Located::<T, I>::WORDS;
        self.0.check_whole(dest, source, check::bytes_of(count, words))?;
        let part = self.part();
        self.meet()?;
        if part.takes {
            let (start, share) = part.share::<u64>(words * count);
            let (dest, source) = (dest.add(start), source.add(start));
            part.team.share_of(8 * words * count).reduce_maxloc::<T, I, Block>(Block, dest, source, share / words)?;
        }
        self.meet()
    }

    /// Returns this block's part of a call.
    ///
    /// Each call is written out between its two meetings: as a closure it would put the team on each thread's stack.
    #[inline(always)]
    fn part(&self) -> Part<'a, P> {
        let (team, number) = (self.0, grid::block_in_grid());
        let (blocks, slots) = (grid::blocks_in_grid(), team.team.slots.saturating_sub(team.slot));
        // A slot that the team does not have is a fault of the call.
        let slots = if slots == 0 { 1 } else { slots };
        let of = if blocks < slots { blocks } else { slots };
        let takes = number < of;
        Part { team: team.slot(team.slot + if takes { number } else { 0 }), takes, number, of }
    }

    /// Meets the other blocks of the grid, before and after a call.
    #[inline(always)]
    fn meet(&self) -> Result<(), Fault> {
        self.0.shmem.sync_grid()
    }
}

/// A block's part of a call.
#[derive(Clone, Copy)]
struct Part<'a, P> {
    /// The team, for calls on the block's slot.
    team: Team<'a, P>,
    /// Whether the block takes part. There are slots for `of` blocks.
    takes: bool,
    number: u32,
    of: u32,
}

impl<P> Part<'_, P> {
    /// Returns the first element and the number of elements of this part of `count` elements.
    #[inline(always)]
    fn share<T: Element>(&self, count: usize) -> (usize, usize) {
        grid::block_share(count, T::WIDTH.bytes(), self.number as usize, self.of as usize)
    }
}
