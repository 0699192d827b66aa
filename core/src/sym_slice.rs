//! Ranges of elements in the symmetric heap.
#![forbid(unsafe_code)]

use core::fmt;
use core::ops::{Bound, RangeBounds};

use crate::{Element, SymPtr};

/// A range of elements in the symmetric heap: where it begins and how many elements it has, the same on every PE.
///
/// A call that takes a slice may not leave it, so a program gives a length once, where it allocates. Parts are slices
/// too. No method panics, so that kernels can call all of them.
///
/// ```
/// use oxshmem_core::{SymAddr, SymPtr, SymSlice};
///
/// let row = SymSlice::new(SymPtr::<f32>::new(SymAddr::new(4096)), 10);
/// let inner = row.range(1..9).unwrap();
/// assert_eq!((inner.as_ptr(), inner.len()), (row.as_ptr().add(1), 8));
/// assert_eq!(row.range(5..11), None);
/// assert_eq!(row.split(3).map(|part| part.len()).collect::<Vec<_>>(), [4, 3, 3]);
/// ```
#[repr(C)]
pub struct SymSlice<T> {
    at: SymPtr<T>,
    len: usize,
}
const _: () = assert!(size_of::<SymSlice<u8>>() == 16 && align_of::<SymSlice<u8>>() == 8);

impl<T: Element> SymSlice<T> {
    /// Returns the `len` elements from `at` on. A range outside the heap is detected where it is used.
    #[inline(always)]
    pub const fn new(at: SymPtr<T>, len: usize) -> Self {
        Self { at, len }
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Reports whether there are no elements.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the pointer to the first element, which has no length.
    #[inline(always)]
    pub const fn as_ptr(self) -> SymPtr<T> {
        self.at
    }

    /// Returns element `index`; `None` if there are fewer.
    #[inline(always)]
    pub const fn at(self, index: usize) -> Option<SymPtr<T>> {
        if index < self.len { Some(self.at.add(index)) } else { None }
    }

    /// Returns the first element; `None` if there are none.
    #[inline(always)]
    pub const fn first(self) -> Option<SymPtr<T>> {
        self.at(0)
    }

    /// Returns the last element; `None` if there are none.
    #[inline(always)]
    pub const fn last(self) -> Option<SymPtr<T>> {
        self.at(self.len.wrapping_sub(1))
    }

    /// Returns the elements of a range of indices; `None` if it leaves the slice or ends before it begins.
    #[inline(always)]
    pub fn range(self, range: impl RangeBounds<usize>) -> Option<Self> {
        let (start, end) = self.bounds(&range)?;
        if start <= end && end <= self.len { Some(self.inside(start, end - start)) } else { None }
    }

    /// Returns the first `mid` elements, and the others; `None` if there are fewer than `mid`.
    #[inline(always)]
    pub fn split_at(self, mid: usize) -> Option<(Self, Self)> {
        let rest = self.len.checked_sub(mid)?;
        Some((self.inside(0, mid), self.inside(mid, rest)))
    }

    /// Returns the parts of `size` elements each, one after another; the last one may have fewer. There are none if
    /// `size` is 0.
    #[inline(always)]
    pub fn chunks(self, size: usize) -> Parts<T> {
        let count = if size == 0 { 0 } else { self.len.div_ceil(size) };
        Parts { of: self, next: 0, count, size, longer: 0 }
    }

    /// Returns `parts` parts, one after another, as equal as possible: the first ones have one element more than the
    /// last ones if `parts` does not divide the length. `split(n).nth(i)` is the share of one among `n`, without a
    /// loop.
    #[inline(always)]
    pub fn split(self, parts: usize) -> Parts<T> {
        let size = self.len.checked_div(parts).unwrap_or(0);
        let longer = self.len - size * parts;
        Parts { of: self, next: 0, count: parts, size, longer }
    }

    /// Returns the elements, one after another.
    #[inline(always)]
    pub fn iter(self) -> SymIter<T> {
        SymIter { rest: self }
    }

    /// Returns the same bytes as elements of another type; `None` if they are not a whole number of them, or not
    /// aligned to their width.
    #[inline(always)]
    pub fn cast<U: Element>(self) -> Option<SymSlice<U>> {
        let (bytes, width) = (self.len.checked_mul(T::WIDTH.bytes())?, U::WIDTH.bytes());
        let fits = bytes.is_multiple_of(width) && self.at.addr().offset().is_multiple_of(width as u64);
        if fits { Some(SymSlice::new(self.at.cast(), bytes / width)) } else { None }
    }

    /// Returns `len` elements from `start` on, which are inside.
    #[inline(always)]
    const fn inside(self, start: usize, len: usize) -> Self {
        Self { at: self.at.add(start), len }
    }

    /// Returns the first index of a range, and the one after its last; `None` if a number overflows.
    #[doc(hidden)]
    #[inline(always)]
    pub fn bounds(self, range: &impl RangeBounds<usize>) -> Option<(usize, usize)> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.checked_add(1)?,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.checked_add(1)?,
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        Some((start, end))
    }
}

#[cfg(feature = "host")]
impl<T: Element> SymSlice<T> {
    /// Returns the elements of a range of indices, as [`range`](Self::range) does on the device too.
    ///
    /// # Errors
    /// `OutOfRange` if it leaves the slice; `InvalidArgument` if it ends before it begins.
    pub fn try_range(self, range: impl RangeBounds<usize>) -> crate::Result<Self> {
        use crate::{Error, ErrorKind};
        let (start, end) = self.bounds(&range).unwrap_or((0, usize::MAX));
        let action = || std::format!("take elements {start}..{end} of {self:?}");
        if start > end {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("the range ends before it begins"));
        }
        self.range(start..end).ok_or_else(|| {
            Error::new(ErrorKind::OutOfRange, action()).because("the range leaves the slice").amount(
                end as u64,
                self.len as u64,
                "elements",
            )
        })
    }

    /// Returns element `index`, as [`at`](Self::at) does on the device too.
    ///
    /// # Errors
    /// `OutOfRange` if there are fewer elements.
    pub fn try_at(self, index: usize) -> crate::Result<SymPtr<T>> {
        Ok(self.try_range(index..=index)?.as_ptr())
    }
}

impl<T> Clone for SymSlice<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SymSlice<T> {}

impl<T> PartialEq for SymSlice<T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.len == other.len
    }
}
impl<T> Eq for SymSlice<T> {}

impl<T: Element> fmt::Debug for SymSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SymSlice<{}>({:#x}, {} elements)", T::NAME, self.at.addr().offset(), self.len)
    }
}

/// The parts of a slice: [`SymSlice::chunks`] and [`SymSlice::split`] return it.
#[derive(Clone, Debug)]
pub struct Parts<T: Element> {
    of: SymSlice<T>,
    /// The index of the next part.
    next: usize,
    count: usize,
    size: usize,
    /// The number of parts that have one element more than `size`.
    longer: usize,
}

impl<T: Element> Parts<T> {
    /// Returns part `index`, which exists.
    #[inline(always)]
    fn part(&self, index: usize) -> SymSlice<T> {
        // Every start is an index of the slice or its length, so nothing overflows.
        let start = index.wrapping_mul(self.size).wrapping_add(index.min(self.longer));
        let size = self.size.wrapping_add((index < self.longer) as usize);
        self.of.inside(start, size.min(self.of.len.saturating_sub(start)))
    }
}

impl<T: Element> Iterator for Parts<T> {
    type Item = SymSlice<T>;

    #[inline(always)]
    fn next(&mut self) -> Option<SymSlice<T>> {
        self.nth(0)
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<SymSlice<T>> {
        let index = self.next.saturating_add(n);
        if index >= self.count {
            self.next = self.count;
            return None;
        }
        self.next = index.wrapping_add(1);
        Some(self.part(index))
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.count.saturating_sub(self.next);
        (left, Some(left))
    }
}
impl<T: Element> ExactSizeIterator for Parts<T> {}

/// The elements of a slice: [`SymSlice::iter`] returns it.
#[derive(Clone, Debug)]
pub struct SymIter<T: Element> {
    rest: SymSlice<T>,
}

impl<T: Element> Iterator for SymIter<T> {
    type Item = SymPtr<T>;

    #[inline(always)]
    fn next(&mut self) -> Option<SymPtr<T>> {
        self.nth(0)
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<SymPtr<T>> {
        let found = self.rest.at(n);
        let taken = n.saturating_add(1).min(self.rest.len);
        self.rest = self.rest.inside(taken, self.rest.len.wrapping_sub(taken));
        found
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rest.len, Some(self.rest.len))
    }
}
impl<T: Element> ExactSizeIterator for SymIter<T> {}

#[cfg(test)]
mod tests;
