//! Copies by a group of threads, at any alignment, by 16-byte accesses wherever the range has 16 bytes.

mod ahead;
mod bulk;
mod edge;
mod shift;
#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests;
mod unit;
mod wide;
mod words;

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::ptx;

pub use bulk::Lent;
pub use wide::copy as copy_units;

/// The owner of the source's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The calling PE. Plain loads read the current value.
    Own,
    /// A peer. A load must not be served from a line that this GPU cached before the peer wrote.
    Peer,
}

impl From {
    /// Returns whether a copy has few registers: a put of the library of functions for CUDA C++. A kernel has at least the
    /// registers of each function that it calls, and values beyond a function's registers are on the stack.
    const fn has_few_registers(self) -> bool {
        cfg!(oxshmem_library) && matches!(self, Self::Own)
    }
}

/// Bytes of the widest access.
const UNIT: usize = size_of::<ptx::V2>();

/// Bytes of a line of a GPU's caches.
const LINE: usize = 128;

/// Maximum pieces of both edges: 46 around whole units, and 112 up to a line. Rounded up to a warp.
const EDGE_PIECES: usize = 160;

/// Minimum bytes of a copy by shifted wide accesses, which serve ends that differ in alignment. At least one unit
/// remains between the edges, which have up to 31 bytes each.
const SHIFT_FROM: usize = 96;

/// Copies `bytes` bytes from `from` to `to` with the threads of `group`, or through memory lent to the group. On
/// return, each thread's own part alone is certain to be done.
///
/// No element is ever seen in part: where both ends and the length are multiples of 2, 4 or 8 bytes, each such piece is
/// read by one load and written by one store.
///
/// # Safety
///
/// - **readable**, **writable**: `bytes` bytes at `from` are mapped for reading, and `bytes` bytes at `to` for writing.
/// - **apart**: the two ranges don't overlap.
/// - **alone**: no other code uses the lent memory until the group has met after this call; all threads of the group
///   pass the same `lent`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From, lent: Lent) {
    // One wide access fits both ends only if they are alike modulo the unit.
    let skew = (to as usize ^ from as usize) & (UNIT - 1);
    // In a small copy most threads of a large block have nothing to do, so whole warps return at once. The edges have
    // fewer than EDGE_PIECES pieces, and units are dealt out from the first thread on, so a warp above both bounds has
    // no work. With lent memory all warps stay, because the group meets within the copy. They also stay for a get
    // between ends that are not alike, because its words are dealt out by other rules.
    if lent == Lent::NONE && (skew == 0 || whose == From::Own) && G::SCOPE == Scope::Block {
        let rank = group.rank() as usize & !(ptx::WARP_SIZE as usize - 1);
        if rank >= EDGE_PIECES && rank * UNIT >= bytes {
            return;
        }
    }
    // Most of the time of a copy of a word for each thread of a warp is that of the instructions before its store, so it
    // is decided next. A thread by itself copies a unit by one access as well.
    // SAFETY: **readable**, **writable**, **apart**: the caller's.
    if (G::SCOPE != Scope::Thread || bytes < UNIT) && unsafe { words::one_each(group, to, from, bytes, whose) } {
        return;
    }
    // The same holds for a unit for each thread.
    // SAFETY: **readable**, **writable**: the caller's.
    if unsafe { unit::one_each(group, to, from, bytes, whose) } {
        return;
    }
    // SAFETY: **readable**, **writable**, **apart** and **alone**: the caller's, for the same ranges; the branch
    // establishes the alignment and the size that each function requires.
    unsafe {
        if skew == 0 && bytes >= UNIT {
            aligned(group, to, from, bytes, whose, lent)
        } else if bytes < SHIFT_FROM {
            edge::edges(group, to, from, [bytes, bytes, bytes], whose)
        } else if !words::copied(group, to, from, bytes, whose) {
            shifted(group, to, from, bytes, whose)
        }
    }
}

/// Copies the bytes before the first whole unit, the whole units, and the bytes after the last one.
///
/// # Safety
/// As [`copy`]; `to` and `from` are alike modulo the unit, and `bytes` is at least a unit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn aligned<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From, lent: Lent) {
    let head = (to as usize).wrapping_neg() & (UNIT - 1);
    let units = (bytes - head) / UNIT;
    let tail = head + units * UNIT;
    // SAFETY: **readable**, **writable**, **apart**: the three ranges lie inside `bytes`, and the middle one begins on
    // a unit's boundary at both ends. **lent**, **aligned**: by the caller's **alone**, `serves` and `is_global`.
    unsafe {
        if lent.serves(group, units * UNIT) && ptx::is_global(to) && ptx::is_global(from) {
            bulk::copy(group, to.add(head), from.add(head), units * UNIT, lent);
        } else {
            wide::copy(group, to.add(head), from.add(head), units, whose);
        }
        if tail - head != bytes {
            edge::edges(group, to, from, [head, tail, bytes], whose);
        }
    }
}

/// Does the same for ends that differ modulo the unit. Each whole unit of the destination is shifted together from the
/// two units of the source that it touches, which both lie inside the source.
///
/// # Safety
/// As [`copy`]; `to` and `from` differ modulo the unit, and `bytes` is at least [`SHIFT_FROM`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn shifted<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let mut head = (to as usize).wrapping_neg() & (UNIT - 1);
    // The first unit read from the source must not begin before the source's first byte.
    if (from as usize + head) & (UNIT - 1) > head {
        head += UNIT;
    }
    // A large put writes whole lines of the peer's memory, and a large get reads whole lines.
    if G::SCOPE != Scope::Thread && bytes >= 16 * LINE {
        let at_peer = if whose == From::Own { to as usize + head } else { (from as usize + head) & !(UNIT - 1) };
        head += at_peer.wrapping_neg() & (LINE - 1);
    }
    let off = (from as usize + head) & (UNIT - 1);
    // The last unit read from the source must not end after the source's last byte: it begins one unit after the point
    // `off` bytes before the source of the last unit written.
    let units = (bytes - head - (UNIT - off)) / UNIT;
    let tail = head + units * UNIT;
    // SAFETY: **readable**, **writable**, **apart**: the three ranges lie inside `bytes`. The middle range of `to`
    // begins on a unit's boundary. The `units` + 1 units of `from`, from `head - off` on, lie inside the source: they
    // begin at `head - off` >= 0 and end at `head + units * UNIT + UNIT - off` <= `bytes`.
    unsafe {
        // The edges of a get take a round trip, which is over before that of the units if it begins before it.
        if whose == From::Peer {
            edge::edges(group, to, from, [head, tail, bytes], whose);
        }
        shift::copy(group, to.add(head), from.add(head - off), off as u32, units, whose);
        if whose == From::Own {
            edge::edges(group, to, from, [head, tail, bytes], whose);
        }
    }
}

/// Returns this thread's number in the group, and the group's number of threads.
#[inline(always)]
fn place<G: Group>(group: G) -> (usize, usize) {
    match G::SCOPE {
        Scope::Thread => (0, 1),
        // Opaque values: otherwise the compiler keeps their multiples for each width in registers throughout a kernel's
        // loop.
        Scope::Warp | Scope::Block => (ptx::opaque_u32(group.rank()) as usize, ptx::opaque_u32(group.size()) as usize),
    }
}
