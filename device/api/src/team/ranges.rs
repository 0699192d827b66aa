//! The checks of a call's source and destination.

use oxshmem_core::{Element, Fault, SymPtr};
use oxshmem_raw::queue::path::PathList;

use super::Team;
use crate::check;

impl<P: PathList> Team<'_, P> {
    /// Returns the number of elements of a block for each member.
    #[inline(always)]
    pub(super) fn of_all(&self, block: usize) -> usize {
        check::bytes_of(block, self.team.n_pes as usize)
    }

    /// Checks both ranges, and returns the size of the destination in bytes. A call does so before it computes any
    /// member's address, so it also checks that the team exists: the table of a dropped one may name any PE.
    #[inline(always)]
    pub(super) fn check_ends<T: Element>(
        &self,
        dest: SymPtr<T>,
        dest_count: usize,
        source: SymPtr<T>,
        source_count: usize,
    ) -> Result<usize, Fault> {
        let (state, me, width) = (&self.shmem.state, self.shmem.my_pe(), T::WIDTH.bytes());
        if check::CHECKED {
            self.check_handle()?;
        }
        let bytes = check::bytes_of(dest_count, width);
        check::heap_range(state, me, dest.addr(), bytes, width)?;
        check::heap_range(state, me, source.addr(), check::bytes_of(source_count, width), width)?;
        Ok(bytes)
    }

    /// Checks the ends of a call of `count` elements of which each of several groups moves a share. A check of one
    /// share can't find that it overlaps another group's share.
    #[inline(always)]
    pub(super) fn check_whole<T: Element>(
        &self,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        if !check::CHECKED {
            return Ok(());
        }
        let bytes = self.check_ends(dest, count, source, count)?;
        self.check_apart((dest, bytes), (source, bytes), dest == source)
    }

    /// Checks that the destination and the source, of these sizes in bytes, are disjoint, unless the call is in place.
    #[inline(always)]
    pub(super) fn check_apart<T: Element>(
        &self,
        (dest, dest_bytes): (SymPtr<T>, usize),
        (source, source_bytes): (SymPtr<T>, usize),
        in_place: bool,
    ) -> Result<(), Fault> {
        if in_place {
            return Ok(());
        }
        check::disjoint(&self.shmem.state, (dest.addr(), dest_bytes), (source.addr(), source_bytes))
    }
}
