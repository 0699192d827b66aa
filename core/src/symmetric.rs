//! The symmetric end of a call: a pointer or a slice, and the number of elements.
#![forbid(unsafe_code)]

use core::ops::RangeFull;

use crate::{Element, SymPtr, SymSlice};

mod sealed {
    /// Seals [`Symmetric`](super::Symmetric) and [`Count`](super::Count): calls rely on the ranges.
    pub trait Sealed {}
    impl<T> Sealed for super::SymPtr<T> {}
    impl<T> Sealed for super::SymSlice<T> {}
    impl Sealed for usize {}
    impl Sealed for super::RangeFull {}
}

/// Symmetric memory as a call takes it: a [`SymPtr`], or a [`SymSlice`], which the call may not leave.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no symmetric memory of `{T}`",
    label = "a `SymSlice<{T}>` or a `SymPtr<{T}>`"
)]
pub trait Symmetric<T: Element>: Copy + sealed::Sealed {
    /// Returns the first element.
    fn start(self) -> SymPtr<T>;

    /// Returns the number of elements that a call may use from there on; `usize::MAX` for a pointer, which does not
    /// know it.
    fn limit(self) -> usize;
}

impl<T: Element> Symmetric<T> for SymPtr<T> {
    #[inline(always)]
    fn start(self) -> SymPtr<T> {
        self
    }

    #[inline(always)]
    fn limit(self) -> usize {
        usize::MAX
    }
}

impl<T: Element> Symmetric<T> for SymSlice<T> {
    #[inline(always)]
    fn start(self) -> SymPtr<T> {
        self.as_ptr()
    }

    #[inline(always)]
    fn limit(self) -> usize {
        self.len()
    }
}

/// The number of elements of a call on `S`: a `usize`, or, if `S` is a [`SymSlice`], `..` for all of its elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number of elements of `{S}`",
    label = "a `usize`, or `..` for all elements of a `SymSlice`",
    note = "a `SymPtr` does not know how many elements it has: `SymSlice::new(pointer, count)` does"
)]
pub trait Count<S>: Copy + sealed::Sealed {
    /// Reports whether it is `..`.
    fn is_all(self) -> bool;

    /// Returns the number, where `..` stands for `all`.
    fn or_all(self, all: usize) -> usize;
}

impl<S> Count<S> for usize {
    #[inline(always)]
    fn is_all(self) -> bool {
        false
    }

    #[inline(always)]
    fn or_all(self, _: usize) -> usize {
        self
    }
}

impl<T> Count<SymSlice<T>> for RangeFull {
    #[inline(always)]
    fn is_all(self) -> bool {
        true
    }

    #[inline(always)]
    fn or_all(self, all: usize) -> usize {
        all
    }
}
