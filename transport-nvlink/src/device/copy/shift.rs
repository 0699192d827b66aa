//! Whole 16-byte units of the destination, from a source with another alignment: wide loads, shifts in registers, wide
//! stores.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::ptx::{self, V2};

use super::unit::{each, load};
use super::{From, UNIT, place};

/// Units that a thread has in flight, from its own GPU's memory and from a peer's.
const OWN: usize = if From::Own.has_few_registers() { 1 } else { 2 };
const PEER: usize = 4;

/// Units that a thread by itself has in flight.
const ALONE: usize = if From::Own.has_few_registers() { 2 } else { 8 };

/// Threads of a warp.
const LANES: usize = ptx::WARP_SIZE as usize;

/// Writes `count` units at `to`. Unit i is the 16 bytes from byte `off` on of the concatenated units i and i + 1 of
/// `from`.
///
/// # Safety
/// As [`copy`](super::copy): `count` units at `to` and `count` + 1 at `from` are mapped, and both are aligned to the
/// unit. `off` is 1 to 15.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, off: u32, count: usize, whose: From) {
    // SAFETY: **readable**, **writable**, **apart**: the caller's, for the same units.
    unsafe {
        match (G::SCOPE, whose) {
            (Scope::Thread, From::Own) => by_thread::<ALONE>(to, from, off, count, whose),
            (Scope::Thread, From::Peer) => by_thread::<8>(to, from, off, count, whose),
            (_, From::Own) => pairs::<OWN, G>(group, to, from, off, count, whose),
            (_, From::Peer) if (group.size() as usize).is_multiple_of(LANES) => {
                by_warps::<PEER, G>(group, to, from, off, count)
            }
            (_, From::Peer) => pairs::<1, G>(group, to, from, off, count, whose),
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
unsafe fn by_thread<const N: usize>(to: *mut u8, from: *const u8, off: u32, count: usize, whose: From) {
    let mut at = 0;
    // SAFETY: **writable**: unit `at + K` of `to` is one of `count`. **readable**: unit `at + K + 1` of `from` is one
    // of `count` + 1. All are aligned units, which is **mapped**.
    unsafe {
        let mut last = load(from, whose);
        while at + N <= count {
            let mut held = [V2::default(); N];
            each!(K < N, {
                held[K] = load(from.add((at + K + 1) * UNIT), whose);
            });
            each!(K < N, {
                ptx::st_weak_v2(to.add((at + K) * UNIT).cast(), funnel(last, held[K], off));
                last = held[K];
            });
            at += N;
        }
        while at < count {
            let next = load(from.add((at + 1) * UNIT), whose);
            ptx::st_weak_v2(to.add(at * UNIT).cast(), funnel(last, next, off));
            last = next;
            at += 1;
        }
    }
}

/// Copies from a peer by whole warps. A row has a unit for each lane, a warp has `N` rows in flight, and each unit
/// crosses the link once: a lane gets the unit after its own from the next lane, and the last lane gets it from the first
/// one's in the next row.
///
/// # Safety
/// As [`copy`]; the group consists of whole warps.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn by_warps<const N: usize, G: Group>(group: G, to: *mut u8, from: *const u8, off: u32, count: usize) {
    let (rank, size) = place(group);
    let lane = rank % LANES;
    let mut at = (rank - lane) * N + lane;
    let after = |own: V2, next_row: V2| {
        let given = if lane == 0 { next_row } else { own };
        given.map(|word| ptx::shfl_sync_u64(u32::MAX, word, (lane as u32 + 1) % ptx::WARP_SIZE))
    };
    // SAFETY: **readable**: a unit of `from` is loaded if its number is at most `count`. **writable**: one of `to` is
    // stored if its number is less. All are aligned units, which is **mapped**.
    unsafe {
        let load = |at: usize, k: usize| load(from.add((at + k * LANES) * UNIT), From::Peer);
        let store = |at: usize, k: usize, unit: V2| ptx::st_weak_v2(to.add((at + k * LANES) * UNIT).cast(), unit);
        while at - lane + N * LANES <= count {
            // First, because the compiler would let other lanes' place of it depend on a load of their own.
            let end = if lane == 0 { load(at, N) } else { V2::default() };
            let mut held = [V2::default(); N];
            each!(K < N, { held[K] = load(at, K) });
            each!(K < N, {
                let next_row = if K + 1 < N { held[(K + 1) % N] } else { end };
                store(at, K, funnel(held[K], after(held[K], next_row), off));
            });
            at += size * N;
        }
        // The warp whose rows are not all whole.
        if at - lane < count {
            let mut held = [V2::default(); N];
            each!(K < N, {
                if at + K * LANES <= count {
                    held[K] = load(at, K);
                }
            });
            each!(K < N, {
                let after = after(held[K], held[(K + 1) % N]);
                if at + K * LANES < count {
                    store(at, K, funnel(held[K], after, off));
                }
            });
        }
    }
}

/// Copies each unit by two loads, `N` units at a time.
///
/// # Safety
/// As [`copy`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn pairs<const N: usize, G: Group>(group: G, to: *mut u8, from: *const u8, off: u32, count: usize, whose: From) {
    let (rank, size) = place(group);
    // Ends that move: they take fewer registers than numbers of units.
    let (mut to, mut from, end) =
        (to.wrapping_add(rank * UNIT), from.wrapping_add(rank * UNIT), to.wrapping_add(count * UNIT));
    let step = size * UNIT;
    // SAFETY: **writable**: each unit of `to` begins before `end`. **readable**: each unit of `from` is one of `count` +
    // 1. All are aligned units, which is **mapped**.
    unsafe {
        let pair = |k: usize, from: *const u8| {
            let low = from.wrapping_add(k * step);
            [load(low, whose), load(low.add(UNIT), whose)]
        };
        while to.wrapping_add((N - 1) * step) < end {
            let mut held = [[V2::default(); 2]; N];
            each!(K < N, { held[K] = pair(K, from) });
            each!(K < N, { ptx::st_weak_v2(to.wrapping_add(K * step).cast(), funnel(held[K][0], held[K][1], off)) });
            (to, from) = (to.wrapping_add(N * step), from.wrapping_add(N * step));
        }
        // At most one unit is left.
        if N > 1 && to < end {
            let [low, high] = pair(0, from);
            ptx::st_weak_v2(to.cast(), funnel(low, high, off));
        }
    }
}
