//! Order, completion, signals.

use std::ffi::{c_int, c_void};

use crate::face::Until::{Done, Quiet};
use crate::face::{cmp, signal_op};

export! {
    fn nvshmem_quiet() = or_exit |face| face.quiet();
    fn nvshmem_fence() = or_exit |face| face.quiet();
    /// Makes the sources of earlier calls reusable.
    fn nvshmemx_flush() = or_exit |face| face.quiet();
    fn nvshmem_barrier_all() = or_exit |face| face.world.barrier_all();
    fn nvshmem_sync_all() = or_exit |face| face.world.sync_all();

    fn nvshmemx_signal_op(word: *mut u64, signal: u64, op: c_int, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers**: no elements are copied.
        unsafe { face.put_signal(word.cast::<u8>(), word.cast(), 0, (word, signal, signal_op(op)?), pe, Done) }
    };
    fn nvshmem_signal_fetch(word: *mut u64) -> u64 = or_exit |face| face.world.g(face.sym(word)?, face.world.my_pe());
    /// Sets a signal word of this PE to zero, for the next round of counted puts.
    fn nvshmemx_signal_counted_reset(word: *mut u64) = or_exit |face| {
        face.world.p(face.sym(word)?, 0, face.world.my_pe())
    };
    fn nvshmem_signal_wait_until(word: *mut u64, op: c_int, value: u64) -> u64 = or_exit |face| {
        face.world.wait_until(face.sym(word)?, cmp(op)?, value)
    };

    fn nvshmem_putmem_signal(
        dest: *mut c_void, source: *const c_void, bytes: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
    ) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put_signal(dest.cast::<u8>(), source.cast(), bytes, (word, signal, signal_op(op)?), pe, Done) }
    };
    fn nvshmem_putmem_signal_nbi(
        dest: *mut c_void, source: *const c_void, bytes: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
    ) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put_signal(dest.cast::<u8>(), source.cast(), bytes, (word, signal, signal_op(op)?), pe, Quiet) }
    };
}

family! { rma_types {
    fn ["nvshmem_" "_put_signal"](
        dest: *mut T, source: *const T, count: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
    ) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put_signal(dest, source, count, (word, signal, signal_op(op)?), pe, Done) }
    };
    fn ["nvshmem_" "_put_signal_nbi"](
        dest: *mut T, source: *const T, count: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
    ) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put_signal(dest, source, count, (word, signal, signal_op(op)?), pe, Quiet) }
    };
} }

family! { sizes {
    fn ["nvshmem_put" "_signal"](
        dest: *mut c_void, source: *const c_void, count: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
    ) = or_exit |face| {
        let (count, signal) = (count.saturating_mul(PARTS), (word, signal, signal_op(op)?));
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put_signal(dest.cast::<T>(), source.cast(), count, signal, pe, Done) }
    };
    fn ["nvshmem_put" "_signal_nbi"](
        dest: *mut c_void, source: *const c_void, count: usize, word: *mut u64, signal: u64, op: c_int, pe: c_int,
    ) = or_exit |face| {
        let (count, signal) = (count.saturating_mul(PARTS), (word, signal, signal_op(op)?));
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put_signal(dest.cast::<T>(), source.cast(), count, signal, pe, Quiet) }
    };
} }
