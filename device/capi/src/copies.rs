//! Broadcast, all-gather and all-to-all of bytes. A call returns 0, or another value if the team does not exist or the
//! call failed.

use crate::teams::{either, meets_by_load_store, status};

export_scopes! {
    /// Copies bytes of member `root` to every member.
    oxshmem_broadcast oxshmem_broadcast_warp oxshmem_broadcast_block
    (team: i32, dest: *mut u8, source: *const u8, bytes: usize, root: i32) -> i32,
    if meets_by_load_store(team) => shmem, on, group => status(either(team).map(|team| {
        shmem.team(team).broadcast(group, shmem.symmetric(dest), shmem.symmetric(source), bytes, root as u32)
    }));
    /// Gathers bytes of every member in every member.
    oxshmem_fcollect oxshmem_fcollect_warp oxshmem_fcollect_block
    (team: i32, dest: *mut u8, source: *const u8, bytes: usize) -> i32,
    if meets_by_load_store(team) => shmem, on, group => status(either(team).map(|team| {
        shmem.team(team).fcollect(group, shmem.symmetric(dest), shmem.symmetric(source), bytes)
    }));
    /// Sends bytes to each member, and gets as many from each.
    oxshmem_alltoall oxshmem_alltoall_warp oxshmem_alltoall_block
    (team: i32, dest: *mut u8, source: *const u8, bytes: usize) -> i32,
    if meets_by_load_store(team) => shmem, on, group => status(either(team).map(|team| {
        shmem.team(team).alltoall(group, shmem.symmetric(dest), shmem.symmetric(source), bytes)
    }));
}
