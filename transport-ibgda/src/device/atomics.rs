//! Atomics: the NIC's native ones, its masked ones, and all others by compare-and-swap.

use crate::state::flags;
use oxshmem_core::{AmoOp, AmoType, F16, SymAddr};
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::{Failed, WordOrFailed};
use oxshmem_raw::state::WorldState;
use oxshmem_rdma::mlx5::{NativeAtomic, Segment, raddr};

use super::done;
use super::fetch::{self, Slot};
use super::keys;
use super::post::{publish, reserve};
use super::queue::Queue;
use super::queue_ref::QueueRef;
use super::sharing::Sharing;
use super::wqe::{self, Ask};

/// An atomic that the NIC performs itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Native(NativeAtomic);

impl Native {
    /// Returns the number of blocks to reserve. An entry of two blocks is followed by a third block, which requests the
    /// completion.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn blocks(self) -> u32 {
        if self.0.masks.is_some() { 3 } else { 1 }
    }

    /// Returns the lanes that post together: those with atomics of the same number of blocks, since the threads of one
    /// call may have different operations. Queues are further apart than entries are long.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn lanes<S: Sharing>(self, queue: Queue<S>) -> Lanes {
        Lanes::with(queue.key() + self.blocks() as u64)
    }

    /// Writes the entry at `index`, and after an entry of two blocks the one that requests its completion.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn write<S: Sharing>(
        self,
        state: &WorldState,
        queue: Queue<S>,
        index: u64,
        at: SymAddr,
        result: Segment,
        signal: bool,
    ) {
        let peer = keys::remote(state, queue, at);
        let NativeAtomic { opmod, opcode, operands, masks, .. } = self.0;
        let ask = Ask { opmod, opcode, ds: if masks.is_some() { 5 } else { 4 }, fence: 0 };
        wqe::head(queue, index, ask, signal && masks.is_none());
        wqe::part(queue, index, 1, raddr(peer.at, peer.key));
        wqe::part(queue, index, 2, operands);
        match masks {
            None => wqe::part(queue, index, 3, result),
            Some(masks) => {
                wqe::part(queue, index, 3, masks);
                wqe::part(queue, index, 4, result);
                wqe::nop(queue, index + 2, signal);
            }
        }
    }
}

/// Returns the NIC's native form of `op`, if it has one.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn native<S: Sharing>(
    queue: Queue<S>,
    op: AmoOp,
    of: AmoType,
    operand: u64,
    compare: u64,
) -> Option<Native> {
    match of {
        AmoType::B64 => NativeAtomic::of_64(op, operand, compare, || queue.has(flags::MASKED_64)).map(Native),
        AmoType::B32 if queue.has(flags::MASKED_32) => {
            Some(Native(NativeAtomic::of_32(op, operand as u32, compare as u32)))
        }
        _ => None,
    }
}

/// Applies an atomic without a result and does not wait for it. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn amo<S: Sharing>(
    queue: QueueRef<S>,
    at: SymAddr,
    op: AmoOp,
    of: AmoType,
    operand: u64,
) -> Result<(), Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: QueueRef<S>, at: u64, op: AmoOp, of: AmoType, operand: u64) -> u64 {
        let queue = queue.open();
        Failed::encode(post(queue.world(), queue, SymAddr::new(at), op, of, operand).map(|()| 0))
    }
    Failed::decode(call(queue, at.offset(), op, of, operand)).map(drop)
}

/// Applies an atomic and returns the word's previous bits. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn amo_fetch<S: Sharing>(
    queue: QueueRef<S>,
    at: SymAddr,
    op: AmoOp,
    of: AmoType,
    operand: u64,
    compare: u64,
) -> Result<u64, Failed> {
    #[inline(never)]
    fn call<S: Sharing>(
        queue: QueueRef<S>,
        at: u64,
        op: AmoOp,
        of: AmoType,
        operand: u64,
        compare: u64,
    ) -> WordOrFailed {
        let queue = queue.open();
        WordOrFailed::encode(apply(queue.world(), queue, SymAddr::new(at), op, of, operand, compare))
    }
    call(queue, at.offset(), op, of, operand, compare).decode()
}

/// Performs a compare-and-swap of 8 bytes, which every NIC has, and returns the word's previous bits. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn swap<S: Sharing>(queue: QueueRef<S>, at: SymAddr, compare: u64, swap: u64) -> Result<u64, Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: QueueRef<S>, at: u64, compare: u64, swap: u64) -> WordOrFailed {
        let queue = queue.open();
        let native = Native(NativeAtomic::compare_swap(compare, swap));
        WordOrFailed::encode(fetch_native(queue.world(), queue, SymAddr::new(at), native))
    }
    call(queue, at.offset(), compare, swap).decode()
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn post<S: Sharing>(
    state: &WorldState,
    queue: Queue<S>,
    at: SymAddr,
    op: AmoOp,
    of: AmoType,
    operand: u64,
) -> Result<(), Failed> {
    let Some(native) = native(queue, op, of, operand, 0) else {
        return by_swaps(queue, at, op, of, operand, 0).map(drop);
    };
    let lanes = native.lanes(queue);
    let reserved = reserve(queue, lanes, native.blocks())?;
    native.write(state, queue, reserved.own, at, fetch::nowhere(queue, native.0.bytes), reserved.signals(queue, lanes));
    publish(queue, lanes, reserved);
    queue.count_bytes(native.0.bytes as u64);
    Ok(())
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn apply<S: Sharing>(
    state: &WorldState,
    queue: Queue<S>,
    at: SymAddr,
    op: AmoOp,
    of: AmoType,
    operand: u64,
    compare: u64,
) -> Result<u64, Failed> {
    match native(queue, op, of, operand, compare) {
        Some(native) => fetch_native(state, queue, at, native),
        None => by_swaps(queue, at, op, of, operand, compare),
    }
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fetch_native<S: Sharing>(state: &WorldState, queue: Queue<S>, at: SymAddr, native: Native) -> Result<u64, Failed> {
    let dumps = queue.has(flags::DUMP);
    let lanes = native.lanes(queue);
    let blocks = native.blocks() + dumps as u32;
    let reserved = reserve(queue, lanes, blocks)?;
    let slot = Slot::take(state, queue, reserved.own);
    let signals = reserved.signals(queue, lanes);
    match slot {
        Some(slot) => {
            native.write(state, queue, reserved.own, at, slot.segment(native.0.bytes), signals && !dumps);
            if dumps {
                fetch::dump_slot(queue, reserved.own + native.blocks() as u64, slot, signals);
            }
        }
        None => wqe::nops(queue, reserved.own, blocks as u64, signals),
    }
    publish(queue, lanes, reserved);
    let Some(slot) = slot else { return Err(Failed) };
    queue.count_bytes(native.0.bytes as u64);
    let ended = done::wait(queue.queue_ref(), reserved.end);
    let value = slot.value();
    slot.give_back();
    // A 4-byte result arrives in network byte order, an 8-byte result in host byte order.
    ended.map(|()| if native.0.bytes == 4 { (value as u32).swap_bytes() as u64 } else { value })
}

/// Applies an atomic that the NIC lacks, by compare-and-swap of the 8 bytes around the word. A round fails only if
/// another thread's round has succeeded.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn by_swaps<S: Sharing>(
    queue: Queue<S>,
    at: SymAddr,
    op: AmoOp,
    of: AmoType,
    operand: u64,
    compare: u64,
) -> Result<u64, Failed> {
    let whole = SymAddr::new(at.offset() & !7);
    let (shift, mask) = match of {
        AmoType::B64 | AmoType::F64 => (0, u64::MAX),
        AmoType::B32 | AmoType::F32 => (8 * (at.offset() & 4), u32::MAX as u64),
        AmoType::F16 => (8 * (at.offset() & 6), u16::MAX as u64),
    };
    let mut seen = swap(queue.queue_ref(), whole, 0, 0)?;
    loop {
        let old = seen >> shift & mask;
        let new = match op {
            AmoOp::Fetch => return Ok(old),
            AmoOp::CompareSwap if old != compare & mask => return Ok(old),
            AmoOp::Set | AmoOp::CompareSwap => operand,
            AmoOp::And => old & operand,
            AmoOp::Or => old | operand,
            AmoOp::Xor => old ^ operand,
            AmoOp::Add => sum(of, old, operand),
        };
        let next = seen & !(mask << shift) | (new & mask) << shift;
        let found = swap(queue.queue_ref(), whole, seen, next)?;
        if found == seen {
            return Ok(old);
        }
        seen = found;
    }
}

/// Returns the sum of two values of the type, as bits.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn sum(of: AmoType, a: u64, b: u64) -> u64 {
    match of {
        AmoType::B32 | AmoType::B64 => a.wrapping_add(b),
        AmoType::F16 => {
            let (a, b) = (F16::from_bits(a as u16), F16::from_bits(b as u16));
            F16::from_f32(a.to_f32() + b.to_f32()).to_bits() as u64
        }
        AmoType::F32 => (f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits() as u64,
        AmoType::F64 => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
    }
}
