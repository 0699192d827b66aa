//! The state space of an address.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        /// `isspacep.global`: returns whether the address is neither on a thread's stack nor in shared memory. By such
        /// an address only the thread or its block can access stack and shared memory, and not copy engines, the host
        /// or NICs.
        #[inline(always)]
        pub fn is_global(at: *const u8) -> bool {
            let yes: u32;
            // SAFETY: it inspects an address and accesses no memory.
            unsafe {
                core::arch::asm!("{{ .reg .pred p; isspacep.global p, {at}; selp.u32 {yes}, 1, 0, p; }}", at = in(reg64) at,
                    yes = out(reg32) yes, options(pure, nomem, nostack))
            }
            yes != 0
        }
    } else {
        /// Returns true: on the host all memory is global.
        pub fn is_global(_: *const u8) -> bool {
            true
        }
    }
}
