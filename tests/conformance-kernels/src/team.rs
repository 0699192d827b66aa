//! Collectives in kernels, each group with a slot of its own.

use crate::kernel;
use oxshmem_device::prelude::*;
use oxshmem_device::team::{Team, Way};
use oxshmem_device::{Sum, Xor};

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

/// The parameters of rounds of one collective, equal on every thread.
#[derive(Clone, Copy)]
struct Calls {
    what: u32,
    way: Way,
    dest: SymPtr<u32>,
    source: SymPtr<u32>,
    count: usize,
    rounds: usize,
}

/// Calls a collective `rounds` times. From a round to the next the source, but not the destination, changes: every element
/// grows by one.
#[inline(always)]
fn calls<G: Group, P: oxshmem_device::PathList>(
    shmem: &Shmem,
    team: &Team<'_, P>,
    by: G,
    c: Calls,
) -> Result<(), Fault> {
    let n = team.n_pes() as usize;
    let from_all = matches!(c.what, REDUCESCATTER | ALLTOALL);
    let own = shmem.local(c.source, if from_all { n * c.count } else { c.count });
    let mut round = 0;
    while round < c.rounds {
        match c.what {
            REDUCE => team.reduce_by(by, c.way, Xor, c.dest, c.source, c.count)?,
            REDUCESCATTER => team.reducescatter_by(by, c.way, Sum, c.dest, c.source, c.count)?,
            FCOLLECT => team.fcollect_part(by, c.way, c.dest, (c.source, 0), c.count, c.count)?,
            ALLTOALL => team.alltoall_part(by, c.way, c.dest, (c.source, 0), c.count, c.count)?,
            _ => team.broadcast_by(by, c.way, c.dest, c.source, c.count, (round % n) as u32)?,
        }
        round += 1;
        if round < c.rounds {
            let mut i = by.rank() as usize;
            while i < own.len() {
                own.write(i, own.read(i).wrapping_add(1));
                i += by.size() as usize;
            }
        }
    }
    Ok(())
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

/// Calls a collective in the first group of each block, on the block's slot.
#[inline(always)]
fn in_blocks(shmem: Shmem, team: TeamHandle, scope: u32, apart: usize, c: Calls) -> Result<(), Fault> {
    let block = block_in_grid();
    let c = Calls { dest: c.dest.add(block * apart), source: c.source.add(block * apart), ..c };
    let team = shmem.team(team).slot(block as u32);
    let first = thread_in_block();
    match scope {
        THREAD if first == 0 => calls(&shmem, &team, Thread, c),
        WARP if first < 32 => calls(&shmem, &team, Warp, c),
        THREAD | WARP => Ok(()),
        _ => calls(&shmem, &team, Block, c),
    }
}

/// Defines the kernel of each collective.
macro_rules! team_kernels {
    ($($name:ident: $what:ident;)*) => { kernel! { $(
        /// Calls a collective `rounds` times, in the first group of each block, on the block's slot: on its own `count`
        /// elements, `apart` elements after those of the block before.
        pub fn $name(
            shmem: Shmem, team: TeamHandle, scope: u32, how: u32, dest: SymPtr<u32>, source: SymPtr<u32>, count: usize,
            apart: usize, rounds: usize,
        ) -> Result<(), Fault> {
            in_blocks(shmem, team, scope, apart, Calls { what: $what, way: way(how), dest, source, count, rounds })
        }
    )* } };
}
team_kernels! {
    team_reduce: REDUCE;
    team_reducescatter: REDUCESCATTER;
    team_fcollect: FCOLLECT;
    team_alltoall: ALLTOALL;
    team_broadcast: BROADCAST;
}

kernel! {
    /// Puts this PE's number to every member and meets them, `rounds` times, by each block on its own slot. `seen` has, for
    /// each block and member, the last number that the member has put there; `wrong` counts those that are late.
    pub fn team_meetings(
        shmem: Shmem, team: TeamHandle, sync_only: u32, seen: SymPtr<u64>, wrong: SymPtr<u64>, rounds: usize,
    ) -> Result<(), Fault> {
        let block = block_in_grid();
        let team = shmem.team(team).slot(block as u32);
        let (n, me) = (team.n_pes() as usize, team.my_pe() as usize);
        let seen = seen.add(block * n);
        let mut round = 1;
        while round <= rounds {
            let mut to = thread_in_block();
            while to < n {
                shmem.p(seen.add(me), round as u64, team.pe(to as u32))?;
                to += Block.size() as usize;
            }
            if sync_only == 1 {
                shmem.quiet()?;
                team.sync(Block)?;
            } else {
                team.barrier(Block)?;
            }
            let here = shmem.local(seen, n);
            let mut from = thread_in_block();
            while from < n {
                // A member may be one round ahead.
                let last = here.read(from);
                if last != round as u64 && last != round as u64 + 1 {
                    shmem.atomic_add(wrong, 1, shmem.my_pe())?;
                }
                from += Block.size() as usize;
            }
            round += 1;
        }
        Ok(())
    }
}
