//! Latency of operations one after another, by one group or one thread.

use oxshmem_core::SymAddr;
use oxshmem_device::prelude::*;

use crate::elements::{COMPARE_SWAP, FETCH, FETCH_ADD, FETCH_INC, POISONED};
use crate::job::{Job, at_each_scope, begin, end, lend, on};

at_each_scope! {
    threads = [32, 32, 1024];
    /// Blocking `put`, then `quiet`.
    put_latency: shmem_put_latency_thread shmem_put_latency_warp shmem_put_latency_block;
    /// Blocking `put`, then `quiet`, with lent memory.
    put_latency_lent: shmem_put_latency_thread_lent shmem_put_latency_warp_lent shmem_put_latency_block_lent;
    /// Blocking `get`, then `quiet`, with lent memory.
    get_latency_lent: shmem_get_latency_thread_lent shmem_get_latency_warp_lent shmem_get_latency_block_lent;
    /// Blocking `get`, then `quiet`.
    get_latency: shmem_get_latency_thread shmem_get_latency_warp shmem_get_latency_block;
}

#[inline(always)]
fn put_latency<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    begin(shmem, &job);
    let mut i = 0;
    while i < job.iters {
        on!(shmem).put(by, job.dest, job.source, job.bytes as usize, job.pe)?;
        shmem.quiet_on(by, PeSet::All, QpSet::All)?;
        i += 1;
    }
    end(shmem, &job);
    Ok(())
}

#[inline(always)]
fn get_latency<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    begin(shmem, &job);
    let mut i = 0;
    while i < job.iters {
        on!(shmem).get(by, job.dest, job.source, job.bytes as usize, job.pe)?;
        shmem.quiet_on(by, PeSet::All, QpSet::All)?;
        i += 1;
    }
    end(shmem, &job);
    Ok(())
}

#[inline(always)]
fn put_latency_lent<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    put_latency(&lend(shmem, &job, by), job, by)
}

#[inline(always)]
fn get_latency_lent<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    get_latency(&lend(shmem, &job, by), job, by)
}

/// Performs atomics one after another on the same word; `one` receives the previous word and the number of earlier
/// atomics.
#[inline(always)]
fn atomics(shmem: &Shmem, job: &Job, one: impl Fn(u64, u64) -> Result<u64, Fault>) -> Result<(), Fault> {
    let (mut i, mut word) = (0, 0);
    while i < job.iters {
        word = one(word, job.base + i as u64)?;
        i += 1;
    }
    // Stored within the measured time, so that the last result has arrived.
    shmem.local(job.sums, 1).write(0, word);
    end(shmem, job);
    Ok(())
}

kernel! {
    /// Measures `p` of 4 bytes, then `quiet`.
    pub fn shmem_p_latency(shmem: Shmem, job: Job) -> Result<(), Fault> {
        begin(&shmem, &job);
        let mut i = 0;
        while i < job.iters {
            on!(shmem).p(job.dest.cast::<u32>(), (job.base as u32).wrapping_add(i), job.pe)?;
            shmem.quiet()?;
            i += 1;
        }
        end(&shmem, &job);
        Ok(())
    }

    /// Measures `g` of 8 bytes; each value is the address of the next. The last is stored.
    pub fn shmem_g_latency(shmem: Shmem, job: Job) -> Result<(), Fault> {
        begin(&shmem, &job);
        let (mut i, mut at) = (0, job.source.addr());
        while i < job.iters {
            at = SymAddr::new(on!(shmem).g(SymPtr::<u64>::new(at), job.pe)?);
            i += 1;
        }
        // Stored within the measured time, so that the last value has arrived.
        shmem.local(job.sums, 1).write(0, at.offset());
        end(&shmem, &job);
        Ok(())
    }

    /// Measures a fetching atomic on 8 bytes that depends on the previous result; the last is stored.
    pub fn shmem_atomic_latency(shmem: Shmem, job: Job) -> Result<(), Fault> {
        begin(&shmem, &job);
        let (word, pe, zero) = (job.dest.cast::<u64>(), job.pe, job.zero as u64);
        // An operation without an operand depends on the previous one by its address.
        let place = |before: u64| word.add((before & zero) as usize);
        match job.op {
            FETCH_ADD => atomics(&shmem, &job, |before, _| on!(shmem).atomic_fetch_add(word, (before & zero) | 1, pe)),
            FETCH_INC => atomics(&shmem, &job, |before, _| on!(shmem).atomic_fetch_inc(place(before), pe)),
            FETCH => atomics(&shmem, &job, |before, _| on!(shmem).atomic_fetch(place(before), pe)),
            COMPARE_SWAP => atomics(&shmem, &job, |before, n| {
                let there = POISONED + n + (before & zero);
                on!(shmem).atomic_compare_swap(word, there, there + 1, pe)
            }),
            _ => atomics(&shmem, &job, |before, n| on!(shmem).atomic_swap(word, POISONED + n + 1 + (before & zero), pe)),
        }
    }
}
