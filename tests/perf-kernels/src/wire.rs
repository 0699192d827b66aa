//! Writes, reads, sends and atomics between two PEs, measured as verbs' own benchmarks do: each block has a queue pair
//! of its own, and each operation of a latency has a sample of its own.

use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use crate::elements::{COMPARE_SWAP, POISONED};
use crate::job::{Job, begin, end, on};

/// `Job::op`: a put.
pub const WRITE: u32 = 100;
/// `Job::op`: a get.
pub const READ: u32 = 101;
/// `Job::op`: a put with a signal.
pub const SEND: u32 = 102;

/// Returns the queue pair of this block: element `block` of `handles`.
#[inline(always)]
fn own_qp(shmem: &Shmem, handles: SymPtr<i32>) -> Qp {
    Qp::Custom(QpHandle::from_raw(shmem.local(handles.add(block_idx()[0] as usize), 1).read(0)))
}

/// Posts `iters` operations of `bytes` bytes on the block's queue pair, and a quiet at the end.
#[inline(always)]
fn bandwidth<G: Group>(shmem: &Shmem, job: &Job, handles: SymPtr<i32>, by: G) -> Result<(), Fault> {
    let queue = shmem.qp(own_qp(shmem, handles));
    let (block, bytes) = (block_idx()[0] as usize, job.bytes as usize);
    let (dest, source) = (job.dest.add(block * bytes), job.source.add(block * bytes));
    begin(shmem, job);
    let mut i = 0;
    match job.op {
        WRITE => {
            while i < job.iters {
                on!(queue).put_nbi(by, dest, source, bytes, job.pe)?;
                i += 1;
            }
        }
        READ => {
            let mut turn = 0;
            while i < job.iters {
                on!(queue).get_nbi(by, dest, source.add(job.read_at(turn) as usize), bytes, job.pe)?;
                turn = job.next_turn(turn);
                i += 1;
            }
        }
        _ => {
            while i < job.iters {
                i += 1;
                let signal = Signal::set(job.flag.add(block), job.base + i as u64);
                on!(queue).put_signal_nbi(by, dest, source, bytes, signal, job.pe)?;
            }
        }
    }
    shmem.quiet_on(by, PeSet::All, QpSet::All)?;
    end(shmem, job);
    Ok(())
}

/// Performs one operation without a sample, in which the PEs' kernels meet, then `iters` with one. `one` receives the
/// number of the operation, from `base + 1` on. Element 0 of `samples` is the sum in clock cycles, and the operations'
/// own cycles follow.
#[inline(always)]
fn sample<G: Group>(
    shmem: &Shmem,
    job: &Job,
    samples: SymPtr<u64>,
    by: G,
    mut one: impl FnMut(u64) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let samples = shmem.local(samples, job.iters as usize + 1);
    let (mut i, mut first, mut last) = (0, 0, 0);
    // One loop, so that the operation's code is in the kernel once.
    while i <= job.iters {
        one(job.base + 1 + i as u64)?;
        let now = if i == 0 {
            begin(shmem, job);
            first = ptx::clock64();
            first
        } else {
            let now = ptx::clock64();
            if by.leads() {
                samples.write(i as usize, now.wrapping_sub(last));
            }
            now
        };
        last = now;
        i += 1;
    }
    end(shmem, job);
    if by.leads() {
        samples.write(0, last.wrapping_sub(first));
    }
    Ok(())
}

/// Plays ping-pong with writes: the last word of the data is the round's number, and its arrival ends the wait.
#[inline(always)]
fn write_latency<G: Group>(shmem: &Shmem, job: &Job, samples: SymPtr<u64>, by: G) -> Result<(), Fault> {
    let last_word = (job.bytes / 8) as usize - 1;
    let (written, awaited) = (job.source.cast::<u64>().add(last_word), job.dest.cast::<u64>().add(last_word));
    let first = shmem.my_pe().number() == 0;
    let wait = |round| {
        if by.leads() {
            // Poison is larger than any round.
            shmem.wait_until(awaited, Cmp::Eq, round)?;
        }
        by.sync();
        Ok(())
    };
    sample(shmem, job, samples, by, |round| {
        if !first {
            wait(round)?;
        }
        if by.leads() {
            // The previous round's data has left, because the peer has answered it.
            shmem.local(written, 1).write(0, round);
        }
        by.sync();
        on!(shmem).put_nbi(by, job.dest, job.source, job.bytes as usize, job.pe)?;
        if first { wait(round) } else { Ok(()) }
    })?;
    shmem.quiet_on(by, PeSet::All, QpSet::All)
}

/// Plays ping-pong with puts whose signal is the round's number.
#[inline(always)]
fn send_latency<G: Group>(shmem: &Shmem, job: &Job, samples: SymPtr<u64>, by: G) -> Result<(), Fault> {
    let first = shmem.my_pe().number() == 0;
    let wait = |round| {
        if by.leads() {
            shmem.signal_wait_until(job.flag, Cmp::Ge, round)?;
        }
        by.sync();
        Ok(())
    };
    sample(shmem, job, samples, by, |round| {
        if !first {
            wait(round)?;
        }
        let signal = Signal::set(job.flag, round);
        on!(shmem).put_signal_nbi(by, job.dest, job.source, job.bytes as usize, signal, job.pe)?;
        if first { wait(round) } else { Ok(()) }
    })?;
    shmem.quiet_on(by, PeSet::All, QpSet::All)
}

#[inline(always)]
fn latency<G: Group>(shmem: &Shmem, job: &Job, samples: SymPtr<u64>, by: G) -> Result<(), Fault> {
    match job.op {
        WRITE => write_latency(shmem, job, samples, by),
        READ => {
            sample(shmem, job, samples, by, |_| on!(shmem).get(by, job.dest, job.source, job.bytes as usize, job.pe))
        }
        _ => send_latency(shmem, job, samples, by),
    }
}

/// Performs atomic number `n` on a word. Returns the previous value. `zero` is zero and depends on an earlier result.
#[inline(always)]
fn atomic<Q: Atomics>(queue: &Q, job: &Job, word: SymPtr<u64>, n: u64, zero: u64) -> Result<u64, Fault> {
    match job.op {
        COMPARE_SWAP => {
            let there = POISONED + n + zero;
            on!(queue).atomic_compare_swap(word, there, there + 1, job.pe)
        }
        _ => on!(queue).atomic_fetch_add(word, zero | 1, job.pe),
    }
}

oxshmem_device::kernel! {
    /// Measures the bandwidth of operations by one warp for each queue pair.
    pub fn wire_bw_warp(shmem: Shmem, job: Job, handles: SymPtr<i32>) -> Result<(), Fault> {
        bandwidth(&shmem, &job, handles, Warp)
    }

    /// Measures the bandwidth of operations by one block for each queue pair.
    pub fn wire_bw_block(shmem: Shmem, job: Job, handles: SymPtr<i32>) -> Result<(), Fault> {
        bandwidth(&shmem, &job, handles, Block)
    }

    /// Measures the latency of operations by one warp.
    pub fn wire_lat_warp(shmem: Shmem, job: Job, samples: SymPtr<u64>) -> Result<(), Fault> {
        latency(&shmem, &job, samples, Warp)
    }

    /// Measures the latency of operations by one block.
    pub fn wire_lat_block(shmem: Shmem, job: Job, samples: SymPtr<u64>) -> Result<(), Fault> {
        latency(&shmem, &job, samples, Block)
    }

    /// Measures the rate of fetching atomics, `iters` by each thread on a word of its own, on the block's queue pair.
    pub fn wire_bw_thread(shmem: Shmem, job: Job, handles: SymPtr<i32>) -> Result<(), Fault> {
        let queue = shmem.qp(own_qp(&shmem, handles));
        let word = job.dest.cast::<u64>().add(thread_in_grid());
        begin(&shmem, &job);
        let (mut i, mut sum) = (0, 0u64);
        while i < job.iters {
            sum = sum.wrapping_add(atomic(&queue, &job, word, job.base + i as u64, 0)?);
            i += 1;
        }
        // Stored, so that the values are used: an atomic without one is another instruction.
        shmem.local(job.sums.add(thread_in_grid()), 1).write(0, sum);
        end(&shmem, &job);
        Ok(())
    }

    /// Measures the latency of fetching atomics by one thread. Each depends on the previous result.
    pub fn wire_lat_thread(shmem: Shmem, job: Job, samples: SymPtr<u64>) -> Result<(), Fault> {
        let (word, mut before) = (job.dest.cast::<u64>(), 0);
        sample(&shmem, &job, samples, Thread, |n| {
            before = atomic(&shmem, &job, word, n - 1, before & job.zero as u64)?;
            Ok(())
        })?;
        // Stored, so that the last value is used.
        shmem.local(job.sums, 1).write(0, before);
        Ok(())
    }
}

// Larger blocks would leave a copy too few registers.
oxshmem_device::launch_bounds!(wire_bw_block, threads = 512);
oxshmem_device::launch_bounds!(wire_lat_block, threads = 512);
oxshmem_device::launch_bounds!(wire_bw_warp, threads = 32);
oxshmem_device::launch_bounds!(wire_lat_warp, threads = 32);
