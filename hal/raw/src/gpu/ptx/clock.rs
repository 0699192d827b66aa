//! Time and polling.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        /// `%globaltimer`: returns the nanoseconds since an arbitrary start.
        #[inline(always)]
        pub fn global_timer_ns() -> u64 {
            let now: u64;
            // SAFETY: it reads a special register.
            unsafe { core::arch::asm!("mov.u64 {now}, %globaltimer;", now = out(reg64) now, options(nostack, nomem)) }
            now
        }

        /// `%clock64`: returns the clock cycles of this multiprocessor.
        #[inline(always)]
        pub fn clock64() -> u64 {
            let now: u64;
            // SAFETY: it reads a special register. Without `nomem`, the compiler keeps earlier memory accesses before
            // it.
            unsafe { core::arch::asm!("mov.u64 {now}, %clock64;", now = out(reg64) now, options(nostack)) }
            now
        }

        /// Called between two polls that found nothing.
        #[inline(always)]
        pub fn poll_pause() {}

        /// `nanosleep.u32`: suspends the thread for 0 to 2 * `ns` nanoseconds; `ns` is at most 1,000,000.
        #[inline(always)]
        pub fn sleep_ns(ns: u32) {
            // SAFETY: it accesses no memory. Without `nomem`, the compiler keeps earlier memory accesses before it.
            unsafe { core::arch::asm!("nanosleep.u32 {ns};", ns = in(reg32) ns, options(nostack)) }
        }

        /// Called after a poll that succeeded.
        #[inline(always)]
        pub fn poll_done() {}
    } else {
        /// `%globaltimer`: returns the nanoseconds since an arbitrary start.
        #[inline(always)]
        pub fn global_timer_ns() -> u64 {
            use std::sync::OnceLock;
            use std::time::Instant;
            static START: OnceLock<Instant> = OnceLock::new();
            START.get_or_init(Instant::now).elapsed().as_nanos() as u64
        }

        /// `%clock64`: on the host, a nanosecond stands for a clock cycle.
        #[inline(always)]
        pub fn clock64() -> u64 {
            global_timer_ns()
        }

        /// Called between two polls that found nothing: lets other threads and other PEs run.
        #[inline(always)]
        pub fn poll_pause() {
            crate::gpu::simt::wait_point();
        }

        /// `nanosleep.u32`: no effect on the host, where a poll that found nothing lets other threads run.
        #[inline(always)]
        pub fn sleep_ns(_: u32) {}

        /// Called after a poll that succeeded: reports progress to the executor.
        #[inline(always)]
        pub fn poll_done() {
            crate::gpu::simt::progress_point();
        }
    }
}
