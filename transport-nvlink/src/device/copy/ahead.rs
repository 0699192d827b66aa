//! Puts by one warp, or by one thread, of more units than it can hold in registers: the loads that take long bring the
//! next units into L1, and need a register for each sector instead of eight.

use oxshmem_core::{Group, Scope};
use oxshmem_raw::gpu::group::Block;
use oxshmem_raw::gpu::ptx::{self, V2};

use super::unit::{each, load};
use super::{From, UNIT};

/// Bytes that a load brings into L1.
const SECTOR: usize = 2 * UNIT;

/// Sectors that a thread loads ahead, in one register each.
const SECTORS: usize = if From::Own.has_few_registers() { 4 } else { 8 };

/// Units that a thread then loads from L1 before it stores them.
const HELD: usize = if From::Own.has_few_registers() { 2 } else { 4 };

/// Units of a round of one thread, which it loads four times.
const ROUND: usize = SECTORS * SECTOR / UNIT;
const _: () = assert!(ROUND == 4 * HELD);

/// Repeats statements for each sector, and for each unit, that a thread has in registers.
macro_rules! each_sector {
    ($k:ident, $body:block) => { each!($k in 0 1 2 3 4 5 6 7, { if $k < SECTORS $body }) };
}
macro_rules! each_held {
    ($k:ident, $body:block) => { each!($k in 0 1 2 3, { if $k < HELD $body }) };
}

/// Warps of the largest block whose warps load ahead. Four warps keep a link busy without, and the loads would cost them
/// 10 to 20 %.
const FEW_WARPS: u32 = 2;

/// Returns the threads of the group, which is a whole warp or one thread.
const fn threads<G: Group>() -> usize {
    if matches!(G::SCOPE, Scope::Thread) { 1 } else { ptx::WARP_SIZE as usize }
}

/// Returns whether so few threads copy that the link would wait for their loads, and units enough.
#[inline(always)]
pub(super) fn serves<G: Group>(_: G, count: usize) -> bool {
    count >= 2 * ROUND * threads::<G>()
        && match G::SCOPE {
            Scope::Thread => ptx::is_only_lane(),
            Scope::Warp => {
                let block = Block.size();
                block.is_multiple_of(ptx::WARP_SIZE) && block <= FEW_WARPS * ptx::WARP_SIZE
            }
            Scope::Block => false,
        }
}

/// Copies the units of whole rounds, and returns their number.
///
/// # Safety
/// As [`copy`](super::wide::copy), from own memory; [`serves`] returned true.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn copy<G: Group>(group: G, to: *mut u8, from: *const u8, count: usize) -> usize {
    let (rank, size) = (group.rank() as usize, threads::<G>());
    let mut left = count / (ROUND * size);
    let whole = left * ROUND * size;
    // No bits, since a copy has fewer units, but the compilers do not know it: they would remove a load whose value nothing
    // depends on.
    let none = (count >> 48) as u32;
    let mut sectors = [0; SECTORS];
    // SAFETY: **readable**, **writable**: the units and sectors of whole rounds lie in both ranges, and each is aligned to
    // its size, which is **mapped**. No bits are added to an address.
    unsafe {
        let sector = |at: *const u8, k: usize| ptx::ld_weak_u32(at.add(k * size * SECTOR).cast());
        let (mut to, mut from, mut ahead) = (to.add(rank * UNIT), from.add(rank * UNIT), from.add(rank * SECTOR));
        each_sector!(K, { sectors[K] = sector(ahead, K) });
        while left > 0 {
            let mut seen = 0;
            each_sector!(K, { seen |= sectors[K] });
            from = from.add((seen & none) as usize);
            left -= 1;
            // The last round loads its own sectors again.
            ahead = ahead.add(if left > 0 { ROUND * size * UNIT } else { 0 });
            each_sector!(K, { sectors[K] = sector(ahead, K) });
            each!(B in 0 1 2 3, {
                let unit = |k: usize| (B * HELD + k) * size * UNIT;
                let mut held = [V2::default(); HELD];
                each_held!(K, { held[K] = load(from.add(unit(K)), From::Own) });
                each_held!(K, { ptx::st_weak_v2(to.add(unit(K)).cast(), held[K]) });
            });
            (to, from) = (to.wrapping_add(ROUND * size * UNIT), from.wrapping_add(ROUND * size * UNIT));
        }
    }
    whole
}
