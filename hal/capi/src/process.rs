//! The end of this process by the program.

/// Ends this process with the status with which the program ends. The program's other threads may be anywhere, so its
/// exit handlers don't run.
pub(crate) fn end_process(who: &str, status: i32) -> ! {
    oxshmem_hal::report_error(&format!("{who} by nvshmem_global_exit with status {status}"));
    // SAFETY: null flushes all streams.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(status)
    }
}
