//! Read-modify-write atomics.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        macro_rules! atom {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $twin:expr) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for reading and writing, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, operand: $t) -> $t {
                    let old: $t;
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " {old}, [{at}], {v};"), old = out($reg) old, at = in(reg64) at,
                            v = in($reg) operand, options(nostack))
                    }
                    old
                }
            };
        }
        macro_rules! red {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $twin:expr) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for reading and writing, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, operand: $t) {
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " [{at}], {v};"), at = in(reg64) at, v = in($reg) operand, options(nostack))
                    }
                }
            };
        }
        macro_rules! cas {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $atomic:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for reading and writing, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, compare: $t, operand: $t) -> $t {
                    let old: $t;
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    unsafe {
                        core::arch::asm!(concat!($text, " {old}, [{at}], {c}, {v};"), old = out($reg) old, at = in(reg64) at,
                            c = in($reg) compare, v = in($reg) operand, options(nostack))
                    }
                    old
                }
            };
        }
    } else {
        use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
        use crate::gpu::simt::yield_point;

        /// Adds floats in a compare-and-swap loop and returns the previous bits.
        macro_rules! float_add {
            ($name:ident, $atomic:ident, $bits:ty, $add:expr) => {
                fn $name(word: &$atomic, operand: $bits, order: Ordering) -> $bits {
                    let add: fn($bits, $bits) -> $bits = $add;
                    let mut old = word.load(Ordering::Relaxed);
                    loop {
                        match word.compare_exchange_weak(old, add(old, operand), order, Ordering::Relaxed) {
                            Ok(old) => return old,
                            Err(now) => old = now,
                        }
                    }
                }
            };
        }
        float_add!(add_f32, AtomicU32, u32, |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits());
        float_add!(add_f64, AtomicU64, u64, |a, b| (f64::from_bits(a) + f64::from_bits(b)).to_bits());
        float_add!(add_f16, AtomicU16, u16, |a, b| {
            use oxshmem_core::F16;
            F16::from_f32(F16::from_bits(a).to_f32() + F16::from_bits(b).to_f32()).to_bits()
        });

        /// Maps a word to the standard library's atomic type of the same width.
        trait HasAtomicTwin: Sized {
            type HostAtomic;
            unsafe fn atomic<'a>(at: *mut Self) -> &'a Self::HostAtomic;
        }
        macro_rules! word {
            ($t:ty, $atomic:ident) => {
                impl HasAtomicTwin for $t {
                    type HostAtomic = $atomic;
                    unsafe fn atomic<'a>(at: *mut Self) -> &'a $atomic {
                        // SAFETY: the caller promises a mapped, aligned word that all code accesses atomically.
                        unsafe { $atomic::from_ptr(at) }
                    }
                }
            };
        }
        word!(u16, AtomicU16);
        word!(u32, AtomicU32);
        word!(u64, AtomicU64);

        macro_rules! atom {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $twin:expr) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for reading and writing, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, operand: $t) -> $t {
                    yield_point();
                    let twin: fn(&<$t as HasAtomicTwin>::HostAtomic, $t, Ordering) -> $t = $twin;
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    twin(unsafe { <$t>::atomic(at) }, operand, Ordering::Relaxed)
                }
            };
        }
        macro_rules! red {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $twin:expr) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for reading and writing, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, operand: $t) {
                    yield_point();
                    // A `red` is an `atom` without a result; the order is the one in its name.
                    let order = if $text.contains("release") { Ordering::Release } else { Ordering::Relaxed };
                    let twin: fn(&<$t as HasAtomicTwin>::HostAtomic, $t, Ordering) -> $t = $twin;
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    twin(unsafe { <$t>::atomic(at) }, operand, order);
                }
            };
        }
        macro_rules! cas {
            ($(#[$doc:meta])* $name:ident, $text:literal, $t:ty, $reg:ident, $atomic:ident) => {
                $(#[$doc])*
                ///
                /// # Safety
                ///
                /// - **live**: `at` is mapped for reading and writing, and aligned to its size.
                #[inline(always)]
                pub unsafe fn $name(at: *mut $t, compare: $t, operand: $t) -> $t {
                    yield_point();
                    // SAFETY: by the caller's **live** the access is to mapped, aligned memory.
                    let word = unsafe { $atomic::from_ptr(at) };
                    let order = if $text.contains("acq_rel") { Ordering::AcqRel } else { Ordering::Relaxed };
                    match word.compare_exchange(compare, operand, order, Ordering::Relaxed) {
                        Ok(old) | Err(old) => old,
                    }
                }
            };
        }
    }
}

atom!(/// `atom.relaxed.sys.global.add.u32`
    atom_add_relaxed_sys_u32, "atom.relaxed.sys.global.add.u32", u32, reg32, |w, v, o| w.fetch_add(v, o));
atom!(/// `atom.relaxed.sys.global.add.u64`
    atom_add_relaxed_sys_u64, "atom.relaxed.sys.global.add.u64", u64, reg64, |w, v, o| w.fetch_add(v, o));
atom!(/// `atom.relaxed.sys.global.add.noftz.f16`, on bits
    atom_add_relaxed_sys_f16, "atom.relaxed.sys.global.add.noftz.f16", u16, reg16, |w, v, o| add_f16(w, v, o));
atom!(/// `atom.relaxed.sys.global.add.f32`, on bits
    atom_add_relaxed_sys_f32, "atom.relaxed.sys.global.add.f32", u32, reg32, |w, v, o| add_f32(w, v, o));
atom!(/// `atom.relaxed.sys.global.add.f64`, on bits
    atom_add_relaxed_sys_f64, "atom.relaxed.sys.global.add.f64", u64, reg64, |w, v, o| add_f64(w, v, o));
atom!(/// `atom.relaxed.sys.global.and.b32`
    atom_and_relaxed_sys_u32, "atom.relaxed.sys.global.and.b32", u32, reg32, |w, v, o| w.fetch_and(v, o));
atom!(/// `atom.relaxed.sys.global.and.b64`
    atom_and_relaxed_sys_u64, "atom.relaxed.sys.global.and.b64", u64, reg64, |w, v, o| w.fetch_and(v, o));
atom!(/// `atom.relaxed.sys.global.or.b32`
    atom_or_relaxed_sys_u32, "atom.relaxed.sys.global.or.b32", u32, reg32, |w, v, o| w.fetch_or(v, o));
atom!(/// `atom.relaxed.sys.global.or.b64`
    atom_or_relaxed_sys_u64, "atom.relaxed.sys.global.or.b64", u64, reg64, |w, v, o| w.fetch_or(v, o));
atom!(/// `atom.relaxed.sys.global.xor.b32`
    atom_xor_relaxed_sys_u32, "atom.relaxed.sys.global.xor.b32", u32, reg32, |w, v, o| w.fetch_xor(v, o));
atom!(/// `atom.relaxed.sys.global.xor.b64`
    atom_xor_relaxed_sys_u64, "atom.relaxed.sys.global.xor.b64", u64, reg64, |w, v, o| w.fetch_xor(v, o));
atom!(/// `atom.relaxed.sys.global.exch.b32`
    atom_exch_relaxed_sys_u32, "atom.relaxed.sys.global.exch.b32", u32, reg32, |w, v, o| w.swap(v, o));
atom!(/// `atom.relaxed.sys.global.exch.b64`
    atom_exch_relaxed_sys_u64, "atom.relaxed.sys.global.exch.b64", u64, reg64, |w, v, o| w.swap(v, o));

cas!(/// `atom.relaxed.sys.global.cas.b32`
    atom_cas_relaxed_sys_u32, "atom.relaxed.sys.global.cas.b32", u32, reg32, AtomicU32);
cas!(/// `atom.relaxed.sys.global.cas.b64`
    atom_cas_relaxed_sys_u64, "atom.relaxed.sys.global.cas.b64", u64, reg64, AtomicU64);
cas!(/// `atom.acq_rel.gpu.global.cas.b32`: for words that only this GPU's threads use.
    atom_cas_acq_rel_gpu_u32, "atom.acq_rel.gpu.global.cas.b32", u32, reg32, AtomicU32);

red!(/// `red.relaxed.sys.global.add.u32`
    red_add_relaxed_sys_u32, "red.relaxed.sys.global.add.u32", u32, reg32, |w, v, o| w.fetch_add(v, o));
red!(/// `red.relaxed.sys.global.add.u64`
    red_add_relaxed_sys_u64, "red.relaxed.sys.global.add.u64", u64, reg64, |w, v, o| w.fetch_add(v, o));
red!(/// `red.relaxed.sys.global.add.noftz.f16`, on bits
    red_add_relaxed_sys_f16, "red.relaxed.sys.global.add.noftz.f16", u16, reg16, |w, v, o| add_f16(w, v, o));
red!(/// `red.relaxed.sys.global.add.f32`, on bits
    red_add_relaxed_sys_f32, "red.relaxed.sys.global.add.f32", u32, reg32, |w, v, o| add_f32(w, v, o));
red!(/// `red.relaxed.sys.global.add.f64`, on bits
    red_add_relaxed_sys_f64, "red.relaxed.sys.global.add.f64", u64, reg64, |w, v, o| add_f64(w, v, o));
red!(/// `red.relaxed.sys.global.and.b32`
    red_and_relaxed_sys_u32, "red.relaxed.sys.global.and.b32", u32, reg32, |w, v, o| w.fetch_and(v, o));
red!(/// `red.relaxed.sys.global.and.b64`
    red_and_relaxed_sys_u64, "red.relaxed.sys.global.and.b64", u64, reg64, |w, v, o| w.fetch_and(v, o));
red!(/// `red.relaxed.sys.global.or.b32`
    red_or_relaxed_sys_u32, "red.relaxed.sys.global.or.b32", u32, reg32, |w, v, o| w.fetch_or(v, o));
red!(/// `red.relaxed.sys.global.or.b64`
    red_or_relaxed_sys_u64, "red.relaxed.sys.global.or.b64", u64, reg64, |w, v, o| w.fetch_or(v, o));
red!(/// `red.relaxed.sys.global.xor.b32`
    red_xor_relaxed_sys_u32, "red.relaxed.sys.global.xor.b32", u32, reg32, |w, v, o| w.fetch_xor(v, o));
red!(/// `red.relaxed.sys.global.xor.b64`
    red_xor_relaxed_sys_u64, "red.relaxed.sys.global.xor.b64", u64, reg64, |w, v, o| w.fetch_xor(v, o));
red!(/// `red.release.sys.global.add.u64`: ordered after this thread's earlier writes for every observer in the system.
    red_add_release_sys_u64, "red.release.sys.global.add.u64", u64, reg64, |w, v, o| w.fetch_add(v, o));

atom!(/// `atom.acq_rel.gpu.global.add.u32`: for words that only this GPU's threads use.
    atom_add_acq_rel_gpu_u32, "atom.acq_rel.gpu.global.add.u32", u32, reg32, |w, v, _| w.fetch_add(v, Ordering::AcqRel));
atom!(/// `atom.relaxed.gpu.global.add.u64`: for words that only this GPU's threads use.
    atom_add_relaxed_gpu_u64, "atom.relaxed.gpu.global.add.u64", u64, reg64, |w, v, o| w.fetch_add(v, o));
red!(/// `red.relaxed.gpu.global.add.u64`: for words that only this GPU's threads use.
    red_add_relaxed_gpu_u64, "red.relaxed.gpu.global.add.u64", u64, reg64, |w, v, o| w.fetch_add(v, o));
red!(/// `red.relaxed.gpu.global.max.u64`: for words that only this GPU's threads use.
    red_max_relaxed_gpu_u64, "red.relaxed.gpu.global.max.u64", u64, reg64, |w, v, o| w.fetch_max(v, o));
red!(/// `red.release.gpu.global.max.u64`: ordered after the writes that this thread has seen, for every observer on this GPU.
    red_max_release_gpu_u64, "red.release.gpu.global.max.u64", u64, reg64, |w, v, o| w.fetch_max(v, o));
cas!(/// `atom.acq_rel.gpu.global.cas.b64`: for words that only this GPU's threads use.
    atom_cas_acq_rel_gpu_u64, "atom.acq_rel.gpu.global.cas.b64", u64, reg64, AtomicU64);
