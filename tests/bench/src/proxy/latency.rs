//! The time of a lone call, the wake-up of a proxy, and the cost of an idle one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use oxshmem_core::host::Result;
use oxshmem_proxy_kernels::ask::AskJob;

use super::request::Request;
use super::world::{ANSWER, ASKED, MOST_CALLS, POSTED, STOP, World};
use crate::peer::{Outcome, Stop};
use oxshmem_machine::Machine;

/// Pause between two calls.
const PAUSE_NS: u64 = 2_000;

/// The end of the measured time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// The call has returned.
    Called,
    /// The word that the sink writes was seen.
    Round,
    /// The same minus the way back.
    Posted,
    /// The following quiet has returned.
    Quiet,
}

/// Measures `proxy_call_latency` and its variants: the median of the calls of each repetition.
pub(super) fn lone(machine: &Machine, request: &Request, until: Until) -> Result<Outcome, Stop> {
    let world = World::new(machine, request)?;
    let calls = request.iters.min(MOST_CALLS);
    let ns = world.ns_of_cycle()?;
    let back = if until == Until::Posted { way_back_ns(&world, calls)? } else { 0.0 };
    let kernel = if until == Until::Quiet { "proxy_quiet" } else { "proxy_post" };
    let which = usize::from(until != Until::Called);
    let mut times = Vec::new();
    let mut note = String::new();
    for repetition in 0..=request.repeat {
        world.sink.tell(if until == Until::Quiet { 0 } else { world.words.host + 8 * POSTED as u64 });
        world.run(kernel, [1, 1], AskJob { iters: calls, pause_ns: PAUSE_NS, ..world.job() })?;
        if repetition > 0 {
            let all = sorted(&world, calls, which);
            times.push(middle(&all) * ns - back);
            let at = |share: f64| all[((all.len() - 1) as f64 * share) as usize] as f64 * ns - back;
            note = format!(" ns={:.0} p1={:.0} p99={:.0} back={back:.0}", middle(&all) * ns - back, at(0.01), at(0.99));
        }
    }
    Ok(Outcome::Times(times, note))
}

/// Measures `proxy_echo_latency`.
pub(super) fn echo(machine: &Machine, request: &Request) -> Result<Outcome, Stop> {
    let world = World::new(machine, request)?;
    let calls = request.iters.min(MOST_CALLS);
    let ns = world.ns_of_cycle()?;
    let times: Result<Vec<f64>> = (0..request.repeat).map(|_| Ok(middle(&echo_cycles(&world, calls)?) * ns)).collect();
    Ok(Outcome::Times(times?, String::new()))
}

/// Returns half of the fastest round trip of a word to the host, so that the subtracted time is never too long.
fn way_back_ns(world: &World<'_>, calls: u32) -> Result<f64> {
    let ns = world.ns_of_cycle()?;
    let sorted = echo_cycles(world, calls)?;
    Ok(sorted.first().copied().unwrap_or(0) as f64 * ns / 2.0)
}

/// Sends a word to the host and back, this many times: the work of a thread that polls nothing else.
fn echo_cycles(world: &World<'_>, calls: u32) -> Result<Vec<u64>> {
    let (asked, answer, stop) = (world.words.word(ASKED), world.words.word(ANSWER), world.words.word(STOP));
    stop.store(0, Ordering::SeqCst);
    asked.store(answer.load(Ordering::SeqCst), Ordering::SeqCst);
    let job = AskJob { iters: calls, pause_ns: PAUSE_NS, word: world.words.kernel + 8 * ANSWER as u64, ..world.job() };
    let ended = thread::scope(|scope| {
        scope.spawn(|| {
            let mut seen = answer.load(Ordering::SeqCst);
            while stop.load(Ordering::Relaxed) == 0 {
                let now = asked.load(Ordering::Acquire);
                if now != seen {
                    seen = now;
                    answer.store(now, Ordering::Release);
                }
                std::hint::spin_loop();
            }
        });
        let ended = world.run("proxy_echo", [1, 1], job);
        stop.store(1, Ordering::SeqCst);
        ended
    });
    ended?;
    Ok(sorted(world, calls, 1))
}

/// Measures `proxy_wake_latency`, and with `told` = false `proxy_wake_untold_latency`: each repetition is one launch.
pub(super) fn wake(machine: &Machine, request: &Request, told: bool) -> Result<Outcome, Stop> {
    let world = World::new(machine, request)?;
    let ns = world.ns_of_cycle()?;
    let back = way_back_ns(&world, 1000)?;
    world.sink.tell(world.words.host + 8 * POSTED as u64);
    let mut times = Vec::new();
    for _ in 0..request.repeat {
        thread::sleep(Duration::from_millis(request.idle_ms));
        match told {
            true => world.run("proxy_post", [1, 1], world.job())?,
            false => world.run_untold("proxy_post", [1, 1], world.job())?,
        }
        times.push(world.ticks(1)[0][1] as f64 * ns - back);
    }
    Ok(Outcome::Times(times, format!(" back={back:.0}")))
}

/// Measures `proxy_core_wake_latency`: from the call that unparks a parked host thread until it runs.
pub(super) fn core_wake(request: &Request) -> Outcome {
    let wake = || {
        let told = AtomicBool::new(false);
        thread::scope(|scope| {
            let sleeper = scope.spawn(|| {
                while !told.load(Ordering::Acquire) {
                    thread::park();
                }
                Instant::now()
            });
            thread::sleep(Duration::from_millis(request.idle_ms));
            let begun = Instant::now();
            told.store(true, Ordering::Release);
            sleeper.thread().unpark();
            let woke = sleeper.join().expect("it only parks");
            (woke - begun).as_nanos() as f64
        })
    };
    Outcome::Times((0..request.repeat).map(|_| wake()).collect(), String::new())
}

/// Measures `proxy_idle`, and with `stays` `proxy_stay`: a proxy's use of a processor, in ns of a second.
pub(super) fn idle(machine: &Machine, request: &Request, stays: bool) -> Result<Outcome, Stop> {
    let world = World::new(machine, request)?;
    // A proxy that has worked behaves like one that has not.
    world.run("proxy_quiet", [1, 1], world.job())?;
    thread::sleep(Duration::from_millis(request.idle_ms));
    let mut times = Vec::new();
    for _ in 0..request.repeat {
        let before = world.ibrc.proxy_times();
        let begun = Instant::now();
        match stays {
            true => world.run("proxy_stay", [1, 1], AskJob { pause_ns: 1_000_000_000, ..world.job() })?,
            false => thread::sleep(Duration::from_secs(1)),
        }
        let second = begun.elapsed().as_secs_f64();
        let after = world.ibrc.proxy_times();
        let most = before.iter().zip(&after).map(|(before, after)| after.saturating_sub(*before)).max();
        times.push(most.unwrap_or_default().as_nanos() as f64 / second);
    }
    Ok(Outcome::Times(times, String::new()))
}

fn sorted(world: &World<'_>, calls: u32, which: usize) -> Vec<u64> {
    let mut all: Vec<u64> = world.ticks(calls).iter().map(|pair| pair[which]).collect();
    all.sort_unstable();
    all
}

fn middle(sorted: &[u64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0) as f64
}
