//! Puts from and gets to memory of this PE that is neither in the symmetric heap nor registered: a thread's stack, its
//! block's shared memory, memory of the program.
//!
//! No request names such memory. The thread itself copies it, into requests and out of landings, so that nothing accesses
//! it after the call, however the call ends.

use oxshmem_core::SymAddr;
use oxshmem_raw::gpu::{order, ptx};
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::{Failed, Signal, Transfer};

use super::queue::{Queue, QueueRef};
use super::{reply, ring};
use crate::request::{INLINE_BYTES, Kind, head, signal_flag};
use crate::state::LANDING_BYTES;

/// Performs a transfer. When it returns, a get is complete and a put's source may be written again.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn transfer(queue: Queue, what: Transfer, signal: Option<Signal>) -> Result<u64, Failed> {
    let Transfer { is_put, mut remote, mut local, mut bytes } = what;
    while bytes > 0 {
        // A landing's data are of one extent of the peer's, because extents are aligned to more than a landing.
        let most = if is_put { INLINE_BYTES } else { LANDING_BYTES - (remote.offset() & (LANDING_BYTES - 1)) };
        let piece = if bytes < most { bytes } else { most };
        if is_put {
            let (behind, word, value) = match signal {
                Some(signal) if piece == bytes => (signal_flag(signal.op), signal.word.offset(), signal.value),
                _ => (0, 0, 0),
            };
            let [a, b, c, d] = gather(local, piece);
            let head = head(Kind::PutInline, piece as u8, behind, queue.number);
            let places = ring::reserve(queue, Lanes::alone())?;
            ring::write(queue, places.own, behind != 0, head, [remote.offset(), a, b, c, d, word, value]);
            places.ended()?;
        } else {
            get(queue.queue_ref(), remote, local, piece)?;
        }
        (remote, local, bytes) = (remote.add(piece), local + piece, bytes - piece);
    }
    Ok(0)
}

/// Gets up to a landing's bytes. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn get(queue: QueueRef, from: SymAddr, to: u64, bytes: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call(queue: QueueRef, from: u64, to: u64, bytes: u64) -> u64 {
        let queue = queue.open();
        let copy = |index| {
            order::reply_before_data();
            let (landing, mut at) = (queue.landing(index), 0);
            while at < bytes {
                let piece = if bytes - at < 8 { bytes - at } else { 8 };
                scatter(to + at, load(landing + at, piece), piece);
                at += piece;
            }
        };
        Failed::encode(reply::ask(queue, Kind::Get, 0, [from, 0, bytes, 0, 0, 0, 0], copy).map(|_| 0))
    }
    Failed::decode(call(queue, from.offset(), to, bytes)).map(drop)
}

/// Reads up to 32 bytes of this PE's memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn gather(local: u64, bytes: u64) -> [u64; 4] {
    let part = |at: u64| if at < bytes { load(local + at, if bytes - at < 8 { bytes - at } else { 8 }) } else { 0 };
    [part(0), part(8), part(16), part(24)]
}

/// Stores the low `bytes` bytes of `bits`, at most 8, at an address of this PE.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn scatter(to: u64, bits: u64, bytes: u64) {
    // SAFETY: the caller of the operation promises that the destination is writable for `bytes` bytes; wide stores are
    // aligned.
    unsafe {
        if bytes == 8 && to & 7 == 0 {
            return ptx::st_weak_u64(to as *mut u64, bits);
        }
        let mut at = 0;
        while at < bytes {
            ptx::st_weak_u8((to + at) as *mut u8, (bits >> (8 * at)) as u8);
            at += 1;
        }
    }
}

/// Reads up to 8 bytes of this PE's memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn load(from: u64, bytes: u64) -> u64 {
    // SAFETY: the caller of the operation promises that the source is readable for `bytes` bytes; wide loads are
    // aligned.
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
