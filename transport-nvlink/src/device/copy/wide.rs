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

/// Number of threads that keep the link busy with one load each, if each makes a small copy of its own. Each then stores a
/// unit as it arrives instead of loading more first.
const MANY: u32 = 512;

/// Copies as [`copy`] does, with `N` loads in flight: 2, 4 or 8.
///
/// # Safety
/// As [`copy`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn rounds<const N: usize, G: Group>(group: G, to: *mut u8, from: *const u8, count: usize, whose: From) {
    let (rank, size) = place(group);
    let step = size * UNIT;
    let (mut at, end) = (rank * UNIT, count * UNIT);
    let early = G::SCOPE == Scope::Thread && whose == From::Own && count <= 4 && Block.size() >= MANY;
    // SAFETY: **readable**, **writable**: every offset below is a multiple of the unit and less than `end`, so each
    // unit lies in both ranges and is aligned, which is **mapped**.
    unsafe {
        if early {
            while at < end {
                ptx::st_weak_v2(to.add(at).cast(), load(from.add(at), whose));
                at += step;
            }
            return;
        }
        // Pointers that move: with offsets from fixed ones, a large put by few blocks is 5 % slower.
        let (mut to_now, mut from_now) = (to.wrapping_add(at), from.wrapping_add(at));
        while at + (N - 1) * step < end {
            batch::<N>(to_now, from_now, step, whose);
            at += N * step;
            (to_now, from_now) = (to_now.wrapping_add(N * step), from_now.wrapping_add(N * step));
        }
        if N > 4 && at + 3 * step < end {
            batch::<4>(to.add(at), from.add(at), step, whose);
            at += 4 * step;
        }
        // At most three units are left. A thread with none of them (most threads of a large block in a small copy) is
        // done after one comparison. Again no store precedes a load; a warp's put is faster with the stores in this order.
        if at < end {
            let (second, third) = (at + step < end, at + 2 * step < end);
            let mut held = [V2::default(); 3];
            held[0] = load(from.add(at), whose);
            if second {
                held[1] = load(from.add(at + step), whose);
            }
            if third {
                held[2] = load(from.add(at + 2 * step), whose);
            }
            if third {
                ptx::st_weak_v2(to.add(at + 2 * step).cast(), held[2]);
            }
            if second {
                ptx::st_weak_v2(to.add(at + step).cast(), held[1]);
            }
            ptx::st_weak_v2(to.add(at).cast(), held[0]);
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
