//! The end of this process by the program.

use std::sync::mpsc;
use std::time::Duration;

/// The time in which the buffers of C's streams are written. A thread that waits for input holds its stream's lock.
const FLUSHING: Duration = Duration::from_secs(1);

/// Ends this process with the status with which the program ends. The program's other threads may be anywhere, so its
/// exit handlers don't run.
pub(crate) fn end_process(who: &str, status: i32) -> ! {
    oxshmem_hal::report_error(&format!("{who} by nvshmem_global_exit with status {status}"));
    let (sender, flushed) = mpsc::channel();
    let flush = move || {
        // SAFETY: null flushes all streams.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        // Nobody listens after the limit.
        let _ = sender.send(());
    };
    // Without memory for a thread the buffers are lost.
    if std::thread::Builder::new().spawn(flush).is_ok() {
        let _ = flushed.recv_timeout(FLUSHING);
    }
    // SAFETY: it takes a number.
    unsafe { libc::_exit(status) }
}
