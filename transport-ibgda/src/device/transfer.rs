//! Puts and gets: writes and reads between a peer's heap and this PE's memory.

use crate::state::flags;
use oxshmem_core::{Completion, Scope, SymAddr, Width};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::{Failed, Transfer};
use oxshmem_raw::state::WorldState;
use oxshmem_rdma::mlx5::{data, inline_head, inline_word, opcode, raddr};

use super::keys::{self, Keyed};
use super::post::{publish, reserve, together};
use super::queue::Queue;
use super::queue_ref::QueueRef;
use super::sharing::Sharing;
use super::wqe::{self, Ask};
use super::{done, fetch};

/// Maximum bytes of inline data in an entry of one block.
pub(super) const INLINE_BYTES: u64 = 28;

/// Inline bytes in the first data unit of an entry, after the header of 4 bytes.
const FIRST_INLINE_BYTES: u64 = 12;

/// Writes one element, given as bits. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn write_word<S: Sharing>(queue: QueueRef<S>, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: QueueRef<S>, to: u64, bytes: u32, bits: u64) -> u64 {
        let queue = queue.open();
        Failed::encode(write_element(queue.world(), queue, SymAddr::new(to), bytes, bits).map(|()| 0))
    }
    Failed::decode(call(queue, to.offset(), width.bytes() as u32, bits)).map(drop)
}

/// Writes one element, given as bits. Lanes whose elements lie side by side send them in one entry.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn write_element<S: Sharing>(
    state: &WorldState,
    queue: Queue<S>,
    to: SymAddr,
    bytes: u32,
    bits: u64,
) -> Result<(), Failed> {
    // A separate copy of the code, from which the compiler removes the cooperation of lanes.
    if ptx::is_only_lane() {
        return write_lane(state, queue, Lanes::alone(), to, bytes, bits);
    }
    // Queues are further apart than elements are wide, so the sum is unique to queue and width.
    let lanes = Lanes::with(queue.key() + bytes as u64);
    if lanes.count > 1 && bytes >= 4 && lanes.in_a_row(to.offset(), bytes) {
        let peer = keys::remote(state, queue, to);
        if lanes.leaders(peer.bytes) >= bytes as u64 * lanes.count as u64 {
            return write_row(queue, lanes, peer, bytes, bits);
        }
    }
    write_lane(state, queue, lanes, to, bytes, bits)
}

/// Writes each lane's element by an entry of its own.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn write_lane<S: Sharing>(
    state: &WorldState,
    queue: Queue<S>,
    lanes: Lanes,
    to: SymAddr,
    bytes: u32,
    bits: u64,
) -> Result<(), Failed> {
    // Reserves first, so that the atomic is issued before the constants must be loaded.
    let reserved = reserve(queue, lanes, 1)?;
    let peer = keys::remote(state, queue, to);
    wqe::head(queue, reserved.own, Ask::plain(opcode::RDMA_WRITE, 3), reserved.signals(queue, lanes));
    wqe::part(queue, reserved.own, 1, raddr(peer.at, peer.key));
    wqe::part(queue, reserved.own, 2, inline_word(bytes, bits));
    publish(queue, lanes, reserved);
    // Counted after the doorbell, because the doorbell's fences would otherwise wait for the count.
    if lanes.leads() {
        queue.count_bytes(bytes as u64 * lanes.count as u64);
    }
    Ok(())
}

/// Writes the lanes' adjacent elements of 4 or 8 bytes by one entry. Each lane stores its own element in the entry.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn write_row<S: Sharing>(queue: Queue<S>, lanes: Lanes, peer: Keyed, bytes: u32, bits: u64) -> Result<(), Failed> {
    let all = bytes * lanes.count;
    // Control and address segments, then the data after a header of 4 bytes.
    let ds = 2 + (4 + all).div_ceil(16);
    let blocks = ds.div_ceil(4) as u64;
    // An entry of several blocks can't request its completion: an empty entry after it does.
    let closes = (blocks > 1) as u64;
    let reserved = together(queue, lanes, blocks + closes)?;
    let first = reserved.first;
    if lanes.leads() {
        wqe::head(queue, first, Ask::plain(opcode::RDMA_WRITE, ds as u8), closes == 0);
        wqe::part(queue, first, 1, raddr(peer.at, peer.key));
        wqe::word(queue, first, 32, inline_head(all, [0, 0, 0]).0 as u32);
        if closes != 0 {
            wqe::nop(queue, first + blocks, true);
        }
    }
    let at = 36 + (lanes.rank * bytes) as u64;
    wqe::word(queue, first, at, bits as u32);
    if bytes == 8 {
        wqe::word(queue, first, at + 4, (bits >> 32) as u32);
    }
    publish(queue, lanes, reserved);
    if lanes.leads() {
        queue.count_bytes(all as u64);
    }
    Ok(())
}

/// Posts a transfer, and waits for it if the call blocks. Returns the index to wait for. Not inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn transfer<S: Sharing>(
    queue: QueueRef<S>,
    scope: Scope,
    what: Transfer,
    when: Completion,
) -> Result<u64, Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: QueueRef<S>, how: u32, remote: u64, local: u64, bytes: u64) -> u64 {
        let queue = queue.open();
        let what = Transfer { is_put: how & 1 != 0, remote: SymAddr::new(remote), local, bytes };
        let posted = post(queue.world(), queue, how & 2 != 0, what);
        Failed::encode(match posted {
            Ok(target) if how & 4 != 0 => done::wait(queue.queue_ref(), target).map(|()| target),
            posted => posted,
        })
    }
    let Transfer { is_put, remote, local, bytes } = what;
    let how = is_put as u32 | ((scope == Scope::Thread) as u32) << 1 | ((when == Completion::Blocking) as u32) << 2;
    Failed::decode(call(queue, how, remote.offset(), local, bytes))
}

/// Posts a transfer, split where a key ends or a message would be too long. `by_threads`: other threads of the warp may
/// be posting their own. Returns the index to wait for; 0 if the source may be written again at once and no data
/// arrives.
///
/// Threads join into lanes at each post, and not earlier: sizes, keys and registrations differ from thread to thread,
/// and threads that take different branches here don't meet.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn post<S: Sharing>(state: &WorldState, queue: Queue<S>, by_threads: bool, what: Transfer) -> Result<u64, Failed> {
    let Transfer { is_put, mut remote, mut local, mut bytes } = what;
    let mut target = 0;
    while bytes > 0 {
        let peer = keys::remote(state, queue, remote);
        let fits = is_put && bytes <= INLINE_BYTES && bytes <= peer.bytes;
        let mine = if fits { None } else { keys::local(state, queue, local) };
        let piece;
        match mine {
            Some(mine) => {
                piece = least(bytes, least(least(peer.bytes, mine.bytes), keys::longest(queue)));
                target = post_piece(queue, by_threads, is_put, peer, mine, piece)?;
            }
            // Small data, and data in memory that the NIC can't reach, travels inline in entries; gets into such memory
            // go through the result slots.
            None if is_put => {
                piece = least(INLINE_BYTES, least(bytes, peer.bytes));
                write_inline(queue, by_threads, peer, local, piece)?;
            }
            None => {
                piece = least(8 - (remote.offset() & 7), bytes);
                let bits = fetch::read_bytes(queue.queue_ref(), remote, piece as u32)?;
                scatter(local, bits, piece);
            }
        }
        (remote, local, bytes) = (remote.add(piece), local + piece, bytes - piece);
    }
    Ok(target)
}

/// The kinds of pieces. Lanes that post together have the same kind, so that their entries have the same size. The kind
/// is added to the queue's address; queues are further apart than that.
const WRITE: u64 = 1;
const READ: u64 = 2;
const INLINE: u64 = 3;

/// Returns the lanes that post a piece of this kind together.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn lanes<S: Sharing>(queue: Queue<S>, by_threads: bool, way: u64) -> Lanes {
    if by_threads { Lanes::with(queue.key() + way) } else { Lanes::alone() }
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn least(a: u64, b: u64) -> u64 {
    if a < b { a } else { b }
}

/// Posts one write or read of registered memory. Returns the index to wait for.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn post_piece<S: Sharing>(
    queue: Queue<S>,
    by_threads: bool,
    is_put: bool,
    peer: Keyed,
    mine: Keyed,
    bytes: u64,
) -> Result<u64, Failed> {
    let lanes = lanes(queue, by_threads, if is_put { WRITE } else { READ });
    let dumps = !is_put && queue.has(flags::DUMP);
    let reserved = reserve(queue, lanes, 1 + dumps as u32)?;
    let op = if is_put { opcode::RDMA_WRITE } else { opcode::RDMA_READ };
    wqe::head(queue, reserved.own, Ask::plain(op, 3), reserved.signals(queue, lanes) && !dumps);
    wqe::part(queue, reserved.own, 1, raddr(peer.at, peer.key));
    wqe::part(queue, reserved.own, 2, data(bytes as u32, mine.key, mine.at));
    if dumps {
        fetch::dump(queue, reserved.own + 1, mine.key, mine.at + (bytes - 1), reserved.signals(queue, lanes));
    }
    publish(queue, lanes, reserved);
    queue.count_bytes(bytes);
    Ok(reserved.end)
}

/// Posts one write of up to [`INLINE_BYTES`] bytes, which travel in the entry. Returns the index after it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn write_inline<S: Sharing>(
    queue: Queue<S>,
    by_threads: bool,
    peer: Keyed,
    local: u64,
    bytes: u64,
) -> Result<u64, Failed> {
    let lanes = lanes(queue, by_threads, INLINE);
    let reserved = reserve(queue, lanes, 1)?;
    inline_entry(queue, reserved.own, peer, local, bytes, reserved.signals(queue, lanes));
    publish(queue, lanes, reserved);
    queue.count_bytes(bytes);
    Ok(reserved.end)
}

/// Writes the entry of an inline write. The data follows a header of 4 bytes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn inline_entry<S: Sharing>(queue: Queue<S>, index: u64, peer: Keyed, local: u64, bytes: u64, signal: bool) {
    let ds = if bytes <= FIRST_INLINE_BYTES { 3 } else { 4 };
    wqe::head(queue, index, Ask::plain(opcode::RDMA_WRITE, ds), signal);
    wqe::part(queue, index, 1, raddr(peer.at, peer.key));
    wqe::part(queue, index, 2, inline_head(bytes as u32, [0, 0, 0]));
    let to = wqe::segment_at(queue, index, 2) as u64 + 4;
    // SAFETY: the caller of the operation promises that `local` is readable. `to` is in a block reserved to this
    // thread; the entry's two data units have room for the bytes and lie in one block.
    unsafe {
        if (local | bytes) & 3 == 0 {
            let mut at = 0;
            while at < bytes {
                ptx::st_weak_u32((to + at) as *mut u32, ptx::ld_weak_u32((local + at) as *const u32));
                at += 4;
            }
        } else {
            let mut at = 0;
            while at < bytes {
                ptx::st_weak_u8((to + at) as *mut u8, ptx::ld_weak_u8((local + at) as *const u8));
                at += 1;
            }
        }
    }
}

/// Stores the low `bytes` bytes of `bits`, at most 8, at an address of this PE.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn scatter(local: u64, bits: u64, bytes: u64) {
    let mut at = 0;
    while at < bytes {
        // SAFETY: the caller of the operation promises that `local` is writable for `bytes` bytes.
        unsafe { ptx::st_weak_u8((local + at) as *mut u8, (bits >> (8 * at)) as u8) }
        at += 1;
    }
}
