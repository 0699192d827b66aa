//! Shared memory of a block.

use core::marker::PhantomData;

use oxshmem_core::{Element, Fault, FaultStep, Width};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::WorldState;

use crate::{Shmem, check};

/// Elements in the shared memory of the calling thread's block. [`Shmem::shared`] returns it.
///
/// Each access loads or stores one whole element, so that threads may race for it: a read returns a value that a thread
/// has written, and an unspecified value before the first write. After a meeting of the block (`Block.sync()`) its threads
/// see the writes before it. An index out of bounds is a fault: a read then returns zero, and a write does nothing.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a, T> {
    at: *mut T,
    len: usize,
    state: &'a WorldState,
    of: PhantomData<&'a [T]>,
}

impl<P: PathList> Shmem<'_, P> {
    /// Returns `count` elements of the block's dynamic shared memory: from byte `from` on, rounded up to a multiple of the
    /// element's size. A launch provides the memory by `Launch::shared_bytes`; if it provides less, this is a fault, and the
    /// result is empty.
    ///
    /// All calls with the same arguments return the same elements, and calls with others may return some of them as well:
    /// a program divides the memory itself, also with `block_sum`, which uses its beginning.
    ///
    /// ```
    /// use oxshmem_device::prelude::*;
    ///
    /// kernel! {
    ///     /// Reverses each block's part of `at`, one element a thread. The launch provides 4 bytes a thread.
    ///     pub fn reverse(shmem: Shmem, at: SymPtr<f32>) {
    ///         let (rank, size) = (thread_in_block(), Block.size() as usize);
    ///         let part = shmem.local(at.add(block_idx()[0] as usize * size), size);
    ///         let tile = shmem.shared::<f32>(0, size);
    ///         tile.write(rank, part.read(rank));
    ///         Block.sync();
    ///         part.write(rank, tile.read(size - 1 - rank));
    ///     }
    /// }
    /// ```
    #[inline(always)]
    pub fn shared<T: Element>(&self, from: u32, count: usize) -> Shared<'_, T> {
        let has = self.has_shared::<T>(from, count).is_ok();
        // SAFETY: **provided**: as checked, or no element.
        unsafe { self.shared_unchecked(from, if has { count } else { 0 }) }
    }

    /// Checks that the launch provides these elements. (A `Result` of a [`Shared`] would move the world's state to the stack.)
    #[inline(always)]
    pub(crate) fn has_shared<T: Element>(&self, from: u32, count: usize) -> Result<(), Fault> {
        let (width, provided) = (T::WIDTH.bytes(), ptx::dynamic_shared_bytes() as usize);
        let start = (from as usize).next_multiple_of(width);
        if count <= provided.saturating_sub(start) / width {
            return Ok(());
        }
        let mut fault = Fault::new(FaultStep::OutOfLocal);
        let bytes = (count as u64).saturating_mul(width as u64);
        (fault.asked, fault.seen) = ((start as u64).saturating_add(bytes), provided as u64);
        check::fail(&self.state, fault)
    }

    /// Returns elements as [`shared`](Shmem::shared) does.
    ///
    /// # Safety
    ///
    /// - **provided**: the launch provides them: `has_shared` has succeeded for the same arguments.
    #[inline(always)]
    pub(crate) unsafe fn shared_unchecked<T: Element>(&self, from: u32, count: usize) -> Shared<'_, T> {
        let start = (from as usize).next_multiple_of(T::WIDTH.bytes()) as u32;
        Shared { at: ptx::in_dynamic_shared(start).cast(), len: count, state: &self.state, of: PhantomData }
    }
}

impl<T: Element> Shared<'_, T> {
    /// Returns the number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Reports whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns element `index`.
    #[inline(always)]
    pub fn read(&self, index: usize) -> T {
        if index >= self.len {
            check::outside(self.state, index, self.len, T::WIDTH);
            return T::default();
        }
        // SAFETY: **inside**: as compared.
        unsafe { self.read_inside(index) }
    }

    /// Sets element `index` to `value`.
    #[inline(always)]
    pub fn write(&self, index: usize, value: T) {
        if index >= self.len {
            return check::outside(self.state, index, self.len, T::WIDTH);
        }
        // SAFETY: **inside**: as compared.
        unsafe { self.write_inside(index, value) }
    }

    /// Returns element `index`.
    ///
    /// # Safety
    ///
    /// - **inside**: `index` is less than [`len`](Self::len).
    #[inline(always)]
    pub(crate) unsafe fn read_inside(&self, index: usize) -> T {
        let at = self.at.wrapping_add(index);
        // SAFETY: **lent**: by **inside** it is one of the elements that `shared` has found in the block's memory, and
        // `shared` has aligned them. A caller of `lend_shared` or `exclusive` has promised that no other code uses the
        // part that it lent.
        T::from_bits64(unsafe {
            match T::WIDTH {
                Width::B1 => ptx::ld_relaxed_cta_shared_u8(at.cast()).into(),
                Width::B2 => ptx::ld_relaxed_cta_shared_u16(at.cast()).into(),
                Width::B4 => ptx::ld_relaxed_cta_shared_u32(at.cast()).into(),
                Width::B8 => ptx::ld_relaxed_cta_shared_u64(at.cast()),
            }
        })
    }

    /// Sets element `index` to `value`.
    ///
    /// # Safety
    ///
    /// - **inside**: `index` is less than [`len`](Self::len).
    #[inline(always)]
    pub(crate) unsafe fn write_inside(&self, index: usize, value: T) {
        let (at, bits) = (self.at.wrapping_add(index), value.to_bits64());
        // SAFETY: **lent**: as in `read_inside`.
        unsafe {
            match T::WIDTH {
                Width::B1 => ptx::st_relaxed_cta_shared_u8(at.cast(), bits as u8),
                Width::B2 => ptx::st_relaxed_cta_shared_u16(at.cast(), bits as u16),
                Width::B4 => ptx::st_relaxed_cta_shared_u32(at.cast(), bits as u32),
                Width::B8 => ptx::st_relaxed_cta_shared_u64(at.cast(), bits),
            }
        }
    }
}
