//! How a proxy rests while there is nothing to do, and how it is woken.
//!
//! A GPU can't wake a thread. But kernels are launched by this process, and the world says so ahead of each launch: that
//! rings a waker, and a proxy that sleeps wakes before the kernel begins. What is launched behind the world's back (by
//! the driver's own calls, or as a graph) and what a kernel asks after a long silence is found by looks, whose distance
//! is a small part of the silence so far: who asks after a while waits longer by that part at most, and by the longest
//! nap at most. How long that is, is what naps cost here: all of them together shall be a small part of a processor.

use std::thread;
use std::time::{Duration, Instant};

use crate::host::progress::waker::Waker;

/// How long a thread that finds nothing looks again at once.
const SPINS: Duration = Duration::from_micros(20);
/// How long it then lets other threads run between two looks.
const YIELDS: Duration = Duration::from_micros(200);
/// Behind that it sleeps for this part of the time since it last found something.
const PART: u32 = 32;
/// And so long at least.
const LEAST_NAP: Duration = Duration::from_micros(10);
/// What the longest may be: each is a timer and two switches of threads, 3 us on one machine and 20 on another.
const MOST_NAP: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(4));
/// The longest nap of a thread whose polls peers wait for.
const PROGRESS_NAP: Duration = Duration::from_micros(50);
/// The longest nap is so many times what one costs.
const WORTH: u32 = 200;
/// Naps one behind the other whose cost is looked at.
const COUNTED: u32 = 64;
/// Looks for each look at the clock.
const POLLS: u32 = 32;

/// What the rest after a look is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) enum Pause {
    /// None.
    None,
    /// Others may run.
    Yield,
    /// It sleeps so long at most.
    Sleep(Duration),
}

/// The rest of one thread.
#[derive(Debug)]
pub(in crate::host) struct IdleBackoff {
    /// When it last found something, or was rung.
    since: Option<Instant>,
    polls: u32,
    next: Pause,
    heard: u32,
    longest: Duration,
    /// What the longest may be at most.
    bound: Duration,
    /// Naps since this thread had had so much of a processor.
    naps: u32,
    had: Duration,
}

impl IdleBackoff {
    /// `serves_peers`: peers wait for what this thread does, also when it finds nothing.
    pub(in crate::host) fn new(serves_peers: bool) -> Self {
        let bound = if serves_peers { PROGRESS_NAP } else { MOST_NAP.1 };
        let (longest, had) = (MOST_NAP.0.min(bound), Duration::ZERO);
        Self { since: None, polls: 0, next: Pause::None, heard: 0, longest, bound, naps: 0, had }
    }

    /// A look found something.
    #[inline]
    pub(in crate::host) fn reset(&mut self) {
        (self.since, self.polls, self.naps) = (None, 0, 0);
    }

    /// A look found nothing: rests. `there_is`: a last look.
    pub(in crate::host) fn pause(&mut self, waker: &Waker, there_is: impl FnOnce() -> bool) {
        let wakes = waker.wakes();
        if wakes != self.heard {
            self.heard = wakes;
            self.reset();
        }
        // The clock costs more than a look.
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

    /// Now and then looks at what naps cost, and finds the longest that is worth it.
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

/// What to do after so long without anything.
fn next(silence: Duration, longest: Duration) -> Pause {
    if silence < SPINS {
        Pause::None
    } else if silence < YIELDS {
        Pause::Yield
    } else {
        Pause::Sleep((silence / PART).clamp(LEAST_NAP, longest))
    }
}

/// The longest nap, where one costs so much of a processor.
fn longest(cost: Duration) -> Duration {
    (WORTH * cost).clamp(MOST_NAP.0, MOST_NAP.1)
}

/// What this thread has had of a processor.
fn time_of_this_thread() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is live.
    let known = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } == 0;
    if known { Duration::new(time.tv_sec as u64, time.tv_nsec as u32) } else { Duration::ZERO }
}

/// Lets this thread's short sleeps be short: by default the system adds 50 us to each.
pub(in crate::host) fn sleep_precisely() {
    // SAFETY: it changes how this thread's timers are put together, and nothing else.
    let done = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_000 as libc::c_ulong) };
    // Where it is refused naps are longer by that much.
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
