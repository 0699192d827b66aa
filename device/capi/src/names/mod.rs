//! The functions that compilers without headers call, under NVSHMEM's names: for Triton, JAX, Numba and others, as
//! bitcode and PTX.

use oxshmem_core::Element;

use crate::gets::*;
use crate::puts::*;
use crate::world::{load_store, reaches, world};
use crate::{members, ordering, wait, words};

/// `NVSHMEMX_QP_DEFAULT`
const QP_DEFAULT: i32 = 1;
/// `NVSHMEMX_PE_ALL`
const PE_ALL: i32 = 1 << 15;
/// `NVSHMEMX_QP_ALL`
const QP_ALL: i32 = i32::MAX;

/// Defines functions with the C ABI.
macro_rules! names {
    ($($name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? { $($call:tt)* })*) => { $(
        /// Performs NVSHMEM's function of this name.
        ///
        /// # Safety
        ///
        /// **initialised**, **symmetric**, **live**: see the crate.
        #[cfg_attr(target_arch = "nvptx64", unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($arg: $type),*) $(-> $result)? {
            // SAFETY: **initialised**, **symmetric**, **live**: the caller's, for the same arguments.
            #[allow(unused_unsafe, reason = "some calls are safe")]
            unsafe { $($call)* }
        }
    )* };
}

mod collectives;
pub use collectives::*;

/// Defines a transfer of bytes in its two forms.
macro_rules! transfers {
    ($($blocking:ident $nonblocking:ident $of:ident;)*) => { names! { $(
        $blocking(dest: *mut u8, source: *const u8, bytes: usize, pe: i32) {
            $of(dest, source, bytes, pe, QP_DEFAULT, 0)
        }
        $nonblocking(dest: *mut u8, source: *const u8, bytes: usize, pe: i32) {
            $of(dest, source, bytes, pe, QP_DEFAULT, 1)
        }
    )* } };
    (signal $($blocking:ident $nonblocking:ident $of:ident;)*) => { names! { $(
        $blocking(
            dest: *mut u8, source: *const u8, bytes: usize, word: *mut u64, value: u64, op: i32, pe: i32,
        ) {
            $of(dest, source, bytes, word, value, op, pe, QP_DEFAULT, 0)
        }
        $nonblocking(
            dest: *mut u8, source: *const u8, bytes: usize, word: *mut u64, value: u64, op: i32, pe: i32,
        ) {
            $of(dest, source, bytes, word, value, op, pe, QP_DEFAULT, 1)
        }
    )* } };
}
transfers! {
    nvshmem_putmem nvshmem_putmem_nbi oxshmem_put;
    nvshmemx_putmem_warp nvshmemx_putmem_nbi_warp oxshmem_put_warp;
    nvshmemx_putmem_block nvshmemx_putmem_nbi_block oxshmem_put_block;
    nvshmem_getmem nvshmem_getmem_nbi oxshmem_get;
    nvshmemx_getmem_warp nvshmemx_getmem_nbi_warp oxshmem_get_warp;
    nvshmemx_getmem_block nvshmemx_getmem_nbi_block oxshmem_get_block;
}
transfers! { signal
    nvshmem_putmem_signal nvshmem_putmem_signal_nbi oxshmem_put_signal;
    nvshmemx_putmem_signal_warp nvshmemx_putmem_signal_nbi_warp oxshmem_put_signal_warp;
    nvshmemx_putmem_signal_block nvshmemx_putmem_signal_nbi_block oxshmem_put_signal_block;
}

names! {
    nvshmem_my_pe() -> i32 { world().my_pe as i32 }
    nvshmem_n_pes() -> i32 { world().n_pes as i32 }
    nvshmem_ptr(at: *const u8, pe: i32) -> *mut u8 {
        let (state, shmem) = (world(), load_store());
        let offset = shmem.symmetric(at).addr();
        let exists = offset.offset() < state.heap_bytes && (pe as u32) < state.n_pes;
        if exists && reaches(pe) { state.address(crate::args::pe(pe), offset) } else { core::ptr::null_mut() }
    }
    nvshmemx_mc_ptr(_team: i32, _at: *const u8) -> *mut u8 { core::ptr::null_mut() }
    nvshmemx_signal_op(word: *mut u64, value: u64, op: i32, pe: i32) {
        words::oxshmem_signal(word, value, op, pe, QP_DEFAULT)
    }
    nvshmem_signal_fetch(word: *const u64) -> u64 { load_store().signal_fetch(load_store().symmetric(word)).unwrap_or(0) }
    nvshmem_signal_wait_until(word: *const u64, cmp: i32, value: u64) -> u64 {
        wait::oxshmem_wait_u64(word, cmp, value)
    }
    nvshmem_fence() { ordering::oxshmem_fence(PE_ALL, &QP_ALL, 1) }
    nvshmem_quiet() { ordering::oxshmem_quiet(PE_ALL, &QP_ALL, 1) }
    nvshmem_team_my_pe(team: i32) -> i32 { members::oxshmem_team_my_pe(team) }
    nvshmem_team_n_pes(team: i32) -> i32 { members::oxshmem_team_n_pes(team) }
    nvshmem_team_translate_pe(team: i32, member: i32, to: i32) -> i32 {
        members::oxshmem_team_translate_pe(team, member, to)
    }
}

/// Defines waits for a word of a type.
macro_rules! waits {
    ($($name:ident $type:ty: $of:ident;)*) => { names! { $(
        $name(word: *const $type, cmp: i32, value: $type) { let _ = wait::$of(word, cmp, value); }
    )* } };
}
waits! {
    nvshmem_int_wait_until i32: oxshmem_wait_i32;
    nvshmem_int32_wait_until i32: oxshmem_wait_i32;
    nvshmem_uint_wait_until u32: oxshmem_wait_u32;
    nvshmem_uint32_wait_until u32: oxshmem_wait_u32;
    nvshmem_long_wait_until i64: oxshmem_wait_i64;
    nvshmem_longlong_wait_until i64: oxshmem_wait_i64;
    nvshmem_int64_wait_until i64: oxshmem_wait_i64;
    nvshmem_ulong_wait_until u64: oxshmem_wait_u64;
    nvshmem_ulonglong_wait_until u64: oxshmem_wait_u64;
    nvshmem_uint64_wait_until u64: oxshmem_wait_u64;
}

/// Defines writes of single elements of a type.
macro_rules! elements {
    ($($p:ident $type:ty;)*) => { names! { $(
        $p(dest: *mut $type, value: $type, pe: i32) {
            words::oxshmem_p(dest.cast(), value.to_bits64(), size_of::<$type>() as u32, pe, QP_DEFAULT)
        }
    )* } };
}
elements! {
    nvshmem_int_p i32;
    nvshmem_int32_p i32;
    nvshmem_uint32_p u32;
    nvshmem_int64_p i64;
    nvshmem_longlong_p i64;
    nvshmem_uint64_p u64;
    nvshmem_float_p f32;
    nvshmem_double_p f64;
}

/// The numbers of an addition and of words of 32 and 64 bits, in `words.rs`.
const ADD: u32 = 3;

/// Defines additions to words of a type, which has this number.
macro_rules! additions {
    ($($add:ident $fetch_add:ident $type:ty, $kind:literal;)*) => { names! { $(
        $add(at: *mut $type, value: $type, pe: i32) {
            words::oxshmem_amo(at.cast(), ADD, $kind, value.to_bits64(), pe)
        }
        $fetch_add(at: *mut $type, value: $type, pe: i32) -> $type {
            <$type>::from_bits64(words::oxshmem_amo_fetch(at.cast(), ADD, $kind, value.to_bits64(), 0, pe))
        }
    )* } };
}
additions! {
    nvshmem_int_atomic_add nvshmem_int_atomic_fetch_add i32, 0;
    nvshmem_int64_atomic_add nvshmem_int64_atomic_fetch_add i64, 1;
    nvshmem_uint64_atomic_add nvshmem_uint64_atomic_fetch_add u64, 1;
}
