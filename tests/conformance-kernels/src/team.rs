//! Collectives in kernels, each group with a slot of its own.

use crate::{kernel, launch_bounds};
use oxshmem_device::prelude::*;
use oxshmem_device::team::Way;
use oxshmem_device::{Held, Sum, Team, Xor};

use crate::place::{THREAD, WARP, block_in_grid};

/// A reduction by exclusive or.
pub const REDUCE: u32 = 0;
/// A reduction with a part for each member.
pub const REDUCESCATTER: u32 = 1;
/// An all-gather.
pub const FCOLLECT: u32 = 2;
/// An all-to-all.
pub const ALLTOALL: u32 = 3;
/// A broadcast; the root of each round is the next member.
pub const BROADCAST: u32 = 4;
/// A reduction by exclusive or into registers, which are then stored.
pub const REDUCE_HELD: u32 = 5;
/// Units of 8 bytes that a thread holds in such a reduction.
pub const HELD_UNITS: usize = 3;

/// The parameters of rounds of one collective, equal on every thread.
#[derive(Clone, Copy)]
struct Calls {
    team: TeamHandle,
    way: Way,
    dest: SymPtr<u32>,
    source: SymPtr<u32>,
    count: usize,
    rounds: usize,
}

/// Adds one to every element of a source, so that rounds differ.
#[inline(always)]
fn change<G: Group>(by: G, own: Local<'_, u32>) {
    for i in group_stride(by, own.len()) {
        own.write(i, own.read(i).wrapping_add(1));
    }
}

/// Returns the way with this number.
#[inline(always)]
fn way(raw: u32) -> Way {
    match raw {
        1 => Way::Packets,
        2 => Way::Direct,
        _ => Way::Auto,
    }
}

/// Reduces into registers, and stores them.
#[inline(always)]
fn reduce_held<G: Group>(shmem: &Shmem, team: Team<'_>, by: G, c: Calls) -> Result<(), Fault> {
    let mut row = Held::<HELD_UNITS>::EMPTY;
    team.reduce_held_by(by, c.way, Xor, &mut row, c.source, c.count)?;
    row.store(shmem.local(c.dest.cast::<u64>(), c.count / 2));
    Ok(())
}

/// Defines the kernel of each collective, which has a source for all members or for one.
macro_rules! team_kernels {
    ($($name:ident $calls:ident $all:literal: |$shmem:ident, $team:ident, $by:ident, $c:ident, $round:ident| $call:expr;)*) => {
        $(
            /// Calls the collective `rounds` times. A function of its own on the host, where an unoptimized one needs
            /// much stack.
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
            fn $calls<G: Group>($shmem: &Shmem, $by: G, $c: Calls) -> Result<(), Fault> {
                let $team = $shmem.team($c.team).slot(block_in_grid() as u32);
                let members = if $all { $team.n_pes() as usize } else { 1 };
                let own = $shmem.local($c.source, members * $c.count);
                let mut $round = 0;
                while $round < $c.rounds {
                    $call?;
                    $round += 1;
                    if $round < $c.rounds {
                        change($by, own);
                    }
                }
                Ok(())
            }
        )*

        kernel! { $(
            /// Calls a collective `rounds` times, in the first group of each block, on the block's slot: on its own
            /// `count` elements, `apart` elements after those of the block before. From a round to the next every
            /// element of the source grows by one.
            pub fn $name(
                shmem: Shmem, team: TeamHandle, scope: u32, how: u32, dest: SymPtr<u32>, source: SymPtr<u32>,
                count: usize, apart: usize, rounds: usize,
            ) -> Result<(), Fault> {
                let at = block_in_grid() * apart;
                let c = Calls { team, way: way(how), dest: dest.add(at), source: source.add(at), count, rounds };
                match scope {
                    THREAD if thread_in_block() == 0 => $calls(&shmem, Thread, c),
                    WARP if thread_in_block() < 32 => $calls(&shmem, Warp, c),
                    THREAD | WARP => Ok(()),
                    _ => $calls(&shmem, Block, c),
                }
            }
        )* }
    };
}
team_kernels! {
    team_reduce reduce_calls false: |_shmem, team, by, c, round| team.reduce_by(by, c.way, Xor, c.dest, c.source, c.count);
    team_reduce_held reduce_held_calls false: |shmem, team, by, c, round| reduce_held(shmem, team, by, c);
    team_reducescatter reducescatter_calls true:
        |_shmem, team, by, c, round| team.reducescatter_part(by, c.way, Sum, (c.dest, 0), c.source, c.count, c.count);
    team_fcollect fcollect_calls false:
        |_shmem, team, by, c, round| team.fcollect_part(by, c.way, c.dest, (c.source, 0), c.count, c.count);
    team_alltoall alltoall_calls true:
        |_shmem, team, by, c, round| team.alltoall_part(by, c.way, c.dest, (c.source, 0), c.count, c.count);
    team_broadcast broadcast_calls false:
        |_shmem, team, by, c, round| team.broadcast_by(by, c.way, c.dest, c.source, c.count, round as u32 % team.n_pes());
}

kernel! {
    /// Puts this PE's number to every member and meets them, `rounds` times, by each block on its own slot. `seen` has,
    /// for each block and member, the last number that the member has put there; `wrong` counts those that are late.
    pub fn team_meetings(
        shmem: Shmem, team: TeamHandle, sync_only: u32, seen: SymPtr<u64>, wrong: SymPtr<u64>, rounds: usize,
    ) -> Result<(), Fault> {
        let block = block_in_grid();
        let team = shmem.team(team).slot(block as u32);
        let (n, me) = (team.n_pes() as usize, team.my_pe() as usize);
        let seen = seen.add(block * n);
        for round in span(1, rounds + 1) {
            for to in group_stride(Block, n) {
                shmem.p(seen.add(me), round as u64, team.pe(to as u32))?;
            }
            if sync_only == 1 {
                shmem.quiet()?;
                team.sync(Block)?;
            } else {
                team.barrier(Block)?;
            }
            let here = shmem.local(seen, n);
            for from in group_stride(Block, n) {
                // A member may be one round ahead.
                let last = here.read(from);
                if last != round as u64 && last != round as u64 + 1 {
                    shmem.atomic_add(wrong, 1, shmem.my_pe())?;
                }
            }
        }
        Ok(())
    }
}

// Some blocks have 1,024 threads, also where remote paths need many registers.
launch_bounds!(block_sums, threads = 1024);

kernel! {
    /// Adds over the threads of each block, `rounds` times without a meeting in between. `wrong` counts the unexpected
    /// sums.
    pub fn block_sums(shmem: Shmem, wrong: SymPtr<u64>, rounds: u32) -> Result<(), Fault> {
        let (rank, size) = (Block.rank(), Block.size());
        for round in span(1, rounds + 1) {
            // Small integers, whose sum is exact in any order.
            let by = 1 + round % 8;
            let sum = shmem.block_sum((by * (rank + 1)) as f32)?;
            if sum != (by * (size * (size + 1) / 2)) as f32 {
                shmem.atomic_add(wrong, 1, shmem.my_pe())?;
            }
        }
        Ok(())
    }
}
