//! Addresses in the symmetric heap.

use core::fmt;
use core::marker::PhantomData;

use crate::Element;

/// An address in the symmetric heap: bytes from its start, the same on every PE.
///
/// Offsets cross PEs, pointers never do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct SymAddr(u64);

impl SymAddr {
    /// Returns the address `offset` bytes into the heap.
    #[inline(always)]
    pub const fn new(offset: u64) -> Self {
        Self(offset)
    }

    /// Returns the number of bytes from the start of the heap.
    #[inline(always)]
    pub const fn offset(self) -> u64 {
        self.0
    }

    /// Returns the address `bytes` further on. Wraps: an address outside the heap is detected where it is used.
    #[inline(always)]
    pub const fn add(self, bytes: u64) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
}

/// A typed address in the symmetric heap. It can't be mistaken for a pointer to local memory.
#[repr(transparent)]
pub struct SymPtr<T> {
    at: SymAddr,
    of: PhantomData<fn() -> T>,
}

impl<T: Element> SymPtr<T> {
    /// Returns the element at `at`, which should be aligned as `T` is. A misaligned address is detected where it is
    /// used.
    #[inline(always)]
    pub const fn new(at: SymAddr) -> Self {
        Self { at, of: PhantomData }
    }

    /// Returns its untyped address.
    #[inline(always)]
    pub const fn addr(self) -> SymAddr {
        self.at
    }

    /// Returns the element `index` elements further on.
    #[inline(always)]
    #[allow(clippy::should_implement_trait, reason = "pointers call it add")]
    pub const fn add(self, index: usize) -> Self {
        Self::new(self.at.add((index as u64).wrapping_mul(T::WIDTH.bytes() as u64)))
    }

    /// Returns the same address as another type.
    #[inline(always)]
    pub const fn cast<U: Element>(self) -> SymPtr<U> {
        SymPtr::new(self.at)
    }
}

impl<T> Clone for SymPtr<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SymPtr<T> {}

impl<T> PartialEq for SymPtr<T> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}
impl<T> Eq for SymPtr<T> {}

impl<T: Element> fmt::Debug for SymPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SymPtr<{}>({:#x})", T::NAME, self.at.0)
    }
}
