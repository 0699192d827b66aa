//! Puts and gets, on a queue. Transfers are in bytes: a transfer's accesses are as wide as
//! alignment and length allow, so that elements of any type are whole in them.

use oxshmem_device_api::{Block, Completion, Rma, Signals, Thread, Warp};
use oxshmem_transport_nvlink::device::{From, copy_words};

use crate::args::{self, QP_DEFAULT};
use crate::world::reaches;

/// Returns how a call completes; `nbi` is 0 for one that blocks.
#[inline(always)]
fn when(nbi: i32) -> Completion {
    if nbi == 0 { Completion::Blocking } else { Completion::Nonblocking }
}

export_scopes! {
    /// Copies bytes to `dest` on a PE, and returns when the source may be written again, or at once with `nbi`.
    oxshmem_put oxshmem_put_warp oxshmem_put_block
    (dest: *mut u8, source: *const u8, bytes: usize, pe: i32, qp: i32, nbi: i32),
    if reaches(pe) => shmem, on, group => {
        // SAFETY: **mapped**: by **live**; the call reads the source.
        let from = unsafe { shmem.local_at(source.cast_mut(), bytes) };
        let _ = on(qp).put_until(when(nbi), group, shmem.symmetric(dest), from, bytes, args::pe(pe));
    };
    /// Copies bytes from `source` on a PE, and returns when they have arrived, or at once with `nbi`.
    oxshmem_get oxshmem_get_warp oxshmem_get_block
    (dest: *mut u8, source: *const u8, bytes: usize, pe: i32, qp: i32, nbi: i32),
    if reaches(pe) => shmem, on, group => {
        // SAFETY: **mapped**: by **live**.
        let to = unsafe { shmem.local_at(dest, bytes) };
        let _ = on(qp).get_until(when(nbi), group, to, shmem.symmetric(source), bytes, args::pe(pe));
    };
    /// Copies bytes to `dest` on a PE, then signals `word` there.
    oxshmem_put_signal oxshmem_put_signal_warp oxshmem_put_signal_block
    (dest: *mut u8, source: *const u8, bytes: usize, word: *mut u64, value: u64, op: i32, pe: i32, qp: i32, nbi: i32),
    if reaches(pe) => shmem, on, group => {
        // SAFETY: **mapped**: by **live**; the call reads the source.
        let from = unsafe { shmem.local_at(source.cast_mut(), bytes) };
        let (dest, word, op, pe) = (shmem.symmetric(dest), shmem.symmetric(word), args::signal_op(op), args::pe(pe));
        let _ = on(qp).put_signal_until(when(nbi), group, dest, from, bytes, word, value, op, pe);
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
    /// Copies `count` elements of `width` bytes from a PE, `source_stride` elements apart there and `dest_stride` here.
    oxshmem_iget oxshmem_iget_warp oxshmem_iget_block
    (dest: *mut u8, source: *const u8, dest_stride: usize, source_stride: usize, count: usize, width: u32, pe: i32),
    if reaches(pe) => shmem, on, group => {
        args::by_width!(width, T => {
            // SAFETY: **mapped**: by **live**.
            let to = unsafe { shmem.local_at(dest.cast::<T>(), args::spread(dest_stride, count)) };
            let from = shmem.symmetric(source.cast::<T>());
            let _ = on(QP_DEFAULT).iget(group, to, from, dest_stride, source_stride, count, args::pe(pe));
        })
    };
}

/// Defines the copies by words for each scope. They know the addresses of both ends, and call nothing: a caller saves few
/// registers.
macro_rules! copies_by_words {
    ($($name:ident $group:ident)*) => { $(
        /// Copies `bytes` bytes between ends that are multiples of 4 bytes, from a peer's memory unless `of_peer` is 0. On
        /// return, each thread's own part alone is certain to be done.
        ///
        /// # Safety
        ///
        /// **live**: see the crate. `bytes` is a multiple of 4.
        #[cfg_attr(all(target_arch = "nvptx64", not(feature = "names")), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(to: *mut u8, from: *const u8, bytes: usize, of_peer: i32) {
            // SAFETY: **readable**, **writable**: by **live**. **apart**: OpenSHMEM forbids overlap.
            unsafe {
                if of_peer == 0 {
                    copy_words($group, to, from, bytes, From::Own)
                } else {
                    copy_words($group, to, from, bytes, From::Peer)
                }
            }
        }
    )* };
}
copies_by_words! {
    oxshmem_copy_words Thread
    oxshmem_copy_words_warp Warp
    oxshmem_copy_words_block Block
}
