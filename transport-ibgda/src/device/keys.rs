//! Memory keys of the queue's NIC and of the peer's NIC, and the ranges that they cover.

use core::mem::{offset_of, size_of};

use crate::state::{ExtentKeys, LocalKeys, NicState};
use oxshmem_core::SymAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::state::WorldState;
use oxshmem_rdma::mlx5::Key;

use super::queue::Queue;
use super::sharing::Sharing;

/// A range that one key covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keyed {
    /// The key.
    pub(super) key: Key,
    /// The NIC's address of the first byte.
    pub(super) at: u64,
    /// Bytes from there that the key covers.
    pub(super) bytes: u64,
}

/// Returns the range of the peer's heap from `at`, which is in the heap.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn remote<S: Sharing>(state: &WorldState, queue: Queue<S>, at: SymAddr) -> Keyed {
    let at = at.offset();
    if at < queue.first_end() {
        return Keyed { key: Key::from_wire(queue.rkey()), at, bytes: queue.first_end() - at };
    }
    let nic = queue.nic();
    let (extent, end) = extent_of(nic, at);
    // SAFETY: `nic` is the queue's NicState, which lives as long as the queue; it has a key for each PE and counted
    // extent.
    let key = unsafe {
        let keys = (*nic).rkeys as *const u32;
        ptx::ld_relaxed_gpu_u32(keys.add((extent * state.n_pes + queue.pe()) as usize))
    };
    // Beyond the heap's end (which checked builds refuse earlier), the NIC refuses the access, because the last
    // extent's key does not cover it.
    Keyed { key: Key::from_wire(key), at, bytes: if end > at { end - at } else { u64::MAX } }
}

/// Returns the range of this PE's memory from `at`; `None` if the NIC can't reach it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn local<S: Sharing>(state: &WorldState, queue: Queue<S>, at: u64) -> Option<Keyed> {
    let offset = at.wrapping_sub(state.own);
    if offset < queue.first_end() {
        return Some(Keyed { key: Key::from_wire(queue.lkey()), at: offset, bytes: queue.first_end() - offset });
    }
    let nic = queue.nic();
    let (extent, end) = extent_of(nic, offset);
    if offset < end {
        // SAFETY: `nic` is the queue's NicState, which lives as long as the queue, and the extent is counted.
        let key = unsafe {
            let keys = (*nic).extents + extent as u64 * size_of::<ExtentKeys>() as u64;
            ptx::ld_relaxed_gpu_u32((keys + offset_of!(ExtentKeys, lkey) as u64) as *const u32)
        };
        return Some(Keyed { key: Key::from_wire(key), at: offset, bytes: end - offset });
    }
    registered(nic, at)
}

/// Returns the extent that contains heap offset `at`, else the last one, and the extent's end. A heap has few extents,
/// because it grows in large steps.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn extent_of(nic: *const NicState, at: u64) -> (u32, u64) {
    // SAFETY: `nic` is a queue's NicState, which lives as long as the queue. Extents are set before they are counted,
    // and there is at least one.
    unsafe {
        let counted = (nic as u64 + offset_of!(NicState, n_extents) as u64) as *const u32;
        let last = ptx::ld_acquire_gpu_u32(counted) - 1;
        let ends = (*nic).extents;
        let mut extent = 0;
        loop {
            let end = ptx::ld_relaxed_gpu_u64((ends + extent as u64 * size_of::<ExtentKeys>() as u64) as *const u64);
            if at < end || extent >= last {
                return (extent, end);
            }
            extent += 1;
        }
    }
}

/// Returns the range from `at` of a buffer that the program registered.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn registered(nic: *const NicState, at: u64) -> Option<Keyed> {
    // SAFETY: `nic` is a queue's NicState, which lives as long as the queue; `n_locals` slots are mapped, and an empty
    // slot ends at 0.
    unsafe {
        let counted = (nic as u64 + offset_of!(NicState, n_locals) as u64) as *const u32;
        let count = ptx::ld_acquire_gpu_u32(counted);
        let mut slot = 0;
        while slot < count {
            let keys = (*nic).locals + slot as u64 * size_of::<LocalKeys>() as u64;
            let word = |offset: usize| ptx::ld_relaxed_gpu_u64((keys + offset as u64) as *const u64);
            let (start, end) = (word(offset_of!(LocalKeys, start)), word(offset_of!(LocalKeys, end)));
            if at >= start && at < end {
                let key = ptx::ld_relaxed_gpu_u32((keys + offset_of!(LocalKeys, lkey) as u64) as *const u32);
                let iova = word(offset_of!(LocalKeys, iova));
                return Some(Keyed { key: Key::from_wire(key), at: iova + (at - start), bytes: end - at });
            }
            slot += 1;
        }
    }
    None
}

/// Returns the maximum bytes of a message of the queue's NIC.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn longest<S: Sharing>(queue: Queue<S>) -> u64 {
    // SAFETY: a queue's NicState lives as long as the queue; the field is set once.
    unsafe { (*queue.nic()).max_message }
}

/// Reports whether writes may overtake each other on the queue. The answer is the same for all queues of the PE.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn relaxed<S: Sharing>(queue: Queue<S>) -> bool {
    // SAFETY: a queue's NicState lives as long as the queue; the field is set before the first kernel runs.
    unsafe { (*queue.nic()).relaxed_ordering != 0 }
}
