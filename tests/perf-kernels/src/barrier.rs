//! Barriers, one after the other, by one group of each PE.

use oxshmem_device::prelude::*;

use crate::job::{Job, at_each_scope, begin, end};

at_each_scope! {
    threads = [32, 32, 1024];
    /// `barrier_all`.
    barrier: barrier_latency_thread barrier_latency_warp barrier_latency_block;
    /// `sync_all`.
    sync: sync_latency_thread sync_latency_warp sync_latency_block;
}

#[inline(always)]
fn barrier<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    // The kernels of all PEs have come when the time starts.
    shmem.barrier_all(by)?;
    begin(shmem, &job);
    let mut i = 0;
    while i < job.iters {
        shmem.barrier_all(by)?;
        i += 1;
    }
    end(shmem, &job);
    Ok(())
}

#[inline(always)]
fn sync<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    // The kernels of all PEs have come when the time starts.
    shmem.sync_all(by)?;
    begin(shmem, &job);
    let mut i = 0;
    while i < job.iters {
        shmem.sync_all(by)?;
        i += 1;
    }
    end(shmem, &job);
    Ok(())
}
