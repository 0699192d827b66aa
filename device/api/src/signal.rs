//! Signals.

use oxshmem_core::{Cmp, Completion, Count, Element, Fault, Group, Pe, QpResource, Remote, Signal, SymPtr, Symmetric};

use crate::local::Memory;
use oxshmem_raw::queue::path::PathList;

use crate::{Issue, Shmem, check};

/// Signals and puts with a signal: on the default queues as methods of [`Shmem`], on a chosen queue as methods of
/// [`OnQp`](crate::OnQp).
///
/// A signal word is a `u64` in the symmetric heap. A thread that sees the signal of a put sees that put's data. The
/// signal does not order other operations. The word may not lie inside the data.
///
/// # Errors
/// Each call reports and returns the fault, as for [`Rma`](crate::Rma).
pub trait Signals: Issue {
    /// Changes a signal word on `pe`.
    #[inline(always)]
    fn signal(&self, signal: Signal, pe: Pe) -> Result<(), Fault> {
        let at = Remote { pe, at: signal.word.addr() };
        check::element(self, at, 8)?;
        self.queue()?.0.signal(at, signal.op, signal.value)
    }

    /// Copies `count` elements to `dest` on `pe`, then gives the signal there. Returns when `source` may be
    /// written again. Zero elements are a signal alone.
    #[inline(always)]
    fn put_signal<T: Element, G: Group, D: Symmetric<T>>(
        &self,
        group: G,
        dest: D,
        source: impl Memory<T>,
        count: impl Count<D>,
        signal: Signal,
        pe: Pe,
    ) -> Result<(), Fault> {
        self.put_signal_until(Completion::Blocking, group, dest, source, count, signal, pe)
    }

    /// Starts a [`put_signal`](Signals::put_signal) and returns without waiting. A quiet completes it.
    #[inline(always)]
    fn put_signal_nbi<T: Element, G: Group, D: Symmetric<T>>(
        &self,
        group: G,
        dest: D,
        source: impl Memory<T>,
        count: impl Count<D>,
        signal: Signal,
        pe: Pe,
    ) -> Result<(), Fault> {
        self.put_signal_until(Completion::Nonblocking, group, dest, source, count, signal, pe)
    }

    /// Performs [`put_signal`](Signals::put_signal) or [`put_signal_nbi`](Signals::put_signal_nbi), chosen while the
    /// program runs.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list, and when the call returns")]
    fn put_signal_until<T: Element, G: Group, D: Symmetric<T>>(
        &self,
        when: Completion,
        group: G,
        dest: D,
        source: impl Memory<T>,
        count: impl Count<D>,
        signal: Signal,
        pe: Pe,
    ) -> Result<(), Fault> {
        let (state, width, to) = (&self.shmem().state, T::WIDTH.bytes(), Remote { pe, at: dest.start().addr() });
        let count = count.or_all(dest.limit());
        check::slices(self, pe, (dest, count), (source, count))?;
        let bytes = check::data_bytes(self, count, width);
        let (word, from) = (signal.word.addr(), source.address(state));
        let at = Remote { pe, at: word };
        let right = check::in_heap(state, word, 8) & source.fits(self, count);
        let fault = || {
            check::no_word(state, at)
                .or_else(|| check::signal_inside(to, bytes, word))
                .or_else(|| source.misfit(self, count))
        };
        check::target(self, to, bytes, width, (right, fault))?;
        self.queue()?.0.put_signal(group, to, from, bytes, word, signal.op, signal.value, when)
    }
}

impl<I: Issue + ?Sized> Signals for I {}

impl<P: PathList> Shmem<'_, P> {
    /// Returns the current value of this PE's signal word. Data put before the signal in this value is visible after
    /// the call. A loop around this call is no wait of the library: neither the limit nor a death ends it, as they end
    /// [`signal_wait_until`](Shmem::signal_wait_until).
    ///
    /// # Errors
    /// The word is outside the heap or misaligned.
    #[inline(always)]
    pub fn signal_fetch(&self, word: SymPtr<u64>) -> Result<u64, Fault> {
        self.acquire(word)
    }

    /// Waits until this PE's signal word satisfies `cmp` with `value`, and returns the word's value at that time.
    ///
    /// # Errors
    /// The world's limit was reached, a PE died, or the word is outside the heap.
    #[inline(always)]
    pub fn signal_wait_until(&self, word: SymPtr<u64>, cmp: Cmp, value: u64) -> Result<u64, Fault> {
        self.wait_for(word, cmp, value)
    }
}
