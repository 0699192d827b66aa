//! Teams and their collectives. A call returns 0, or another value if the team does not exist or the call failed.

use oxshmem_core::Fault;
use oxshmem_device_api::TeamHandle;

use crate::any_group::AnyGroup;
use crate::world::{Any, Near, is_near, teams, world};

/// Returns the team with this number.
#[inline(always)]
pub(crate) fn handle(team: i32) -> Option<TeamHandle> {
    let (table, count) = teams();
    if team < 0 || team as u64 >= count {
        return None;
    }
    // SAFETY: **initialised**: the table has `count` handles, and the host changes only those of teams that no kernel
    // uses.
    let handle = unsafe { *(table as *const TeamHandle).add(team as usize) };
    (handle.n_pes != 0).then_some(handle)
}

/// Returns the team with this number as one with remote members, whatever it is.
#[inline(always)]
pub(crate) fn far_handle(team: i32) -> Option<TeamHandle> {
    handle(team).map(|team| TeamHandle { flags: team.flags & !TeamHandle::NEAR, ..team })
}

/// Reports whether a team's members are all reached by loads and stores.
#[inline(always)]
pub(crate) fn meets_near(team: i32) -> bool {
    is_near() || handle(team).is_none_or(|team| team.flags & TeamHandle::NEAR != 0)
}

#[inline(always)]
pub(crate) fn status(ended: Option<Result<(), Fault>>) -> i32 {
    if matches!(ended, Some(Ok(()))) { 0 } else { -1 }
}

export! {
    /// Returns this PE's number in a team, or -1 if it is not a member.
    oxshmem_team_my_pe(team: i32) -> i32, near true => _shmem => handle(team).map_or(-1, |team| team.me as i32);
    /// Returns the number of a team's members, or -1.
    oxshmem_team_n_pes(team: i32) -> i32, near true => _shmem => handle(team).map_or(-1, |team| team.n_pes as i32);
    /// Returns the number in `to` of member `member` of a team, or -1.
    oxshmem_team_translate_pe(team: i32, member: i32, to: i32) -> i32, near true => _shmem => {
        let (Some(team), Some(to)) = (handle(team), handle(to)) else { return -1 };
        if member < 0 || member as u32 >= team.n_pes {
            return -1;
        }
        let pe = team.member(member as u32).pe;
        let mut number = 0;
        while number < to.n_pes && to.member(number).pe != pe {
            number += 1;
        }
        if number < to.n_pes { number as i32 } else { -1 }
    };
}

/// Defines a collective for each scope, over the world, the group and the team's handle. All scopes share the
/// function for teams with remote members.
macro_rules! collectives {
    ($(
        $(#[$doc:meta])*
        $thread:ident $warp:ident $block:ident
        ($($arg:ident: $type:ty),*), $shmem:ident, $group:ident, $team:ident => $call:expr;
    )*) => { $(
        pub use $thread::{$thread, $warp, $block};
        mod $thread {
            use super::*;
            #[inline(always)]
            unsafe fn near<G: oxshmem_core::Group>($group: G, $team: i32 $(, $arg: $type)*) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { Near::from_state(world()) };
                status(handle($team).map(|$team| $call))
            }
            #[inline(never)]
            unsafe fn far($group: AnyGroup, $team: i32 $(, $arg: $type)*) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { Any::from_state(world()) };
                status(far_handle($team).map(|$team| $call))
            }
            collectives!(one $(#[$doc])* $thread Thread AnyGroup::THREAD, ($($arg: $type),*));
            collectives!(one $(#[$doc])* $warp Warp AnyGroup::WARP, ($($arg: $type),*));
            collectives!(one $(#[$doc])* $block Block AnyGroup::BLOCK, ($($arg: $type),*));
        }
    )* };
    (one $(#[$doc:meta])* $name:ident $group:ident $any:expr, ($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(team: i32 $(, $arg: $type)*) -> i32 {
            // SAFETY: passed on.
            unsafe {
                if meets_near(team) {
                    near(oxshmem_device_api::$group, team $(, $arg)*)
                } else {
                    far($any, team $(, $arg)*)
                }
            }
        }
    };
}

collectives! {
    /// Waits for every member; `complete`: 1 completes the group's earlier operations before, 0 does not.
    oxshmem_meet oxshmem_meet_warp oxshmem_meet_block
    (complete: i32), shmem, group, team => {
        let team = shmem.team(team);
        if complete != 0 { team.barrier(group) } else { team.sync(group) }
    };
    /// Copies bytes of member `root` to every member.
    oxshmem_broadcast oxshmem_broadcast_warp oxshmem_broadcast_block
    (dest: *mut u8, source: *const u8, bytes: usize, root: i32), shmem, group, team => {
        shmem.team(team).broadcast(group, shmem.symmetric(dest), shmem.symmetric(source), bytes, root as u32)
    };
    /// Gathers bytes of every member in every member.
    oxshmem_fcollect oxshmem_fcollect_warp oxshmem_fcollect_block
    (dest: *mut u8, source: *const u8, bytes: usize), shmem, group, team => {
        shmem.team(team).fcollect(group, shmem.symmetric(dest), shmem.symmetric(source), bytes)
    };
    /// Sends bytes to each member, and gets as many from each.
    oxshmem_alltoall oxshmem_alltoall_warp oxshmem_alltoall_block
    (dest: *mut u8, source: *const u8, bytes: usize), shmem, group, team => {
        shmem.team(team).alltoall(group, shmem.symmetric(dest), shmem.symmetric(source), bytes)
    };
}
