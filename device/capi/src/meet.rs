//! Barriers of all PEs and of teams.

use crate::teams::{either, meets_near, status};
use crate::world::is_near;

export_scopes! {
    /// Waits for every PE; `complete`: 1 completes the group's earlier operations before, 0 does not.
    oxshmem_meet_all oxshmem_meet_all_warp oxshmem_meet_all_block
    (complete: i32), near is_near() => shmem, on, group => {
        let _ = shmem.meet(group, complete != 0);
    };
    /// Waits for every member of a team; `complete`: 1 completes the group's earlier operations before, 0 does not.
    oxshmem_meet oxshmem_meet_warp oxshmem_meet_block
    (team: i32, complete: i32) -> i32, near meets_near(team) => shmem, on, group => {
        status(either(team).map(|team| shmem.team(team).meet_once(group, complete != 0)))
    };
}
