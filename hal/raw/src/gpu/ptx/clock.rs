//! Time.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        /// `%globaltimer`: nanoseconds, from an arbitrary start.
        #[inline(always)]
        pub fn global_timer_ns() -> u64 {
            let now: u64;
            // SAFETY: reads a special register.
            unsafe { core::arch::asm!("mov.u64 {now}, %globaltimer;", now = out(reg64) now, options(nostack, nomem)) }
            now
        }

        /// `%clock64`: cycles of this multiprocessor.
        #[inline(always)]
        pub fn clock64() -> u64 {
            let now: u64;
            // SAFETY: reads a special register. It is said to touch memory, so that what is before it stays before it.
            unsafe { core::arch::asm!("mov.u64 {now}, %clock64;", now = out(reg64) now, options(nostack)) }
            now
        }

        /// What a thread does between two polls that found nothing.
        #[inline(always)]
        pub fn poll_pause() {}

        /// `nanosleep.u32`: suspends the thread for between 0 and twice `ns` nanoseconds, which are at most 1,000,000.
        #[inline(always)]
        pub fn sleep_ns(ns: u32) {
            // SAFETY: it touches nothing. It is said to touch memory, so that what is before it stays before it.
            unsafe { core::arch::asm!("nanosleep.u32 {ns};", ns = in(reg32) ns, options(nostack)) }
        }

        /// What a thread does after a poll that found what it waited for.
        #[inline(always)]
        pub fn poll_done() {}
    } else {
        /// `%globaltimer`: nanoseconds, from an arbitrary start.
        #[inline(always)]
        pub fn global_timer_ns() -> u64 {
            use std::sync::OnceLock;
            use std::time::Instant;
            static START: OnceLock<Instant> = OnceLock::new();
            START.get_or_init(Instant::now).elapsed().as_nanos() as u64
        }

        /// `%clock64`: what stands for a multiprocessor's cycles here is a nanosecond.
        #[inline(always)]
        pub fn clock64() -> u64 {
            global_timer_ns()
        }

        /// What a thread does between two polls that found nothing: lets other threads and other PEs run.
        #[inline(always)]
        pub fn poll_pause() {
            crate::gpu::simt::wait_point();
        }

        /// `nanosleep.u32`: nothing here, where a poll that found nothing lets others run.
        #[inline(always)]
        pub fn sleep_ns(_: u32) {}

        /// What a thread does after a poll that found what it waited for: tells the executor that there is progress.
        #[inline(always)]
        pub fn poll_done() {
            crate::gpu::simt::progress_point();
        }
    }
}
