//! Atomics from the host.

use oxshmem_core::host::{HostAmo, Result};
use oxshmem_core::{AmoOp, AmoType, AtomicAdd, AtomicInt, AtomicWord, Element, F16, Pe, SymAddr, SymPtr};

use super::World;

/// Atomic operations on a word of `pe`, each as wide as its type. Each is complete when it returns, and orders no other
/// operation.
///
/// An operation is atomic with respect to all others on the same word with the same type, by hosts and by kernels, from
/// any PE that reaches the word's owner in the same way: by load/store, or by a NIC (see `oxshmem_device::Atomics`).
///
/// A processor has no atomics on words of GPUs that are reached by load/store, this PE's own among them. There a kernel
/// of one thread performs the operation, on this PE's GPU and a stream of the library's own: a kernel of the program
/// that waits for it must leave room for it. The first such operation allocates memory, and loads the kernels of
/// collectives if the program has loaded no module.
///
/// # Errors
/// Of each: there is no such PE, the word is outside the heap or not aligned, or the transport failed. With a kernel
/// also: the kernel could not run, or did not end within the world's limit.
impl World {
    /// Reads the word.
    ///
    /// # Errors
    /// There is no such PE, the word is outside the heap or not aligned, or the transport failed; or the kernel that
    /// performs the operation could not run, or did not end within the world's limit.
    pub fn atomic_fetch<T: AtomicWord>(&self, at: SymPtr<T>, pe: Pe) -> Result<T> {
        self.amo("atomic_fetch", (at, pe), AmoOp::Fetch, T::AMO, T::default(), T::default())
    }

    /// Replaces the word.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_set<T: AtomicWord>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<()> {
        self.amo("atomic_set", (at, pe), AmoOp::Set, T::AMO, value, T::default()).map(drop)
    }

    /// Replaces the word and returns the old one.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_swap<T: AtomicWord>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T> {
        self.amo("atomic_swap", (at, pe), AmoOp::Set, T::AMO, value, T::default())
    }

    /// Replaces a word of 16 bits and returns the old one, by compare-and-swap of the 32 bits around it.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_swap_half(&self, at: SymPtr<F16>, value: F16, pe: Pe) -> Result<F16> {
        self.remote("atomic_swap", at, 1, pe)?;
        let shift = 8 * (at.addr().offset() % 4) as u32;
        let around = SymPtr::<u32>::new(SymAddr::new(at.addr().offset() & !3));
        let mut seen = self.atomic_fetch(around, pe)?;
        loop {
            let wanted = seen & !(0xffff << shift) | u32::from(value.to_bits()) << shift;
            match self.atomic_compare_swap(around, seen, wanted, pe)? {
                found if found == seen => return Ok(F16::from_bits((seen >> shift) as u16)),
                found => seen = found,
            }
        }
    }

    /// Replaces the word if it equals `compare`, and returns the old one.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_compare_swap<T: AtomicInt>(&self, at: SymPtr<T>, compare: T, value: T, pe: Pe) -> Result<T> {
        self.amo("atomic_compare_swap", (at, pe), AmoOp::CompareSwap, T::AMO, value, compare)
    }

    /// Adds one.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_inc<T: AtomicInt>(&self, at: SymPtr<T>, pe: Pe) -> Result<()> {
        self.amo("atomic_inc", (at, pe), AmoOp::Add, T::AMO, T::ONE, T::default()).map(drop)
    }

    /// Adds one and returns the old word.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_fetch_inc<T: AtomicInt>(&self, at: SymPtr<T>, pe: Pe) -> Result<T> {
        self.amo("atomic_fetch_inc", (at, pe), AmoOp::Add, T::AMO, T::ONE, T::default())
    }

    /// Adds `value`.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_add<T: AtomicAdd>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<()> {
        self.amo("atomic_add", (at, pe), AmoOp::Add, T::ADD, value, T::default()).map(drop)
    }

    /// Adds `value` and returns the old word.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_fetch_add<T: AtomicAdd>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T> {
        self.amo("atomic_fetch_add", (at, pe), AmoOp::Add, T::ADD, value, T::default())
    }

    /// Applies a bitwise and.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_and<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<()> {
        self.amo("atomic_and", (at, pe), AmoOp::And, T::AMO, value, T::default()).map(drop)
    }

    /// Applies a bitwise and, and returns the old word.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_fetch_and<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T> {
        self.amo("atomic_fetch_and", (at, pe), AmoOp::And, T::AMO, value, T::default())
    }

    /// Applies a bitwise or.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_or<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<()> {
        self.amo("atomic_or", (at, pe), AmoOp::Or, T::AMO, value, T::default()).map(drop)
    }

    /// Applies a bitwise or, and returns the old word.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_fetch_or<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T> {
        self.amo("atomic_fetch_or", (at, pe), AmoOp::Or, T::AMO, value, T::default())
    }

    /// Applies a bitwise exclusive or.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_xor<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<()> {
        self.amo("atomic_xor", (at, pe), AmoOp::Xor, T::AMO, value, T::default()).map(drop)
    }

    /// Applies a bitwise exclusive or, and returns the old word.
    ///
    /// # Errors
    /// As [`atomic_fetch`](World::atomic_fetch).
    pub fn atomic_fetch_xor<T: AtomicInt>(&self, at: SymPtr<T>, value: T, pe: Pe) -> Result<T> {
        self.amo("atomic_fetch_xor", (at, pe), AmoOp::Xor, T::AMO, value, T::default())
    }

    fn amo<T: Element>(
        &self,
        call: &str,
        (at, pe): (SymPtr<T>, Pe),
        op: AmoOp,
        of: AmoType,
        operand: T,
        compare: T,
    ) -> Result<T> {
        self.refuse_in_capture(call)?;
        let word = self.remote(call, at, 1, pe)?;
        let what = HostAmo { op, of, operand: operand.to_bits64(), compare: compare.to_bits64() };
        let found = match self.needs_kernel_for_atomics(pe) {
            true => self.atomic_by_kernel(word, what),
            false => self.toward(pe).atomic(word, what),
        };
        found.map(T::from_bits64).map_err(|error| self.failed_call_to(pe, error))
    }
}
