//! The captures that threads of this process have begun. A wait for a whole context invalidates the captures of all
//! threads. PEs that are threads on one GPU share a context, so that the wait of one PE must leave the captures of the
//! others alone.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// Longest time for which a wait for a context waits for captures of other threads. A capture that takes longer is
/// invalidated, and its end says so.
const CAPTURE_LIMIT: Duration = Duration::from_secs(10);

static OWNERS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());
static ENDED: Condvar = Condvar::new();

/// A capture of the calling thread, until it is dropped.
#[derive(Debug)]
pub(super) struct CapturingThread(ThreadId);

impl CapturingThread {
    pub(super) fn new() -> Self {
        let me = thread::current().id();
        OWNERS.lock().unwrap_or_else(PoisonError::into_inner).push(me);
        Self(me)
    }
}

impl Drop for CapturingThread {
    fn drop(&mut self) {
        let mut owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = owners.iter().position(|owner| *owner == self.0) {
            owners.swap_remove(at);
        }
        ENDED.notify_all();
    }
}

/// Waits until no other thread captures, or until [`CAPTURE_LIMIT`] has passed. Captures of the calling thread can't end here.
pub(super) fn wait_for_others() {
    let me = thread::current().id();
    let owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
    drop(ENDED.wait_timeout_while(owners, CAPTURE_LIMIT, |owners| owners.iter().any(|owner| *owner != me)));
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_wait_ends_after_the_captures_of_other_threads_and_ignores_its_own() {
        let theirs = CapturingThread::new();
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let _own = CapturingThread::new();
                wait_for_others();
                ended.load(Ordering::Acquire)
            });
            // The waiter has begun once its own capture is there; if it waits for nothing, it ends with `false`.
            while OWNERS.lock().unwrap_or_else(PoisonError::into_inner).len() < 2 && !waiter.is_finished() {
                thread::yield_now();
            }
            (0..1000).for_each(|_| thread::yield_now());
            assert!(!waiter.is_finished(), "it did not wait");
            ended.store(true, Ordering::Release);
            drop(theirs);
            assert!(waiter.join().is_ok_and(|saw| saw), "the wait ended before the capture");
        });
        wait_for_others();
    }
}
