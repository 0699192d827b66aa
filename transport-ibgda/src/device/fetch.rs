//! Operations that return a word: reads of up to 8 bytes, and parts that they share with fetching atomics.

use core::mem::offset_of;

use crate::state::{FetchSlot, flags};
use oxshmem_core::{Fault, FaultStep, Pe, SymAddr};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::{Failed, WordOrFailed};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::wait::{self, WaitBudget};
use oxshmem_rdma::mlx5::{Key, Segment, data, fm, opcode, raddr};

use super::done;
use super::keys;
use super::post::{publish, reserve};
use super::queue::Queue;
use super::queue_ref::QueueRef;
use super::sharing::Sharing;
use super::wqe::{self, Ask};

/// The result slot of an operation. It has the number of the operation's first block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    queue: Queue,
    number: u64,
}

impl Slot {
    /// Takes the slot of block `index` once no thread reads it any more: the operation that used the block one lap ago
    /// is complete, but the thread that issued it may not have read its result yet.
    ///
    /// Returns `None` if that thread did not read its result within the limit, which is reported. The caller must still
    /// post an empty entry, because its lanes and the queue's other users rely on one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn take<S: Sharing>(state: &WorldState, queue: Queue<S>, index: u64) -> Option<Self> {
        let slot = Self { queue: queue.constants(), number: queue.slot(index) };
        let busy = slot.busy();
        // SAFETY: **live** of the queue keeps its slots mapped, and `number` is less than `depth`. Only this GPU's
        // threads use the word.
        let free = || (unsafe { ptx::ld_relaxed_gpu_u64(busy) } == 0).then_some(());
        if free().is_none() {
            let concerns = |dead: Pe| dead.number() == queue.pe();
            wait::until_among(state, &mut WaitBudget::new(), 1, concerns, free, || {
                let mut fault = Fault::new(FaultStep::Queue);
                (fault.pe, fault.qp, fault.asked, fault.seen) = (queue.pe(), queue.handle(), index, queue.done());
                fault
            })
            .ok()?;
        }
        // SAFETY: **live** of the queue keeps its slots mapped. The block is reserved to this thread, so no other
        // thread takes the slot.
        unsafe { ptx::st_relaxed_gpu_u64(busy, 1) }
        Some(slot)
    }

    /// Frees the slot.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn give_back(self) {
        // SAFETY: **live** of the queue keeps its slots mapped, and `take` made this thread the slot's owner. The
        // release orders the read of the result before it.
        unsafe { ptx::st_release_gpu_u64(self.busy(), 0) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn busy(self) -> *mut u64 {
        (self.queue.fetch() + 16 * self.number + offset_of!(FetchSlot, busy) as u64) as *mut u64
    }

    /// Returns the 8 bytes of the result.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn value(self) -> u64 {
        // SAFETY: **live** of the queue keeps its slots mapped, and `number` is less than `depth`. The NIC has written
        // the value.
        unsafe { ptx::ld_relaxed_sys_u64((self.queue.fetch() + 16 * self.number) as *const u64) }
    }

    /// Returns the data segment of an operation with a result of `bytes` bytes in this slot.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn segment(self, bytes: u32) -> Segment {
        result(self.queue, self.number, bytes)
    }
}

/// Returns the data segment of an operation whose result is not read.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn nowhere<S: Sharing>(queue: Queue<S>, bytes: u32) -> Segment {
    result(queue, queue.depth() as u64, bytes)
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn result<S: Sharing>(queue: Queue<S>, number: u64, bytes: u32) -> Segment {
    data(bytes, Key::from_wire(queue.fetch_lkey()), queue.fetch_iova() + 16 * number)
}

/// Writes an entry that reads back a byte of arrived data, after the operations before it. When the entry is complete,
/// their writes to this memory are complete too.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn dump<S: Sharing>(queue: Queue<S>, index: u64, key: Key, at: u64, signal: bool) {
    wqe::head(queue, index, Ask { fence: fm::FENCE, ..Ask::plain(opcode::DUMP, 2) }, signal);
    wqe::part(queue, index, 1, data(1, key, at));
}

/// Writes a [`dump`] of a result slot.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn dump_slot<S: Sharing>(queue: Queue<S>, index: u64, slot: Slot, signal: bool) {
    dump(queue, index, Key::from_wire(queue.fetch_lkey()), queue.fetch_iova() + 16 * slot.number, signal);
}

/// Reads `bytes` bytes, 1 to 8, that one key covers. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn read_bytes<S: Sharing>(queue: QueueRef<S>, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: QueueRef<S>, from: u64, bytes: u32) -> WordOrFailed {
        let queue = queue.open();
        WordOrFailed::encode(read(queue.world(), queue, SymAddr::new(from), bytes))
    }
    call(queue, from.offset(), bytes).decode()
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn read<S: Sharing>(state: &WorldState, queue: Queue<S>, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
    let peer = keys::remote(state, queue, from);
    let dumps = queue.has(flags::DUMP);
    let lanes = Lanes::with(queue.key());
    let reserved = reserve(queue, lanes, 1 + dumps as u32)?;
    let slot = Slot::take(state, queue, reserved.own);
    let signals = reserved.signals(queue, lanes);
    match slot {
        Some(slot) => {
            wqe::head(queue, reserved.own, Ask::plain(opcode::RDMA_READ, 3), signals && !dumps);
            wqe::part(queue, reserved.own, 1, raddr(peer.at, peer.key));
            wqe::part(queue, reserved.own, 2, slot.segment(bytes));
            if dumps {
                dump_slot(queue, reserved.own + 1, slot, signals);
            }
        }
        None => wqe::nops(queue, reserved.own, 1 + dumps as u64, signals),
    }
    publish(queue, lanes, reserved);
    let Some(slot) = slot else { return Err(Failed) };
    queue.count_bytes(bytes as u64);
    let ended = done::wait(queue.queue_ref(), reserved.end);
    let value = slot.value();
    slot.give_back();
    ended.map(|()| if bytes == 8 { value } else { value & ((1 << (8 * bytes)) - 1) })
}
