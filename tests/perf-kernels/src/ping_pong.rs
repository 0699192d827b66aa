//! Ping-pong: PE 0 sends, PE 1 waits and sends back, PE 0 waits.

use oxshmem_device::prelude::*;

use crate::job::{Job, at_each_scope, begin, end, lend, on};

at_each_scope! {
    threads = [32, 32, 1024];
    /// `put_nbi`, `fence`, `p` of the round.
    put: shmem_put_ping_pong_latency_thread shmem_put_ping_pong_latency_warp shmem_put_ping_pong_latency_block;
    /// `put_signal_nbi` that sets the round.
    put_signal: shmem_put_signal_ping_pong_latency_thread shmem_put_signal_ping_pong_latency_warp
        shmem_put_signal_ping_pong_latency_block;
    /// `put_signal_nbi` that sets the round, with lent memory.
    put_signal_lent: shmem_put_signal_ping_pong_latency_thread_lent shmem_put_signal_ping_pong_latency_warp_lent
        shmem_put_signal_ping_pong_latency_block_lent;
    /// `put_nbi`, `fence`, `atomic_inc`.
    put_atomic: shmem_put_atomic_ping_pong_latency_thread shmem_put_atomic_ping_pong_latency_warp
        shmem_put_atomic_ping_pong_latency_block;
}

/// Plays one round without timing, then every round: `send` sends its number to the other PE, `wait` ends when the
/// other's number has arrived.
#[inline(always)]
fn play(
    shmem: &Shmem,
    job: &Job,
    send: impl Fn(u64) -> Result<(), Fault>,
    wait: impl Fn(u64) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let first = shmem.my_pe().number() == 0;
    let (mut round, last) = (job.base, job.base + job.iters as u64 + 1);
    while round < last {
        round += 1;
        if round == job.base + 2 {
            // The two kernels have met in the first round, which is not timed.
            begin(shmem, job);
        }
        if !first {
            wait(round)?;
        }
        send(round)?;
        if first {
            wait(round)?;
        }
    }
    end(shmem, job);
    Ok(())
}

/// Waits for the word by one thread, then lets the group meet.
#[inline(always)]
fn wait_word<G: Group>(shmem: &Shmem, job: &Job, by: G, round: u64) -> Result<(), Fault> {
    if by.leads() {
        shmem.wait_until(job.flag, Cmp::Ge, round)?;
    }
    by.sync();
    Ok(())
}

/// Puts the data, and orders it before the next operation of one thread.
#[inline(always)]
fn put_and_fence<G: Group>(shmem: &Shmem, job: &Job, by: G) -> Result<(), Fault> {
    on!(shmem).put_nbi(by, job.dest, job.source, job.bytes as usize, job.pe)?;
    shmem.fence_on(by, PeSet::All, QpSet::All)
}

#[inline(always)]
fn put<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    let send = |round| {
        put_and_fence(shmem, &job, by)?;
        if by.leads() { on!(shmem).p(job.flag, round, job.pe) } else { Ok(()) }
    };
    play(shmem, &job, send, |round| wait_word(shmem, &job, by, round))
}

#[inline(always)]
fn put_atomic<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    let send = |_| {
        put_and_fence(shmem, &job, by)?;
        if by.leads() { on!(shmem).atomic_inc(job.flag, job.pe) } else { Ok(()) }
    };
    play(shmem, &job, send, |round| wait_word(shmem, &job, by, round))
}

#[inline(always)]
fn put_signal<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    play_signals::<G, false>(shmem, job, by)
}

#[inline(always)]
fn put_signal_lent<G: Group>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    play_signals::<G, true>(&lend(shmem, &job, by), job, by)
}

/// Plays with signals. `LENT` makes this two functions: closures with one caller each are inlined, and the world stays
/// off the stack.
#[inline(always)]
fn play_signals<G: Group, const LENT: bool>(shmem: &Shmem, job: Job, by: G) -> Result<(), Fault> {
    let bytes = job.bytes as usize;
    let send = |round| on!(shmem).put_signal_nbi(by, job.dest, job.source, bytes, Signal::set(job.flag, round), job.pe);
    let wait = |round| {
        if by.leads() {
            shmem.signal_wait_until(job.flag, Cmp::Ge, round)?;
        }
        by.sync();
        Ok(())
    };
    play(shmem, &job, send, wait)
}

kernel! {
    /// Plays by `p` of the round.
    pub fn shmem_p_ping_pong_latency(shmem: Shmem, job: Job) -> Result<(), Fault> {
        let send = |round| on!(shmem).p(job.flag, round, job.pe);
        play(&shmem, &job, send, |round| shmem.wait_until(job.flag, Cmp::Ge, round))
    }

    /// Plays by a `signal` that sets the round.
    pub fn shmem_signal_ping_pong_latency(shmem: Shmem, job: Job) -> Result<(), Fault> {
        let send = |round| on!(shmem).signal(Signal::set(job.flag, round), job.pe);
        play(&shmem, &job, send, |round| shmem.signal_wait_until(job.flag, Cmp::Ge, round).map(|_| ()))
    }

    /// Plays by `atomic_inc`.
    pub fn shmem_atomic_ping_pong_latency(shmem: Shmem, job: Job) -> Result<(), Fault> {
        let send = |_| on!(shmem).atomic_inc(job.flag, job.pe);
        play(&shmem, &job, send, |round| shmem.wait_until(job.flag, Cmp::Ge, round))
    }
}
