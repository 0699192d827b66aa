//! Puts, on a queue. Transfers are in bytes: a transfer's accesses are as wide as alignment and length allow, so that
//! elements of any type are whole in them.

use oxshmem_device_api::{Block, Rma, Signal, Signals, Thread, Warp};
use oxshmem_transport_nvlink::device::{From, Lent, copy, copy_units};

use crate::args::{self, QP_DEFAULT, when};
use crate::world::reaches;

export_scopes! {
    /// Copies bytes to `dest` on a PE, and returns when the source may be written again, or at once with `nbi`.
    oxshmem_put oxshmem_put_warp oxshmem_put_block
    (dest: *mut u8, source: *const u8, bytes: usize, pe: i32, qp: i32, nbi: i32),
    if reaches(pe) => shmem, on, group => {
        // SAFETY: **mapped**: by **live**; the call reads the source.
        let from = unsafe { shmem.local_at(source.cast_mut(), bytes) };
        let _ = on(qp).put_until(when(nbi), group, shmem.symmetric(dest), from, bytes, args::pe(pe));
    };
    /// Copies bytes to `dest` on a PE, then signals `word` there.
    oxshmem_put_signal oxshmem_put_signal_warp oxshmem_put_signal_block
    (dest: *mut u8, source: *const u8, bytes: usize, word: *mut u64, value: u64, op: i32, pe: i32, qp: i32, nbi: i32),
    if reaches(pe) => shmem, on, group => {
        // SAFETY: **mapped**: by **live**; the call reads the source.
        let from = unsafe { shmem.local_at(source.cast_mut(), bytes) };
        let (dest, word, op, pe) = (shmem.symmetric(dest), shmem.symmetric(word), args::signal_op(op), args::pe(pe));
        let _ = on(qp).put_signal_until(when(nbi), group, dest, from, bytes, Signal { word, value, op }, pe);
    };
    /// Copies `count` elements of `width` bytes to a PE, `source_stride` elements apart here and `dest_stride` there.
    oxshmem_iput oxshmem_iput_warp oxshmem_iput_block
    (dest: *mut u8, source: *const u8, dest_stride: usize, source_stride: usize, count: usize, width: u32, pe: i32),
    if reaches(pe) => shmem, on, group => {
        args::by_width!(width, T => {
            // SAFETY: **mapped**: by **live**; the call reads the source.
            let from = unsafe { shmem.local_at(source.cast_mut().cast::<T>(), args::spread(source_stride, count)) };
            let to = shmem.symmetric(dest.cast::<T>());
            let _ = on(QP_DEFAULT).iput(group, to, from, dest_stride, source_stride, count, args::pe(pe));
        })
    };
}

copies! {
    "Copies bytes of this PE's memory."
    (to, from, bytes, group) => copy(group, to, from, bytes, From::Own, Lent::NONE);
    oxshmem_copy_own Thread oxshmem_copy_own_warp Warp oxshmem_copy_own_block Block
    "Copies units of 16 bytes of this PE's memory."
    (to, from, count, group) => copy_units(group, to, from, count, From::Own);
    oxshmem_units_own_warp Warp
}
