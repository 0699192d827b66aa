//! Waits of threads for a word that processes share.

use core::ptr;
use core::sync::atomic::AtomicU32;
use core::time::Duration;

/// Sleeps until [`wake_all`] is called on the word, at most for `limit`. Returns at once if the word is not `expected`.
/// It may also return early, so the caller looks at the word again.
///
/// The word may be in memory that processes share.
pub fn wait(word: &AtomicU32, expected: u32, limit: Duration) {
    let limit = libc::timespec {
        tv_sec: limit.as_secs().min(i32::MAX as u64) as libc::time_t,
        tv_nsec: limit.subsec_nanos().into(),
    };
    let (no_word, no_value): (*const u32, u32) = (ptr::null(), 0);
    // SAFETY: the word is mapped and aligned, since a reference to it lives during the call; `limit` is a valid
    // timespec; the last two arguments are not used by this operation.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, expected, &raw const limit, no_word, no_value)
    };
}

/// Wakes all threads that sleep on the word, also those of other processes.
pub fn wake_all(word: &AtomicU32) {
    let (no_limit, no_word, no_value): (*const libc::timespec, *const u32, u32) = (ptr::null(), ptr::null(), 0);
    // SAFETY: the word is mapped and aligned, since a reference to it lives during the call; the last three arguments
    // are not used by this operation.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX, no_limit, no_word, no_value) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    #[test]
    fn a_wait_ends_when_the_word_is_woken_when_it_differs_and_at_its_limit() {
        let word = AtomicU32::new(1);
        let start = Instant::now();
        wait(&word, 0, Duration::from_secs(60));
        assert!(start.elapsed() < Duration::from_secs(30), "the word was not as expected");
        let limit = Duration::from_millis(20);
        let start = Instant::now();
        wait(&word, 1, limit);
        assert!(start.elapsed() >= limit, "nobody woke it");
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while word.load(Ordering::Acquire) == 1 {
                    wait(&word, 1, Duration::from_secs(60));
                }
            });
            word.store(2, Ordering::Release);
            wake_all(&word);
        });
        assert!(start.elapsed() < Duration::from_secs(30), "it slept on");
    }
}
