//! Loads and stores of 16 bytes.

/// 16 bytes as two words of 8. PTX splits a vector access in the same way for other observers, so no element of up to 8
/// bytes is ever seen in part.
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
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " {{{a}, {b}}}, [{at}];"), a = out(reg64) a, b = out(reg64) b,
                            at = in(reg64) at, options(nostack))
                    }
                    [a, b]
                }
            };
        }
        macro_rules! load_if {
            ($(#[$doc:meta])* $name:ident, $text:literal) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: if `wanted`, the 16 bytes at `at` are mapped for reading, and 16-byte aligned.
                #[inline(always)]
                pub unsafe fn $name(wanted: bool, at: *const V2) -> V2 {
                    let (a, b): (u64, u64);
                    // SAFETY: by the caller's **live** the access, if wanted, is to mapped, aligned memory.
                    unsafe {
                        core::arch::asm!(
                            "{{",
                            ".reg .pred wanted;",
                            "setp.ne.u32 wanted, {wanted}, 0;",
                            "mov.b64 {a}, 0;",
                            "mov.b64 {b}, 0;",
                            concat!("@wanted ", $text, " {{{a}, {b}}}, [{at}];"),
                            "}}",
                            a = out(reg64) a, b = out(reg64) b, wanted = in(reg32) wanted as u32, at = in(reg64) at,
                            options(nostack))
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
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
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
                    // SAFETY: by **live** both words are mapped and aligned. PTX also splits a vector access into two
                    // words.
                    core::array::from_fn(|i| unsafe { AtomicU64::from_ptr(at.cast::<u64>().cast_mut().add(i)) }.load(Ordering::Relaxed))
                }
            };
        }
        macro_rules! load_if {
            ($(#[$doc:meta])* $name:ident, $text:literal) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: if `wanted`, the 16 bytes at `at` are mapped for reading, and 16-byte aligned.
                #[inline(always)]
                pub unsafe fn $name(wanted: bool, at: *const V2) -> V2 {
                    // SAFETY: by **live**, as it is wanted. The host has one instruction for both loads.
                    if wanted { unsafe { ld_relaxed_sys_v2(at) } } else { [0; 2] }
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
                        // SAFETY: by **live** both words are mapped and aligned. PTX also splits a vector access into
                        // two words.
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
load_if!(/// `ld.v2.u64` if `wanted`, otherwise zeros. Such loads are not separated by branches, so that several are
    /// in flight at the same time: values that meet after a branch are moved to one register, and a move waits for the load.
    ld_weak_v2_if, "ld.v2.u64");
load_if!(/// `ld.relaxed.sys.global.v2.u64` if `wanted`, otherwise zeros; as [`ld_weak_v2_if`].
    ld_relaxed_sys_v2_if, "ld.relaxed.sys.global.v2.u64");
store!(/// `st.relaxed.sys.global.v2.u64`: two words of 8 bytes, each of which arrives whole.
    st_relaxed_sys_v2, "st.relaxed.sys.global.v2.u64");
store!(/// `st.v2.u64`: weak, any state space.
    st_weak_v2, "st.v2.u64");
store!(/// `st.global.v2.u64`: weak, global memory.
    st_weak_global_v2, "st.global.v2.u64");

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        /// `ld.global.nc.v2.u64`: loads a value that is set once. The load stays in place, before the fences that
        /// follow it.
        ///
        /// # Safety
        ///
        /// - **live**: the 16 bytes at `at` are mapped for reading, 16-byte aligned, and not written while the kernel
        ///   runs.
        #[inline(always)]
        pub unsafe fn ld_nc_v2(at: *const V2) -> V2 {
            let (a, b): (u64, u64);
            // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
            unsafe {
                core::arch::asm!("ld.global.nc.v2.u64 {{{a}, {b}}}, [{at}];", a = out(reg64) a, b = out(reg64) b,
                    at = in(reg64) at, options(nomem, nostack))
            }
            [a, b]
        }
    } else {
        /// `ld.global.nc.v2.u64`: loads a value that is set once.
        ///
        /// # Safety
        ///
        /// - **live**: the 16 bytes at `at` are mapped for reading, 16-byte aligned, and not written while the kernel
        ///   runs.
        #[inline(always)]
        pub unsafe fn ld_nc_v2(at: *const V2) -> V2 {
            // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
            unsafe { ld_weak_v2(at) }
        }
    }
}
