//! Memory of the calling PE.

use core::marker::PhantomData;

use oxshmem_core::{Element, Fault, FaultStep, Pe, SymPtr, SymSlice, Symmetric, Width};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::WorldState;

use crate::{Issue, Shmem, check};

/// A slice of the calling PE's memory that other threads and PEs may write too.
///
/// An index out of bounds is a fault: a read then returns zero, and a write does nothing. Threads may race for an
/// element: without a meeting, a wait or a barrier between them a read returns some value that was written, or, on GPUs,
/// bytes of several.
#[derive(Clone, Copy, Debug)]
pub struct Local<'a, T> {
    at: *mut T,
    len: usize,
    state: &'a WorldState,
    of: PhantomData<&'a [T]>,
}

/// Returns this PE's own part of symmetric memory. A range outside the heap or its slice is a fault, and the result is
/// empty.
#[inline(always)]
pub(crate) fn own<'a, T: Element, P: PathList>(
    shmem: &'a Shmem<'_, P>,
    of: impl Symmetric<T>,
    count: usize,
) -> Local<'a, T> {
    let (state, at, width) = (&shmem.state, of.start(), T::WIDTH.bytes());
    let inside = if count > of.limit() {
        check::leaves_slice(state, shmem.my_pe(), of, count)
    } else {
        check::heap_range(state, shmem.my_pe(), at.addr(), check::bytes_of(count, width), width)
    };
    let len = if inside.is_ok() { count } else { 0 };
    Local { at: state.own_address(at.addr()).cast(), len, state, of: PhantomData }
}

/// Returns elements at an address. See [`Shmem::local_at`].
#[inline(always)]
pub(crate) fn at<'a, T: Element, P: PathList>(shmem: &'a Shmem<'_, P>, at: *mut T, count: usize) -> Local<'a, T> {
    Local { at, len: count, state: &shmem.state, of: PhantomData }
}

impl<'a, T: Element> Local<'a, T> {
    /// Returns a slice of elements that the kernel owns, such as an array on a thread's stack.
    ///
    /// To and from a remote PE the calling thread copies them itself, unless they are in a registered buffer. A
    /// nonblocking call is then complete when it returns, and no reply that comes after a failed call changes them.
    #[inline(always)]
    pub fn of<P: PathList>(shmem: &'a Shmem<'_, P>, elements: &'a mut [T]) -> Self {
        Self { at: elements.as_mut_ptr(), len: elements.len(), state: &shmem.state, of: PhantomData }
    }

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
            self.outside(index);
            return T::default();
        }
        // SAFETY: `index` is less than `len`, and the constructors guarantee `len` elements.
        unsafe { load(self.at.add(index)) }
    }

    /// Sets element `index` to `value`.
    #[inline(always)]
    pub fn write(&self, index: usize, value: T) {
        if index >= self.len {
            return self.outside(index);
        }
        // SAFETY: `index` is less than `len`, and the constructors guarantee `len` writable elements to which no
        // reference exists.
        unsafe { store(self.at.add(index), value) }
    }

    /// Returns element `index`.
    ///
    /// # Safety
    ///
    /// - **inside**: `index` is less than [`len`](Self::len).
    #[inline(always)]
    pub(crate) unsafe fn read_inside(&self, index: usize) -> T {
        // SAFETY: by **inside**; as in `read`.
        unsafe { load(self.at.add(index)) }
    }

    /// Sets element `index` to `value`.
    ///
    /// # Safety
    ///
    /// - **inside**: `index` is less than [`len`](Self::len).
    #[inline(always)]
    pub(crate) unsafe fn write_inside(&self, index: usize, value: T) {
        // SAFETY: by **inside**; as in `write`.
        unsafe { store(self.at.add(index), value) }
    }

    /// Returns `count` elements from `start` on. A range out of bounds is a fault, and the result is empty.
    #[inline(always)]
    pub fn part(&self, start: usize, count: usize) -> Self {
        if start > self.len || count > self.len - start {
            self.outside(start.saturating_add(count));
            return Self { len: 0, ..*self };
        }
        Self { at: self.at.wrapping_add(start), len: count, ..*self }
    }

    /// Checks that there are at least `count` elements.
    #[inline(always)]
    pub(crate) fn has(&self, count: usize) -> Result<(), Fault> {
        if !check::SAFE || count <= self.len {
            return Ok(());
        }
        check::refuse(self.state, self.too_short(count))
    }

    #[inline(always)]
    fn too_short(&self, count: usize) -> Fault {
        let mut fault = Fault::new(FaultStep::OutOfLocal);
        let width = T::WIDTH.bytes();
        (fault.asked, fault.seen) = (check::bytes_of(count, width) as u64, (self.len * width) as u64);
        fault
    }

    #[inline(always)]
    pub(crate) fn outside(&self, index: usize) {
        check::outside(self.state, index, self.len, T::WIDTH);
    }
}

/// Loads an element: on GPUs plainly, so that loads of neighbours may become one. On host PEs in one piece, because the
/// race of two threads must not be undefined. A kernel that reads data from a peer orders the write and the read by a
/// wait or a barrier.
///
/// # Safety
///
/// - **live**: the element is mapped for reading, and aligned to its size.
#[inline(always)]
unsafe fn load<T: Element>(at: *const T) -> T {
    if cfg!(target_arch = "nvptx64") {
        // SAFETY: **live**.
        return unsafe { at.read() };
    }
    // SAFETY: **live**: the width is the element's.
    T::from_bits64(unsafe {
        match T::WIDTH {
            Width::B1 => ptx::ld_weak_u8(at.cast()).into(),
            Width::B2 => ptx::ld_weak_u16(at.cast()).into(),
            Width::B4 => ptx::ld_weak_u32(at.cast()).into(),
            Width::B8 => ptx::ld_weak_u64(at.cast()),
        }
    })
}

/// Stores an element, as [`load`] loads it.
///
/// # Safety
///
/// - **live**: the element is mapped for writing, and aligned to its size.
#[inline(always)]
unsafe fn store<T: Element>(at: *mut T, value: T) {
    if cfg!(target_arch = "nvptx64") {
        // SAFETY: **live**.
        return unsafe { at.write(value) };
    }
    let bits = value.to_bits64();
    // SAFETY: **live**: the width is the element's.
    unsafe {
        match T::WIDTH {
            Width::B1 => ptx::st_weak_u8(at.cast(), bits as u8),
            Width::B2 => ptx::st_weak_u16(at.cast(), bits as u16),
            Width::B4 => ptx::st_weak_u32(at.cast(), bits as u32),
            Width::B8 => ptx::st_weak_u64(at.cast(), bits),
        }
    }
}

/// Memory that a put may read and a get may write: the calling PE's part of symmetric memory, or a
/// [`Local`]. The trait is sealed: operations access the addresses that it gives.
pub trait Memory<T: Element>: Copy + sealed::Sealed {
    /// Returns whether the memory has `count` elements, if these queues check that.
    #[doc(hidden)]
    fn fits<I: Issue + ?Sized>(self, on: &I, count: usize) -> bool;
    /// Returns the fault if it has fewer.
    #[doc(hidden)]
    fn misfit<I: Issue + ?Sized>(self, on: &I, count: usize) -> Option<Fault>;
    /// Returns the address of the first element.
    #[doc(hidden)]
    fn address(self, state: &WorldState) -> LocalAddr;
    /// Returns the number of elements of a slice of symmetric memory, which every build checks; `usize::MAX` for other
    /// memory.
    #[doc(hidden)]
    #[inline(always)]
    fn limit(self) -> usize {
        usize::MAX
    }
    /// Returns the fault of a call that would use `count` elements of a slice that has fewer.
    #[doc(hidden)]
    #[inline(always)]
    fn leaves(self, _: &WorldState, _: usize) -> Fault {
        Fault::new(FaultStep::OutOfLocal)
    }
}

pub(crate) mod sealed {
    /// Seals [`Memory`](super::Memory).
    pub trait Sealed {}
    impl<T> Sealed for super::SymPtr<T> {}
    impl<T> Sealed for super::SymSlice<T> {}
    impl<T> Sealed for super::Local<'_, T> {}
}

impl<T: Element> Memory<T> for SymPtr<T> {
    #[inline(always)]
    fn fits<I: Issue + ?Sized>(self, on: &I, count: usize) -> bool {
        check::in_heap(&on.shmem().state, self.addr(), check::bytes_of(count, T::WIDTH.bytes()))
    }

    #[inline(always)]
    fn misfit<I: Issue + ?Sized>(self, on: &I, count: usize) -> Option<Fault> {
        let width = T::WIDTH.bytes();
        check::own_outside(&on.shmem().state, self.addr(), check::bytes_of(count, width), width)
    }

    #[inline(always)]
    fn address(self, state: &WorldState) -> LocalAddr {
        // SAFETY: **owned**: the range is in this PE's heap, by `fits` or by **inside** of `unchecked`. The heap is
        // mapped for as long as kernels run.
        unsafe { LocalAddr::new(state.own_address(self.addr())) }
    }
}

/// A slice is in the heap as its pointer is; its length is a limit besides.
impl<T: Element> Memory<T> for SymSlice<T> {
    #[inline(always)]
    fn fits<I: Issue + ?Sized>(self, on: &I, count: usize) -> bool {
        self.as_ptr().fits(on, count)
    }

    #[inline(always)]
    fn misfit<I: Issue + ?Sized>(self, on: &I, count: usize) -> Option<Fault> {
        self.as_ptr().misfit(on, count)
    }

    #[inline(always)]
    fn address(self, state: &WorldState) -> LocalAddr {
        self.as_ptr().address(state)
    }

    #[inline(always)]
    fn limit(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn leaves(self, state: &WorldState, count: usize) -> Fault {
        check::slice_fault(Pe::new(state.my_pe), self, count)
    }
}

impl<T: Element> Memory<T> for Local<'_, T> {
    #[inline(always)]
    fn fits<I: Issue + ?Sized>(self, _: &I, count: usize) -> bool {
        count <= self.len
    }

    #[inline(always)]
    fn misfit<I: Issue + ?Sized>(self, on: &I, count: usize) -> Option<Fault> {
        (!self.fits(on, count)).then(|| self.too_short(count))
    }

    #[inline(always)]
    fn address(self, _: &WorldState) -> LocalAddr {
        // SAFETY: **owned**: the constructors guarantee `len` elements, and the call has no more, by `fits` or by
        // **inside** of `unchecked`.
        unsafe { LocalAddr::new(self.at.cast()) }
    }
}
