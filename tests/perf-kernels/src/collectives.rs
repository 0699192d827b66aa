//! Collectives, one after the other, by one group of each PE.

use oxshmem_device::prelude::*;
use oxshmem_device::{Sum, kernel, launch_bounds};

use crate::job::{Job, begin, end};

/// Generates the kernels of a collective: by a warp, by a block of up to 256 threads, and by a larger one.
macro_rules! collectives {
    ($($(#[$meta:meta])* $body:ident: $warp:ident $block:ident $large:ident: |$team:ident, $by:ident, $dest:ident, $source:ident, $count:ident| $call:expr;)+) => { $(
        #[inline(always)]
        fn $body<G: Group>(shmem: &Shmem, team: TeamHandle, job: Job, $by: G) -> Result<(), Fault> {
            let $team = shmem.team(team);
            let ($dest, $source, $count) = (job.dest.cast::<f32>(), job.source.cast::<f32>(), (job.bytes / 4) as usize);
            // The kernels of all PEs have come when the time starts.
            $team.sync($by)?;
            begin(shmem, &job);
            let mut i = 0;
            while i < job.iters {
                $call?;
                i += 1;
            }
            end(shmem, &job);
            Ok(())
        }

        kernel! {
            $(#[$meta])*
            pub fn $warp(shmem: Shmem, team: TeamHandle, job: Job) -> Result<(), Fault> {
                $body(&shmem, team, job, Warp)
            }
            $(#[$meta])*
            pub fn $block(shmem: Shmem, team: TeamHandle, job: Job) -> Result<(), Fault> {
                $body(&shmem, team, job, Block)
            }
            $(#[$meta])*
            pub fn $large(shmem: Shmem, team: TeamHandle, job: Job) -> Result<(), Fault> {
                $body(&shmem, team, job, Block)
            }
        }
        launch_bounds!($warp, threads = 32);
        launch_bounds!($block, threads = 256);
        launch_bounds!($large, threads = 1024);
    )+ };
}

collectives! {
    /// Sums.
    reduce: coll_reduce_warp coll_reduce_block coll_reduce_large:
        |team, by, dest, source, count| team.reduce(by, Sum, dest, source, count);
    /// Sums of a part each.
    reducescatter: coll_reducescatter_warp coll_reducescatter_block coll_reducescatter_large:
        |team, by, dest, source, count| team.reducescatter(by, Sum, dest, source, count);
    /// All-gather.
    fcollect: coll_fcollect_warp coll_fcollect_block coll_fcollect_large:
        |team, by, dest, source, count| team.fcollect(by, dest, source, count);
    /// All-to-all.
    alltoall: coll_alltoall_warp coll_alltoall_block coll_alltoall_large:
        |team, by, dest, source, count| team.alltoall(by, dest, source, count);
    /// Broadcast of member 0.
    broadcast: coll_broadcast_warp coll_broadcast_block coll_broadcast_large:
        |team, by, dest, source, count| team.broadcast(by, dest, source, count, 0);
}
