//! The teams of a C program, by their numbers.

use oxshmem_core::Fault;
use oxshmem_device_api::TeamHandle;

use crate::world::{all_load_store, teams};

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

/// Returns the team with this number, for either form of a call: the first takes all members for load/store PEs, the
/// second none.
#[inline(always)]
pub(crate) fn either(team: i32) -> Option<TeamHandle> {
    handle(team).map(|team| TeamHandle { flags: team.flags & !TeamHandle::LOAD_STORE, ..team })
}

/// Reports whether a team's members are all reached by loads and stores.
#[inline(always)]
pub(crate) fn meets_by_load_store(team: i32) -> bool {
    all_load_store() || handle(team).is_none_or(|team| team.flags & TeamHandle::LOAD_STORE != 0)
}

#[inline(always)]
pub(crate) fn status(ended: Option<Result<(), Fault>>) -> i32 {
    if matches!(ended, Some(Ok(()))) { 0 } else { -1 }
}
