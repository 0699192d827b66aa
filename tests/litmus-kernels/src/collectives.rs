//! A long random sequence of collectives in one kernel: by each group on a slot of its own, or by the whole grid.

use oxshmem_device::prelude::*;
use oxshmem_device::{Held, Sum};

use crate::call::{Call, Mix, Room, Way, What};
use crate::draw::bits;
use crate::place::{block, warp};
use crate::trial::{Trial, delay};

/// The parameters of a sequence, equal on every thread.
#[derive(Clone, Copy)]
pub(crate) struct Sequence {
    pub(crate) teams: (TeamHandle, TeamHandle),
    pub(crate) most: usize,
    /// A [`Room`] for each group.
    pub(crate) memory: SymPtr<u8>,
    pub(crate) late_ns: u32,
    pub(crate) first: u64,
    pub(crate) rounds: u64,
    pub(crate) seed: u64,
    pub(crate) record: SymPtr<u64>,
}

impl Sequence {
    /// Returns the trial of a group in a round.
    #[inline(always)]
    fn trial(&self, shmem: &Shmem, mix: Mix, group: usize, round: u64) -> Trial {
        let (room, call) =
            (Room { n: shmem.n_pes() as usize, most: self.most }, Call::of(mix, self.seed, group, round, self.most));
        Trial {
            mix,
            call,
            room,
            memory: self.memory.add(group * room.bytes()),
            team: if call.team == 0 { self.teams.0 } else { self.teams.1 },
            seed: self.seed,
            group,
            round,
            record: self.record,
        }
    }

    /// Returns the random bits of this PE's delays in a round.
    #[inline(always)]
    fn delays(&self, shmem: &Shmem, group: usize, round: u64) -> u64 {
        bits(bits(self.seed ^ shmem.my_pe().number() as u64) ^ bits((round << 24) ^ group as u64))
    }
}

/// Makes the call of each round. Sources are written right before it, and the result is checked right after it, with nothing
/// else between two calls than the delays of single PEs.
#[inline(always)]
pub(crate) fn sequence<G: Group>(shmem: &Shmem, group: usize, by: G, mix: Mix, s: Sequence) -> Result<(), Fault> {
    let mut round = s.first;
    while round < s.first + s.rounds {
        let (mut t, draw) = (s.trial(shmem, mix, group, round), s.delays(shmem, group, round));
        if mix.has(What::HeldBf16) && t.call.what == What::HeldBf16 {
            t.call = t.call.in_units_of_at_most(held_bytes(by, &t));
        }
        t.fill(shmem, by);
        pause(by, draw, s.late_ns);
        make(shmem, by, &t)?;
        pause(by, !draw, s.late_ns);
        t.check(shmem, by)?;
        // Every thread has checked before another one writes the next source.
        by.sync();
        round += 1;
    }
    Ok(())
}

/// Delays a group in few rounds by the time of some, and in very few by the time of many.
#[inline(always)]
fn pause<G: Group>(by: G, draw: u64, late_ns: u32) {
    let random = bits(draw);
    if draw >> 58 == 0 { delay(by, random, 8, 16 * late_ns) } else { delay(by, random, 24, late_ns) }
}

#[inline(always)]
fn make<G: Group>(shmem: &Shmem, by: G, t: &Trial) -> Result<(), Fault> {
    match t.call.what {
        What::Barrier => shmem.team(t.team).slot(t.group as u32).barrier(by),
        What::Broadcast if t.mix.has(What::Broadcast) => broadcast(shmem, by, t),
        What::Fcollect if t.mix.has(What::Fcollect) => fcollect(shmem, by, t),
        What::Alltoall if t.mix.has(What::Alltoall) => alltoall(shmem, by, t),
        What::Alltoallv if t.mix.has(What::Alltoallv) => alltoallv(shmem, by, t),
        What::ReduceU32 if t.mix.has(What::ReduceU32) => reduce_u32(shmem, by, t),
        What::ReducescatterBf16 if t.mix.has(What::ReducescatterBf16) => reducescatter_bf16(shmem, by, t),
        What::HeldBf16 if t.mix.has(What::HeldBf16) => held_bf16(shmem, by, t),
        // It is not drawn, and the kernel has no code of it.
        _ => Ok(()),
    }
}

/// Units of 8 bytes that a thread holds.
const HELD_UNITS: usize = 2;
/// The payload of the smaller slots among both teams, in bytes.
pub const SMALL_PAYLOAD: usize = 48;

/// Returns the most bytes that a group reduces to its registers: as many as they hold, or as go through a slot.
#[inline(always)]
fn held_bytes<G: Group>(by: G, t: &Trial) -> usize {
    let held = 8 * HELD_UNITS * by.size() as usize;
    let directly = t.call.way == Way::Direct && !Shmem::HAS_REMOTE_PATHS;
    if directly || held < SMALL_PAYLOAD { held } else { SMALL_PAYLOAD }
}

/// Defines two functions for each collective. In builds for remote paths the second one is called, and not inlined:
/// LLVM would take many minutes for a loop with all of their code.
macro_rules! calls {
    ($($name:ident $outside:ident: |$shmem:ident, $team:ident, $by:ident, $t:ident, $dest:ident, $source:ident| $call:expr;)*) => { $(
        #[inline(always)]
        fn $name<G: Group>($shmem: &Shmem, $by: G, $t: &Trial) -> Result<(), Fault> {
            let ($team, ($dest, $source)) = ($shmem.team($t.team).slot($t.group as u32), $t.places());
            if Shmem::HAS_REMOTE_PATHS { $outside($shmem, $by, $t) } else { $call }
        }

        #[inline(never)]
        fn $outside<G: Group>($shmem: &Shmem, $by: G, $t: &Trial) -> Result<(), Fault> {
            let ($team, ($dest, $source)) = ($shmem.team($t.team).slot($t.group as u32), $t.places());
            $call
        }
    )* };
}
calls! {
    broadcast broadcast_outside: |shmem, team, by, t, dest, source| {
        let root = t.call.root(team.n_pes() as usize) as u32;
        team.broadcast_by::<u8, G>(by, t.call.way, dest, source, t.call.count, root)
    };
    fcollect fcollect_outside: |shmem, team, by, t, dest, source| {
        team.fcollect_part::<u8, G>(by, t.call.way, dest, (source, 0), t.call.count, t.call.count)
    };
    alltoall alltoall_outside: |shmem, team, by, t, dest, source| {
        team.alltoall_part::<u8, G>(by, t.call.way, dest, (source, 0), t.call.count, t.call.count)
    };
    alltoallv alltoallv_outside: |shmem, team, by, t, dest, source| team.alltoallv::<u8, G>(by, dest, source, t.lists());
    reduce_u32 reduce_u32_outside: |shmem, team, by, t, dest, source| {
        team.reduce_by::<u32, Sum, G>(by, t.call.way, Sum, dest, source, t.call.count)
    };
    reducescatter_bf16 reducescatter_bf16_outside: |shmem, team, by, t, dest, source| {
        team.reducescatter_part::<Bf16, Sum, G>(by, t.call.way, Sum, (dest, 0), source, t.call.count, t.call.count)
    };
    held_bf16 held_bf16_outside: |shmem, team, by, t, dest, source| {
        let (dest, mut row): (SymPtr<Bf16>, _) = (dest, Held::<HELD_UNITS>::EMPTY);
        team.reduce_held_by(by, t.call.way, Sum, &mut row, source, t.call.count)?;
        row.store(shmem.local(dest.cast::<u64>(), t.call.count / 4));
        // The threads check elements that others stored.
        by.sync();
        Ok(())
    };
}

/// Makes the call of each round by all blocks of the grid. The first block writes the source, and every block checks the
/// whole result.
#[inline(always)]
fn sequence_by_grid(shmem: &Shmem, mix: Mix, s: Sequence) -> Result<(), Fault> {
    let mut round = s.first;
    while round < s.first + s.rounds {
        let (t, draw) = (s.trial(shmem, mix, 0, round), s.delays(shmem, block(), round));
        if block() == 0 {
            t.fill(shmem, Block);
        }
        pause(Block, draw, s.late_ns);
        make_by_grid(shmem, &t)?;
        pause(Block, !draw, s.late_ns);
        t.check(shmem, Block)?;
        // Every block has checked before the first one writes the next source.
        shmem.sync_grid()?;
        round += 1;
    }
    Ok(())
}

#[inline(always)]
fn make_by_grid(shmem: &Shmem, t: &Trial) -> Result<(), Fault> {
    match t.call.what {
        What::Barrier => shmem.team(t.team).by_grid().barrier(),
        What::Broadcast if t.mix.has(What::Broadcast) => grid_broadcast(shmem, t),
        What::Fcollect if t.mix.has(What::Fcollect) => grid_fcollect(shmem, t),
        What::Alltoall if t.mix.has(What::Alltoall) => grid_alltoall(shmem, t),
        What::Alltoallv if t.mix.has(What::Alltoallv) => grid_alltoallv(shmem, t),
        What::ReduceU32 if t.mix.has(What::ReduceU32) => grid_reduce_u32(shmem, t),
        What::ReducescatterBf16 if t.mix.has(What::ReducescatterBf16) => grid_reducescatter_bf16(shmem, t),
        // It is not drawn, and the kernel has no code of it.
        _ => Ok(()),
    }
}

/// Defines two functions for each collective by a grid, as [`calls`] does for each one by a group.
macro_rules! grid_calls {
    ($($name:ident $outside:ident: |$team:ident, $t:ident, $dest:ident, $source:ident| $call:expr;)*) => { $(
        #[inline(always)]
        fn $name(shmem: &Shmem, $t: &Trial) -> Result<(), Fault> {
            let ($team, ($dest, $source)) = (shmem.team($t.team).by_grid(), $t.places());
            if Shmem::HAS_REMOTE_PATHS { $outside(shmem, $t) } else { $call }
        }

        #[inline(never)]
        fn $outside(shmem: &Shmem, $t: &Trial) -> Result<(), Fault> {
            let ($team, ($dest, $source)) = (shmem.team($t.team).by_grid(), $t.places());
            $call
        }
    )* };
}
grid_calls! {
    grid_broadcast grid_broadcast_outside: |team, t, dest, source| {
        team.broadcast::<u8>(dest, source, t.call.count, t.call.root(team.n_pes() as usize) as u32)
    };
    grid_fcollect grid_fcollect_outside: |team, t, dest, source| team.fcollect::<u8>(dest, source, t.call.count);
    grid_alltoall grid_alltoall_outside: |team, t, dest, source| team.alltoall::<u8>(dest, source, t.call.count);
    grid_alltoallv grid_alltoallv_outside: |team, t, dest, source| team.alltoallv::<u8>(dest, source, t.lists());
    grid_reduce_u32 grid_reduce_u32_outside: |team, t, dest, source| {
        team.reduce::<u32, Sum>(Sum, dest, source, t.call.count)
    };
    grid_reducescatter_bf16 grid_reducescatter_bf16_outside: |team, t, dest, source| {
        team.reducescatter::<Bf16, Sum>(Sum, dest, source, t.call.count)
    };
}

macro_rules! sequences {
    ($($(#[$doc:meta])* $name:ident: |$shmem:ident, $s:ident| $sequence:expr;)+) => {
        kernel! { $(
            $(#[$doc])*
            #[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
            pub fn $name(
                $shmem: Shmem, first_team: TeamHandle, second_team: TeamHandle, most: usize, memory: SymPtr<u8>,
                late_ns: u32, first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
            ) -> Result<(), Fault> {
                let teams = (first_team, second_team);
                let $s = Sequence { teams, most, memory, late_ns, first, rounds, seed, record };
                $sequence
            }
        )+ }
        $( oxshmem_device::launch_bounds!($name, threads = 256); )+
    };
}
sequences! {
    /// By each thread for itself.
    rooted_thread: |shmem, s| sequence(&shmem, thread_in_grid(), Thread, Mix::ROOTED, s);
    /// By each warp.
    ahead_warp: |shmem, s| sequence(&shmem, warp(), Warp, Mix::AHEAD, s);
    /// By each block.
    ahead_block: |shmem, s| sequence(&shmem, block(), Block, Mix::AHEAD, s);
    /// By each warp.
    gathered_warp: |shmem, s| sequence(&shmem, warp(), Warp, Mix::GATHERED, s);
    /// By each warp.
    held_warp: |shmem, s| sequence(&shmem, warp(), Warp, Mix::HELD, s);
    /// By each block.
    rooted_block: |shmem, s| sequence(&shmem, block(), Block, Mix::ROOTED, s);
    /// By each block.
    gathered_block: |shmem, s| sequence(&shmem, block(), Block, Mix::GATHERED, s);
    /// By each block.
    spread_block: |shmem, s| sequence(&shmem, block(), Block, Mix::SPREAD, s);
    /// By each block.
    held_block: |shmem, s| sequence(&shmem, block(), Block, Mix::HELD, s);
    /// By the whole grid.
    rooted_grid: |shmem, s| sequence_by_grid(&shmem, Mix::ROOTED, s);
    /// By the whole grid.
    gathered_grid: |shmem, s| sequence_by_grid(&shmem, Mix::GATHERED, s);
    /// By the whole grid.
    spread_grid: |shmem, s| sequence_by_grid(&shmem, Mix::SPREAD, s);
    /// By each block.
    parts_block: |shmem, s| sequence(&shmem, block(), Block, Mix::PARTS, s);
    /// By the whole grid.
    parts_grid: |shmem, s| sequence_by_grid(&shmem, Mix::PARTS, s);
}
