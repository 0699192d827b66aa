//! Copies of whole 16-byte units between ends aligned to 16 bytes.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::group::Block;
use oxshmem_raw::gpu::ptx::{self, V2};

use super::unit::{each, load};
use super::{From, UNIT, ahead, place};

/// Loads that a thread has in flight before its first store, where it reads a peer's memory. A block of 1024 threads then
/// has 128 KiB in flight, which at the latency of NVLink (about 1.3 us) is more than one SM can take (50 GB/s).
const OF_PEER: usize = 8;

/// The same for a thread that copies own memory by itself or in a warp.
const OF_FEW: usize = if From::Own.has_few_registers() { 2 } else { 8 };

/// The same for a thread of a block that reads its own GPU's memory. The latency is lower, so four are enough and cost a
/// kernel fewer registers.
const OF_BLOCK: usize = 4;

/// Copies `count` units; neighbouring threads take neighbouring units.
///
/// # Safety
/// As [`copy`](super::copy), for `count` units, and both ends are aligned to the unit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, count: usize, whose: From) {
    // SAFETY: **readable**, **writable**: the same units at the same alignment, passed on; each is **mapped**.
    unsafe {
        match (G::SCOPE, whose) {
            (_, From::Peer) => rounds::<OF_PEER, G>(group, to, from, count, whose),
            (Scope::Block, From::Own) => rounds::<OF_BLOCK, G>(group, to, from, count, whose),
            (_, From::Own) => {
                let done = if ahead::serves(group, count) { ahead::copy(group, to, from, count) } else { 0 };
                rounds::<OF_FEW, G>(group, to.add(done * UNIT), from.add(done * UNIT), count - done, whose)
            }
        }
    }
}

/// Number of threads that keep the link busy with one load each. Such a block stores each unit as it arrives instead of
/// loading more first.
const MANY: usize = 512;

/// Copies as [`copy`] does, with `N` loads in flight: 2, 4 or 8.
///
/// # Safety
/// As [`copy`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn rounds<const N: usize, G: Group>(group: G, to: *mut u8, from: *const u8, count: usize, whose: From) {
    let (rank, size) = place(group);
    let step = size * UNIT;
    let (mut at, end) = (rank * UNIT, count * UNIT);
    // The threads of a large block with few units each, which read their own GPU's memory, store each unit as early as
    // possible, because the link is busy sooner. This also holds if each thread makes a copy of its own.
    let early = match G::SCOPE {
        Scope::Block => N == 4 && size >= MANY && count <= 4 * size,
        Scope::Thread => whose == From::Own && count <= 4 && Block.size() as usize >= MANY,
        Scope::Warp => false,
    };
    // SAFETY: **readable**, **writable**: every offset below is a multiple of the unit and less than `end`, so each
    // unit lies in both ranges and is aligned, which is **mapped**.
    unsafe {
        // A unit for each thread at most: the comparisons below would take as long as the copy.
        if G::SCOPE != Scope::Thread && count <= size {
            if at < end {
                ptx::st_weak_v2(to.add(at).cast(), load(from.add(at), whose));
            }
            return;
        }
        if early {
            while at < end {
                ptx::st_weak_v2(to.add(at).cast(), load(from.add(at), whose));
                at += step;
            }
            return;
        }
        while at + (N - 1) * step < end {
            batch::<N>(to.add(at), from.add(at), step, whose);
            at += N * step;
        }
        if N > 4 && at + 3 * step < end {
            batch::<4>(to.add(at), from.add(at), step, whose);
            at += 4 * step;
        }
        // At most three units are left. A thread with none of them (most threads of a large block in a small copy) is
        // done after one comparison. Again no store precedes a load.
        if at < end {
            let first = load(from.add(at), whose);
            if at + step < end {
                let second = load(from.add(at + step), whose);
                if at + 2 * step < end {
                    let third = load(from.add(at + 2 * step), whose);
                    ptx::st_weak_v2(to.add(at + 2 * step).cast(), third);
                }
                ptx::st_weak_v2(to.add(at + step).cast(), second);
            }
            ptx::st_weak_v2(to.add(at).cast(), first);
        }
    }
}

/// Copies `N` units that are `step` bytes apart.
///
/// # Safety
/// As [`copy`], for these units.
#[inline(always)]
unsafe fn batch<const N: usize>(to: *mut u8, from: *const u8, step: usize, whose: From) {
    let mut held = [V2::default(); N];
    // SAFETY: **readable**, **writable**: the same units at the same alignment, passed on; each is **mapped**.
    unsafe {
        each!(K < N, {
            held[K] = load(from.add(K * step), whose);
        });
        each!(K < N, {
            ptx::st_weak_v2(to.add(K * step).cast(), held[K]);
        });
    }
}
