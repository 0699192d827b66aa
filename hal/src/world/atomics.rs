//! Atomics from the host.

use oxshmem_core::host::{HostAmo, Result};
use oxshmem_core::{AmoOp, AmoType, AtomicAdd, AtomicInt, AtomicWord, Element, Pe, SymPtr};
#[cfg(feature = "capi")]
use oxshmem_core::{F16, SymAddr};

use super::World;

/// A word of a PE, for atomic operations of the host, each as wide as its type: [`World::at`] returns one. Each
/// operation is complete when it returns, and orders no other one.
///
/// An operation is atomic with respect to all others on the same word with the same type, by hosts and by kernels, from
/// any PE that reaches the word's owner in the same way: by load/store, or by a NIC (see `oxshmem_device::Atomics`).
///
/// A processor has no atomics on words of GPUs that are reached by load/store, this PE's own among them. There a kernel
/// of one thread performs the operation, on this PE's GPU and a stream of the library's own: a kernel of the program
/// that waits for it must leave room for it. The first such operation allocates memory, and loads the kernels of
/// collectives if the program has loaded no module.
#[derive(Clone, Copy, Debug)]
pub struct RemoteWord<'w, T: Element> {
    world: &'w World,
    at: SymPtr<T>,
    pe: Pe,
}

impl<T: AtomicWord> RemoteWord<'_, T> {
    /// Reads the word.
    ///
    /// # Errors
    /// There is no such PE, the word is outside the heap or not aligned, or the transport failed; or the kernel that
    /// performs the operation could not run, or did not end within the world's limit.
    pub fn fetch(&self) -> Result<T> {
        self.world.amo("atomic_fetch", (self.at, self.pe), AmoOp::Fetch, T::AMO, T::default(), T::default())
    }

    /// Replaces the word.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn set(&self, value: T) -> Result<()> {
        self.world.amo("atomic_set", (self.at, self.pe), AmoOp::Set, T::AMO, value, T::default()).map(drop)
    }

    /// Replaces the word and returns the old one.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn swap(&self, value: T) -> Result<T> {
        self.world.amo("atomic_swap", (self.at, self.pe), AmoOp::Set, T::AMO, value, T::default())
    }
}

impl<T: AtomicInt> RemoteWord<'_, T> {
    /// Replaces the word if it equals `compare`, and returns the old one.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn compare_swap(&self, compare: T, value: T) -> Result<T> {
        self.world.amo("atomic_compare_swap", (self.at, self.pe), AmoOp::CompareSwap, T::AMO, value, compare)
    }

    /// Adds one.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn inc(&self) -> Result<()> {
        self.world.amo("atomic_inc", (self.at, self.pe), AmoOp::Add, T::AMO, T::ONE, T::default()).map(drop)
    }

    /// Adds one and returns the old word.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn fetch_inc(&self) -> Result<T> {
        self.world.amo("atomic_fetch_inc", (self.at, self.pe), AmoOp::Add, T::AMO, T::ONE, T::default())
    }

    /// Applies a bitwise and.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn and(&self, value: T) -> Result<()> {
        self.world.amo("atomic_and", (self.at, self.pe), AmoOp::And, T::AMO, value, T::default()).map(drop)
    }

    /// Applies a bitwise and, and returns the old word.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn fetch_and(&self, value: T) -> Result<T> {
        self.world.amo("atomic_fetch_and", (self.at, self.pe), AmoOp::And, T::AMO, value, T::default())
    }

    /// Applies a bitwise or.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn or(&self, value: T) -> Result<()> {
        self.world.amo("atomic_or", (self.at, self.pe), AmoOp::Or, T::AMO, value, T::default()).map(drop)
    }

    /// Applies a bitwise or, and returns the old word.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn fetch_or(&self, value: T) -> Result<T> {
        self.world.amo("atomic_fetch_or", (self.at, self.pe), AmoOp::Or, T::AMO, value, T::default())
    }

    /// Applies a bitwise exclusive or.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn xor(&self, value: T) -> Result<()> {
        self.world.amo("atomic_xor", (self.at, self.pe), AmoOp::Xor, T::AMO, value, T::default()).map(drop)
    }

    /// Applies a bitwise exclusive or, and returns the old word.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn fetch_xor(&self, value: T) -> Result<T> {
        self.world.amo("atomic_fetch_xor", (self.at, self.pe), AmoOp::Xor, T::AMO, value, T::default())
    }
}

impl<T: AtomicAdd> RemoteWord<'_, T> {
    /// Adds `value`.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn add(&self, value: T) -> Result<()> {
        self.world.amo("atomic_add", (self.at, self.pe), AmoOp::Add, T::ADD, value, T::default()).map(drop)
    }

    /// Adds `value` and returns the old word.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn fetch_add(&self, value: T) -> Result<T> {
        self.world.amo("atomic_fetch_add", (self.at, self.pe), AmoOp::Add, T::ADD, value, T::default())
    }
}

#[cfg(feature = "capi")]
impl RemoteWord<'_, F16> {
    /// Replaces a word of 16 bits and returns the old one, by compare-and-swap of the 32 bits around it.
    ///
    /// # Errors
    /// As [`fetch`](RemoteWord::fetch).
    pub fn swap_half(&self, value: F16) -> Result<F16> {
        let Self { world, at, pe } = *self;
        world.remote("atomic_swap", at, 1, pe)?;
        let shift = 8 * (at.addr().offset() % 4) as u32;
        let around = world.at(SymPtr::<u32>::new(SymAddr::new(at.addr().offset() & !3)), pe);
        let mut seen = around.fetch()?;
        loop {
            let wanted = seen & !(0xffff << shift) | u32::from(value.to_bits()) << shift;
            match around.compare_swap(seen, wanted)? {
                found if found == seen => return Ok(F16::from_bits((seen >> shift) as u16)),
                found => seen = found,
            }
        }
    }
}

impl World {
    /// Returns the word at `at` of `pe`, for atomic operations, which check both.
    pub fn at<T: Element>(&self, at: SymPtr<T>, pe: Pe) -> RemoteWord<'_, T> {
        RemoteWord { world: self, at, pe }
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
