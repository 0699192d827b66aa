//! Broadcast, all-gather and all-to-all, in bytes.

use super::*;

/// Defines the kernels of each way of the data.
macro_rules! copies {
    ($($way:ident: $broadcast:ident $fcollect:ident $alltoall:ident;)*) => { $(
        kernel! {
            /// Copies `bytes` bytes of member `root`'s `source` to every member's `dest`.
            pub fn $broadcast(
                shmem: Shmem, team: TeamHandle, dest: SymPtr<u8>, source: SymPtr<u8>, bytes: usize, root: u32,
            ) -> Result<(), Fault> {
                let (start, count) = share(bytes, 1);
                let team = shmem.team(team).slot(block_idx()[0]).dependent().share_of(bytes);
                team.broadcast_by(Block, Way::$way, dest.add(start), source.add(start), count, root)
            }

            /// Gathers `bytes` bytes of every member's `source` in every member's `dest`.
            pub fn $fcollect(
                shmem: Shmem, team: TeamHandle, dest: SymPtr<u8>, source: SymPtr<u8>, bytes: usize,
            ) -> Result<(), Fault> {
                let (start, count) = share(bytes, 1);
                let team = shmem.team(team).slot(block_idx()[0]).dependent();
                team.fcollect_part(Block, Way::$way, dest, (source, start), count, bytes)
            }

            /// Sends `bytes` bytes of `source` to each member, and gets as many from each.
            pub fn $alltoall(
                shmem: Shmem, team: TeamHandle, dest: SymPtr<u8>, source: SymPtr<u8>, bytes: usize,
            ) -> Result<(), Fault> {
                let (start, count) = share(bytes, 1);
                let team = shmem.team(team).slot(block_idx()[0]).dependent();
                team.alltoall_part(Block, Way::$way, dest, (source, start), count, bytes)
            }
        }
        launch_bounds!($broadcast, threads = most_threads(Way::$way));
        launch_bounds!($fcollect, threads = most_threads(Way::$way));
        launch_bounds!($alltoall, threads = most_threads(Way::$way));
    )* };
}
copying_kernels!(copies);

kernel! {
    /// Sends to each member as many elements of `width` bytes as `counts` says.
    #[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
    pub fn alltoallv(
        shmem: Shmem, team: TeamHandle, width: usize, dest: SymPtr<u8>, source: SymPtr<u8>, counts: SymPtr<u64>,
        source_starts: SymPtr<u64>, dest_starts: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let part = (block_idx()[0] as usize, grid_dim()[0] as usize);
        let lists = Lists { counts, source_starts, dest_starts };
        let team = shmem.team(team).slot(block_idx()[0]).dependent();
        team.alltoallv_part(Block, width, dest.addr(), source.addr(), lists, part)
    }
}
launch_bounds!(alltoallv, threads = 512);
