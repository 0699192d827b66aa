//! Bandwidth of operations on one element: thread k modulo the number of threads handles element k.

use oxshmem_core::SymAddr;
use oxshmem_device::launch_bounds;
use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use crate::job::{Job, begin, end, on};

/// `atomic_add` of 1.
pub const ADD: u32 = 0;
/// `atomic_inc`.
pub const INC: u32 = 1;
/// `atomic_fetch_add` of 1.
pub const FETCH_ADD: u32 = 2;
/// `atomic_compare_swap` of the present value by one more.
pub const COMPARE_SWAP: u32 = 3;
/// `atomic_swap` by one more than the present value.
pub const SWAP: u32 = 4;
/// `atomic_set` to one more than the present value.
pub const SET: u32 = 5;
/// `atomic_fetch`.
pub const FETCH: u32 = 6;
/// `atomic_fetch_inc`.
pub const FETCH_INC: u32 = 7;

/// Every byte of a destination before data arrives.
pub const POISON: u8 = 0xA5;
/// A word of [`POISON`]: the value that the first atomic finds.
pub const POISONED: u64 = u64::from_le_bytes([POISON; 8]);

/// Difference between the values of adjacent elements, so that a misplaced element is noticed.
pub const APART: u32 = 0x9e37_79b1;

/// Calls `one` with the address (from `first` on) and the number of each of this thread's elements.
#[inline(always)]
fn each(job: &Job, first: SymAddr, mut one: impl FnMut(SymAddr, u64) -> Result<(), Fault>) -> Result<(), Fault> {
    let (mut k, step) = (thread_in_grid() as u64, threads_in_grid() as u64);
    let (mut at, stride) = (first.add(k * job.stride), step * job.stride);
    while k < job.elements {
        one(at, k)?;
        at = at.add(stride);
        k += step;
    }
    Ok(())
}

/// Returns the value of element `k` in a launch.
#[inline(always)]
fn value(job: &Job, k: u64) -> u32 {
    (k as u32).wrapping_mul(APART).wrapping_add(job.base as u32)
}

/// Performs every iteration's atomics on every element; `one` receives the address and the number of earlier atomics
/// there.
#[inline(always)]
fn atomics(shmem: &Shmem, job: &Job, mut one: impl FnMut(SymPtr<u64>, u64) -> Result<u64, Fault>) -> Result<(), Fault> {
    let (mut i, mut sum) = (0, 0u64);
    while i < job.iters {
        let before = job.base + i as u64;
        each(job, job.dest.addr(), |at, _| {
            sum = sum.wrapping_add(one(SymPtr::new(at), before)?);
            Ok(())
        })?;
        i += 1;
    }
    // Stored within the measured time, so that the fetched values have arrived.
    shmem.local(job.sums.add(thread_in_grid()), 1).write(0, sum);
    shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
    end(shmem, job);
    Ok(())
}

kernel! {
    /// Measures `p` of each element of 4 bytes, and a quiet at the end.
    pub fn shmem_p_bw(shmem: Shmem, job: Job) -> Result<(), Fault> {
        begin(&shmem, &job);
        let mut i = 0;
        while i < job.iters {
            each(&job, job.dest.addr(), |at, k| on!(shmem).p(SymPtr::new(at), value(&job, k), job.pe))?;
            i += 1;
        }
        shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
        end(&shmem, &job);
        Ok(())
    }

    /// Measures `g` of each element of 4 bytes; their sum is stored.
    pub fn shmem_g_bw(shmem: Shmem, job: Job) -> Result<(), Fault> {
        begin(&shmem, &job);
        let (mut i, mut turn, mut sum) = (0, 0, 0u64);
        while i < job.iters {
            each(&job, job.source.addr().add(job.read_at(turn)), |at, _| {
                sum = sum.wrapping_add(on!(shmem).g(SymPtr::<u32>::new(at), job.pe)? as u64);
                Ok(())
            })?;
            turn = job.next_turn(turn);
            i += 1;
        }
        // Stored within the measured time, so that the fetched values have arrived.
        shmem.local(job.sums.add(thread_in_grid()), 1).write(0, sum);
        shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
        end(&shmem, &job);
        Ok(())
    }

    /// Measures plain stores of each element of 4 bytes through the pointer that `ptr` returns, and a quiet at the end.
    pub fn shmem_st_bw(shmem: Shmem, job: Job) -> Result<(), Fault> {
        begin(&shmem, &job);
        if let Some(to) = shmem.ptr(job.dest, job.pe)? {
            let mut i = 0;
            while i < job.iters {
                each(&job, SymAddr::new(0), |at, k| {
                    let to = to.wrapping_add(at.offset() as usize).cast::<u32>();
                    // SAFETY: **live**: the destination has an aligned word for each element, from its start on.
                    unsafe { ptx::st_weak_u32(to, value(&job, k)) }
                    Ok(())
                })?;
                i += 1;
            }
        }
        shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
        end(&shmem, &job);
        Ok(())
    }

    /// Measures atomics on each element of 8 bytes, and a quiet at the end. Each adds one to the present value, or
    /// keeps it.
    pub fn shmem_atomic_bw(shmem: Shmem, job: Job) -> Result<(), Fault> {
        begin(&shmem, &job);
        let pe = job.pe;
        match job.op {
            ADD => atomics(&shmem, &job, |at, _| on!(shmem).atomic_add(at, 1, pe).map(|()| 0)),
            INC => atomics(&shmem, &job, |at, _| on!(shmem).atomic_inc(at, pe).map(|()| 0)),
            SET => atomics(&shmem, &job, |at, n| on!(shmem).atomic_set(at, POISONED + n + 1, pe).map(|()| 0)),
            FETCH_ADD => atomics(&shmem, &job, |at, _| on!(shmem).atomic_fetch_add(at, 1, pe)),
            FETCH_INC => atomics(&shmem, &job, |at, _| on!(shmem).atomic_fetch_inc(at, pe)),
            SWAP => atomics(&shmem, &job, |at, n| on!(shmem).atomic_swap(at, POISONED + n + 1, pe)),
            COMPARE_SWAP => {
                atomics(&shmem, &job, |at, n| on!(shmem).atomic_compare_swap(at, POISONED + n, POISONED + n + 1, pe))
            }
            _ => atomics(&shmem, &job, |at, _| on!(shmem).atomic_fetch(at, pe)),
        }
    }
}

// With the code for remote PEs they would need too many registers for the blocks with which they are measured.
launch_bounds!(shmem_p_bw, threads = 1024);
launch_bounds!(shmem_g_bw, threads = 1024);
launch_bounds!(shmem_atomic_bw, threads = 1024);
