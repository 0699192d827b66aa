//! Translates a key and an address to memory.

use oxshmem_raw::gpu::ptx;

use super::decode::Sge;
use super::table::{KeySlot, ResidentJob, RowAt, flags, reason};

/// Access bits of keys.
mod access {
    pub(crate) const LOCAL_WRITE: u32 = 1;
    pub(crate) const REMOTE_WRITE: u32 = 2;
    pub(crate) const REMOTE_READ: u32 = 4;
    pub(crate) const REMOTE_ATOMIC: u32 = 8;
}

/// An access whose key is not in the table, or that the table does not permit. The host decides.
#[derive(Clone, Copy)]
pub(super) struct Parked {
    pub(super) reason: u64,
    pub(super) key: u64,
    pub(super) at: u64,
    pub(super) bytes: u64,
}

/// Loads a word of a slot.
///
/// # Safety
///
/// - **live**: the table is mapped.
#[inline(always)]
unsafe fn word(slot: *const KeySlot, number: usize) -> u64 {
    // SAFETY: **live**; a slot has eight words.
    unsafe { ptx::ld_relaxed_sys_u64((slot as *const u64).wrapping_add(number)) }
}

/// Returns the address of `bytes` bytes at `at` of the region `id`, if the region contains them, belongs to the domain,
/// and permits `needs`.
///
/// # Safety
///
/// - **live**: the table is mapped, has an empty slot, and does not change meanwhile.
#[inline(always)]
unsafe fn find(job: &ResidentJob, id: u64, pd: u32, needs: u32, at: u64, bytes: u64) -> Option<u64> {
    let mut place = KeySlot::start(id, job.mask);
    loop {
        let slot = (job.keys as *const KeySlot).wrapping_add(place as usize);
        // SAFETY: **live**: the caller promises that the table is mapped.
        let here = unsafe { word(slot, 0) };
        if here == id {
            // SAFETY: **live**: the caller promises that the table is mapped.
            let (base, iova, length) = unsafe { (word(slot, 1), word(slot, 2), word(slot, 3)) };
            // SAFETY: **live**: the caller promises that the table is mapped.
            let rights = unsafe { word(slot, 4) };
            let offset = at.wrapping_sub(iova);
            let inside = at >= iova && bytes <= length && offset <= length - bytes;
            let allowed = rights as u32 == pd && (rights >> 32) as u32 & needs == needs;
            return if inside && allowed { Some(base + offset) } else { None };
        }
        if here == 0 {
            return None;
        }
        place = (place + 1) & job.mask;
    }
}

/// Returns the address of local data.
///
/// # Safety
///
/// - **live**: as [`find`].
#[inline(always)]
pub(super) unsafe fn local(job: &ResidentJob, row: RowAt, sge: Sge, writes: bool) -> Result<u64, Parked> {
    let (needs, reason) = if writes { (access::LOCAL_WRITE, reason::LOCAL_WRITE) } else { (0, reason::LOCAL_READ) };
    // SAFETY: **live**: as this function's own caller promises.
    let found = unsafe { find(job, KeySlot::id(row.nic(), sge.lkey), row.pd(), needs, sge.at, sge.bytes) };
    match found {
        Some(at) => Ok(at),
        None => Err(Parked { reason, key: sge.lkey as u64, at: sge.at, bytes: sge.bytes }),
    }
}

/// Returns the address of the peer's data. `reason` is the access: [`reason::REMOTE_WRITE`] or one of the next two.
///
/// # Safety
///
/// - **live**: as [`find`].
#[inline(always)]
pub(super) unsafe fn remote(
    job: &ResidentJob,
    row: RowAt,
    (at, rkey): (u64, u32),
    bytes: u64,
    reason: u64,
) -> Result<u64, Parked> {
    let (needs, right) = match reason {
        reason::REMOTE_WRITE => (access::REMOTE_WRITE, flags::WRITE),
        reason::REMOTE_READ => (access::REMOTE_READ, flags::READ),
        _ => (access::REMOTE_ATOMIC, flags::ATOMIC),
    };
    let both = flags::READY | right;
    let aligned = reason != reason::REMOTE_ATOMIC || at & (bytes - 1) == 0;
    if row.flags() & both == both && aligned {
        if bytes == 0 {
            // An access of no bytes needs no key.
            return Ok(0);
        }
        // SAFETY: **live**: as this function's own caller promises.
        let found = unsafe { find(job, KeySlot::id(row.peer(), rkey), row.peer_pd(), needs, at, bytes) };
        if let Some(at) = found {
            return Ok(at);
        }
    }
    Err(Parked { reason, key: rkey as u64, at, bytes })
}
