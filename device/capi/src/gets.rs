//! Gets, on a queue, in bytes as puts are.

use oxshmem_device_api::{Block, Rma, Thread, Warp};
use oxshmem_transport_nvlink::device::{From, Lent, copy};

use crate::args::{self, QP_DEFAULT, when};
use crate::world::reaches;

export_scopes! {
    /// Copies bytes from `source` on a PE, and returns when they have arrived, or at once with `nbi`.
    oxshmem_get oxshmem_get_warp oxshmem_get_block
    (dest: *mut u8, source: *const u8, bytes: usize, pe: i32, qp: i32, nbi: i32),
    if reaches(pe) => shmem, on, group => {
        // SAFETY: **mapped**: by **live**.
        let to = unsafe { shmem.local_at(dest, bytes) };
        let _ = on(qp).get_until(when(nbi), group, to, shmem.symmetric(source), bytes, args::pe(pe));
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

copies! {
    "Copies bytes of a peer's memory."
    (to, from, bytes, group) => copy(group, to, from, bytes, From::Peer, Lent::NONE);
    oxshmem_copy_peer Thread oxshmem_copy_peer_warp Warp oxshmem_copy_peer_block Block
}
