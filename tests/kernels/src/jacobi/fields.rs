//! The addresses of the two copies of a PE's field.

use oxshmem_device::FaultStep;
use oxshmem_device::prelude::*;

use super::Slab;

/// The two copies of the calling PE's field, checked. Separate from [`Step`](super::step::Step), since a `Result` with
/// references in it may keep their targets in memory: the world's state on the stack of every thread.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub(super) now: *const f32,
    pub(super) next: *mut f32,
    /// Heap address of `next`.
    pub(super) next_at: SymPtr<f32>,
}

impl Fields {
    #[inline(always)]
    pub(super) fn of(shmem: &Shmem, slab: &Slab, taken: u64) -> Result<Self, Fault> {
        let (now, next) = if taken & 1 == 0 { (slab.even, slab.odd) } else { (slab.odd, slab.even) };
        Ok(Self { now: own(shmem, slab, now)?, next: own(shmem, slab, next)?, next_at: next })
    }
}

/// Returns the calling PE's slab, after checking that it lies in the heap.
#[inline(always)]
fn own(shmem: &Shmem, slab: &Slab, field: SymPtr<f32>) -> Result<*mut f32, Fault> {
    let (me, end) = (shmem.my_pe(), (slab.rows as usize + 2) * slab.stride as usize);
    shmem.ptr(field.add(end - 1), me)?;
    match shmem.ptr(field, me)? {
        Some(at) => Ok(at),
        None => Err(shmem.fault(Fault::new(FaultStep::OutOfLocal))),
    }
}
