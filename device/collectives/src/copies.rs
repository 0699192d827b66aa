//! Broadcast, all-gather and all-to-all, in bytes.

use super::*;

kernel! {
    /// Copies `bytes` bytes of member `root`'s `source` to every member's `dest`.
    pub fn broadcast(
        shmem: Shmem, team: TeamHandle, how: u32, dest: SymPtr<u8>, source: SymPtr<u8>, bytes: usize, root: u32,
    ) -> Result<(), Fault> {
        begin();
        let (start, bytes) = share(bytes, 1);
        let team = shmem.team(team).slot(block_idx()[0]);
        team.broadcast_by(Block, way(how), dest.add(start), source.add(start), bytes, root)
    }

    /// Gathers `bytes` bytes of every member's `source` in every member's `dest`.
    pub fn fcollect(
        shmem: Shmem, team: TeamHandle, how: u32, dest: SymPtr<u8>, source: SymPtr<u8>, bytes: usize,
    ) -> Result<(), Fault> {
        begin();
        let (start, count) = share(bytes, 1);
        let team = shmem.team(team).slot(block_idx()[0]);
        team.fcollect_part(Block, way(how), dest, (source, start), count, bytes)
    }

    /// Sends `bytes` bytes of `source` to each member, and gets as many from each.
    pub fn alltoall(
        shmem: Shmem, team: TeamHandle, how: u32, dest: SymPtr<u8>, source: SymPtr<u8>, bytes: usize,
    ) -> Result<(), Fault> {
        begin();
        let (start, count) = share(bytes, 1);
        let team = shmem.team(team).slot(block_idx()[0]);
        team.alltoall_part(Block, way(how), dest, (source, start), count, bytes)
    }
}
launch_bounds!(broadcast, threads = 384);
launch_bounds!(fcollect, threads = 384);
launch_bounds!(alltoall, threads = 384);
