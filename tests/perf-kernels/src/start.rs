//! The first kernel that communicates, and those that only meet.

use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use crate::job::Job;

/// The time that a kernel that lines up waits after all have arrived, in ns. By then the host has enqueued the next
/// kernel.
const PAUSE_NS: u64 = 20_000;

kernel! {
    /// Writes `value` to `word` on the next PE, and completes the write.
    pub fn first(shmem: Shmem, word: SymPtr<u64>, value: u64) -> Result<(), Fault> {
        if Block.leads() {
            shmem.p(word, value, shmem.pe_after(1))?;
            shmem.quiet()?;
        }
        Ok(())
    }

    /// Waits until the PEs that line up have arrived, so that the following kernels in their streams start together.
    pub fn line_up(shmem: Shmem, job: Job) -> Result<(), Fault> {
        if !Block.leads() {
            return Ok(());
        }
        let mut pe = 0;
        while pe < job.meeting {
            if pe != shmem.my_pe().number() {
                shmem.signal(Signal::add(job.line, 1), Pe::new(pe))?;
            }
            pe += 1;
        }
        shmem.signal_wait_until(job.line, Cmp::Ge, job.meet)?;
        let there = ptx::global_timer_ns();
        while ptx::global_timer_ns() - there < PAUSE_NS {}
        Ok(())
    }

    /// Waits for all PEs.
    pub fn sync_once(shmem: Shmem) -> Result<(), Fault> {
        shmem.sync_all(Block)
    }
}
