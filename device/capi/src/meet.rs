//! Barriers of all PEs and of teams.

use crate::any_group::AnyGroup;
use crate::teams::{far_handle, handle, meets_near, status};
use crate::world::{Any, Near, is_near, world};

export_scopes! {
    /// Waits for every PE; `complete`: 1 completes the group's earlier operations before, 0 does not.
    oxshmem_meet_all oxshmem_meet_all_warp oxshmem_meet_all_block
    (complete: i32), near is_near() => shmem, group => {
        let _ = if complete != 0 { shmem.barrier_all(group) } else { shmem.sync_all(group) };
    };
}

collectives! {
    /// Waits for every member; `complete`: 1 completes the group's earlier operations before, 0 does not.
    oxshmem_meet oxshmem_meet_warp oxshmem_meet_block
    (complete: i32), shmem, group, team => {
        let team = shmem.team(team);
        if complete != 0 { team.barrier(group) } else { team.sync(group) }
    };
}
