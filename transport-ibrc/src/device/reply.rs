//! Requests that return a word, and their replies.
//!
//! The reply to the request in a slot of the ring arrives in the reply slot of the same number. The requesting thread
//! owns the reply slot until it has read the reply, possibly long after the ring's slot is free again. A later request
//! in that slot that needs a reply too waits until the owner has read its reply. Each word of a reply has a bit that
//! changes from use to use and shows that the word has arrived, so the two words need no order between them. The owner of
//! a reply slot also owns the landing of the same number.

use crate::state::{ENDED, Reply};
use oxshmem_core::SymAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::{Failed, WordOrFailed};

use super::queue::{Queue, QueueRef};
use super::ring::{self, Places};
use crate::request::{Kind, flags, head};

/// Polls of the reply between two checks whether the ring's progress thread is still running.
const LOOKS: u32 = 64;

/// [`ask`], not inlined: reads up to 8 bytes with [`Kind::Fetch`], applies an atomic with [`Kind::Amo`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn word(
    queue: QueueRef,
    kind: Kind,
    detail: u8,
    at: SymAddr,
    operand: u64,
    compare: u64,
) -> Result<u64, Failed> {
    #[inline(never)]
    fn call(queue: QueueRef, is_read: bool, detail: u32, at: u64, operand: u64, compare: u64) -> WordOrFailed {
        let kind = if is_read { Kind::Fetch } else { Kind::Amo };
        WordOrFailed::encode(ask(queue.open(), kind, detail as u8, [at, operand, compare, 0, 0, 0, 0], |_| ()))
    }
    call(queue, matches!(kind, Kind::Fetch), detail as u32, at.offset(), operand, compare).decode()
}

/// Reads `bytes` bytes, 1 to 8.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn read_bytes(queue: QueueRef, from: SymAddr, bytes: u32) -> Result<u64, Failed> {
    word(queue, Kind::Fetch, bytes as u8, from, 0, 0)
}

/// Requests a word and returns it: reserves a slot, writes the request and waits for the reply. `read` gets the slot's
/// index when a reply without failure has arrived, while this thread still owns the landing.
///
/// # Errors
/// The queue has stopped, the limit was reached, the host stopped this PE's kernels, or another thread has reported a
/// fault.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn ask(queue: Queue, kind: Kind, detail: u8, rest: [u64; 7], read: impl FnOnce(u64)) -> Result<u64, Failed> {
    // If the queue has stopped, the reply reports it.
    let Places { own: index, .. } = ring::reserve(queue, Lanes::with(queue.key()))?;
    let answers = queue.answers();
    let turn_word = queue.turn(answers, index);
    let Some(turn) = take(queue, turn_word, index) else {
        // The ring's slot is reserved, and the progress thread waits until it is written.
        ring::write(queue, index, false, head(Kind::Nothing, 0, 0, queue.number), [0; 7]);
        return Err(Failed);
    };
    let turn_flag = if turn == 0 { 0 } else { flags::TURN };
    // The landing may be written from then on: its last owner's reads of it are ordered before the request.
    let names = matches!(kind, Kind::Get);
    ring::write(queue, index, names, head(kind, detail, flags::ANSWER | turn_flag, queue.number), rest);
    // If this wait fails, the reply may still arrive, so the reply slot stays owned.
    let [low, high] = wait_for(queue, queue.reply(answers, index), index, turn)?;
    let failed = high & Reply::FAILED != 0;
    if !failed {
        read(index);
    }
    // SAFETY: the queue's **live** keeps its ring's words mapped, and this thread owns the slot. The release orders the
    // reads of the reply and of the landing before it.
    unsafe { ptx::st_release_gpu_u64(turn_word, uses(turn_word) + 1) }
    if failed {
        return Err(Failed);
    }
    Ok(low & !Reply::TURN | (high & 1) << 63)
}

/// Reads the ownership word of a reply slot: even if the slot is free, odd if a thread owns it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn uses(turn: *mut u64) -> u64 {
    // SAFETY: the queue's **live** keeps its ring's ownership words mapped.
    unsafe { ptx::ld_acquire_gpu_u64(turn) }
}

/// Takes the reply slot once no other thread owns it, and returns bit 63 of the reply's words. Returns `None` if
/// another thread still owns it after the limit, which is reported.
///
/// A free slot of the ring does not imply a free reply slot. It does not even imply that this thread sees the previous
/// owner's taking of the slot, because nothing orders the taking before the request. A compare-and-swap decides
/// reliably.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn take(queue: Queue, turn: *mut u64, index: u64) -> Option<u64> {
    let free = || {
        let uses = uses(turn);
        // SAFETY: the queue's **live** keeps its ring's ownership words mapped.
        let taken = uses & 1 == 0 && unsafe { ptx::atom_cas_acq_rel_gpu_u64(turn, uses, uses + 1) } == uses;
        taken.then_some(uses)
    };
    let before = match free() {
        Some(uses) => uses,
        None => queue.wait(1, free, index, || queue.queue_ref().done()).ok()?,
    };
    Some(if before & 2 == 0 { Reply::TURN } else { 0 })
}

/// Returns the words of the reply. Fails if the progress thread that would write them has ended.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn wait_for(queue: Queue, reply: *const ptx::V2, index: u64, turn: u64) -> Result<[u64; 2], Failed> {
    let mut looks = 0;
    let answer = || {
        // SAFETY: the queue's **live** keeps its ring's reply slots mapped, which the progress thread writes.
        let [low, high] = unsafe { ptx::ld_relaxed_sys_v2(reply) };
        if low & Reply::TURN == turn && high & Reply::TURN == turn {
            return Some(Some([low, high]));
        }
        looks += 1;
        // After the progress thread has ended, no reply arrives.
        if looks % LOOKS == 0 && queue.look_at_head(0) & ENDED != 0 { Some(None) } else { None }
    };
    queue.wait(1, answer, index + 1, || queue.queue_ref().done()).map_err(|_| Failed)?.ok_or(Failed)
}
