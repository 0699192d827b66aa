//! Whole units of 16 bytes of the destination, from a source that lies differently: wide loads, shifted, wide
//! stores.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::ptx::{self, V2};

use super::wide::{IN_FLIGHT, each, load};
use super::{From, UNIT, place};

const WARP: usize = ptx::WARP_SIZE as usize;

/// Rows of a tile.
const ROWS: usize = 4; // Spelled out below.

/// Units that a thread loads before its first store, where each needs two loads, and the second comes from L1.
const PAIRS: usize = 2; // Spelled out below.

/// `count` units at `to`. Unit i is the 16 bytes from byte `off` on of units i and i + 1 of `from`.
///
/// # Safety
/// As [`copy`](super::copy): `count` units at `to` and `count` + 1 at `from` are mapped, and both are aligned to the
/// unit. `off` is 1 to 15.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, off: u32, count: usize, whose: From) {
    // SAFETY: the caller's promise, for the parts into which the units are split.
    unsafe {
        match (G::SCOPE, whose) {
            (Scope::Thread, _) => row(to, from, off, count, whose),
            // What is loaded a second time comes from L1.
            (_, From::Own) => pairs(group, to, from, off, 0, count, whose),
            (_, From::Peer) => {
                let shared = tiles(group, to, from, off, count);
                pairs(group, to, from, off, shared, count, whose)
            }
        }
    }
}

/// The 16 bytes from byte `off` on of `low` and `high`: by whole words first, then by bits, since words are chosen and
/// shifted in pairs by one instruction each.
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

/// One thread alone: what it loaded for one unit serves the next.
///
/// # Safety
/// As [`copy`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn row(to: *mut u8, from: *const u8, off: u32, count: usize, whose: From) {
    let mut at = 0;
    // SAFETY: unit `at + k` of `to` is one of `count`, and of `from` one of `count` + 1.
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

/// Units `first` to `count`, each by two loads.
///
/// # Safety
/// As [`copy`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn pairs<G: Group>(group: G, to: *mut u8, from: *const u8, off: u32, first: usize, count: usize, whose: From) {
    let (rank, size) = place(group);
    let mut at = first + rank;
    // SAFETY: each unit of `to` is one of `count`, and of `from` one of `count` + 1.
    unsafe {
        while whose == From::Own && at + (PAIRS - 1) * size < count {
            let mut held = [[V2::default(); 2]; PAIRS];
            each!(K in 0 1, {
                let low = from.add((at + K * size) * UNIT);
                held[K] = [load(low, whose), load(low.add(UNIT), whose)];
            });
            each!(K in 0 1, {
                ptx::st_weak_v2(to.add((at + K * size) * UNIT).cast(), funnel(held[K][0], held[K][1], off));
            });
            at += PAIRS * size;
        }
        while at < count {
            let low = from.add(at * UNIT);
            ptx::st_weak_v2(to.add(at * UNIT).cast(), funnel(load(low, whose), load(low.add(UNIT), whose), off));
            at += size;
        }
    }
}

/// As many units from the first on as make whole tiles, which are [`ROWS`] rows of a unit for each lane of a
/// warp: a lane loads one unit of each row and gets the one behind it from its neighbour, so that nothing crosses
/// the link twice but one unit a tile. Returns how many; 0 in a group with a warp that is not whole.
///
/// # Safety
/// As [`copy`], from a peer's memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn tiles<G: Group>(group: G, to: *mut u8, from: *const u8, off: u32, count: usize) -> usize {
    const TILE: usize = ROWS * WARP;
    let (rank, size) = place(group);
    if size % WARP != 0 {
        return 0;
    }
    let (warp, lane) = (rank / WARP, rank % WARP);
    let (mut tile, whole, warps) = (warp, count / TILE, size / WARP);
    // All lanes of a warp go the same way here, so that they meet at each exchange.
    while tile < whole {
        let start = tile * TILE + lane;
        // SAFETY: each unit of `to` is one of `count`, and of `from` one of `count` + 1.
        unsafe {
            let mut held = [V2::default(); ROWS + 1];
            each!(K in 0 1 2 3, {
                held[K] = load(from.add((start + K * WARP) * UNIT), From::Peer);
            });
            // Behind the last row only its last lane needs a unit; the first lane hands it over.
            if lane == 0 {
                held[ROWS] = load(from.add((start + ROWS * WARP) * UNIT), From::Peer);
            }
            each!(K in 0 1 2 3, {
                let ([a, b], [c, d]) = (held[K], held[K + 1]);
                // Nobody asks the first lane for its unit of this row, but the last one for that of the next.
                let (low, high) = if lane == 0 { (c, d) } else { (a, b) };
                let next = [neighbour(low, lane), neighbour(high, lane)];
                ptx::st_weak_v2(to.add((start + K * WARP) * UNIT).cast(), funnel([a, b], next, off));
            });
        }
        tile += warps;
    }
    whole * TILE
}

/// What the next lane gives; the last one gets it from the first.
#[inline(always)]
fn neighbour(give: u64, lane: usize) -> u64 {
    ptx::shfl_idx_sync_u64(u32::MAX, give, (lane as u32 + 1) % ptx::WARP_SIZE)
}
