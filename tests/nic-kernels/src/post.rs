//! Posting with the library: `p` of 8 bytes, each a work queue entry with its data inline.

use oxshmem_device::KernelArg;
use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use crate::time::{begin, end};

/// The work of a launch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PostJob {
    /// Destination of the first thread's element.
    pub dest: SymPtr<u64>,
    /// Start and end time of each block, in ns: two words for each.
    pub slots: u64,
    /// Two words for each lone `p`: cycles of the call, and of the call with its quiet.
    pub ticks: u64,
    /// Elements between the destinations of adjacent threads.
    pub stride: u64,
    /// The doorbell of the queue to which the only thread posts.
    pub doorbell: u64,
    /// Rounds of earlier launches; the posted values continue from there.
    pub base: u64,
    /// Time between two lone `p`, in ns.
    pub pause_ns: u64,
    /// Rounds: every thread posts one element in each.
    pub iters: u32,
    /// The target.
    pub pe: Pe,
    /// Handle of block 0, for kernels whose blocks have a queue each.
    pub handle: QpHandle,
    /// Distance from one block's handle to the next.
    pub next: u32,
}

// SAFETY: **plain**: addresses and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for PostJob {
    const NAME: (&'static str, &'static str) = ("nic::PostJob", "");
}
const _: () = assert!(size_of::<PostJob>() == 72);

/// Returns the calling block's exclusive queue.
///
/// # Errors
/// The launch gave no shared memory for it.
#[inline(always)]
fn own<'a>(shmem: &'a Shmem<'a>, job: &PostJob) -> Result<Exclusive<'a>, Fault> {
    let handle = QpHandle::from_raw(job.handle.raw() + (block_idx()[0] * job.next) as i32);
    // SAFETY: **exclusive**: each block has another queue, and no other code posts on it. **lent**: nothing else uses
    // the shared memory.
    unsafe { shmem.exclusive(handle, PeSet::One(job.pe), 0) }
}

/// The longest time for which a doorbell is watched.
const WATCHED_NS: u64 = 5_000_000_000;

/// Returns the value that a thread posts in a round.
#[inline(always)]
pub const fn value(round: u64, thread: u64) -> u64 {
    round << 32 | thread
}

/// Calls `post` by thread 0 in each round, after a pause; thread 32 watches the doorbell.
#[inline(always)]
fn watched(job: PostJob, post: impl Fn(u32) -> Result<(), Fault>) -> Result<(), Fault> {
    let (mut ticks, mut i) = (job.ticks as *mut u64, 0);
    if thread_in_block() == 0 {
        while i < job.iters {
            let from = ptx::global_timer_ns();
            while ptx::global_timer_ns().wrapping_sub(from) < job.pause_ns {
                ptx::poll_pause();
            }
            let before = ptx::clock64();
            post(i)?;
            // SAFETY: the launching host provides two words for each round.
            unsafe { ticks.write(before) }
            ticks = ticks.wrapping_add(2);
            i += 1;
        }
    } else if thread_in_block() == 32 {
        let began = ptx::global_timer_ns();
        // SAFETY: the launching host keeps the doorbell mapped, and provides two words for each round.
        let now = || unsafe { ptx::ld_relaxed_sys_u64(job.doorbell as *const u64) };
        let mut seen = now();
        while i < job.iters {
            let mut word = now();
            while word == seen && ptx::global_timer_ns().wrapping_sub(began) < WATCHED_NS {
                ptx::poll_pause();
                word = now();
            }
            // SAFETY: the launching host provides two words for each round.
            unsafe { ticks.wrapping_add(1).write(ptx::clock64()) }
            seen = word;
            ticks = ticks.wrapping_add(2);
            i += 1;
        }
    }
    Ok(())
}

#[inline(always)]
fn all_threads<I: Rma>(on: &I, job: PostJob, quiet: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    begin(job.slots);
    let thread = thread_in_grid();
    let place = job.dest.add(thread * job.stride as usize);
    let mut i = 0;
    while i < job.iters {
        on.p(place, value(job.base + i as u64, thread as u64), job.pe)?;
        i += 1;
    }
    quiet()?;
    end(job.slots);
    Ok(())
}

/// Posts one element at a time by one thread, each followed by a quiet and a pause.
#[inline(always)]
fn lone<I: Rma>(on: &I, job: PostJob, quiet: impl Fn() -> Result<(), Fault>) -> Result<(), Fault> {
    begin(job.slots);
    let mut ticks = job.ticks as *mut u64;
    let mut i = 0;
    while i < job.iters {
        let from = ptx::global_timer_ns();
        while ptx::global_timer_ns().wrapping_sub(from) < job.pause_ns {
            ptx::poll_pause();
        }
        let before = ptx::clock64();
        on.p(job.dest, value(job.base + i as u64, 0), job.pe)?;
        let called = ptx::clock64();
        quiet()?;
        let quiet = ptx::clock64();
        // SAFETY: the launching host provides two words for each round, and two for the clocks.
        unsafe {
            ticks.write(called.wrapping_sub(before));
            ticks.wrapping_add(1).write(quiet.wrapping_sub(before));
        }
        ticks = ticks.wrapping_add(2);
        i += 1;
    }
    end(job.slots);
    Ok(())
}

kernel! {
    /// Posts by all threads, one element after another; the measured time includes the blocks' quiet. Blocks of up to
    /// 768 threads.
    pub fn nic_p_rate(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        all_threads(&shmem, job, || shmem.quiet_on(Block, PeSet::All, QpSet::All))
    }

    /// Performs [`nic_p_rate`](fn@nic_p_rate) for larger blocks, whose threads have fewer registers.
    pub fn nic_p_rate_large(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        all_threads(&shmem, job, || shmem.quiet_on(Block, PeSet::All, QpSet::All))
    }

    /// Performs [`nic_p_rate`](fn@nic_p_rate) with an exclusive queue for each block.
    pub fn nic_p_own_rate(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        let own = own(&shmem, &job)?;
        all_threads(&own, job, || own.quiet(Block))
    }

    /// Performs [`nic_p_rate_large`](fn@nic_p_rate_large) with an exclusive queue for each block.
    pub fn nic_p_own_rate_large(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        let own = own(&shmem, &job)?;
        all_threads(&own, job, || own.quiet(Block))
    }

    /// Posts one element at a time by one thread, each followed by a quiet and a pause.
    pub fn nic_p_latency(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        lone(&shmem, job, || shmem.quiet())
    }

    /// Performs [`nic_p_latency`](fn@nic_p_latency) on an exclusive queue.
    pub fn nic_p_own_latency(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        let own = own(&shmem, &job)?;
        lone(&own, job, || own.quiet(Thread))
    }

    /// Performs [`nic_p_doorbell`](fn@nic_p_doorbell) on an exclusive queue.
    pub fn nic_p_own_doorbell(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        let own = own(&shmem, &job)?;
        watched(job, |i| {
            own.p(job.dest, value(job.base + i as u64, 0), job.pe)?;
            own.quiet(Thread)
        })
    }

    /// Performs [`nic_p_latency`](fn@nic_p_latency) with a second warp that watches the doorbell. Records for each `p`
    /// the cycle before the call, and the cycle at which that warp saw the new doorbell. Both warps are on one
    /// multiprocessor, and so use one clock.
    pub fn nic_p_doorbell(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        watched(job, |i| {
            shmem.p(job.dest, value(job.base + i as u64, 0), job.pe)?;
            shmem.quiet()
        })
    }

    /// Performs [`nic_p_doorbell`](fn@nic_p_doorbell) with the minimum of posting code: an atomic to reserve, an entry,
    /// a fence, the record, a fence, the doorbell. `stride` is the address of these words; no engine takes part.
    pub fn nic_doorbell_by_hand(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        let _ = shmem;
        let words = job.stride;
        watched(job, |i| {
            // SAFETY: the launching host provides 256 bytes there, aligned to 64, for this thread alone.
            unsafe {
                let first = ptx::atom_add_relaxed_gpu_u64(words as *mut u64, 1);
                let entry = (words + 64 + (first & 1) * 64) as *mut ptx::V2;
                ptx::st_weak_global_v2(entry, [first, 1]);
                ptx::st_weak_global_v2(entry.wrapping_add(1), [2, 3]);
                ptx::st_weak_global_v2(entry.wrapping_add(2), [4, i as u64]);
                ptx::fence_acq_rel_gpu();
                ptx::st_relaxed_sys_u32((words + 16) as *mut u32, first as u32);
                ptx::fence_acq_rel_gpu();
                ptx::st_mmio_relaxed_sys_u64(job.doorbell as *mut u64, job.base + i as u64 + 1);
            }
            Ok(())
        })
    }

    /// Performs [`nic_doorbell_by_hand`](fn@nic_doorbell_by_hand) with the doorbell's store alone: measures how long
    /// another warp takes to see it.
    pub fn nic_doorbell_alone(shmem: Shmem, job: PostJob) -> Result<(), Fault> {
        let _ = shmem;
        watched(job, |i| {
            // SAFETY: the launching host keeps the doorbell mapped, and no other thread rings it.
            unsafe { ptx::st_mmio_relaxed_sys_u64(job.doorbell as *mut u64, job.base + i as u64 + 1) }
            Ok(())
        })
    }

    /// Measures the clock by one thread: `ticks` receives the cycles and the nanoseconds of a wait of at least
    /// `pause_ns`.
    pub fn nic_clock(shmem: Shmem, job: PostJob) {
        let _ = shmem;
        let (from_ns, from) = (ptx::global_timer_ns(), ptx::clock64());
        let mut ns = 0;
        while ns < job.pause_ns {
            ns = ptx::global_timer_ns().wrapping_sub(from_ns);
            ptx::poll_pause();
        }
        let cycles = ptx::clock64().wrapping_sub(from);
        let ticks = job.ticks as *mut u64;
        // SAFETY: the launching host provides two words.
        unsafe {
            ticks.write(cycles);
            ticks.wrapping_add(1).write(ns);
        }
    }
}
oxshmem_device::launch_bounds!(nic_p_rate, threads = 768);
oxshmem_device::launch_bounds!(nic_p_rate_large, threads = 1024);
oxshmem_device::launch_bounds!(nic_p_own_rate, threads = 768);
oxshmem_device::launch_bounds!(nic_p_own_rate_large, threads = 1024);
