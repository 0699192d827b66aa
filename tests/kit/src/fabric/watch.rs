//! A thread that watches memory while another one posts.

use crate::report::Fine;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sets the flag when it is dropped, also by a panic.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `act`, while another thread runs `watch` again and again. Returns the error of `watch` if it has one, or else
/// the result of `act`.
pub(super) fn while_watched<T>(
    mut watch: impl FnMut() -> Result<(), String> + Send,
    act: impl FnOnce() -> Fine<T>,
) -> Fine<T> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                watch()?;
                // The machine may have fewer cores than there are threads.
                std::thread::yield_now();
            }
            Ok::<_, String>(())
        });
        let stopping = StopOnDrop(&stop);
        let acted = act();
        drop(stopping);
        watching.join().map_err(|_| "the watching thread panicked")??;
        acted
    })
}
