//! Loads and stores of 1 to 8 bytes.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        macro_rules! load {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $via:ty, $atomic:ident, $order:ident, $point:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for reading, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *const $t) -> $t {
                    let value: $via;
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " {v}, [{at}];"), v = out($reg) value, at = in(reg64) at, options(nostack))
                    }
                    value as $t
                }
            };
        }
        /// Returns `other` if `table` is null, otherwise the word `index` of `table`: a predicated load without a
        /// branch. The compiler may share and move the load, since the table never changes.
        ///
        /// # Safety
        ///
        /// - **live**: `table` is null, or mapped for reading up to this word, and never written again.
        #[inline(always)]
        pub unsafe fn word_or(other: u64, table: *const u64, index: u32) -> u64 {
            let word: u64;
            // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
            unsafe {
                core::arch::asm!(
                    "{{ .reg .pred p; .reg .b64 a; setp.ne.u64 p, {table}, 0; mad.wide.u32 a, {index}, 8, {table}; mov.b64 {word}, {other}; @p ld.u64 {word}, [a]; }}",
                    table = in(reg64) table, index = in(reg32) index, other = in(reg64) other, word = out(reg64) word,
                    options(pure, nomem, nostack))
            }
            word
        }

        macro_rules! store {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $via:ty, $atomic:ident, $order:ident, $point:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for writing, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, value: $t) {
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " [{at}], {v};"), v = in($reg) value as $via, at = in(reg64) at, options(nostack))
                    }
                }
            };
        }
    } else {
        use crate::gpu::simt;
        use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicU8, Ordering};

        /// Returns `other` if `table` is null, otherwise the word `index` of `table`.
        ///
        /// # Safety
        ///
        /// - **live**: `table` is null, or mapped for reading up to this word, and never written again.
        #[inline(always)]
        pub unsafe fn word_or(other: u64, table: *const u64, index: u32) -> u64 {
            // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
            if table.is_null() { other } else { unsafe { *table.add(index as usize) } }
        }

        /// Marks a point where the executor may switch threads. Weak and narrow-scope accesses are not such points.
        macro_rules! at_point {
            (sys) => { simt::yield_point() };
            (none) => {};
        }
        macro_rules! load {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $via:ty, $atomic:ident, $order:ident, $point:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for reading, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *const $t) -> $t {
                    at_point!($point);
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    unsafe { $atomic::from_ptr(at.cast_mut()) }.load(Ordering::$order)
                }
            };
        }
        macro_rules! store {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $via:ty, $atomic:ident, $order:ident, $point:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for writing, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, value: $t) {
                    at_point!($point);
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    unsafe { $atomic::from_ptr(at) }.store(value, Ordering::$order)
                }
            };
        }
    }
}

load!(/// `ld.b8`: weak, any state space.
    ld_weak_u8, "ld.u8", u8, reg16, u16, AtomicU8, Relaxed, none);
load!(/// `ld.b16`: weak, any state space.
    ld_weak_u16, "ld.u16", u16, reg16, u16, AtomicU16, Relaxed, none);
load!(/// `ld.b32`: weak, any state space.
    ld_weak_u32, "ld.u32", u32, reg32, u32, AtomicU32, Relaxed, none);
load!(/// `ld.b64`: weak, any state space.
    ld_weak_u64, "ld.u64", u64, reg64, u64, AtomicU64, Relaxed, none);

/// `ld.u64` if `wanted`, otherwise zero; as [`ld_weak_v2_if`](super::ld_weak_v2_if).
///
/// # Safety
///
/// - **live**: if `wanted`, the word at `at` is mapped for reading, and aligned.
#[inline(always)]
pub unsafe fn ld_weak_u64_if(wanted: bool, at: *const u64) -> u64 {
    cfg_if::cfg_if! {
        if #[cfg(target_arch = "nvptx64")] {
            let word: u64;
            // SAFETY: by the caller's **live** the access, if wanted, is to mapped, aligned memory.
            unsafe {
                core::arch::asm!(
                    "{{",
                    ".reg .pred wanted;",
                    "setp.ne.u32 wanted, {wanted}, 0;",
                    "mov.b64 {word}, 0;",
                    "@wanted ld.u64 {word}, [{at}];",
                    "}}",
                    word = out(reg64) word, wanted = in(reg32) wanted as u32, at = in(reg64) at, options(nostack))
            }
            word
        } else {
            // SAFETY: by **live**, as it is wanted.
            if wanted { unsafe { ld_weak_u64(at) } } else { 0 }
        }
    }
}

store!(/// `st.b8`: weak, any state space.
    st_weak_u8, "st.u8", u8, reg16, u16, AtomicU8, Relaxed, none);
store!(/// `st.b16`: weak, any state space.
    st_weak_u16, "st.u16", u16, reg16, u16, AtomicU16, Relaxed, none);
store!(/// `st.b32`: weak, any state space.
    st_weak_u32, "st.u32", u32, reg32, u32, AtomicU32, Relaxed, none);
store!(/// `st.b64`: weak, any state space.
    st_weak_u64, "st.u64", u64, reg64, u64, AtomicU64, Relaxed, none);

load!(/// `ld.relaxed.sys.global.u8`
    ld_relaxed_sys_u8, "ld.relaxed.sys.global.u8", u8, reg16, u16, AtomicU8, Relaxed, sys);
load!(/// `ld.relaxed.sys.global.u16`
    ld_relaxed_sys_u16, "ld.relaxed.sys.global.u16", u16, reg16, u16, AtomicU16, Relaxed, sys);
load!(/// `ld.relaxed.sys.global.u32`
    ld_relaxed_sys_u32, "ld.relaxed.sys.global.u32", u32, reg32, u32, AtomicU32, Relaxed, sys);
load!(/// `ld.relaxed.sys.global.u64`
    ld_relaxed_sys_u64, "ld.relaxed.sys.global.u64", u64, reg64, u64, AtomicU64, Relaxed, sys);

store!(/// `st.relaxed.sys.global.u8`
    st_relaxed_sys_u8, "st.relaxed.sys.global.u8", u8, reg16, u16, AtomicU8, Relaxed, sys);
store!(/// `st.relaxed.sys.global.u16`
    st_relaxed_sys_u16, "st.relaxed.sys.global.u16", u16, reg16, u16, AtomicU16, Relaxed, sys);
store!(/// `st.relaxed.sys.global.u32`
    st_relaxed_sys_u32, "st.relaxed.sys.global.u32", u32, reg32, u32, AtomicU32, Relaxed, sys);
store!(/// `st.relaxed.sys.global.u64`
    st_relaxed_sys_u64, "st.relaxed.sys.global.u64", u64, reg64, u64, AtomicU64, Relaxed, sys);

load!(/// `ld.acquire.sys.global.u16`: writes that the writer released are visible afterwards.
    ld_acquire_sys_u16, "ld.acquire.sys.global.u16", u16, reg16, u16, AtomicU16, Acquire, sys);
load!(/// `ld.acquire.sys.global.u32`: writes that the writer released are visible afterwards.
    ld_acquire_sys_u32, "ld.acquire.sys.global.u32", u32, reg32, u32, AtomicU32, Acquire, sys);
load!(/// `ld.acquire.sys.global.u64`: writes that the writer released are visible afterwards.
    ld_acquire_sys_u64, "ld.acquire.sys.global.u64", u64, reg64, u64, AtomicU64, Acquire, sys);

store!(/// `st.release.sys.global.u64`: ordered after this thread's earlier writes for every observer in the system.
    st_release_sys_u64, "st.release.sys.global.u64", u64, reg64, u64, AtomicU64, Release, sys);

store!(/// `st.release.gpu.global.u32`: ordered after this thread's earlier writes for every observer on this GPU.
    st_release_gpu_u32, "st.release.gpu.global.u32", u32, reg32, u32, AtomicU32, Release, sys);
load!(/// `ld.relaxed.gpu.global.u32`: for words that only this GPU's threads use.
    ld_relaxed_gpu_u32, "ld.relaxed.gpu.global.u32", u32, reg32, u32, AtomicU32, Relaxed, none);
load!(/// `ld.acquire.gpu.global.u32`: for words that only this GPU's threads use.
    ld_acquire_gpu_u32, "ld.acquire.gpu.global.u32", u32, reg32, u32, AtomicU32, Acquire, sys);

load!(/// `ld.relaxed.gpu.global.u64`: for words that only this GPU's threads use.
    ld_relaxed_gpu_u64, "ld.relaxed.gpu.global.u64", u64, reg64, u64, AtomicU64, Relaxed, sys);
load!(/// `ld.acquire.gpu.global.u64`: for words that only this GPU's threads use.
    ld_acquire_gpu_u64, "ld.acquire.gpu.global.u64", u64, reg64, u64, AtomicU64, Acquire, sys);
store!(/// `st.relaxed.gpu.global.u64`: for words that only this GPU's threads use.
    st_relaxed_gpu_u64, "st.relaxed.gpu.global.u64", u64, reg64, u64, AtomicU64, Relaxed, sys);
load!(/// `ld.relaxed.cta.global.u64`: for words that only this block's threads use.
    ld_relaxed_cta_u64, "ld.relaxed.cta.global.u64", u64, reg64, u64, AtomicU64, Relaxed, sys);
store!(/// `st.relaxed.cta.global.u64`: for words that only this block's threads use.
    st_relaxed_cta_u64, "st.relaxed.cta.global.u64", u64, reg64, u64, AtomicU64, Relaxed, sys);
store!(/// `st.release.gpu.global.u64`: ordered after this thread's earlier writes for every observer on this GPU.
    st_release_gpu_u64, "st.release.gpu.global.u64", u64, reg64, u64, AtomicU64, Release, sys);

/// `st.mmio.relaxed.sys.global.u64`: one whole store to a device register. On the host it is a release, as a CPU's
/// store to a register is, and flushed.
///
/// # Safety
///
/// - **live**: `at` is mapped for writing, and aligned to its size.
#[inline(always)]
pub unsafe fn st_mmio_relaxed_sys_u64(at: *mut u64, value: u64) {
    cfg_if::cfg_if! {
        if #[cfg(target_arch = "nvptx64")] {
            // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
            unsafe {
                core::arch::asm!("st.mmio.relaxed.sys.global.u64 [{at}], {v};", v = in(reg64) value, at = in(reg64) at, options(nostack))
            }
        } else {
            simt::yield_point();
            // SAFETY: **mapped**: by the caller's **live** the access is to mapped, aligned memory.
            unsafe { crate::os::mmio::store_u64(at, value) }
        }
    }
}

/// `prefetch.global.L1`: lets a later load of the line at `at` find it there. The address need not be mapped.
#[inline(always)]
pub fn prefetch_l1(at: *const u8) {
    cfg_if::cfg_if! {
        if #[cfg(target_arch = "nvptx64")] {
            // SAFETY: a prefetch accesses no memory that a program sees, and faults at no address.
            unsafe { core::arch::asm!("prefetch.global.L1 [{at}];", at = in(reg64) at, options(nostack)) }
        } else {
            let _ = at;
        }
    }
}
