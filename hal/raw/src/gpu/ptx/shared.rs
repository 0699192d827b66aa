//! Shared memory of the block: its location, and atomic words in it through which the block's threads synchronize.
//!
//! A pointer here holds an address in the block's shared window, as in PTX; on the host it is an ordinary address.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        core::arch::global_asm!(
            ".extern .shared .align 128 .b8 oxshmem_dynamic_shared[];",
            ".shared .align 8 .b64 oxshmem_block_word;"
        );

        /// Returns the address of a word of the block's static shared memory. Kernels that don't call this have no such
        /// word.
        #[inline(always)]
        pub fn block_word() -> *mut u64 {
            let at: u32;
            // SAFETY: it computes the address of a symbol.
            unsafe { core::arch::asm!("mov.u32 {at}, oxshmem_block_word;", at = out(reg32) at, options(pure, nomem, nostack)) }
            at as usize as *mut u64
        }

        /// Returns the start of the block's dynamic shared memory.
        #[inline(always)]
        pub fn dynamic_shared() -> u32 {
            let at: u32;
            // SAFETY: it computes the address of a symbol.
            unsafe { core::arch::asm!("mov.u32 {at}, oxshmem_dynamic_shared;", at = out(reg32) at, options(pure, nomem, nostack)) }
            at
        }

        /// `%dynamic_smem_size`
        #[inline(always)]
        pub fn dynamic_shared_bytes() -> u32 {
            let bytes: u32;
            // SAFETY: it reads a special register.
            unsafe { core::arch::asm!("mov.u32 {b}, %dynamic_smem_size;", b = out(reg32) bytes, options(pure, nomem, nostack)) }
            bytes
        }

        /// Returns the address of byte `from` of the block's dynamic shared memory. Only the functions of this file
        /// take it.
        #[inline(always)]
        pub fn in_dynamic_shared(from: u32) -> *mut u8 {
            (dynamic_shared() + from) as usize as *mut u8
        }

        macro_rules! load {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $via:ty, $atomic:ident, $order:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **lent**: an aligned word of the block's shared memory.
                #[inline(always)]
                pub unsafe fn $name(at: *const $t) -> $t {
                    let value: $via;
                    // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " {v}, [{at}];"), v = out($reg) value, at = in(reg32) at as usize as u32,
                            options(nostack))
                    }
                    value as $t
                }
            };
        }
        macro_rules! store {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $via:ty, $atomic:ident, $order:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **lent**: an aligned word of the block's shared memory.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, value: $t) {
                    // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " [{at}], {v};"), v = in($reg) value as $via, at = in(reg32) at as usize as u32,
                            options(nostack))
                    }
                }
            };
        }
        macro_rules! atom {
            ($(#[$doc:meta])* $name:ident, $text:literal, $twin:ident, $order:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **lent**: an aligned word of the block's shared memory.
                #[inline(always)]
                pub unsafe fn $name(at: *mut u64, operand: u64) -> u64 {
                    let old: u64;
                    // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " {old}, [{at}], {v};"), old = out(reg64) old, v = in(reg64) operand,
                            at = in(reg32) at as usize as u32, options(nostack))
                    }
                    old
                }
            };
        }

        macro_rules! red {
            ($(#[$doc:meta])* $name:ident, $text:literal, $twin:ident, $order:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **lent**: an aligned word of the block's shared memory.
                #[inline(always)]
                pub unsafe fn $name(at: *mut u64, operand: u64) {
                    // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " [{at}], {v};"), v = in(reg64) operand, at = in(reg32) at as usize as u32,
                            options(nostack))
                    }
                }
            };
        }

        /// `atom.acq_rel.cta.shared.cas.b64`: returns the previous value.
        ///
        /// # Safety
        ///
        /// - **lent**: an aligned word of the block's shared memory.
        #[inline(always)]
        pub unsafe fn atom_cas_acq_rel_cta_shared_u64(at: *mut u64, compare: u64, operand: u64) -> u64 {
            let old: u64;
            // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
            unsafe {
                core::arch::asm!("atom.acq_rel.cta.shared.cas.b64 {old}, [{at}], {c}, {v};", old = out(reg64) old, c = in(reg64) compare,
                    v = in(reg64) operand, at = in(reg32) at as usize as u32, options(nostack))
            }
            old
        }

        /// `ld.shared.v2.u64`: loads a value that was set once, before a barrier of the block.
        ///
        /// # Safety
        ///
        /// - **lent**: 16 aligned bytes of the block's shared memory, which no thread writes any more.
        #[inline(always)]
        pub unsafe fn ld_shared_v2(at: *const super::V2) -> super::V2 {
            let (a, b): (u64, u64);
            // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
            unsafe {
                core::arch::asm!("ld.shared.v2.u64 {{{a}, {b}}}, [{at}];", a = out(reg64) a, b = out(reg64) b,
                    at = in(reg32) at as usize as u32, options(nomem, nostack))
            }
            [a, b]
        }
    } else {
        use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

        use crate::gpu::simt::{self, yield_point};

        /// Returns the address of a word of the block's static shared memory.
        pub fn block_word() -> *mut u64 {
            simt::block_word()
        }

        /// Returns the start of the block's dynamic shared memory.
        #[inline(always)]
        pub fn dynamic_shared() -> u32 {
            0
        }

        /// Returns the size of the block's dynamic shared memory in bytes.
        pub fn dynamic_shared_bytes() -> u32 {
            simt::shared_bytes() as u32
        }

        /// Returns the address of byte `from` of the block's dynamic shared memory.
        pub fn in_dynamic_shared(from: u32) -> *mut u8 {
            simt::shared_base().wrapping_add(from as usize)
        }

        macro_rules! load {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $via:ty, $atomic:ident, $order:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **lent**: an aligned word of the block's shared memory.
                #[inline(always)]
                pub unsafe fn $name(at: *const $t) -> $t {
                    yield_point();
                    // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
                    unsafe { $atomic::from_ptr(at.cast_mut()) }.load(Ordering::$order)
                }
            };
        }
        macro_rules! store {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $via:ty, $atomic:ident, $order:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **lent**: an aligned word of the block's shared memory.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, value: $t) {
                    yield_point();
                    // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
                    unsafe { $atomic::from_ptr(at) }.store(value, Ordering::$order)
                }
            };
        }
        macro_rules! atom {
            ($(#[$doc:meta])* $name:ident, $text:literal, $twin:ident, $order:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **lent**: an aligned word of the block's shared memory.
                #[inline(always)]
                pub unsafe fn $name(at: *mut u64, operand: u64) -> u64 {
                    yield_point();
                    // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
                    unsafe { AtomicU64::from_ptr(at) }.$twin(operand, Ordering::$order)
                }
            };
        }

        macro_rules! red {
            ($(#[$doc:meta])* $name:ident, $text:literal, $twin:ident, $order:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **lent**: an aligned word of the block's shared memory.
                #[inline(always)]
                pub unsafe fn $name(at: *mut u64, operand: u64) {
                    yield_point();
                    // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
                    unsafe { AtomicU64::from_ptr(at) }.$twin(operand, Ordering::$order);
                }
            };
        }

        /// `atom.acq_rel.cta.shared.cas.b64`: returns the previous value.
        ///
        /// # Safety
        ///
        /// - **lent**: an aligned word of the block's shared memory.
        #[inline(always)]
        pub unsafe fn atom_cas_acq_rel_cta_shared_u64(at: *mut u64, compare: u64, operand: u64) -> u64 {
            yield_point();
            // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
            let word = unsafe { AtomicU64::from_ptr(at) };
            match word.compare_exchange(compare, operand, Ordering::AcqRel, Ordering::Acquire) {
                Ok(old) | Err(old) => old,
            }
        }

        /// `ld.shared.v2.u64`: loads a value that was set once, before a barrier of the block.
        ///
        /// # Safety
        ///
        /// - **lent**: 16 aligned bytes of the block's shared memory, which no thread writes any more.
        #[inline(always)]
        pub unsafe fn ld_shared_v2(at: *const super::V2) -> super::V2 {
            // SAFETY: by the caller's **lent** the access is to aligned words of the block's shared memory.
            unsafe { super::ld_weak_v2(at) }
        }
    }
}

load!(/// `ld.relaxed.cta.shared.u8`
    ld_relaxed_cta_shared_u8, "ld.relaxed.cta.shared.u8", u8, reg16, u16, AtomicU8, Relaxed);
load!(/// `ld.relaxed.cta.shared.u16`
    ld_relaxed_cta_shared_u16, "ld.relaxed.cta.shared.u16", u16, reg16, u16, AtomicU16, Relaxed);
load!(/// `ld.relaxed.cta.shared.u32`
    ld_relaxed_cta_shared_u32, "ld.relaxed.cta.shared.u32", u32, reg32, u32, AtomicU32, Relaxed);
load!(/// `ld.relaxed.cta.shared.u64`
    ld_relaxed_cta_shared_u64, "ld.relaxed.cta.shared.u64", u64, reg64, u64, AtomicU64, Relaxed);
load!(/// `ld.acquire.cta.shared.u64`
    ld_acquire_cta_shared_u64, "ld.acquire.cta.shared.u64", u64, reg64, u64, AtomicU64, Acquire);
store!(/// `st.relaxed.cta.shared.u8`
    st_relaxed_cta_shared_u8, "st.relaxed.cta.shared.u8", u8, reg16, u16, AtomicU8, Relaxed);
store!(/// `st.relaxed.cta.shared.u16`
    st_relaxed_cta_shared_u16, "st.relaxed.cta.shared.u16", u16, reg16, u16, AtomicU16, Relaxed);
store!(/// `st.relaxed.cta.shared.u32`
    st_relaxed_cta_shared_u32, "st.relaxed.cta.shared.u32", u32, reg32, u32, AtomicU32, Relaxed);
store!(/// `st.relaxed.cta.shared.u64`
    st_relaxed_cta_shared_u64, "st.relaxed.cta.shared.u64", u64, reg64, u64, AtomicU64, Relaxed);
store!(/// `st.release.cta.shared.u64`: ordered after this thread's earlier writes, wherever, for every thread of the block.
    st_release_cta_shared_u64, "st.release.cta.shared.u64", u64, reg64, u64, AtomicU64, Release);
atom!(/// `atom.relaxed.cta.shared.add.u64`
    atom_add_relaxed_cta_shared_u64, "atom.relaxed.cta.shared.add.u64", fetch_add, Relaxed);
red!(/// `red.release.cta.shared.max.u64`
    red_max_release_cta_shared_u64, "red.release.cta.shared.max.u64", fetch_max, Release);
