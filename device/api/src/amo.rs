//! Atomics.
//!
//! An atomic on a PE that is reached by load and store is the GPU's own, one on a *far* PE its NIC's, and the two are not
//! atomic with each other: of two additions to one word, one by each, one can be lost. In a world that has both kinds of
//! paths a word may therefore be used by atomics (and signals that add) of PEs that are all near to its owner, the owner
//! itself included, or of PEs that are all far from it, but not of both. Which PEs are near says
//! [`Shmem::ptr`](crate::Shmem::ptr). Nothing checks it, in no build: a PE does not learn what others do to a word. The same
//! holds for host PEs that a NIC or Soft-RoCE connects; software NICs use the processor's atomics, and there every word may
//! be used by all.

use oxshmem_core::{AmoOp, AmoType, AtomicAdd, AtomicInt, AtomicWord, Element, Fault, Pe, QpResource, Remote, SymPtr};

use crate::{Issue, check};

/// Atomics on a word of `pe`, each as wide as its type. On the default queues as methods of
/// [`Shmem`](crate::Shmem), on a chosen one as methods of [`OnQp`](crate::OnQp).
///
/// An atomic is atomic against every other atomic on the same word with the same type, from any PE that reaches the word's
/// owner in the same way: by load and store, or by a NIC. A word that PEs of both kinds use loses updates. It
/// orders nothing else. The fetching forms return the word as it was, and are complete then.
///
/// # Errors
/// Each reports and returns the fault, as [`Rma`](crate::Rma) does.
pub trait Atomics: Issue {
    /// Reads the word.
    #[inline(always)]
    fn atomic_fetch<T: AtomicWord>(&self, at: SymPtr<T>, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Fetch, T::AMO, T::default(), T::default())
    }

    /// Replaces the word.
    #[inline(always)]
    fn atomic_set<T: AtomicWord>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Set, T::AMO, value)
    }

    /// Replaces the word and returns the old one.
    #[inline(always)]
    fn atomic_swap<T: AtomicWord>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Set, T::AMO, value, T::default())
    }

    /// Replaces the word if it equals `compare`, and returns the old one.
    #[inline(always)]
    fn atomic_compare_swap<T: AtomicInt>(&self, at: SymPtr<T>, compare: T, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::CompareSwap, T::AMO, value, compare)
    }

    /// Adds one.
    #[inline(always)]
    fn atomic_inc<T: AtomicInt>(&self, at: SymPtr<T>, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Add, T::AMO, T::ONE)
    }

    /// Adds one and returns the old word.
    #[inline(always)]
    fn atomic_fetch_inc<T: AtomicInt>(&self, at: SymPtr<T>, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Add, T::AMO, T::ONE, T::default())
    }

    /// Adds.
    #[inline(always)]
    fn atomic_add<T: AtomicAdd>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Add, T::ADD, value)
    }

    /// Adds and returns the old word.
    #[inline(always)]
    fn atomic_fetch_add<T: AtomicAdd>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Add, T::ADD, value, T::default())
    }

    /// Bitwise and.
    #[inline(always)]
    fn atomic_and<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::And, T::AMO, value)
    }

    /// Bitwise and; returns the old word.
    #[inline(always)]
    fn atomic_fetch_and<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::And, T::AMO, value, T::default())
    }

    /// Bitwise or.
    #[inline(always)]
    fn atomic_or<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Or, T::AMO, value)
    }

    /// Bitwise or; returns the old word.
    #[inline(always)]
    fn atomic_fetch_or<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Or, T::AMO, value, T::default())
    }

    /// Bitwise exclusive or.
    #[inline(always)]
    fn atomic_xor<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Xor, T::AMO, value)
    }

    /// Bitwise exclusive or; returns the old word.
    #[inline(always)]
    fn atomic_fetch_xor<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Xor, T::AMO, value, T::default())
    }
}

impl<I: Issue + ?Sized> Atomics for I {}

#[inline(always)]
fn post<T: Element, I: Issue + ?Sized>(
    on: &I,
    at: SymPtr<T>,
    pe: Pe,
    op: AmoOp,
    of: AmoType,
    value: T,
) -> Result<(), Fault> {
    let (word, width) = (Remote { pe, at: at.addr() }, T::WIDTH.bytes());
    check::remote(&on.shmem().state, word, width, width)?;
    on.queue()?.0.amo(word, op, of, value.to_bits64())
}

#[inline(always)]
fn fetch<T: Element, I: Issue + ?Sized>(
    on: &I,
    at: SymPtr<T>,
    pe: Pe,
    op: AmoOp,
    of: AmoType,
    value: T,
    compare: T,
) -> Result<T, Fault> {
    let (word, width) = (Remote { pe, at: at.addr() }, T::WIDTH.bytes());
    check::remote(&on.shmem().state, word, width, width)?;
    on.queue()?.0.amo_fetch(word, op, of, value.to_bits64(), compare.to_bits64()).map(T::from_bits64)
}
