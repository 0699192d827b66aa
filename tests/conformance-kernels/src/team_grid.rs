//! Collectives by all blocks of a grid, and reductions to the largest value.

use crate::kernel;
use oxshmem_device::prelude::*;
use oxshmem_device::{Sum, team::Lists};

use crate::place::{BLOCK, THREAD, WARP};

/// Adds one to elements in such an order that no block writes the share that it sends: the last thread has the first
/// element.
#[inline(always)]
fn change(own: Local<'_, u32>) {
    for i in grid_stride(own.len()) {
        let at = own.len() - 1 - i;
        own.write(at, own.read(at).wrapping_add(1));
    }
}

/// Copies results in the same order.
#[inline(always)]
fn copy(to: Local<'_, u32>, from: Local<'_, u32>) {
    for i in grid_stride(from.len()) {
        let at = from.len() - 1 - i;
        to.write(at, from.read(at));
    }
}

/// Defines the kernel of each collective: `$sends` and `$gets` say whether its ends have elements for each member.
macro_rules! grid_kernels {
    ($($name:ident $sends:literal $gets:literal: |$team:ident, $dest:ident, $source:ident, $count:ident, $round:ident| $call:expr;)*) => {
        kernel! { $(
            /// Makes a collective `rounds` times by the whole grid. Before each round every element of the source grows
            /// by one, and after it the results are copied to `seen`, both by other blocks than those that move them.
            pub fn $name(
                shmem: Shmem, team: TeamHandle, $dest: SymPtr<u32>, seen: SymPtr<u32>, $source: SymPtr<u32>,
                $count: usize, rounds: usize,
            ) -> Result<(), Fault> {
                let $team = shmem.team(team).by_grid();
                let n = $team.n_pes() as usize;
                let (sends, gets) = (if $sends { n * $count } else { $count }, if $gets { n * $count } else { $count });
                for $round in span(0, rounds) {
                    change(shmem.local($source, sends));
                    $call?;
                    copy(shmem.local(seen, gets), shmem.local($dest, gets));
                    // No block begins to write the next results before all have copied these.
                    $team.barrier()?;
                }
                Ok(())
            }
        )* }
    };
}
grid_kernels! {
    grid_reduce false false: |team, dest, source, count, _round| team.reduce(Sum, dest, source, count);
    grid_reducescatter true false: |team, dest, source, count, _round| team.reducescatter(Sum, dest, source, count);
    grid_fcollect false true: |team, dest, source, count, _round| team.fcollect(dest, source, count);
    grid_alltoall true true: |team, dest, source, count, _round| team.alltoall(dest, source, count);
    grid_broadcast false false:
        |team, dest, source, count, round| team.broadcast(dest, source, count, round as u32 % team.n_pes());
}

kernel! {
    /// Sends to each member by counts, by the whole grid. The lists have the members' counts, source starts and starts
    /// at the receivers one after the other.
    pub fn grid_alltoallv(
        shmem: Shmem, team: TeamHandle, dest: SymPtr<u32>, source: SymPtr<u32>, lists: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let n = shmem.team(team).n_pes() as usize;
        let lists = Lists { counts: lists, source_starts: lists.add(n), dest_starts: lists.add(2 * n) };
        shmem.team(team).by_grid().alltoallv(dest, source, lists)
    }
}

kernel! {
    /// Meets all members by the whole grid.
    pub fn grid_barrier(shmem: Shmem, team: TeamHandle) -> Result<(), Fault> {
        shmem.team(team).by_grid().barrier()
    }

    /// Broadcasts from a member that the caller names, by the whole grid or by each block on slot 0.
    pub fn grid_broadcast_from(
        shmem: Shmem, team: TeamHandle, whole: u32, dest: SymPtr<u32>, source: SymPtr<u32>, count: usize, root: u32,
    ) -> Result<(), Fault> {
        let team = shmem.team(team);
        if whole == 1 {
            team.by_grid().broadcast(dest, source, count, root)
        } else {
            team.broadcast(Block, dest, source, count, root)
        }
    }
}

/// Defines the kernels of a type of values.
macro_rules! maxloc {
    ($($type:ty: $by_group:ident $by_grid:ident;)*) => { kernel! { $(
        /// Finds the largest values and their indices, `rounds` times in place after the first time, by a thread, a
        /// warp or a block.
        pub fn $by_group(
            shmem: Shmem, team: TeamHandle, scope: u32, dest: SymPtr<u64>, source: SymPtr<u64>, count: usize, rounds: usize,
        ) -> Result<(), Fault> {
            let team = shmem.team(team);
            for round in span(0, rounds) {
                let from = if round == 0 { source } else { dest };
                match scope {
                    THREAD if thread_in_block() == 0 => team.reduce_maxloc::<$type, u64, Thread>(Thread, dest, from, count)?,
                    WARP if thread_in_block() < 32 => team.reduce_maxloc::<$type, u64, Warp>(Warp, dest, from, count)?,
                    BLOCK => team.reduce_maxloc::<$type, u64, Block>(Block, dest, from, count)?,
                    _ => {}
                }
            }
            Ok(())
        }

        /// Does the same once, by the whole grid.
        pub fn $by_grid(
            shmem: Shmem, team: TeamHandle, dest: SymPtr<u64>, source: SymPtr<u64>, count: usize,
        ) -> Result<(), Fault> {
            shmem.team(team).by_grid().reduce_maxloc::<$type, u64>(dest, source, count)
        }
    )* } };
}
maxloc! {
    f64: team_maxloc_f64 grid_maxloc_f64;
    i32: team_maxloc_i32 grid_maxloc_i32;
}
