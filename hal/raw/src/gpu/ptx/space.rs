//! What kind of memory an address is of.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        /// `isspacep.global`: neither a thread's stack nor shared memory, which nobody but the thread or its block reaches
        /// by such an address: no copy engine, no host, no NIC.
        #[inline(always)]
        pub fn is_global(at: *const u8) -> bool {
            let yes: u32;
            // SAFETY: looks at an address.
            unsafe {
                core::arch::asm!("{{ .reg .pred p; isspacep.global p, {at}; selp.u32 {yes}, 1, 0, p; }}", at = in(reg64) at,
                    yes = out(reg32) yes, options(pure, nomem, nostack))
            }
            yes != 0
        }
    } else {
        /// All memory is alike.
        pub fn is_global(_: *const u8) -> bool {
            true
        }
    }
}
