//! Loads and stores of 16 bytes.

/// 16 bytes, as four words.
pub type V4 = [u32; 4];

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
                pub unsafe fn $name(at: *const V4) -> V4 {
                    let (a, b, c, d): (u32, u32, u32, u32);
                    // SAFETY: **live** is the caller's promise.
                    unsafe {
                        core::arch::asm!(concat!($text, " {{{a}, {b}, {c}, {d}}}, [{at}];"), a = out(reg32) a, b = out(reg32) b,
                            c = out(reg32) c, d = out(reg32) d, at = in(reg64) at, options(nostack))
                    }
                    [a, b, c, d]
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
                pub unsafe fn $name(at: *mut V4, value: V4) {
                    let [a, b, c, d] = value;
                    // SAFETY: **live** is the caller's promise.
                    unsafe {
                        core::arch::asm!(concat!($text, " [{at}], {{{a}, {b}, {c}, {d}}};"), a = in(reg32) a, b = in(reg32) b,
                            c = in(reg32) c, d = in(reg32) d, at = in(reg64) at, options(nostack))
                    }
                }
            };
        }
    } else {
        use std::sync::atomic::{AtomicU32, Ordering};

        macro_rules! load {
            ($(#[$doc:meta])* $name:ident, $text:literal) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: the 16 bytes at `at` are mapped for reading, and 16-byte aligned.
                #[inline(always)]
                pub unsafe fn $name(at: *const V4) -> V4 {
                    // SAFETY: **live** is the caller's promise; four words are what PTX makes of a vector.
                    core::array::from_fn(|i| unsafe { AtomicU32::from_ptr(at.cast::<u32>().cast_mut().add(i)) }.load(Ordering::Relaxed))
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
                pub unsafe fn $name(at: *mut V4, value: V4) {
                    for (i, word) in value.into_iter().enumerate() {
                        // SAFETY: **live** is the caller's promise; four words are what PTX makes of a vector.
                        unsafe { AtomicU32::from_ptr(at.cast::<u32>().add(i)) }.store(word, Ordering::Relaxed)
                    }
                }
            };
        }
    }
}

load!(/// `ld.v4.u32`: weak, any state space.
    ld_weak_v4, "ld.v4.u32");
load!(/// `ld.relaxed.sys.global.v4.u32`: never a stale copy of a peer's memory.
    ld_relaxed_sys_v4, "ld.relaxed.sys.global.v4.u32");
store!(/// `st.v4.u32`: weak, any state space.
    st_weak_v4, "st.v4.u32");
store!(/// `st.global.v4.u32`: weak, global memory.
    st_weak_global_v4, "st.global.v4.u32");
