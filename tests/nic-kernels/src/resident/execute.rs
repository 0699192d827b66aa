//! Executes entries.

use oxshmem_raw::gpu::{order, ptx};

use super::copy::Bytes;
use super::decode::{Atomic, Entry, Ring, kind, sge};
use super::keys::{self, Parked};
use super::slice::{Lanes, Watch};
use super::table::{ResidentJob, RowAt, reason};
use super::{copy, decode};

/// Bytes that are moved between two checks of the time.
const PIECE: u64 = 64 << 10;

/// The progress of an entry.
pub(super) enum Outcome {
    Done,
    /// The slice has ended after this many bytes.
    Later(u64),
    Parked(Parked),
}

/// Executes an entry. Earlier slices have moved `moved` of its bytes.
///
/// # Safety
///
/// - **live**: the row's queue, and everything that the key table names, is mapped.
#[inline(always)]
pub(super) unsafe fn execute(
    job: &ResidentJob,
    row: RowAt,
    (ring, index): (Ring, u64),
    entry: &Entry,
    moved: u64,
    (lanes, watch): (Lanes, &Watch),
) -> Outcome {
    let outcome = match entry.kind {
        kind::NOTHING => return Outcome::Done,
        // SAFETY: **live**: the caller promises that the queue is mapped.
        kind::ATOMIC => unsafe { atomic(job, row, (ring, index), entry, lanes) },
        // SAFETY: **live**: the caller promises that the queue is mapped.
        _ => unsafe { transfer(job, row, (ring, index), entry, moved, (lanes, watch)) },
    };
    // An RC queue pair executes in order: this entry's writes are visible before the next entry's effects and before
    // the completion. Each lane orders its own writes; the leader continues after the lanes met, and so after all of
    // them.
    order::delivered_before_later();
    lanes.sync();
    match outcome {
        Ok(outcome) => outcome,
        Err(parked) => Outcome::Parked(parked),
    }
}

/// Executes a write, a read, or a dump.
///
/// # Safety
///
/// As [`execute`].
#[inline(always)]
unsafe fn transfer(
    job: &ResidentJob,
    row: RowAt,
    (ring, index): (Ring, u64),
    entry: &Entry,
    moved: u64,
    (lanes, watch): (Lanes, &Watch),
) -> Result<Outcome, Parked> {
    let reads = entry.kind == kind::READ;
    let mut segment = if entry.inline { entry.end } else { entry.first };
    while segment < entry.end {
        // Local errors are found before anything is sent. SAFETY: **live**: the caller promises that the queue is
        // mapped.
        let place = unsafe { decode::sge(ring, index, segment) };
        // SAFETY: **live**: the caller promises that the key table is mapped, and tables change between slices only.
        unsafe { keys::local(job, row, place, reads)? };
        segment += 1;
    }
    if entry.kind == kind::DUMP {
        return Ok(Outcome::Done);
    }
    let what = if reads { reason::REMOTE_READ } else { reason::REMOTE_WRITE };
    // SAFETY: **live**: the caller promises that the key table is mapped, and tables change between slices only.
    let peer = unsafe { keys::remote(job, row, (entry.at, entry.rkey), entry.bytes, what)? };
    let (mut segment, mut before) = (entry.first, 0);
    while segment < entry.end {
        let (local, bytes) = if entry.inline {
            let start = index.wrapping_mul(64).wrapping_add(16 * entry.first + 4);
            segment = entry.end;
            (Bytes { base: ring.at, at: start, mask: ring.bytes - 1 }, entry.bytes)
        } else {
            // SAFETY: **live**: the caller promises that the queue is mapped.
            let place = unsafe { sge(ring, index, segment) };
            segment += 1;
            // SAFETY: **live**: the caller promises that the key table is mapped, and tables change between slices
            // only.
            (Bytes::at(unsafe { keys::local(job, row, place, reads)? }), place.bytes)
        };
        let mut at = moved.saturating_sub(before);
        while at < bytes {
            let left = bytes - at;
            let piece = if left < PIECE { left } else { PIECE };
            let there = peer + before + at;
            let here = Bytes { at: local.at.wrapping_add(at), ..local };
            // A read has its destination in memory, so that `here` is an address then.
            let (to, from) = if reads { (here.at, Bytes::at(there)) } else { (there, here) };
            // SAFETY: **live**: by the table of keys, or inside the ring.
            unsafe { copy::copy(lanes, to, from, piece) }
            at += piece;
            if before + at < entry.bytes && watch.over(job, lanes) {
                return Ok(Outcome::Later(before + at));
            }
        }
        before += bytes;
    }
    Ok(Outcome::Done)
}

/// Executes an atomic, by the leader.
///
/// # Safety
///
/// As [`execute`].
#[inline(always)]
unsafe fn atomic(
    job: &ResidentJob,
    row: RowAt,
    (ring, index): (Ring, u64),
    entry: &Entry,
    lanes: Lanes,
) -> Result<Outcome, Parked> {
    // SAFETY: **live**: the caller promises that the queue is mapped.
    let place = unsafe { sge(ring, index, entry.first) };
    // SAFETY: **live**: the caller promises that the key table is mapped, and tables change between slices only.
    let to = unsafe { keys::local(job, row, place, true)? };
    // SAFETY: **live**: the caller promises that the key table is mapped, and tables change between slices only.
    let at = unsafe { keys::remote(job, row, (entry.at, entry.rkey), entry.bytes, reason::REMOTE_ATOMIC)? };
    if lanes.leads() {
        // SAFETY: **live**: the caller promises that the queue is mapped.
        let what = &unsafe { decode::atomic(ring, index, entry) };
        if what.bytes == 4 {
            // SAFETY: **live**: by the key table; the decoder has checked the alignment.
            let was = unsafe { update_u32(at, what) };
            let result = if what.extended { was.swap_bytes() } else { was };
            // SAFETY: **live**: the key table has found these bytes.
            unsafe { copy::store_few(to, 4, result as u64) }
        } else {
            // SAFETY: **live**: by the key table; the decoder has checked the alignment.
            let was = unsafe { update_u64(at, what) };
            // SAFETY: **live**: the key table has found these bytes.
            unsafe { copy::store_few(to, 8, was) }
        }
    }
    Ok(Outcome::Done)
}

/// Returns the new value of a word, or `None` if a comparison fails. `top` of a field is its highest bit.
#[inline(always)]
fn changed(what: &Atomic, was: u64) -> Option<u64> {
    if what.compares {
        let equal = (was ^ what.compare) & what.compare_mask == 0;
        return if equal { Some(was & !what.swap_mask | what.operand & what.swap_mask) } else { None };
    }
    // Adds the fields without their top bits, so that no carry leaves a field; the top bits are added by themselves.
    let (top, add) = (what.compare, what.operand);
    Some((was & !top).wrapping_add(add & !top) ^ (was ^ add) & top)
}

/// Updates an 8-byte word, and returns its previous value.
///
/// # Safety
///
/// - **live**: `at` is mapped, and aligned to 8.
#[inline(always)]
unsafe fn update_u64(at: u64, what: &Atomic) -> u64 {
    let word = at as *mut u64;
    if !what.compares && what.compare == 0 {
        // SAFETY: **live**: mapped and aligned, by the caller.
        return unsafe { ptx::atom_add_relaxed_sys_u64(word, what.operand) };
    }
    // SAFETY: **live**: mapped and aligned, by the caller.
    let mut was = unsafe { ptx::ld_relaxed_sys_u64(word) };
    loop {
        let Some(now) = changed(what, was) else { return was };
        // SAFETY: **live**: mapped and aligned, by the caller.
        let found = unsafe { ptx::atom_cas_relaxed_sys_u64(word, was, now) };
        // A concurrent update has changed the word, so that some thread always makes progress.
        if found == was {
            return was;
        }
        was = found;
    }
}

/// Updates a 4-byte word, and returns its previous value.
///
/// # Safety
///
/// - **live**: `at` is mapped, and aligned to 4.
#[inline(always)]
unsafe fn update_u32(at: u64, what: &Atomic) -> u32 {
    let word = at as *mut u32;
    if !what.compares && what.compare == 0 {
        // SAFETY: **live**: mapped and aligned, by the caller.
        return unsafe { ptx::atom_add_relaxed_sys_u32(word, what.operand as u32) };
    }
    // SAFETY: **live**: mapped and aligned, by the caller.
    let mut was = unsafe { ptx::ld_relaxed_sys_u32(word) };
    loop {
        let Some(now) = changed(what, was as u64) else { return was };
        // SAFETY: **live**: mapped and aligned, by the caller.
        let found = unsafe { ptx::atom_cas_relaxed_sys_u32(word, was, now as u32) };
        if found == was {
            return was;
        }
        was = found;
    }
}
