//! Wakes a thread that sleeps, without losing a wake-up.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::thread::{self, Thread};
use std::time::Duration;

/// Wakes one thread. No wake-up is lost: the waking thread first counts the wake-up and then checks for a sleeper; the
/// sleeper first announces itself and then checks the count.
#[derive(Debug, Default)]
pub(in crate::host) struct Waker {
    /// Number of wake-ups. Wraps.
    wakes: AtomicU32,
    sleeps: AtomicBool,
}

impl Waker {
    /// Wakes `thread` if it sleeps, and ends its silence, so that it stays awake for a while.
    pub(in crate::host) fn wake(&self, thread: &Thread) {
        self.wakes.fetch_add(1, Ordering::Release);
        // Pairs with the fence in `sleep`: one of the two threads sees the other's store.
        fence(Ordering::SeqCst);
        if self.sleeps.load(Ordering::Relaxed) {
            thread.unpark();
        }
    }

    /// Returns the number of wake-ups so far.
    pub(in crate::host) fn wakes(&self) -> u32 {
        self.wakes.load(Ordering::Acquire)
    }

    /// Sleeps for at most `nap`. Returns at once if a wake-up came since the count was `heard`, or if `there_is` finds
    /// work.
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
        // The sleep is so long that a lost wake-up fails the test.
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
                // Both threads run at the same time in one half of the rounds; in the other the sleeper sleeps.
                if round % 2 == 0 { std::hint::spin_loop() } else { thread::yield_now() }
            }
        }
        sleeper.join().unwrap();
    }
}
