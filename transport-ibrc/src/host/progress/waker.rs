//! Wakes a thread that sleeps, without losing a wake-up.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::thread::{self, Thread};
use std::time::Duration;

/// What wakes a thread. It loses no ring: the one who rings stores first and then looks whether somebody sleeps, the one
/// who is about to sleep says so first and then looks whether it rang.
#[derive(Debug, Default)]
pub(in crate::host) struct Waker {
    /// How often it rang. Wraps.
    wakes: AtomicU32,
    sleeps: AtomicBool,
}

impl Waker {
    /// Wakes `thread` if it sleeps, and keeps it awake for a while.
    pub(in crate::host) fn wake(&self, thread: &Thread) {
        self.wakes.fetch_add(1, Ordering::Release);
        // Against the fence of whoever is about to sleep: one of both sees what the other stored.
        fence(Ordering::SeqCst);
        if self.sleeps.load(Ordering::Relaxed) {
            thread.unpark();
        }
    }

    /// How often it rang so far.
    pub(in crate::host) fn wakes(&self) -> u32 {
        self.wakes.load(Ordering::Acquire)
    }

    /// Sleeps for `nap` at most, unless it rang since `heard` or `there_is` something to do.
    pub(in crate::host) fn sleep(&self, heard: u32, nap: Duration, there_is: impl FnOnce() -> bool) {
        self.sleeps.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if self.wakes() == heard && !there_is() {
            thread::park_timeout(nap);
        }
        self.sleeps.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_ring_is_never_lost_whenever_it_comes() {
        // Without a bound to its sleep a thread that loses one stays away for good.
        let (waker, rounds) = (Arc::new(Waker::default()), 20_000);
        let (asked, seen) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let sleeper = {
            let (waker, asked, seen) = (waker.clone(), asked.clone(), seen.clone());
            thread::spawn(move || {
                while seen.load(Ordering::Relaxed) < rounds {
                    let heard = waker.wakes();
                    let now = asked.load(Ordering::Acquire);
                    if now != seen.load(Ordering::Relaxed) {
                        seen.store(now, Ordering::Release);
                        continue;
                    }
                    waker.sleep(heard, Duration::from_secs(60), || false);
                }
            })
        };
        let begun = Instant::now();
        for round in 1..=rounds {
            asked.store(round, Ordering::Release);
            waker.wake(sleeper.thread());
            while seen.load(Ordering::Acquire) < round {
                assert!(begun.elapsed() < Duration::from_secs(50), "round {round} was slept through");
                // Where both are there at the same time, and where the sleeper is asleep.
                if round % 2 == 0 { std::hint::spin_loop() } else { thread::yield_now() }
            }
        }
        sleeper.join().unwrap();
    }
}
