//! How a progress thread idles.
//!
//! A GPU can't wake a thread. But this process launches the kernels, and the world announces each launch of a kernel or a
//! graph, which wakes a sleeping progress thread before the work begins. Launches that the world does not see (those that
//! the program makes by the driver), and requests of a kernel after a long silence, are found by polling. The interval
//! between polls is a small fraction of the silence so far, and has an upper bound: a request after a silence is late by
//! that fraction or that bound at most. The bound is derived from the cost of a nap on this machine, so that all naps
//! together take a small fraction of a processor.

use std::thread;
use std::time::{Duration, Instant};

use crate::host::progress::waker::Waker;

/// Time for which a thread that finds nothing polls without a pause.
const SPINS: Duration = Duration::from_micros(20);
/// Silence up to which it then yields between two polls.
const YIELDS: Duration = Duration::from_micros(200);
/// After that it sleeps for the silence divided by this.
const PART: u32 = 32;
/// The shortest nap.
const LEAST_NAP: Duration = Duration::from_micros(10);
/// Bounds of the longest nap. A nap is a timer and two context switches: 3 us on one machine and 20 on another.
const MOST_NAP: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(4));
/// The longest nap of a thread that peers depend on for progress.
const PROGRESS_NAP: Duration = Duration::from_micros(50);
/// The longest nap is the cost of one times this.
const WORTH: u32 = 200;
/// Consecutive naps for each measurement of their cost.
const COUNTED: u32 = 64;
/// Polls for each reading of the clock.
const POLLS: u32 = 32;

/// The pause after a poll that found nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Pause {
    /// No pause.
    None,
    /// Lets other threads run.
    Yield,
    /// Sleeps for at most this time.
    Sleep(Duration),
}

/// Idle state of one thread.
#[derive(Debug)]
pub(in crate::host) struct IdleBackoff {
    /// Start of the silence: the thread found something, or was woken, before.
    since: Option<Instant>,
    polls: u32,
    next: Pause,
    heard: u32,
    longest: Duration,
    /// Upper bound of `longest`.
    bound: Duration,
    /// Naps since the thread's processor time was `had`.
    naps: u32,
    had: Duration,
}

impl IdleBackoff {
    /// Starts without silence. `serves_peers`: peers depend on this thread's polls also when it finds nothing.
    pub(in crate::host) fn new(serves_peers: bool) -> Self {
        let bound = if serves_peers { PROGRESS_NAP } else { MOST_NAP.1 };
        let (longest, had) = (MOST_NAP.0.min(bound), Duration::ZERO);
        Self { since: None, polls: 0, next: Pause::None, heard: 0, longest, bound, naps: 0, had }
    }

    /// Ends the silence: a poll found something.
    #[inline]
    pub(in crate::host) fn reset(&mut self) {
        (self.since, self.polls, self.naps) = (None, 0, 0);
    }

    /// Pauses after a poll that found nothing. `there_is` polls once more before the thread sleeps.
    pub(in crate::host) fn pause(&mut self, waker: &Waker, there_is: impl FnOnce() -> bool) {
        let wakes = waker.wakes();
        if wakes != self.heard {
            self.heard = wakes;
            self.reset();
        }
        // Reading the clock costs more than a poll.
        if self.polls.is_multiple_of(POLLS) || self.next != Pause::None {
            let now = Instant::now();
            let since = *self.since.get_or_insert(now);
            self.next = next(now - since, self.longest);
        }
        self.polls = self.polls.wrapping_add(1);
        match self.next {
            Pause::None => std::hint::spin_loop(),
            Pause::Yield => thread::yield_now(),
            Pause::Sleep(nap) => {
                self.count();
                waker.sleep(self.heard, nap, there_is);
            }
        }
    }

    /// Measures the cost of naps now and then, and derives the longest nap from it.
    fn count(&mut self) {
        if self.naps.is_multiple_of(COUNTED) {
            let had = time_of_this_thread();
            if self.naps > 0 {
                self.longest = longest((had - self.had) / COUNTED).min(self.bound);
            }
            self.had = had;
        }
        self.naps = self.naps.wrapping_add(1);
    }
}

/// Returns the pause after this much silence.
fn next(silence: Duration, longest: Duration) -> Pause {
    if silence < SPINS {
        Pause::None
    } else if silence < YIELDS {
        Pause::Yield
    } else {
        Pause::Sleep((silence / PART).clamp(LEAST_NAP, longest))
    }
}

/// Returns the longest nap if one costs this much processor time.
fn longest(cost: Duration) -> Duration {
    (WORTH * cost).clamp(MOST_NAP.0, MOST_NAP.1)
}

/// Returns the processor time of this thread.
fn time_of_this_thread() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is live, and the clock writes it and nothing else.
    let known = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } == 0;
    if known { Duration::new(time.tv_sec as u64, time.tv_nsec as u32) } else { Duration::ZERO }
}

/// Makes short sleeps of this thread precise. By default the system adds up to 50 us to each.
pub(in crate::host) fn sleep_precisely() {
    // SAFETY: it takes no pointer; it changes the slack of this thread's timers and nothing else.
    let done = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_000 as libc::c_ulong) };
    // If the system refuses, naps are longer by that time.
    let _ = done;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_grows_with_the_silence_up_to_its_bound() {
        let us = Duration::from_micros;
        let next = |silence| next(silence, us(500));
        assert_eq!([0, 19].map(|silence| next(us(silence))), [Pause::None; 2]);
        assert_eq!([20, 199].map(|silence| next(us(silence))), [Pause::Yield; 2]);
        assert_eq!(next(us(200)), Pause::Sleep(LEAST_NAP));
        assert_eq!(next(us(3_200)), Pause::Sleep(us(100)));
        assert_eq!([us(16_000), us(10_000_000)].map(next), [Pause::Sleep(us(500)); 2]);
    }

    #[test]
    fn the_longest_nap_is_a_fixed_number_of_times_what_it_costs_within_bounds() {
        let us = Duration::from_micros;
        assert_eq!([1, 3, 10, 100].map(|cost| longest(us(cost))), [us(500), us(600), us(2000), us(4000)]);
    }
}
