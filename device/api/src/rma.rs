//! Remote memory access.

use oxshmem_core::{Completion, Count, Element, Fault, Group, Pe, QpResource, Remote, SymPtr, Symmetric};

use crate::local::Memory;
use crate::{Issue, Unchecked, check};

/// Put, get, p, g, iput, iget: on the default queues as methods of [`Shmem`](crate::Shmem), on a chosen queue as
/// methods of [`OnQp`](crate::OnQp).
///
/// The remote side's `dest` or `source` is symmetric; the local side is symmetric too, or a [`Local`](crate::Local).
/// Symmetric memory is a [`SymSlice`](oxshmem_core::SymSlice), which no call leaves, or a [`SymPtr`]. Counts are in
/// elements, and `..` stands for all elements of the remote side's slice; with `u8` the calls are the `mem` forms.
/// Every thread of a group calls with the same arguments. A call with zero elements does nothing.
///
/// The threads of a group meet at the start and at the end of each of its calls. A call therefore sends data that any of
/// them wrote, or waited for, before it, and writes memory that any of them read before it; after it each of them may
/// write the source of a blocking put. A group that has met since such an access can leave out the meeting at the start:
/// `shmem.put(Met(Block), ..)`.
///
/// # Errors
/// Each call returns the fault: the PE does not exist, a range is outside the heap or longer than the local end (in
/// builds that check ranges; reported), it leaves a slice (in every build; reported), it is misaligned (in builds that
/// check all; reported), or the queue has stopped. A group's call returns it to every thread. A call that checks find
/// wrong does nothing.
pub trait Rma: Issue {
    /// Returns the same operations without the checks of PE and ranges, in builds that check ranges and not all: a loop
    /// of single elements or of small atomics is faster.
    ///
    /// # Safety
    ///
    /// - **inside**: each call on the value names a PE of the world; its symmetric ranges are in the heap, after the
    ///   library's part, and its local end has as many elements as the call moves.
    #[inline(always)]
    unsafe fn unchecked(&self) -> Unchecked<'_, Self> {
        Unchecked::new(self)
    }

    /// Copies `count` elements to `dest` on `pe`, and returns when `source` may be written again.
    #[inline(always)]
    fn put<T: Element, G: Group, D: Symmetric<T>>(
        &self,
        group: G,
        dest: D,
        source: impl Memory<T>,
        count: impl Count<D>,
        pe: Pe,
    ) -> Result<(), Fault> {
        self.put_until(Completion::Blocking, group, dest, source, count, pe)
    }

    /// Starts a [`put`](Rma::put) and returns without waiting. The group's quiet completes it.
    #[inline(always)]
    fn put_nbi<T: Element, G: Group, D: Symmetric<T>>(
        &self,
        group: G,
        dest: D,
        source: impl Memory<T>,
        count: impl Count<D>,
        pe: Pe,
    ) -> Result<(), Fault> {
        self.put_until(Completion::Nonblocking, group, dest, source, count, pe)
    }

    /// Performs [`put`](Rma::put) or [`put_nbi`](Rma::put_nbi), chosen while the program runs.
    #[inline(always)]
    fn put_until<T: Element, G: Group, D: Symmetric<T>>(
        &self,
        when: Completion,
        group: G,
        dest: D,
        source: impl Memory<T>,
        count: impl Count<D>,
        pe: Pe,
    ) -> Result<(), Fault> {
        let (width, to) = (T::WIDTH.bytes(), Remote { pe, at: dest.start().addr() });
        let count = count.or_all(dest.limit());
        let bytes = check::data_bytes(self, count, width);
        check::slices(self, pe, (dest, count), (source, count))?;
        check::ends(self, to, bytes, source, count)?;
        if count == 0 {
            return Ok(());
        }
        self.queue()?.0.put(group, to, source.address(&self.shmem().state), bytes, when)
    }

    /// Copies `count` elements from `source` on `pe`, and returns when they have arrived.
    #[inline(always)]
    fn get<T: Element, G: Group, S: Symmetric<T>>(
        &self,
        group: G,
        dest: impl Memory<T>,
        source: S,
        count: impl Count<S>,
        pe: Pe,
    ) -> Result<(), Fault> {
        self.get_until(Completion::Blocking, group, dest, source, count, pe)
    }

    /// Starts a [`get`](Rma::get) and returns without waiting. The group's quiet completes it; the data that any of its
    /// threads fetched is then visible to all of them.
    #[inline(always)]
    fn get_nbi<T: Element, G: Group, S: Symmetric<T>>(
        &self,
        group: G,
        dest: impl Memory<T>,
        source: S,
        count: impl Count<S>,
        pe: Pe,
    ) -> Result<(), Fault> {
        self.get_until(Completion::Nonblocking, group, dest, source, count, pe)
    }

    /// Performs [`get`](Rma::get) or [`get_nbi`](Rma::get_nbi), chosen while the program runs.
    #[inline(always)]
    fn get_until<T: Element, G: Group, S: Symmetric<T>>(
        &self,
        when: Completion,
        group: G,
        dest: impl Memory<T>,
        source: S,
        count: impl Count<S>,
        pe: Pe,
    ) -> Result<(), Fault> {
        let (width, from) = (T::WIDTH.bytes(), Remote { pe, at: source.start().addr() });
        let count = count.or_all(source.limit());
        let bytes = check::data_bytes(self, count, width);
        check::slices(self, pe, (source, count), (dest, count))?;
        check::ends(self, from, bytes, dest, count)?;
        if count == 0 {
            return Ok(());
        }
        self.queue()?.0.get(group, dest.address(&self.shmem().state), from, bytes, when)
    }

    /// Writes one element to `dest` on `pe`.
    #[inline(always)]
    fn p<T: Element>(&self, dest: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        let (to, width) = (Remote { pe, at: dest.addr() }, T::WIDTH.bytes());
        check::element(self, to, width)?;
        self.queue()?.0.p(to, T::WIDTH, value.to_bits64())
    }

    /// Reads one element from `source` on `pe`.
    #[inline(always)]
    fn g<T: Element>(&self, source: SymPtr<T>, pe: Pe) -> Result<T, Fault> {
        let (from, width) = (Remote { pe, at: source.addr() }, T::WIDTH.bytes());
        check::element(self, from, width)?;
        self.queue()?.0.g(from, T::WIDTH).map(T::from_bits64)
    }

    /// Copies `count` elements, `source_stride` elements apart here and `dest_stride` apart at `dest` on `pe`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
    fn iput<T: Element, G: Group>(
        &self,
        group: G,
        dest: impl Symmetric<T>,
        source: impl Memory<T>,
        dest_stride: usize,
        source_stride: usize,
        count: usize,
        pe: Pe,
    ) -> Result<(), Fault> {
        let (width, to) = (T::WIDTH.bytes(), Remote { pe, at: dest.start().addr() });
        if count == 0 {
            return check::pe(&self.shmem().state, pe);
        }
        let whole = |stride: usize| stride.saturating_mul(count - 1).saturating_add(1);
        check::slices(self, pe, (dest, whole(dest_stride)), (source, whole(source_stride)))?;
        let bytes = check::data_bytes(self, spread::<Self>(dest_stride, count), width);
        check::ends(self, to, bytes, source, spread::<Self>(source_stride, count))?;
        let from = source.address(&self.shmem().state);
        self.queue()?.0.iput(group, to, from, dest_stride, source_stride, count, T::WIDTH)
    }

    /// Copies `count` elements, `source_stride` elements apart at `source` on `pe` and `dest_stride` apart here.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
    fn iget<T: Element, G: Group>(
        &self,
        group: G,
        dest: impl Memory<T>,
        source: impl Symmetric<T>,
        dest_stride: usize,
        source_stride: usize,
        count: usize,
        pe: Pe,
    ) -> Result<(), Fault> {
        let (width, from) = (T::WIDTH.bytes(), Remote { pe, at: source.start().addr() });
        if count == 0 {
            return check::pe(&self.shmem().state, pe);
        }
        let whole = |stride: usize| stride.saturating_mul(count - 1).saturating_add(1);
        check::slices(self, pe, (source, whole(source_stride)), (dest, whole(dest_stride)))?;
        let bytes = check::data_bytes(self, spread::<Self>(source_stride, count), width);
        check::ends(self, from, bytes, dest, spread::<Self>(dest_stride, count))?;
        let to = dest.address(&self.shmem().state);
        self.queue()?.0.iget(group, to, from, dest_stride, source_stride, count, T::WIDTH)
    }
}

impl<I: Issue + ?Sized> Rma for I {}

/// Returns the number of elements from the first to the last of `count` elements (not 0) that are `stride` apart.
#[inline(always)]
fn spread<I: Issue + ?Sized>(stride: usize, count: usize) -> usize {
    if check::is_safe::<I>() { stride.saturating_mul(count - 1).saturating_add(1) } else { stride * (count - 1) + 1 }
}
