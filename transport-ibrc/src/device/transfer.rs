//! Puts, gets and signals, as requests.

use oxshmem_core::{Completion, Fault, Group, SignalOp, SymAddr};
use oxshmem_raw::lanes::Lanes;
use oxshmem_raw::ptx;

use super::queue::{Place, Queue};
use super::{calls, done, ring};
use crate::request::{INLINE_BYTES, Kind, head, signal_flag};

/// What a transfer does, and with which memory of this PE.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    /// To the peer, not from it.
    pub(super) is_put: bool,
    /// The place in the peer's heap.
    pub(super) remote: SymAddr,
    /// The address here.
    pub(super) local: u64,
    /// How much.
    pub(super) bytes: u64,
}

/// What stands behind the data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal {
    /// The word in the peer's heap.
    pub(super) word: SymAddr,
    /// What becomes of it.
    pub(super) op: SignalOp,
    /// The operand.
    pub(super) value: u64,
}

/// Puts or gets, with a group whose leader asks; threads for themselves ask together with those of their warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn by_group<G: Group>(
    queue: Place,
    group: G,
    what: Transfer,
    signal: Option<Signal>,
    when: Completion,
) -> Result<(), Fault> {
    if what.bytes == 0 && signal.is_none() {
        return Ok(());
    }
    // What the others of the group wrote is the leader's to send.
    group.sync();
    let mut ended = Ok(());
    if group.leads() {
        ended = calls::transfer(queue, G::SCOPE, what, signal, when).map(drop);
    }
    match when {
        Completion::Blocking => agree(queue, group, ended),
        Completion::Nonblocking => ended,
    }
}

/// The group meets; if one thread failed, all do.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn agree<G: Group>(queue: Place, group: G, ended: Result<(), Fault>) -> Result<(), Fault> {
    match (group.any(ended.is_err()), ended) {
        (true, Ok(())) => Err(done::reason(queue)),
        (_, ended) => ended,
    }
}

/// One request. Gives the index to wait for until the call may return: 0 if nothing is to be waited for.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn post(queue: Queue, by_threads: bool, what: Transfer, signal: Option<Signal>) -> Result<u64, Fault> {
    let Transfer { is_put, remote, local, bytes } = what;
    let lanes = if by_threads { Lanes::with(queue.key()) } else { Lanes::alone() };
    let (behind, word, value) = match signal {
        None => (0, 0, 0),
        Some(signal) => (signal_flag(signal.op), signal.word.offset(), signal.value),
    };
    let travels = is_put && bytes <= INLINE_BYTES;
    let index = ring::reserve(queue, lanes)?;
    if travels {
        let [a, b, c, d] = gather(local, bytes);
        let head = head(Kind::PutInline, bytes as u8, behind, queue.number);
        ring::write(queue, index, signal.is_some(), head, [remote.offset(), a, b, c, d, word, value]);
        return Ok(0);
    }
    let head = head(if is_put { Kind::Put } else { Kind::Get }, 0, behind, queue.number);
    ring::write(queue, index, true, head, [remote.offset(), local, bytes, 0, 0, word, value]);
    Ok(index + 1)
}

/// Writes one element, given as bits.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn word(queue: Queue, to: SymAddr, bytes: u32, bits: u64) -> Result<(), Fault> {
    let index = ring::reserve(queue, Lanes::with(queue.key()))?;
    let head = head(Kind::PutInline, bytes as u8, 0, queue.number);
    ring::write(queue, index, false, head, [to.offset(), bits, 0, 0, 0, 0, 0]);
    Ok(())
}

/// A request without data and without an answer.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn plain(queue: Queue, kind: Kind, detail: u8, flags: u8, rest: [u64; 7]) -> Result<(), Fault> {
    let index = ring::reserve(queue, Lanes::with(queue.key()))?;
    ring::write(queue, index, matches!(kind, Kind::Signal), head(kind, detail, flags, queue.number), rest);
    Ok(())
}

/// Up to 32 bytes of this PE's memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn gather(local: u64, bytes: u64) -> [u64; 4] {
    let part = |at: u64| if at < bytes { load(local + at, if bytes - at < 8 { bytes - at } else { 8 }) } else { 0 };
    [part(0), part(8), part(16), part(24)]
}

/// Up to 8 bytes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn load(from: u64, bytes: u64) -> u64 {
    // SAFETY: the caller of the operation vouches for its source.
    unsafe {
        if bytes == 8 && from & 7 == 0 {
            return ptx::ld_weak_u64(from as *const u64);
        }
        if bytes == 4 && from & 3 == 0 {
            return ptx::ld_weak_u32(from as *const u32) as u64;
        }
        let (mut word, mut at) = (0, 0);
        while at < bytes {
            word |= (ptx::ld_weak_u8((from + at) as *const u8) as u64) << (8 * at);
            at += 1;
        }
        word
    }
}
