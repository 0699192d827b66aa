//! Requests to proxies, and the words of the host's answers.

use oxshmem_device::KernelArg;
use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

/// Elements of 8 bytes in a block's put, which is one request.
pub const BLOCK_ELEMENTS: usize = 128;

/// The work of a launch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AskJob {
    /// Destination of the first element, in the peer's heap.
    pub dest: SymPtr<u64>,
    /// Source of puts, in this PE's memory.
    pub source: u64,
    /// Start and end time of each block, in ns: two words for each.
    pub slots: u64,
    /// Two words for each lone call, in cycles.
    pub ticks: u64,
    /// A word of the host, which changes when a request is posted, or repeats the last value of `ask`.
    pub word: u64,
    /// A word of the host that a host thread polls.
    pub ask: u64,
    /// Time between two lone calls, or duration of a stay, in ns.
    pub pause_ns: u64,
    /// Bytes of a large put, or a parameter that the kernel describes.
    pub bytes: u64,
    /// Rounds.
    pub iters: u32,
    /// The target.
    pub pe: Pe,
}

// SAFETY: **plain**: addresses and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for AskJob {
    const NAME: (&'static str, &'static str) = ("proxy::AskJob", "");
}
const _: () = assert!(size_of::<AskJob>() == 72);

/// The longest time for which a word is watched.
const WATCHED_NS: u64 = 5_000_000_000;

/// Loads the word at `at`, which the host writes.
#[inline(always)]
fn word(at: u64) -> u64 {
    // SAFETY: the launching host provides a live word of its own.
    unsafe { ptx::ld_relaxed_sys_u64(at as *const u64) }
}

/// Waits until the word at `at` differs from `old`, but not for ever.
#[inline(always)]
fn changed(at: u64, old: u64) {
    let began = ptx::global_timer_ns();
    let mut looks = 0u32;
    while word(at) == old {
        ptx::poll_pause();
        looks += 1;
        if looks.is_multiple_of(4096) && ptx::global_timer_ns().wrapping_sub(began) > WATCHED_NS {
            break;
        }
    }
    ptx::poll_done();
}

#[inline(always)]
fn pause(ns: u64) {
    let from = ptx::global_timer_ns();
    while ptx::global_timer_ns().wrapping_sub(from) < ns {
        ptx::poll_pause();
    }
}

/// Records a block's time, by its leader, when all its threads have arrived.
#[inline(always)]
fn stamp(slots: u64, which: usize) {
    Block.sync();
    if Block.leads() {
        let slot = (slots as *mut u64).wrapping_add(2 * block_idx()[0] as usize + which);
        // SAFETY: the launching host provides two words for each block, and this block's leader alone writes its own.
        unsafe { slot.write(ptx::global_timer_ns()) }
    }
}

/// Records the two words of round `i`.
#[inline(always)]
fn ticks(job: &AskJob, i: u32, first: u64, second: u64) {
    let at = (job.ticks as *mut u64).wrapping_add(2 * i as usize);
    // SAFETY: the launching host provides two words for each round, which one thread writes.
    unsafe {
        at.write(first);
        at.wrapping_add(1).write(second);
    }
}

/// Writes or reads `iters` elements, then quiets.
#[inline(always)]
fn each(shmem: &Shmem, job: &AskJob, place: SymPtr<u64>) -> Result<(), Fault> {
    let mut i = 0;
    while i < job.iters {
        match job.bytes {
            0 => shmem.p(place, i as u64, job.pe)?,
            _ => shmem.g(place, job.pe).map(drop)?,
        }
        i += 1;
    }
    shmem.quiet()
}

kernel! {
    /// Puts by all threads one element of 8 bytes in each round; adjacent threads' elements are `bytes` elements apart.
    /// The measured time includes the blocks' quiet.
    pub fn proxy_p_rate(shmem: Shmem, job: AskJob) -> Result<(), Fault> {
        stamp(job.slots, 0);
        let thread = thread_in_grid();
        let place = job.dest.add(thread * job.bytes as usize);
        let mut i = 0;
        while i < job.iters {
            shmem.p(place, (i as u64) << 32 | thread as u64, job.pe)?;
            i += 1;
        }
        shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
        stamp(job.slots, 1);
        Ok(())
    }

    /// Puts by all blocks 128 elements in each round, by the block's threads together; then quiets.
    pub fn proxy_put_rate(shmem: Shmem, job: AskJob) -> Result<(), Fault> {
        stamp(job.slots, 0);
        let place = job.dest.add(block_idx()[0] as usize * BLOCK_ELEMENTS);
        let mut i = 0;
        while i < job.iters {
            shmem.put_nbi(Block, place, place, BLOCK_ELEMENTS, job.pe)?;
            i += 1;
        }
        shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
        stamp(job.slots, 1);
        Ok(())
    }

    /// Puts by all blocks `bytes` bytes from memory outside the heap in each round; then quiets.
    pub fn proxy_put_large(shmem: Shmem, job: AskJob) -> Result<(), Fault> {
        stamp(job.slots, 0);
        let count = job.bytes as usize / 8;
        // SAFETY: the launching host provides `bytes` bytes there, which nothing writes.
        let source = unsafe { core::slice::from_raw_parts_mut(job.source as *mut u64, count) };
        let source = Local::of(&shmem, source);
        let mut i = 0;
        while i < job.iters {
            shmem.put_nbi(Block, job.dest, source, count, job.pe)?;
            i += 1;
        }
        shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
        stamp(job.slots, 1);
        Ok(())
    }

    /// Measures one element at a time, by one thread: cycles until the call has returned, and until the host's word
    /// announces its post. A quiet and a pause are outside the measured time.
    pub fn proxy_post(shmem: Shmem, job: AskJob) -> Result<(), Fault> {
        let mut i = 0;
        while i < job.iters {
            let old = word(job.word);
            // After the load: a load across the bus that is still in flight when the measurement starts would delay the
            // call.
            pause(job.pause_ns);
            let before = ptx::clock64();
            shmem.p(job.dest, i as u64, job.pe)?;
            let called = ptx::clock64();
            changed(job.word, old);
            let posted = ptx::clock64();
            ticks(&job, i, called.wrapping_sub(before), posted.wrapping_sub(before));
            shmem.quiet()?;
            i += 1;
        }
        Ok(())
    }

    /// Measures one element at a time, by one thread: cycles until the following quiet has returned.
    pub fn proxy_quiet(shmem: Shmem, job: AskJob) -> Result<(), Fault> {
        let mut i = 0;
        while i < job.iters {
            pause(job.pause_ns);
            let before = ptx::clock64();
            shmem.p(job.dest, i as u64, job.pe)?;
            let called = ptx::clock64();
            shmem.quiet()?;
            let quiet = ptx::clock64();
            ticks(&job, i, called.wrapping_sub(before), quiet.wrapping_sub(before));
            i += 1;
        }
        Ok(())
    }

    /// Writes by all threads one element in each round, or reads it if `bytes` is not 0. Two words for each thread: 1,
    /// and 0 or one more than the step at which it failed.
    pub fn proxy_told(shmem: Shmem, job: AskJob) {
        let thread = thread_in_grid();
        let outcome = each(&shmem, &job, job.dest.add(thread));
        ticks(&job, thread as u32, 1, outcome.err().map_or(0, |fault| fault.step as u64 + 1));
    }

    /// Measures by one thread the cycles from a store to a word of the host until the host's answer has arrived.
    pub fn proxy_echo(shmem: Shmem, job: AskJob) {
        let _ = shmem;
        let mut i = 0;
        while i < job.iters {
            let old = word(job.word);
            // After the load: a load across the bus that is still in flight when the measurement starts would delay the
            // call.
            pause(job.pause_ns);
            let before = ptx::clock64();
            // SAFETY: the launching host provides a live word of its own.
            unsafe { ptx::st_relaxed_sys_u64(job.ask as *mut u64, old + 1) }
            changed(job.word, old);
            ticks(&job, i, 0, ptx::clock64().wrapping_sub(before));
            i += 1;
        }
    }

    /// Stays by one thread and requests nothing.
    pub fn proxy_stay(shmem: Shmem, job: AskJob) {
        let _ = shmem;
        pause(job.pause_ns);
    }

    /// Measures the clock by one thread: the first two ticks are the cycles and the nanoseconds.
    pub fn proxy_clock(shmem: Shmem, job: AskJob) {
        let _ = shmem;
        let (from_ns, from) = (ptx::global_timer_ns(), ptx::clock64());
        pause(job.pause_ns);
        let (ns, cycles) = (ptx::global_timer_ns().wrapping_sub(from_ns), ptx::clock64().wrapping_sub(from));
        ticks(&job, 0, cycles, ns);
    }
}
oxshmem_device::launch_bounds!(proxy_p_rate, threads = 1024);
