//! The teams of a C program, by their numbers.

use oxshmem_core::Fault;
use oxshmem_device_api::TeamHandle;
use oxshmem_raw::state::team::TeamParts;

use crate::world::{all_load_store, teams};

/// Returns the parts of the team with this number.
#[inline(always)]
fn parts(team: i32) -> Option<TeamParts> {
    let (table, count) = teams();
    if team < 0 || team as u64 >= count {
        return None;
    }
    // SAFETY: **initialised**: the table has `count` teams, and the host changes only those that no kernel uses.
    let parts = unsafe { *(table as *const TeamParts).add(team as usize) };
    (parts.n_pes != 0).then_some(parts)
}

/// Returns the team with this number.
#[inline(always)]
pub(crate) fn handle(team: i32) -> Option<TeamHandle> {
    // SAFETY: **whole**: the host wrote them.
    parts(team).map(|parts| unsafe { TeamHandle::new(parts) })
}

/// Returns the team with this number, for either form of a call: the first takes all members for load/store PEs, the
/// second none.
#[inline(always)]
pub(crate) fn either(team: i32) -> Option<TeamHandle> {
    let parts = parts(team)?;
    // SAFETY: **whole**: the host wrote them, and the way over queues is right for every team.
    Some(unsafe { TeamHandle::new(TeamParts { flags: parts.flags & !TeamParts::LOAD_STORE, ..parts }) })
}

/// Reports whether a team's members are all reached by loads and stores.
#[inline(always)]
pub(crate) fn meets_by_load_store(team: i32) -> bool {
    all_load_store() || parts(team).is_none_or(|team| team.flags & TeamParts::LOAD_STORE != 0)
}

#[inline(always)]
pub(crate) fn status(ended: Option<Result<(), Fault>>) -> i32 {
    if matches!(ended, Some(Ok(()))) { 0 } else { -1 }
}
