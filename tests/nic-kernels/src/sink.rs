//! The engine.

use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use crate::table::{SinkJob, SinkReport};
use crate::wire;

/// Polls of the doorbell for each poll of the stop word.
const READS_PER_LOOK: u32 = 256;

/// Determines the end of the engine.
pub(crate) struct Watch {
    began_ns: u64,
    reads: u32,
}

impl Watch {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { began_ns: ptx::global_timer_ns(), reads: 0 }
    }

    /// Returns `None` to continue, else whether the time limit ended the engine.
    #[inline(always)]
    pub(crate) fn over(&mut self, job: &SinkJob) -> Option<bool> {
        ptx::poll_pause();
        self.reads += 1;
        if self.reads < READS_PER_LOOK {
            return None;
        }
        self.reads = 0;
        // SAFETY: the launching host keeps the stop word mapped.
        if unsafe { ptx::ld_relaxed_sys_u32(job.stop as *const u32) } != 0 {
            return Some(false);
        }
        let late = ptx::global_timer_ns().wrapping_sub(self.began_ns) > job.limit_ns;
        late.then_some(true)
    }
}

kernel! {
    /// Completes everything that is posted, and does nothing else. One block.
    pub fn sink(shmem: Shmem, job: SinkJob) {
        let _ = shmem;
        let Some(queue) = job.queue_of(thread_in_block() as u32, block_dim()[0]) else { return };
        // SAFETY: the table has `queues` rows, which do not change.
        let row = unsafe { job.row(queue).read() };
        let tail = (row.cqe + wire::COMPLETION_AT) as *mut u32;
        let (mut done, mut rings, mut astray) = (row.start, 0, 0);
        let mut seen = 0;
        let mut watch = Watch::new();
        let late = loop {
            // SAFETY: the launching host keeps the doorbell's word mapped.
            let word = unsafe { ptx::ld_relaxed_sys_u64(row.doorbell as *const u64) };
            if word == seen {
                match watch.over(&job) {
                    Some(late) => break late,
                    None => continue,
                }
            }
            seen = word;
            let ahead = wire::doorbell_index(word).wrapping_sub(done as u16) as u32;
            if ahead.wrapping_sub(1) < row.depth {
                done += ahead as u64;
                // SAFETY: the completion is mapped, and the engine alone writes it.
                unsafe { ptx::st_relaxed_sys_u32(tail, wire::completion(done - 1)) }
                rings += 1;
            } else {
                astray += 1;
            }
            ptx::poll_done();
        };
        let report = SinkReport { done, rings, astray, late: late as u64, ..SinkReport::default() };
        // SAFETY: `reports` has `queues` of them, and this thread alone writes this one.
        unsafe { job.report(queue).write(report) }
    }
}
oxshmem_device::launch_bounds!(sink, threads = 256);
