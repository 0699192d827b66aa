//! Barriers of all PEs and of teams.

use crate::teams::{either, handle, meets_by_load_store, status};
use crate::world::all_load_store;

export_scopes! {
    /// Waits for every PE; `complete`: 1 completes the group's earlier operations before, 0 does not.
    oxshmem_meet_all oxshmem_meet_all_warp oxshmem_meet_all_block
    (complete: i32), if all_load_store() => shmem, on, group => {
        let _ = shmem.meet(group, complete != 0);
    };
    /// Waits for every member of a team; `complete`: 1 completes the group's earlier operations before, 0 does not.
    oxshmem_meet oxshmem_meet_warp oxshmem_meet_block
    (team: i32, complete: i32) -> i32, if meets_by_load_store(team) => shmem, on, group => {
        status(either(team).map(|team| shmem.team(team).meet_once(group, complete != 0)))
    };
}

export! {
    /// Waits for a packet of a member's round, at an address of this PE. Returns 0, or another value after a fault.
    oxshmem_await_packet(team: i32, from: u32, round: u64, packet: *const u8) -> i32, if true => shmem, _on => {
        // SAFETY: **live** by the caller.
        status(handle(team).map(|team| unsafe { shmem.team(team).await_packet(from, round, packet.cast()) }))
    };
}
