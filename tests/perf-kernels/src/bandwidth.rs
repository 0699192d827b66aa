//! Bandwidth and issue rate of put and get: every group moves a piece of its own repeatedly.

use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use crate::job::{Job, at_each_scope, begin, end, group_in_grid, lend, on};

at_each_scope! {
    threads = [1024, 1024, 1024];
    /// `put_nbi` of each group's piece, and a quiet at the end.
    put_bw: shmem_put_bw_thread shmem_put_bw_warp shmem_put_bw_block;
    /// `get_nbi` of each group's piece, and a quiet at the end.
    get_bw: shmem_get_bw_thread shmem_get_bw_warp shmem_get_bw_block;
    /// `put_nbi` of each group's piece, and a quiet at the end, with lent memory.
    put_bw_lent: shmem_put_bw_thread_lent shmem_put_bw_warp_lent shmem_put_bw_block_lent;
    /// `get_nbi` of each group's piece, and a quiet at the end, with lent memory.
    get_bw_lent: shmem_get_bw_thread_lent shmem_get_bw_warp_lent shmem_get_bw_block_lent;
    /// `put_nbi` of each group's piece; the quiet is not timed.
    put_nbi_rate: shmem_put_nbi_rate_thread shmem_put_nbi_rate_warp shmem_put_nbi_rate_block;
}

#[inline(always)]
fn put_all<G: Group>(shmem: &Shmem, job: &Job, by: G) -> Result<(), Fault> {
    let (at, bytes) = (group_in_grid(by) * job.bytes as usize, job.bytes as usize);
    let (dest, source) = (job.dest.add(at), job.source.add(at));
    let mut i = 0;
    while i < job.iters {
        on!(shmem).put_nbi(by, dest, source, bytes, job.pe)?;
        i += 1;
    }
    Ok(())
}

#[inline(always)]
fn put_bw<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    begin(shmem, &job);
    put_all(shmem, &job, by)?;
    shmem.quiet_on(by, PeSet::All, QpSet::All)?;
    end(shmem, &job);
    Ok(())
}

#[inline(always)]
fn get_bw<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    let group = group_in_grid(by) as u32;
    begin(shmem, &job);
    let (mut i, mut turn) = (0, 0);
    while i < job.iters {
        // Computed in each iteration: values kept across iterations would occupy registers that the copy needs.
        let at = ptx::opaque_u32(group) as usize * job.bytes as usize;
        let (dest, source) = (job.dest.add(at), job.source.add(at + job.read_at(turn) as usize));
        on!(shmem).get_nbi(by, dest, source, job.bytes as usize, job.pe)?;
        turn = job.next_turn(turn);
        i += 1;
    }
    shmem.quiet_on(by, PeSet::All, QpSet::All)?;
    end(shmem, &job);
    Ok(())
}

#[inline(always)]
fn put_nbi_rate<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    begin(shmem, &job);
    put_all(shmem, &job, by)?;
    end(shmem, &job);
    shmem.quiet_on(by, PeSet::All, QpSet::All)
}

#[inline(always)]
fn put_bw_lent<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    put_bw(&lend(shmem, &job, by), job, by)
}

#[inline(always)]
fn get_bw_lent<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    get_bw(&lend(shmem, &job, by), job, by)
}
