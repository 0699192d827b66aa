//! Symmetric memory.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Element, SymAddr, SymPtr};

use oxshmem_raw::memory::MAX_ALIGNMENT;

use super::World;
use super::collective::all_ok;

impl World {
    /// Allocates `count` elements of symmetric memory, with any contents. Collective, with the same `count`.
    ///
    /// The heap grows if needed; earlier allocations do not move.
    ///
    /// # Errors
    /// PEs differ in the size (both named), `count` is 0, or the heap is at its limit.
    pub fn malloc<T: Element>(&self, count: usize) -> Result<SymPtr<T>> {
        self.allocate("malloc", count, T::WIDTH.bytes(), 1).map(SymPtr::new)
    }

    /// Allocates as [`malloc`](World::malloc), zeroed on every PE.
    ///
    /// # Errors
    /// As [`malloc`](World::malloc).
    pub fn calloc<T: Element>(&self, count: usize) -> Result<SymPtr<T>> {
        let at = self.allocate("calloc", count, T::WIDTH.bytes(), 1)?;
        let state = self.state();
        // SAFETY: **mapped**: the range was just allocated, with this size, in this PE's heap.
        let zeroed = unsafe { self.machine.memory.fill(state.own + at.offset(), 0, count * T::WIDTH.bytes()) };
        // No PE may write into a peer's memory that is yet to be zeroed.
        let zeroed = all_ok(&self.control, "zero the memory that was allocated", zeroed);
        if zeroed.is_err() {
            // On every PE alike, so that the heaps remain equal.
            self.inner().heap.free(at.offset())?;
        }
        zeroed.map(|()| SymPtr::new(at))
    }

    /// Allocates as [`malloc`](World::malloc), at a multiple of `alignment` bytes, a power of two of at most 2 MiB.
    /// Collective, with the same arguments.
    ///
    /// # Errors
    /// As [`malloc`](World::malloc); or the alignment is not such a power of two.
    pub fn align<T: Element>(&self, alignment: usize, count: usize) -> Result<SymPtr<T>> {
        self.allocate("align", count, T::WIDTH.bytes(), alignment).map(SymPtr::new)
    }

    /// Frees symmetric memory. Collective, with the same pointer; no PE may still use the memory.
    ///
    /// # Errors
    /// PEs differ in the pointer (both named), or nothing is allocated there.
    pub fn free<T: Element>(&self, at: SymPtr<T>) -> Result<()> {
        self.refuse_in_capture("free")?;
        // No PE may free memory that another PE's kernel still uses on this one.
        self.finish_own_work()?;
        self.control.agree("free", &[("the heap offset to free", at.addr().offset())])?;
        // All preceding calls were equal on every PE, so this one needs no further agreement.
        self.inner().heap.free(at.addr().offset())
    }

    fn allocate(&self, call: &'static str, count: usize, width: usize, alignment: usize) -> Result<SymAddr> {
        self.refuse_in_capture(call)?;
        let action = || format!("allocate {count} elements of {width} bytes of symmetric memory");
        let bytes = count.checked_mul(width).map(|bytes| bytes as u64);
        // All PEs check the arguments together. Otherwise a PE with valid arguments would wait for one that returned an
        // error.
        let values = [("the size in bytes", bytes.unwrap_or(u64::MAX)), ("the alignment in bytes", alignment as u64)];
        self.control.agree(call, &values)?;
        let Some(bytes) = bytes else {
            return Err(Error::new(ErrorKind::OutOfRange, action()).because("the size in bytes overflows"));
        };
        if bytes == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("there is no memory of 0 bytes"));
        }
        if !alignment.is_power_of_two() || alignment as u64 > MAX_ALIGNMENT {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the alignment {alignment} is not a power of two of at most 2 MiB")));
        }
        if let Some(at) = self.take(bytes, alignment) {
            return Ok(at);
        }
        let room = bytes.saturating_add(if alignment > 256 { alignment as u64 } else { 0 });
        let extent = self.inner().heap.next_extent(room)?;
        if !self.windows().can_grow() {
            let largest = self.inner().heap.largest_free();
            return Err(Error::new(ErrorKind::Exhausted, action())
                .because("this heap, shared by legacy IPC handles, can't grow")
                .amount(bytes, largest, "bytes in one piece")
                .hint("set OXSHMEM_SYMMETRIC_SIZE to all that the program needs"));
        }
        self.grow(extent)?;
        self.take(bytes, alignment)
            .ok_or_else(|| Error::new(ErrorKind::Exhausted, action()).because("the heap is too fragmented"))
    }

    fn take(&self, bytes: u64, alignment: usize) -> Option<SymAddr> {
        self.inner().heap.allocate(bytes, alignment as u64).map(SymAddr::new)
    }
}
