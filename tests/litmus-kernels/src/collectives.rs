//! A long random sequence of collectives in one kernel, by each group on a slot of its own.

use oxshmem_device::prelude::*;
use oxshmem_device::team::Team;
use oxshmem_device::{PathList, Sum};

use crate::call::{Call, Mix, Room, What};
use crate::draw::bits;
use crate::place::{block, warp};
use crate::trial::{Trial, delay};

/// The parameters of a sequence, equal on every thread.
#[derive(Clone, Copy)]
struct Sequence {
    teams: (TeamHandle, TeamHandle),
    most: usize,
    /// A [`Room`] for each group.
    memory: SymPtr<u8>,
    late_ns: u32,
    first: u64,
    rounds: u64,
    seed: u64,
    record: SymPtr<u64>,
}

/// Makes the call of each round. Sources are written right before it, and the result is checked right after it, with
/// nothing else between two calls than the delays of single PEs.
#[inline(always)]
fn sequence<G: Group>(shmem: &Shmem, group: usize, by: G, mix: Mix, s: Sequence) -> Result<(), Fault> {
    let room = Room { n: shmem.n_pes() as usize, most: s.most };
    let mut round = s.first;
    while round < s.first + s.rounds {
        let call = Call::of(mix, s.seed, group, round, s.most);
        let t = Trial {
            mix,
            call,
            room,
            memory: s.memory.add(group * room.bytes()),
            team: if call.team == 0 { s.teams.0 } else { s.teams.1 },
            seed: s.seed,
            group,
            round,
            record: s.record,
        };
        let draw = bits(bits(s.seed ^ shmem.my_pe().number() as u64) ^ bits((round << 24) ^ group as u64));
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
        // It is not drawn, and the kernel has no code of it.
        _ => Ok(()),
    }
}

/// Reports whether kernels of this list of paths reach remote PEs.
#[inline(always)]
fn is_remote<P: PathList>(_: &Team<'_, P>) -> bool {
    P::SOME
}

/// Defines two functions for each collective. In builds for remote paths the second one is called, and not inlined:
/// LLVM would take many minutes for a loop with all of their code.
macro_rules! calls {
    ($($name:ident $outside:ident: |$team:ident, $by:ident, $t:ident, $dest:ident, $source:ident| $call:expr;)*) => { $(
        #[inline(always)]
        fn $name<G: Group>(shmem: &Shmem, $by: G, $t: &Trial) -> Result<(), Fault> {
            let ($team, ($dest, $source)) = (shmem.team($t.team).slot($t.group as u32), $t.places());
            if is_remote(&$team) { $outside(shmem, $by, $t) } else { $call }
        }

        #[inline(never)]
        fn $outside<G: Group>(shmem: &Shmem, $by: G, $t: &Trial) -> Result<(), Fault> {
            let ($team, ($dest, $source)) = (shmem.team($t.team).slot($t.group as u32), $t.places());
            $call
        }
    )* };
}
calls! {
    broadcast broadcast_outside: |team, by, t, dest, source| {
        let root = t.call.root(team.n_pes() as usize) as u32;
        team.broadcast_by::<u8, G>(by, t.call.way, dest, source, t.call.count, root)
    };
    fcollect fcollect_outside: |team, by, t, dest, source| {
        team.fcollect_part::<u8, G>(by, t.call.way, dest, (source, 0), t.call.count, t.call.count)
    };
    alltoall alltoall_outside: |team, by, t, dest, source| {
        team.alltoall_part::<u8, G>(by, t.call.way, dest, (source, 0), t.call.count, t.call.count)
    };
    alltoallv alltoallv_outside: |team, by, t, dest, source| team.alltoallv::<u8, G>(by, dest, source, t.lists());
    reduce_u32 reduce_u32_outside: |team, by, t, dest, source| {
        team.reduce_by::<u32, Sum, G>(by, t.call.way, Sum, dest, source, t.call.count)
    };
    reducescatter_bf16 reducescatter_bf16_outside: |team, by, t, dest, source| {
        team.reducescatter_part::<Bf16, Sum, G>(by, t.call.way, Sum, (dest, 0), source, t.call.count, t.call.count)
    };
}

macro_rules! sequences {
    ($($(#[$doc:meta])* $name:ident: $group:expr, $by:expr, $mix:expr;)+) => {
        kernel! { $(
            $(#[$doc])*
            #[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
            pub fn $name(
                shmem: Shmem, first_team: TeamHandle, second_team: TeamHandle, most: usize, memory: SymPtr<u8>,
                late_ns: u32, first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
            ) -> Result<(), Fault> {
                let teams = (first_team, second_team);
                let s = Sequence { teams, most, memory, late_ns, first, rounds, seed, record };
                sequence(&shmem, $group, $by, $mix, s)
            }
        )+ }
        $( oxshmem_device::launch_bounds!($name, threads = 256); )+
    };
}
sequences! {
    /// By each thread for itself.
    rooted_thread: thread_in_grid(), Thread, Mix::ROOTED;
    /// By each warp.
    gathered_warp: warp(), Warp, Mix::GATHERED;
    /// By each block.
    rooted_block: block(), Block, Mix::ROOTED;
    /// By each block.
    gathered_block: block(), Block, Mix::GATHERED;
    /// By each block.
    spread_block: block(), Block, Mix::SPREAD;
}
