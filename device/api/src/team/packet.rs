//! A packet: 8 bytes of data, with twice the round's flag, in a store of 16 bytes.

use oxshmem_core::{Element, Group, Scope};
use oxshmem_raw::gpu::ptx::{self, V2};

use super::units::{Strided, Units, each_of};

/// The bytes of a packet.
pub(super) const PACKET: usize = 16;
/// Packets that a thread has in flight.
pub(super) const BATCH: usize = 4;
/// Packets that a thread of a warp has in flight.
pub(super) const WARP_BATCH: usize = 8;

/// Returns the flag of a round. It is never 0, the content of fresh memory. Flags repeat after 2^32 rounds: a packet of
/// exactly that age would be taken for a new one if no round in between had used its place.
#[inline(always)]
pub(super) const fn flag_of(round: u64) -> u32 {
    if round as u32 == 0 { u32::MAX } else { round as u32 }
}

#[inline(always)]
pub(super) const fn packet(unit: u64, flag: u32) -> V2 {
    let flag = (flag as u64) << 32;
    [unit & 0xffff_ffff | flag, unit >> 32 | flag]
}

/// Reports whether a packet has this flag, without a branch.
#[inline(always)]
pub(super) const fn arrived(packet: V2, flag: u32) -> bool {
    ((packet[0] >> 32) as u32 == flag) & ((packet[1] >> 32) as u32 == flag)
}

#[inline(always)]
pub(super) const fn data(packet: V2) -> u64 {
    packet[0] & 0xffff_ffff | packet[1] << 32
}

/// Hides from the compiler how an index was computed. It would otherwise keep a pointer for each access of a loop, and
/// registers are scarce.
#[inline(always)]
pub(super) fn opaque(index: u32) -> u32 {
    ptx::opaque_u32(index)
}

/// Sends units as packets to `there`, `batched` or one at a time, and copies them to `kept` if that has any.
///
/// # Safety
///
/// - **live**: the units are mapped for reading, `kept` and the packets `there` for writing; `kept` is apart from the
///   units, and has as many or none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn send<T: Element, G: Group>(
    group: G,
    there: *mut u8,
    flag: u32,
    units: Units,
    kept: Units,
    batched: bool,
) {
    let (mut index, size) = (group.rank(), group.size());
    let whole = if kept.bytes() > 0 { units.whole().min(kept.whole()) } else { units.whole() };
    while batched && G::SCOPE == Scope::Warp && index + (WARP_BATCH as u32 - 1) * size < whole {
        // SAFETY: **live** by the caller.
        unsafe { send_units::<T, WARP_BATCH>(units, kept, there, flag, Strided::new(opaque(index), size, WARP_BATCH)) }
        index += WARP_BATCH as u32 * size;
    }
    while batched && index + (BATCH as u32 - 1) * size < whole {
        // SAFETY: **live** by the caller.
        unsafe { send_units::<T, BATCH>(units, kept, there, flag, Strided::new(opaque(index), size, BATCH)) }
        index += BATCH as u32 * size;
    }
    while index < units.count() {
        // SAFETY: **live** by the caller.
        unsafe { send_units::<T, 1>(units, kept, there, flag, Strided::new(opaque(index), size, 1)) }
        index += size;
    }
}

/// Sends the `N` units at these places, and copies them.
///
/// # Safety
///
/// - **live**: as [`send`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn send_units<T: Element, const N: usize>(units: Units, kept: Units, there: *mut u8, flag: u32, at: Strided) {
    let mut data = [0; N];
    // SAFETY: **live** by the caller.
    unsafe {
        each_of!(N; K => data[K] = units.load_some::<T, N>(at.unit(K)));
        store_packets(data, there, flag, at);
        if kept.bytes() > 0 {
            store_units::<T, N>(kept, data, at)
        }
    }
}

/// Stores units as packets at these places.
///
/// # Safety
///
/// - **live**: the packets `there` are mapped for writing.
#[inline(always)]
pub(super) unsafe fn store_packets<const N: usize>(units: [u64; N], there: *mut u8, flag: u32, at: Strided) {
    each_of!(N; K => if at.has(K) {
        let place = there.wrapping_add(PACKET * at.unit(K) as usize);
        // SAFETY: **live** by the caller.
        unsafe { ptx::st_relaxed_sys_v2(place.cast(), packet(units[K], flag)) }
    });
}

/// Stores the `N` units at these places.
///
/// # Safety
///
/// - **live**: the units are mapped for writing.
#[inline(always)]
pub(super) unsafe fn store_units<T: Element, const N: usize>(dest: Units, units: [u64; N], at: Strided) {
    // SAFETY: **live** by the caller.
    each_of!(N; K => unsafe { dest.store_some::<T, N>(at.unit(K), units[K]) });
}
