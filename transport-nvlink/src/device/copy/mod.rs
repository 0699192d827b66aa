//! Copies by a group of threads, at any alignment, by accesses of 16 bytes wherever there are so many.

mod bulk;
mod edge;
mod shift;
#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests;
mod wide;

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::ptx;

pub use bulk::Lent;

/// Whose memory the source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The calling PE's: what this thread may read is what it has.
    Own,
    /// A peer's: a load must not be served by a line that this GPU cached before the peer wrote. With it a word of the
    /// own GPU's memory that may be read at any time.
    Peer(*const u32),
}

/// Bytes of the widest access.
const UNIT: usize = size_of::<ptx::V2>();

/// From so many bytes on, ends that differ in alignment are copied by shifted wide accesses. It leaves at least
/// one unit between the edges, which have up to 31 bytes each.
const SHIFT_FROM: usize = 96;

/// Copies `bytes` from `from` to `to` with the threads of `group`, or through memory that is lent to it. Behind it
/// each thread knows of its own part only.
///
/// No element is ever seen in part: where both ends and the length are multiples of 2, 4 or 8 bytes, each
/// such piece is read by one load and written by one store.
///
/// # Safety
///
/// - **readable**, **writable**: `bytes` bytes at `from` and at `to` are mapped so.
/// - **apart**: the two don't overlap.
/// - **alone**: nobody else uses what is lent until the group has met behind this; all its threads name the same.
/// - **near**: the word that comes with a peer is in the own GPU's global memory, aligned and readable.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From, lent: Lent) {
    // How far the two are apart in alignment decides whether one access fits both.
    let skew = (to as usize ^ from as usize) & (UNIT - 1);
    // In a small copy most threads of a large block have nothing to do: they are through at once, whole warps of them.
    // What is no unit has less pieces than SHIFT_FROM; units are dealt out from the first thread on. (Not where the
    // group meets within the copy: where memory is lent, and where shifted units come from a peer.)
    let meets = lent != Lent::NONE || (skew != 0 && whose != From::Own);
    if !meets && G::SCOPE == Scope::Block {
        let rank = group.rank() as usize & !(ptx::WARP_SIZE as usize - 1);
        if rank >= SHIFT_FROM && rank * UNIT >= bytes {
            return;
        }
    }
    // SAFETY: **readable**, **writable** and **apart** are handed on as they are.
    unsafe {
        if skew == 0 && bytes >= UNIT {
            aligned(group, to, from, bytes, whose, lent)
        } else if bytes < SHIFT_FROM {
            edge::edge(group, to, from, bytes, whose)
        } else {
            shifted(group, to, from, bytes, whose)
        }
    }
}

/// Bytes up to the first whole unit, whole units, bytes behind the last.
///
/// # Safety
/// As [`copy`]; `to` and `from` are alike modulo the unit, and `bytes` is at least a unit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn aligned<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From, lent: Lent) {
    let head = (to as usize).wrapping_neg() & (UNIT - 1);
    let units = (bytes - head) / UNIT;
    let tail = head + units * UNIT;
    // SAFETY: the three ranges lie inside `bytes`, and the middle one begins on a unit's boundary at both ends.
    unsafe {
        if head != 0 {
            edge::edge(group, to, from, head, whose);
        }
        if lent.serves(group, units * UNIT) && ptx::is_global(to) && ptx::is_global(from) {
            bulk::copy(group, to.add(head), from.add(head), units * UNIT, lent);
        } else {
            wide::copy(group, to.add(head), from.add(head), units, whose);
        }
        if tail != bytes {
            edge::edge(group, to.add(tail), from.add(tail), bytes - tail, whose);
        }
    }
}

/// The same for ends that differ modulo the unit: whole units of the destination, each shifted together from the
/// two units of the source that it touches, which all lie inside the source.
///
/// # Safety
/// As [`copy`]; `to` and `from` differ modulo the unit, and `bytes` is at least [`SHIFT_FROM`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn shifted<G: Group>(group: G, to: *mut u8, from: *const u8, bytes: usize, whose: From) {
    let mut head = (to as usize).wrapping_neg() & (UNIT - 1);
    // The first unit of the source that is read begins at or behind its first byte.
    if (from as usize + head) & (UNIT - 1) > head {
        head += UNIT;
    }
    let off = (from as usize + head) & (UNIT - 1);
    // The last one that is read ends at or before its last byte: it begins `off` bytes before the last unit
    // written, and a unit on.
    let units = (bytes - head - (UNIT - off)) / UNIT;
    let tail = head + units * UNIT;
    // SAFETY: the three ranges lie inside `bytes`; the middle one of `to` begins on a unit's boundary, and
    // `units` + 1 units from `from + head - off` on lie inside the source: they begin at `head - off` >= 0 and
    // end at `head + units * UNIT + UNIT - off` <= `bytes`.
    unsafe {
        if head != 0 {
            edge::edge(group, to, from, head, whose);
        }
        shift::copy(group, to.add(head), from.add(head - off), off as u32, units, whose);
        if tail != bytes {
            edge::edge(group, to.add(tail), from.add(tail), bytes - tail, whose);
        }
    }
}

/// This thread's number in the group, and how many threads that has.
#[inline(always)]
fn place<G: Group>(group: G) -> (usize, usize) {
    match G::SCOPE {
        Scope::Thread => (0, 1),
        // A copy in a kernel's loop must not have the multiples of these, for each width, in registers all along.
        Scope::Warp | Scope::Block => (ptx::opaque_u32(group.rank()) as usize, ptx::opaque_u32(group.size()) as usize),
    }
}
