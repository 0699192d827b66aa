//! The kernel: the queues of each warp, and the time for which it serves them.

use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use super::serve::{look, serve};
use super::table::ResidentJob;

/// The threads that serve a queue together: a warp, or fewer if the block is smaller.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub(super) lane: u32,
    pub(super) lanes: u32,
    mask: u32,
}

impl Lanes {
    #[inline(always)]
    pub(super) fn leads(self) -> bool {
        self.lane == 0
    }

    /// Waits for all lanes. Each then sees the earlier writes of the others.
    #[inline(always)]
    pub(super) fn sync(self) {
        ptx::bar_warp_sync(self.mask)
    }

    /// Returns lane `from`'s value to all lanes.
    #[inline(always)]
    pub(super) fn share(self, value: u64, from: u32) -> u64 {
        ptx::shfl_sync_u64(self.mask, value, from)
    }

    #[inline(always)]
    fn any(self, yes: bool) -> bool {
        ptx::vote_any_sync(self.mask, yes)
    }
}

/// Determines the end of a slice.
pub(super) struct Watch {
    began_ns: u64,
}

impl Watch {
    /// Reports whether the slice has ended, equal for all lanes.
    #[inline(always)]
    pub(super) fn over(&self, job: &ResidentJob, lanes: Lanes) -> bool {
        let mut over = 0;
        if lanes.leads() {
            // SAFETY: the launching host keeps the words mapped.
            let (pause, attention) =
                unsafe { (ptx::ld_relaxed_sys_u64(job.pause()), ptx::ld_relaxed_sys_u64(job.attention())) };
            let told = pause | attention != 0;
            over = (told || ptx::global_timer_ns().wrapping_sub(self.began_ns) > job.limit_ns) as u64;
        }
        lanes.share(over, 0) != 0
    }

    /// Reports whether no warp has had work for a while, equal for all lanes. `worked`: this warp just had some.
    #[inline(always)]
    fn idle(&self, job: &ResidentJob, lanes: Lanes, worked: bool) -> bool {
        let mut idle = 0;
        if lanes.leads() {
            let (now, busy) = (ptx::global_timer_ns(), job.busy as *mut u64);
            if worked {
                // SAFETY: the launching host keeps the word mapped.
                unsafe { ptx::st_relaxed_gpu_u64(busy, now) }
            } else {
                // SAFETY: the launching host keeps the word mapped.
                let last = unsafe { ptx::ld_relaxed_gpu_u64(busy) };
                let since = if last > self.began_ns { last } else { self.began_ns };
                // Another multiprocessor's clock may be ahead.
                idle = (now > since && now - since > job.idle_ns) as u64;
            }
        }
        lanes.share(idle, 0) != 0
    }
}

/// Polls the doorbells of this warp's queues, and serves those that changed. Returns whether any did.
///
/// # Safety
///
/// - **live**: the parts of every live row, and everything that the key table names, are mapped.
#[inline(always)]
unsafe fn round(job: &ResidentJob, (warp, warps): (u64, u64), lanes: Lanes, watch: &Watch) -> bool {
    let (mut worked, mut first) = (false, warp);
    while first < job.queues {
        let queue = first + lanes.lane as u64 * warps;
        // SAFETY: **live**: the caller's promise; the queue's number is below `queues`.
        let (word, new) = if queue < job.queues { unsafe { look(job, queue) } } else { (0, false) };
        if lanes.any(new) {
            worked = true;
            let mut lane = 0;
            while lane < lanes.lanes {
                if lanes.share(new as u64, lane) != 0 {
                    let (queue, word) = (lanes.share(queue, lane), lanes.share(word, lane));
                    // SAFETY: **live**: the caller's promise; the queue's number is below `queues`.
                    unsafe { serve(job, queue, word, lanes, watch) }
                }
                lane += 1;
            }
        }
        first += lanes.lanes as u64 * warps;
    }
    worked
}

kernel! {
    /// Runs a slice of the engine. One block: of at most one warp, or of whole warps.
    pub fn resident(shmem: Shmem, job: ResidentJob) {
        let _ = shmem;
        let (thread, threads) = (thread_in_block() as u32, block_dim()[0]);
        let lanes = if threads < 32 { threads } else { 32 };
        let mask = if lanes < 32 { (1 << lanes) - 1 } else { u32::MAX };
        let (warp, warps) = (thread / 32, threads.div_ceil(32));
        let lanes = Lanes { lane: thread % 32, lanes, mask };
        let watch = Watch { began_ns: ptx::global_timer_ns() };
        loop {
            // SAFETY: **live**: the launching host keeps everything mapped that its tables name.
            let worked = unsafe { round(&job, (warp as u64, warps as u64), lanes, &watch) };
            if watch.over(&job, lanes) || watch.idle(&job, lanes, worked) {
                break;
            }
            if worked { ptx::poll_done() } else { ptx::poll_pause() }
        }
    }
}
oxshmem_device::launch_bounds!(resident, threads = 128);
