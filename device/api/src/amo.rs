//! Atomics.
//!
//! The GPU performs an atomic on a load/store PE, and the target's NIC performs one on a remote PE. The two are not
//! atomic with each other: of two additions to one word, one by each, one can be lost. In a world with both kinds of
//! paths, atomics (and signals that add) to one word must therefore come either only from PEs that reach the word's
//! owner by load and store (including the owner itself), or only from PEs for which the owner is remote.
//! [`Counter`](crate::Counter) keeps the rule for counts that all PEs add to, and
//! [`Shmem::ptr`](crate::Shmem::ptr) shows which PEs are reached by load and store. No build checks this rule, because
//! a PE does not see the operations of others on a word. The same holds for host PEs that a NIC or Soft-RoCE connects.
//! Software NICs use the processor's atomics, so there all PEs may use every word.

use oxshmem_core::{
    AmoOp, AmoType, AtomicAdd, AtomicInt, AtomicWord, Element, Fault, Pe, QpResource, Remote, SymAddr, SymPtr,
};

use crate::{Issue, check};

/// Atomics on a word of `pe`, each as wide as its type: on the default queues as methods of [`Shmem`](crate::Shmem), on
/// a chosen queue as methods of [`OnQp`](crate::OnQp).
///
/// An atomic is atomic with respect to every other atomic of the same type on the same word, from any PE that reaches
/// the word's owner in the same way: by load and store, or by a NIC. A word that PEs of both kinds use loses updates.
/// An atomic orders no other operation. The fetching forms return the word's previous value and are complete on return.
///
/// # Errors
/// Each call reports and returns the fault, as for [`Rma`](crate::Rma).
pub trait Atomics: Issue {
    /// Performs an atomic that is chosen while the program runs, on a word of type `of` at `at`.
    #[inline(always)]
    fn atomic_post_any(&self, at: SymAddr, op: AmoOp, of: AmoType, value: u64, pe: Pe) -> Result<(), Fault> {
        let word = Remote { pe, at };
        check::element(self, word, of.bytes())?;
        self.queue()?.0.amo(word, op, of, value)
    }

    /// Does the same, and returns the word's previous bits.
    #[inline(always)]
    fn atomic_fetch_any(
        &self,
        at: SymAddr,
        op: AmoOp,
        of: AmoType,
        value: u64,
        compare: u64,
        pe: Pe,
    ) -> Result<u64, Fault> {
        let word = Remote { pe, at };
        check::element(self, word, of.bytes())?;
        self.queue()?.0.amo_fetch(word, op, of, value, compare)
    }

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

    /// Replaces the word and returns its previous value.
    #[inline(always)]
    fn atomic_swap<T: AtomicWord>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Set, T::AMO, value, T::default())
    }

    /// Replaces the word if it equals `compare`, and returns its previous value.
    #[inline(always)]
    fn atomic_compare_swap<T: AtomicInt>(&self, at: SymPtr<T>, compare: T, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::CompareSwap, T::AMO, value, compare)
    }

    /// Adds one.
    #[inline(always)]
    fn atomic_inc<T: AtomicInt>(&self, at: SymPtr<T>, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Add, T::AMO, T::ONE)
    }

    /// Adds one and returns the previous value.
    #[inline(always)]
    fn atomic_fetch_inc<T: AtomicInt>(&self, at: SymPtr<T>, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Add, T::AMO, T::ONE, T::default())
    }

    /// Adds `value`.
    #[inline(always)]
    fn atomic_add<T: AtomicAdd>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Add, T::ADD, value)
    }

    /// Adds `value` and returns the previous value.
    #[inline(always)]
    fn atomic_fetch_add<T: AtomicAdd>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Add, T::ADD, value, T::default())
    }

    /// Performs a bitwise and.
    #[inline(always)]
    fn atomic_and<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::And, T::AMO, value)
    }

    /// Performs a bitwise and, and returns the previous value.
    #[inline(always)]
    fn atomic_fetch_and<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::And, T::AMO, value, T::default())
    }

    /// Performs a bitwise or.
    #[inline(always)]
    fn atomic_or<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Or, T::AMO, value)
    }

    /// Performs a bitwise or, and returns the previous value.
    #[inline(always)]
    fn atomic_fetch_or<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T, Fault> {
        fetch(self, at, pe, AmoOp::Or, T::AMO, value, T::default())
    }

    /// Performs a bitwise exclusive or.
    #[inline(always)]
    fn atomic_xor<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<(), Fault> {
        post(self, at, pe, AmoOp::Xor, T::AMO, value)
    }

    /// Performs a bitwise exclusive or, and returns the previous value.
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
    on.atomic_post_any(at.addr(), op, of, value.to_bits64(), pe)
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
    on.atomic_fetch_any(at.addr(), op, of, value.to_bits64(), compare.to_bits64(), pe).map(T::from_bits64)
}
