//! What is asked of proxies, and the words by which the host answers.

use oxshmem_device::KernelArg;
use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

/// Elements of 8 bytes of a block's put: one request.
pub const BLOCK_ELEMENTS: usize = 128;

/// What a launch asks.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AskJob {
    /// Where the first element goes, in the peer's heap.
    pub dest: SymPtr<u64>,
    /// Memory of this PE that is put from.
    pub source: u64,
    /// For each block, when it started and when it ended, in ns.
    pub slots: u64,
    /// For each lone call two words, in cycles.
    pub ticks: u64,
    /// A word of the host, which changes when a request was posted, or says what was last written to `ask`.
    pub word: u64,
    /// A word of the host that a thread there watches.
    pub ask: u64,
    /// What lies between two lone calls, or how long to stay; in ns.
    pub pause_ns: u64,
    /// Bytes of a large put, or what a kernel says of it.
    pub bytes: u64,
    /// Rounds.
    pub iters: u32,
    /// Who gets it.
    pub pe: Pe,
}

// SAFETY: **plain**: addresses and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for AskJob {
    const NAME: (&'static str, &'static str) = ("proxy::AskJob", "");
}
const _: () = assert!(size_of::<AskJob>() == 72);

/// How long a word is watched at most.
const WATCHED_NS: u64 = 5_000_000_000;

/// The word at `at`, which the host writes.
#[inline(always)]
fn word(at: u64) -> u64 {
    // SAFETY: whoever launches the kernel gives a live word of the host.
    unsafe { ptx::ld_relaxed_sys_u64(at as *const u64) }
}

/// Waits until the word at `at` is no longer `old`, but not for ever.
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

/// Writes a block's time, by its leader, when all its threads are there.
#[inline(always)]
fn stamp(slots: u64, which: usize) {
    Block.sync();
    if Block.leads() {
        let slot = (slots as *mut u64).wrapping_add(2 * block_idx()[0] as usize + which);
        // SAFETY: whoever launches the kernel gives two words for each block; this block's leader alone writes these.
        unsafe { slot.write(ptx::global_timer_ns()) }
    }
}

/// Writes the two words of round `i`.
#[inline(always)]
fn ticks(job: &AskJob, i: u32, first: u64, second: u64) {
    let at = (job.ticks as *mut u64).wrapping_add(2 * i as usize);
    // SAFETY: whoever launches the kernel gives two words for each round; one thread writes them.
    unsafe {
        at.write(first);
        at.wrapping_add(1).write(second);
    }
}

/// `iters` elements, written or read, and a quiet.
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
    /// All threads: an element of 8 bytes in each round, `bytes` elements from one thread's to the next one's. Then the
    /// blocks' quiet, within the time.
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

    /// All blocks: a put of 128 elements in each round, which its threads call together. Then quiet.
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

    /// All blocks: a put of `bytes` bytes from memory that is no part of the heap, in each round. Then quiet.
    pub fn proxy_put_large(shmem: Shmem, job: AskJob) -> Result<(), Fault> {
        stamp(job.slots, 0);
        let count = job.bytes as usize / 8;
        // SAFETY: whoever launches the kernel gives `bytes` bytes there, which nobody writes.
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

    /// One thread, one element at a time: cycles until the call has returned, and until the host's word says that it was
    /// posted. A quiet and a pause lie outside of the time.
    pub fn proxy_post(shmem: Shmem, job: AskJob) -> Result<(), Fault> {
        let mut i = 0;
        while i < job.iters {
            let old = word(job.word);
            // Behind that: a look across the bus which is still under way when the time begins is in the call's way.
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

    /// One thread, one element at a time: cycles until the quiet behind it has returned.
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

    /// All threads: an element in each round, written, or read where `bytes` is not 0. Two words for each thread: 1, and
    /// 0 or one more than the step at which it failed.
    pub fn proxy_told(shmem: Shmem, job: AskJob) {
        let thread = thread_in_grid();
        let outcome = each(&shmem, &job, job.dest.add(thread));
        ticks(&job, thread as u32, 1, outcome.err().map_or(0, |fault| fault.step as u64 + 1));
    }

    /// One thread: cycles from a store to a word of the host until the host's answer is there.
    pub fn proxy_echo(shmem: Shmem, job: AskJob) {
        let _ = shmem;
        let mut i = 0;
        while i < job.iters {
            let old = word(job.word);
            // Behind that: a look across the bus which is still under way when the time begins is in the call's way.
            pause(job.pause_ns);
            let before = ptx::clock64();
            // SAFETY: whoever launches the kernel gives a live word of the host.
            unsafe { ptx::st_relaxed_sys_u64(job.ask as *mut u64, old + 1) }
            changed(job.word, old);
            ticks(&job, i, 0, ptx::clock64().wrapping_sub(before));
            i += 1;
        }
    }

    /// One thread that stays and asks for nothing.
    pub fn proxy_stay(shmem: Shmem, job: AskJob) {
        let _ = shmem;
        pause(job.pause_ns);
    }

    /// How many cycles a while takes, by one thread: the first two ticks are the cycles and the nanoseconds.
    pub fn proxy_clock(shmem: Shmem, job: AskJob) {
        let _ = shmem;
        let (from_ns, from) = (ptx::global_timer_ns(), ptx::clock64());
        pause(job.pause_ns);
        let (ns, cycles) = (ptx::global_timer_ns().wrapping_sub(from_ns), ptx::clock64().wrapping_sub(from));
        ticks(&job, 0, cycles, ns);
    }
}
oxshmem_device::launch_bounds!(proxy_p_rate, threads = 1024);
