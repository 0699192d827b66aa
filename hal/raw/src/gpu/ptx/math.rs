//! Arithmetic without an operator in `core`.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        /// `sqrt.rn.f32`: returns the square root, rounded to nearest: the same bits as on the host.
        #[inline(always)]
        pub fn sqrt_rn_f32(value: f32) -> f32 {
            let root: f32;
            // SAFETY: it computes on registers.
            unsafe {
                core::arch::asm!("sqrt.rn.f32 {r}, {v};", r = out(reg32) root, v = in(reg32) value,
                    options(pure, nomem, nostack))
            }
            root
        }
    } else {
        /// `sqrt.rn.f32`: returns the square root, rounded to nearest.
        #[inline(always)]
        pub fn sqrt_rn_f32(value: f32) -> f32 {
            value.sqrt()
        }
    }
}
