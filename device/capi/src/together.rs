//! Collectives whose scope, kind, type and operation are arguments: bitcode, which compilers read whole for each
//! kernel, has one body for all of them.
//!
//! A copy is made of the functions for puts and barriers: the members meet, put, and meet again. A reduction is that of
//! [`Packed`] elements.

use core::ffi::c_void;

use oxshmem_core::Scope;
use oxshmem_device_api::{AnyOp, Packed, PackedOp, PackedType, Shmem};
use oxshmem_raw::queue::path::PathList;

use crate::any_group::AnyGroup;
use crate::args::QP_DEFAULT;
use crate::teams::{either, handle, meets_by_load_store, status};
use crate::turns::in_turn;
use crate::world::{Any, LoadStore, reaches, world};
use crate::{meet, puts};

/// A kind of copy between all members of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CopyKind {
    /// The root's data to every member.
    Broadcast,
    /// Every member's data to every member.
    Fcollect,
    /// Other data of every member to every member.
    Alltoall,
}

/// Meets the members.
///
/// # Safety
///
/// **initialised**: see the crate.
#[inline(always)]
unsafe fn meet_members(group: AnyGroup, team: i32, complete: i32) -> i32 {
    // SAFETY: **initialised** by the caller.
    unsafe {
        if meets_by_load_store(team) {
            meet::oxshmem_meet::load_store(group, team, complete)
        } else {
            meet::oxshmem_meet::remote(group, team, complete)
        }
    }
}

/// Puts bytes, which a later barrier completes.
///
/// # Safety
///
/// **initialised**, **symmetric**, **live**: see the crate.
#[inline(always)]
unsafe fn put(group: AnyGroup, dest: *mut u8, source: *const u8, bytes: usize, pe: i32) {
    // SAFETY: **initialised**, **symmetric**, **live** by the caller.
    unsafe {
        if reaches(pe) {
            puts::oxshmem_put::load_store(group, dest, source, bytes, pe, QP_DEFAULT, 1)
        } else {
            puts::oxshmem_put::remote(group, dest, source, bytes, pe, QP_DEFAULT, 1)
        }
    }
}

/// Copies `bytes` bytes of each sender to each receiver. `root` is the number of the only sender of a broadcast. Returns
/// 0, or another value if the team or the root does not exist or the call failed.
///
/// # Safety
///
/// **initialised**, **symmetric**, **live**: see the crate.
#[inline(never)]
pub unsafe fn copy(
    scope: Scope,
    kind: CopyKind,
    team: i32,
    dest: *mut u8,
    source: *const u8,
    bytes: usize,
    root: i32,
) -> i32 {
    let Some(members) = handle(team) else { return -1 };
    let (group, me, n) = (AnyGroup::of(scope), members.me, members.n_pes);
    if kind == CopyKind::Broadcast && root as u32 >= n {
        return -1;
    }
    let sends = kind != CopyKind::Broadcast || root as u32 == me;
    let to = if kind == CopyKind::Broadcast { dest } else { dest.wrapping_add(bytes * me as usize) };
    in_turn(scope, team, || {
        // A member's memory may be in use until it calls, also by operations on remote PEs that are not complete.
        // SAFETY: **initialised** by the caller.
        let met = unsafe { meet_members(group, team, !meets_by_load_store(team) as i32) };
        let mut k = 1;
        while met == 0 && sends && k <= n {
            // Each member begins with its successor, so that not all write to the same one at once.
            let member = if me + k < n { me + k } else { me + k - n };
            let from = if kind == CopyKind::Alltoall { source.wrapping_add(bytes * member as usize) } else { source };
            if member != me || to.cast_const() != from {
                // SAFETY: **initialised**, **symmetric**, **live** by the caller.
                unsafe { put(group.met(), to, from, bytes, members.member(member).pe as i32) }
            }
            k += 1;
        }
        // SAFETY: **initialised** by the caller.
        if met == 0 { unsafe { meet_members(group, team, 1) } } else { met }
    })
}

/// Reduces `bytes` bytes of elements of a type of every member to every member. Returns 0, or another value if the team
/// does not exist or the call failed.
///
/// # Safety
///
/// **initialised**, **symmetric**, **live**: see the crate.
#[inline(never)]
pub unsafe fn reduce(
    scope: Scope,
    of: PackedType,
    op: AnyOp,
    team: i32,
    dest: *mut c_void,
    source: *const c_void,
    bytes: usize,
) -> i32 {
    let (group, op) = (AnyGroup::of(scope), PackedOp { of, op });
    in_turn(scope, team, || {
        // SAFETY: **live**, **peopled**: by **initialised** of the caller.
        unsafe {
            if meets_by_load_store(team) {
                reduce_in(&LoadStore::from_state(world()), group, op, team, dest, source, bytes)
            } else {
                reduce_in(&Any::from_state(world()), group, op, team, dest, source, bytes)
            }
        }
    })
}

#[inline(always)]
fn reduce_in<P: PathList>(
    shmem: &Shmem<'_, P>,
    group: AnyGroup,
    op: PackedOp,
    team: i32,
    dest: *mut c_void,
    source: *const c_void,
    bytes: usize,
) -> i32 {
    let (dest, source) = (shmem.symmetric(dest.cast::<Packed>()), shmem.symmetric(source.cast::<Packed>()));
    status(either(team).map(|team| shmem.team(team).reduce(group, op, dest, source, bytes)))
}
