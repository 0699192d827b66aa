//! Broadcast, all-gather and all-to-all of bytes. A call returns 0, or another value if the team does not exist or the
//! call failed.
//!
//! Each way of the data over loads and stores is a function of its own, which knows that the others are not taken: a call
//! saves the registers of one way. The headers make most rounds of packets themselves.

use core::hint::assert_unchecked;

use oxshmem_core::Group;
use oxshmem_device_api::TeamHandle;
use oxshmem_device_api::team::{Team, Way};

use crate::any_group::{AnyGroup, first};
use crate::teams::{either, meets_by_load_store, status};
use crate::world::{Any, LoadStore, world};

/// Defines a copy. `$call` makes it over a world and a team, by a group, in a way. `$senders` is the number of members whose
/// data another one gets, of a team.
macro_rules! copy {
    ($(#[$doc:meta])* $thread:ident $warp:ident $block:ident ($($arg:ident: $type:ty),*), $senders:expr;
        $shmem:ident, $team:ident, $group:ident, $way:ident, $bytes:ident => $call:expr) => {
        pub use $thread::{$block, $thread, $warp};
        mod $thread {
            use super::*;

            /// Copies by packets.
            #[inline(never)]
            unsafe fn packets<G: Group>($group: G, handle: i32, $bytes: usize $(, $arg: $type)*) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { LoadStore::from_state(world()) };
                let Some(team) = either(handle) else { return status(None) };
                let ($team, $way) = ($shmem.team(team), Way::Packets);
                status(Some($call))
            }

            /// Copies large data.
            #[inline(never)]
            unsafe fn large<G: Group>($group: G, handle: i32, $bytes: usize $(, $arg: $type)*) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { LoadStore::from_state(world()) };
                let Some(team) = either(handle) else { return status(None) };
                let senders = $senders(team);
                let ($team, $way) = ($shmem.team(team), Way::Auto);
                // SAFETY: `by` has found so.
                unsafe { assert_unchecked(!$team.copies_by_packets($group, $bytes, senders)) }
                status(Some($call))
            }

            #[cfg_attr(target_arch = "nvptx64", optimize(size))]
            #[inline(never)]
            unsafe fn remote($group: AnyGroup, handle: i32, $bytes: usize $(, $arg: $type)*) -> i32 {
                // SAFETY: **live**, **peopled**: by **initialised** of the caller.
                let $shmem = unsafe { Any::from_state(world()) };
                let Some(team) = either(handle) else { return status(None) };
                let ($team, $way) = ($shmem.team(team), Way::Auto);
                status(Some($call))
            }

            #[inline(always)]
            unsafe fn by<G: Group>(group: G, any: AnyGroup, handle: i32, $bytes: usize $(, $arg: $type)*) -> i32 {
                // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
                unsafe {
                    if !meets_by_load_store(handle) {
                        return remote(any, handle, $bytes $(, $arg)*);
                    }
                    let Some(team) = either(handle) else { return status(None) };
                    let shmem = LoadStore::from_state(world());
                    let of_team: Team<'_, _> = shmem.team(team);
                    if of_team.copies_by_packets(group, $bytes, $senders(team)) {
                        packets(group, handle, $bytes $(, $arg)*)
                    } else {
                        large(group, handle, $bytes $(, $arg)*)
                    }
                }
            }

            copy!(scope $(#[$doc])* $thread THREAD ($($arg: $type),*));
            copy!(scope $(#[$doc])* $warp WARP ($($arg: $type),*));
            copy!(scope $(#[$doc])* $block BLOCK ($($arg: $type),*));
        }
    };
    (scope $(#[$doc:meta])* $name:ident $scope:ident ($dest:ident: $to:ty, $source:ident: $from:ty $(, $root:ident: $of:ty)?)) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(team: i32, $dest: $to, $source: $from, bytes: usize $(, $root: $of)?) -> i32 {
            // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
            unsafe { by(first::$scope, AnyGroup::$scope, team, bytes, $dest, $source $(, $root)?) }
        }
    };
}

/// The senders of a broadcast.
#[inline(always)]
fn root_alone(_: TeamHandle) -> u32 {
    1
}

/// The senders of other copies.
#[inline(always)]
fn others(team: TeamHandle) -> u32 {
    team.n_pes - 1
}

copy! {
    /// Copies bytes of member `root` to every member.
    oxshmem_broadcast oxshmem_broadcast_warp oxshmem_broadcast_block
    (dest: *mut u8, source: *const u8, root: i32), root_alone;
    shmem, team, group, way, bytes => {
        team.broadcast_by(group, way, shmem.symmetric(dest), shmem.symmetric(source), bytes, root as u32)
    }
}
copy! {
    /// Gathers bytes of every member in every member.
    oxshmem_fcollect oxshmem_fcollect_warp oxshmem_fcollect_block
    (dest: *mut u8, source: *const u8), others;
    shmem, team, group, way, bytes => {
        team.fcollect_part(group, way, shmem.symmetric(dest), (shmem.symmetric(source), 0), bytes, bytes)
    }
}
copy! {
    /// Sends bytes to each member, and gets as many from each.
    oxshmem_alltoall oxshmem_alltoall_warp oxshmem_alltoall_block
    (dest: *mut u8, source: *const u8), others;
    shmem, team, group, way, bytes => {
        team.alltoall_part(group, way, shmem.symmetric(dest), (shmem.symmetric(source), 0), bytes, bytes)
    }
}
