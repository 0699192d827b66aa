//! Work queue entries, written into their blocks.

use oxshmem_raw::gpu::ptx;
use oxshmem_rdma::mlx5::{Segment, ce, ctrl, opcode};

use super::queue::Queue;
use super::sharing::Sharing;

/// The request in an entry's control segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    /// Opcode modifier.
    pub(super) opmod: u8,
    /// Opcode.
    pub(super) opcode: u8,
    /// Length in units of 16 bytes, with the control segment.
    pub(super) ds: u8,
    /// Fence mode.
    pub(super) fence: u8,
}

impl Ask {
    /// Returns an operation without modifier or fence, of this length.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) const fn plain(opcode: u8, ds: u8) -> Self {
        Self { opmod: 0, opcode, ds, fence: 0 }
    }
}

/// Writes the control segment of the entry at `index`. `signal`: the entry requests a completion, as the last entry of
/// each reservation does. Only entries of one block can request one, because a completion names an entry's first block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn head<S: Sharing>(queue: Queue<S>, index: u64, ask: Ask, signal: bool) {
    let when = if signal { ce::ALWAYS } else { ce::ON_ERROR };
    let Ask { opmod, opcode, ds, fence } = ask;
    part(queue, index, 0, ctrl(opmod, opcode, index, queue.qpn(), ds, when | fence));
}

/// Writes segment `number` (0 to 7) of the entry at `index`. The fifth is the first of the next block, which may be at
/// the start of the ring.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn part<S: Sharing>(queue: Queue<S>, index: u64, number: u64, segment: Segment) {
    let at = segment_at(queue, index, number);
    // SAFETY: **live** of the queue keeps its ring mapped; the block is in the ring and reserved to this thread.
    unsafe { ptx::st_weak_global_v2(at, [segment.0, segment.1]) }
}

/// Writes the word of 4 bytes at byte `at` of the entry at `index`, of any number of blocks.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn word<S: Sharing>(queue: Queue<S>, index: u64, at: u64, word: u32) {
    let address = queue.sq() + 64 * queue.slot(index + at / 64) + at % 64;
    // SAFETY: **live** of the queue keeps its ring mapped; the block is in the ring and in a reservation that this lane
    // shares, and each lane writes its own words of it.
    unsafe { ptx::st_weak_u32(address as *mut u32, word) }
}

/// Returns the address of segment `number` of the entry at `index`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn segment_at<S: Sharing>(queue: Queue<S>, index: u64, number: u64) -> *mut ptx::V2 {
    (queue.sq() + 64 * queue.slot(index + number / 4) + 16 * (number % 4)) as *mut ptx::V2
}

/// Writes an entry that only completes, after an entry that can't request its completion itself.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn nop<S: Sharing>(queue: Queue<S>, index: u64, signal: bool) {
    head(queue, index, Ask::plain(opcode::NOP, 1), signal);
}

/// Writes `blocks` entries without effect, in place of an entry that can't be written. The last one requests its
/// completion if `signal`.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn nops<S: Sharing>(queue: Queue<S>, index: u64, blocks: u64, signal: bool) {
    let mut at = 0;
    while at < blocks {
        nop(queue, index + at, signal && at + 1 == blocks);
        at += 1;
    }
}
