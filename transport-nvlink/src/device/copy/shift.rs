//! Whole 16-byte units of the destination, from a source with another alignment: wide loads, shifts in registers, wide
//! stores.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::ptx::{self, V2};

use super::wide::{IN_FLIGHT, each, load};
use super::{FEW_REGISTERS, From, UNIT, place};

/// Units that a thread has in flight, from its own GPU's memory and from a peer's.
const OWN: usize = if FEW_REGISTERS { 1 } else { 2 };
const PEER: usize = if FEW_REGISTERS { 1 } else { 4 };

/// Writes `count` units at `to`. Unit i is the 16 bytes from byte `off` on of the concatenated units i and i + 1 of
/// `from`.
///
/// # Safety
/// As [`copy`](super::copy): `count` units at `to` and `count` + 1 at `from` are mapped, and both are aligned to the
/// unit. `off` is 1 to 15.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, off: u32, count: usize, whose: From) {
    // SAFETY: **readable**, **writable**, **apart**: the caller's, for the same units. **word**: `near` is aligned and
    // readable.
    unsafe {
        match (G::SCOPE, whose) {
            (Scope::Thread, _) => row(to, from, off, count, whose),
            (_, From::Own) => pairs::<OWN, G>(group, to, from, off, count),
            (_, From::Peer(near)) => {
                // Each unit is loaded twice and should cross the link once: the second load comes from L1. L1's older
                // lines of the peer's memory must be dropped before. An acquire of any word of this GPU's own memory
                // drops them; plain loads then see all that an acquire at this point must see. One thread acquires for
                // all, because L1 belongs to the whole SM, and an acquire by each thread would drop lines that the
                // others are about to load again.
                if group.leads() {
                    ptx::ld_acquire_gpu_u32(near);
                }
                group.sync();
                pairs::<PEER, G>(group, to, from, off, count)
            }
        }
    }
}

/// Returns the 16 bytes from byte `off` on of `low` followed by `high`. It shifts by whole words first, then by bits:
/// one instruction selects a word, and one shifts a pair of words.
#[inline(always)]
fn funnel(low: V2, high: V2, off: u32) -> V2 {
    let half = |word: u64, upper: bool| if upper { (word >> 32) as u32 } else { word as u32 };
    let mut w = [half(low[0], false), half(low[0], true), half(low[1], false), half(low[1], true)];
    let [mut w4, mut w5] = [half(high[0], false), half(high[0], true)];
    let [w6, w7] = [half(high[1], false), half(high[1], true)];
    let pick = |yes: bool, a: u32, b: u32| if yes { a } else { b };
    let two = off & 8 != 0;
    w = [pick(two, w[2], w[0]), pick(two, w[3], w[1]), pick(two, w4, w[2]), pick(two, w5, w[3])];
    (w4, w5) = (pick(two, w6, w4), pick(two, w7, w5));
    let one = off & 4 != 0;
    w = [pick(one, w[1], w[0]), pick(one, w[2], w[1]), pick(one, w[3], w[2]), pick(one, w4, w[3])];
    w4 = pick(one, w5, w4);
    let bits = (off & 3) * 8;
    let join = |low: u32, high: u32| ptx::shf_r_wrap_b32(low, high, bits) as u64;
    [join(w[0], w[1]) | join(w[1], w[2]) << 32, join(w[2], w[3]) | join(w[3], w4) << 32]
}

/// Copies by one thread, which uses each loaded unit for two units of the destination.
///
/// # Safety
/// As [`copy`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn row(to: *mut u8, from: *const u8, off: u32, count: usize, whose: From) {
    let mut at = 0;
    // SAFETY: **writable**: unit `at + K` of `to` is one of `count`. **readable**: unit `at + K + 1` of `from` is one
    // of `count` + 1. All are aligned units, which is **mapped**.
    unsafe {
        let mut last = load(from, whose);
        while at + IN_FLIGHT <= count {
            let mut held = [V2::default(); IN_FLIGHT];
            each!(K < IN_FLIGHT, {
                held[K] = load(from.add((at + K + 1) * UNIT), whose);
            });
            each!(K < IN_FLIGHT, {
                ptx::st_weak_v2(to.add((at + K) * UNIT).cast(), funnel(last, held[K], off));
                last = held[K];
            });
            at += IN_FLIGHT;
        }
        while at < count {
            let next = load(from.add((at + 1) * UNIT), whose);
            ptx::st_weak_v2(to.add(at * UNIT).cast(), funnel(last, next, off));
            last = next;
            at += 1;
        }
    }
}

/// Copies each unit by two plain loads, `N` units at a time.
///
/// # Safety
/// As [`copy`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn pairs<const N: usize, G: Group>(group: G, to: *mut u8, from: *const u8, off: u32, count: usize) {
    let (rank, size) = place(group);
    let mut at = rank;
    // SAFETY: **writable**: each unit of `to` is one of `count`. **readable**: each unit of `from` is one of `count` +
    // 1. All are aligned units, which is **mapped**.
    unsafe {
        while at + (N - 1) * size < count {
            let mut held = [[V2::default(); 2]; N];
            each!(K < N, {
                let low = from.add((at + K * size) * UNIT);
                held[K] = [load(low, From::Own), load(low.add(UNIT), From::Own)];
            });
            each!(K < N, {
                ptx::st_weak_v2(to.add((at + K * size) * UNIT).cast(), funnel(held[K][0], held[K][1], off));
            });
            at += N * size;
        }
        // At most three units are left. No store precedes a load, so that they take one round trip to the peer.
        if at < count {
            let unit = |k: usize| (at + k * size) * UNIT;
            let pair = |k: usize| [load(from.add(unit(k)), From::Own), load(from.add(unit(k) + UNIT), From::Own)];
            let put = |k: usize, [low, high]: [V2; 2]| ptx::st_weak_v2(to.add(unit(k)).cast(), funnel(low, high, off));
            let first = pair(0);
            if N > 2 && at + size < count {
                let second = pair(1);
                if at + 2 * size < count {
                    put(2, pair(2));
                }
                put(1, second);
            }
            put(0, first);
        }
    }
}
