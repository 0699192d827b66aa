//! A thread's group, and records of errors.

use oxshmem_device::FaultStep;
use oxshmem_device::prelude::*;

use crate::draw::byte;

/// `u64` words of a record: the number of errors; round, offset, expected, seen, size and group of the first.
pub const RECORD: usize = 8;

/// Bytes of a slot beyond its largest payload: room for any alignment, and for whole lines.
pub const PAD: usize = 128;

/// Returns this block's number in the grid.
#[inline(always)]
pub fn block() -> usize {
    block_idx()[0] as usize
}

/// Returns the number of this thread's warp in the grid.
#[inline(always)]
pub fn warp() -> usize {
    let warps = (block_dim()[0] as usize).div_ceil(32);
    block() * warps + thread_in_block() / 32
}

/// Returns the world, with all of the block's dynamic shared memory lent to its copies.
///
/// # Safety
///
/// - **alone**: one group of each block at a time makes calls on it.
#[inline(always)]
pub unsafe fn lending(shmem: Shmem) -> Shmem {
    // SAFETY: **alone**: the caller's promise.
    unsafe { shmem.lend_shared(0, u32::MAX) }
}

/// The context of an error.
#[derive(Clone, Copy)]
pub struct At {
    /// The round.
    pub round: u64,
    /// The number of the group in the grid.
    pub group: usize,
    /// Bytes of the payload.
    pub size: usize,
}

/// Records an error; the facts of the first are kept.
#[inline(always)]
pub fn wrong(shmem: &Shmem, record: SymPtr<u64>, at: At, offset: usize, expected: u64, seen: u64) -> Result<(), Fault> {
    if shmem.atomic_fetch_inc(record, shmem.my_pe())? == 0 {
        let record = shmem.local(record, RECORD);
        record.write(1, at.round);
        record.write(2, offset as u64);
        record.write(3, expected);
        record.write(4, seen);
        record.write(5, at.size as u64);
        record.write(6, at.group as u64);
    }
    Ok(())
}

/// Returns the key of a payload: with the round it determines every byte.
#[inline(always)]
pub fn key(seed: u64, group: usize, from: Pe) -> u32 {
    crate::draw::bits(seed ^ ((group as u64) << 16) ^ from.number() as u64) as u32
}

/// Writes a payload of `at.size` bytes to `source`; byte `i` is for place `place + i` of the slot. Each thread of the
/// group writes a part.
#[inline(always)]
pub fn fill<G: Group>(shmem: &Shmem, by: G, source: SymPtr<u8>, at: At, place: usize, key: u32) {
    let here = shmem.local(source, at.size);
    let (mut i, step) = (by.rank() as usize, by.size() as usize);
    while i < at.size {
        here.write(i, byte(key, place + i, at.round));
        i += step;
    }
}

/// Puts a payload in parts, each by one thread alone, and the leader's last, so that the operation that orders the
/// whole must cover other threads' puts. The other threads delay their puts by `late` polls of `word`.
#[inline(always)]
pub fn put_parts<G: Group>(
    shmem: &Shmem,
    by: G,
    dest: SymPtr<u8>,
    source: SymPtr<u8>,
    size: usize,
    pe: Pe,
    (word, late): (SymPtr<u64>, u32),
) -> Result<(), Fault> {
    let mut looks = if by.leads() { 0 } else { late };
    while looks > 0 {
        shmem.signal_fetch(word)?;
        looks -= 1;
    }
    // A size that lets edges fall on any alignment.
    const PART: usize = 24;
    let behind = if by.leads() { by.size() } else { by.rank() } as usize - 1;
    let (mut i, step) = (PART * behind, PART * by.size() as usize);
    while i < size {
        let left = size - i;
        shmem.put_nbi(Thread, dest.add(i), source.add(i), if left < PART { left } else { PART }, pe)?;
        i += step;
    }
    Ok(())
}

/// Checks a payload as [`fill`] writes it, with plain loads; each thread checks bytes that another one wrote.
#[inline(always)]
pub fn check<G: Group>(
    shmem: &Shmem,
    by: G,
    seen: SymPtr<u8>,
    at: At,
    place: usize,
    key: u32,
    record: SymPtr<u64>,
) -> Result<(), Fault> {
    let here = shmem.local(seen, at.size);
    let (mut i, step) = (by.rank() as usize, by.size() as usize);
    while i < at.size {
        let offset = at.size - 1 - i;
        let (expected, seen) = (byte(key, place + offset, at.round), here.read(offset));
        if expected != seen {
            wrong(shmem, record, at, offset, expected as u64, seen as u64)?;
        }
        i += step;
    }
    Ok(())
}

/// Ends the whole group if a thread of it failed.
#[inline(always)]
pub fn together<G: Group>(shmem: &Shmem, by: G, ended: Result<(), Fault>) -> Result<(), Fault> {
    if by.any(ended.is_err()) {
        // Reporting returns the first fault.
        return Err(shmem.fault(Fault::new(FaultStep::Aborted)));
    }
    Ok(())
}
