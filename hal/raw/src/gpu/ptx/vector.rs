//! Loads and stores of 16 bytes.

/// 16 bytes, as two words of 8, which is what PTX makes of them for other observers: no element of up to
/// 8 bytes is ever seen in part.
pub type V2 = [u64; 2];

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        macro_rules! load {
            ($(#[$doc:meta])* $name:ident, $text:literal) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: the 16 bytes at `at` are mapped for reading, and 16-byte aligned.
                #[inline(always)]
                pub unsafe fn $name(at: *const V2) -> V2 {
                    let (a, b): (u64, u64);
                    // SAFETY: **live** is the caller's promise.
                    unsafe {
                        core::arch::asm!(concat!($text, " {{{a}, {b}}}, [{at}];"), a = out(reg64) a, b = out(reg64) b,
                            at = in(reg64) at, options(nostack))
                    }
                    [a, b]
                }
            };
        }
        macro_rules! store {
            ($(#[$doc:meta])* $name:ident, $text:literal) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: the 16 bytes at `at` are mapped for writing, and 16-byte aligned.
                #[inline(always)]
                pub unsafe fn $name(at: *mut V2, value: V2) {
                    let [a, b] = value;
                    // SAFETY: **live** is the caller's promise.
                    unsafe {
                        core::arch::asm!(concat!($text, " [{at}], {{{a}, {b}}};"), a = in(reg64) a, b = in(reg64) b,
                            at = in(reg64) at, options(nostack))
                    }
                }
            };
        }
    } else {
        use std::sync::atomic::{AtomicU64, Ordering};

        macro_rules! load {
            ($(#[$doc:meta])* $name:ident, $text:literal) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: the 16 bytes at `at` are mapped for reading, and 16-byte aligned.
                #[inline(always)]
                pub unsafe fn $name(at: *const V2) -> V2 {
                    // SAFETY: **live** is the caller's promise; two words are what PTX makes of a vector.
                    core::array::from_fn(|i| unsafe { AtomicU64::from_ptr(at.cast::<u64>().cast_mut().add(i)) }.load(Ordering::Relaxed))
                }
            };
        }
        macro_rules! store {
            ($(#[$doc:meta])* $name:ident, $text:literal) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: the 16 bytes at `at` are mapped for writing, and 16-byte aligned.
                #[inline(always)]
                pub unsafe fn $name(at: *mut V2, value: V2) {
                    for (i, word) in value.into_iter().enumerate() {
                        // SAFETY: **live** is the caller's promise; two words are what PTX makes of a vector.
                        unsafe { AtomicU64::from_ptr(at.cast::<u64>().add(i)) }.store(word, Ordering::Relaxed)
                    }
                }
            };
        }
    }
}

load!(/// `ld.v2.u64`: weak, any state space.
    ld_weak_v2, "ld.v2.u64");
load!(/// `ld.relaxed.sys.global.v2.u64`: never a stale copy of a peer's memory.
    ld_relaxed_sys_v2, "ld.relaxed.sys.global.v2.u64");
store!(/// `st.relaxed.sys.global.v2.u64`: two words of 8 bytes, each of which arrives whole.
    st_relaxed_sys_v2, "st.relaxed.sys.global.v2.u64");
store!(/// `st.v2.u64`: weak, any state space.
    st_weak_v2, "st.v2.u64");
store!(/// `st.global.v2.u64`: weak, global memory.
    st_weak_global_v2, "st.global.v2.u64");

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        /// `ld.global.nc.v2.u64`: what is set once. It stays where it stands, ahead of what fences come behind it.
        ///
        /// # Safety
        ///
        /// - **live**: the 16 bytes at `at` are mapped for reading, 16-byte aligned, and nobody writes them while the
        ///   kernel runs.
        #[inline(always)]
        pub unsafe fn ld_nc_v2(at: *const V2) -> V2 {
            let (a, b): (u64, u64);
            // SAFETY: **live** is the caller's promise.
            unsafe {
                core::arch::asm!("ld.global.nc.v2.u64 {{{a}, {b}}}, [{at}];", a = out(reg64) a, b = out(reg64) b,
                    at = in(reg64) at, options(nomem, nostack))
            }
            [a, b]
        }
    } else {
        /// `ld.global.nc.v2.u64`: what is set once.
        ///
        /// # Safety
        ///
        /// - **live**: the 16 bytes at `at` are mapped for reading, 16-byte aligned, and nobody writes them while the
        ///   kernel runs.
        #[inline(always)]
        pub unsafe fn ld_nc_v2(at: *const V2) -> V2 {
            // SAFETY: **live** is the caller's promise.
            unsafe { ld_weak_v2(at) }
        }
    }
}
