//! Access to the memory of queues and keys: memory of this process, or a substitute.

mod host;
mod pages;

use std::fmt;
use std::sync::Arc;

pub use host::HostMemory;
pub(crate) use pages::Pages;

/// An access that the memory refused, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFailed(pub String);

/// The location of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the memory of this process, which the NIC accesses itself.
    Host,
    /// Accessible through the [`Memory`] only.
    Own,
}

/// Memory that a NIC reads and writes.
///
/// *Implementor:* accesses race with the program's. Each naturally aligned piece of up to 8 bytes is read and written
/// whole, and accesses happen in the order of the calls.
///
/// # Safety of the methods
///
/// - **mapped**: the range is registered with the NIC, and its owner keeps it mapped.
pub trait Memory: Send + Sync + fmt::Debug {
    /// Locates a range that is being registered.
    ///
    /// # Errors
    /// The range is not accessible, and why.
    fn place(&self, at: u64, bytes: u64) -> Result<Place, MemoryFailed>;

    /// Reads bytes.
    ///
    /// # Safety
    /// **mapped**
    unsafe fn read(&self, to: &mut [u8], from: u64) -> Result<(), MemoryFailed>;

    /// Writes bytes.
    ///
    /// # Safety
    /// **mapped**
    unsafe fn write(&self, to: u64, from: &[u8]) -> Result<(), MemoryFailed>;

    /// Reads 8 bytes, before all later reads.
    ///
    /// # Safety
    /// **mapped**, and aligned to 8.
    unsafe fn load(&self, from: u64) -> Result<u64, MemoryFailed>;

    /// Writes 4 bytes, after all earlier writes.
    ///
    /// # Safety
    /// **mapped**, and aligned to 4.
    unsafe fn store_last(&self, to: u64, word: u32) -> Result<(), MemoryFailed>;

    /// Changes a word of 4 or 8 bytes atomically to the result of `change` (`None` keeps it), and returns its former
    /// value.
    ///
    /// # Safety
    /// **mapped**, and aligned to `bytes`.
    unsafe fn update(
        &self,
        at: u64,
        bytes: usize,
        change: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, MemoryFailed>;
}

/// A registered range. Its holder may access it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    at: u64,
    bytes: u64,
    place: Place,
}

impl Span {
    /// Returns a part of the range; `None` if it is not inside.
    pub(crate) fn part(self, offset: u64, bytes: u64) -> Option<Self> {
        if offset > self.bytes || bytes > self.bytes - offset {
            return None;
        }
        Some(Self { at: self.at + offset, bytes, ..self })
    }

    /// Reports whether the two have a byte in common.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.at < other.at + other.bytes && other.at < self.at + self.bytes
    }

    /// Returns its first address.
    pub(crate) fn at(self) -> u64 {
        self.at
    }

    /// Returns its length.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes
    }
}

/// Access to spans. Host memory is accessed without an indirect call.
#[derive(Clone, Debug)]
pub(crate) struct Dma(Arc<dyn Memory>);

impl Dma {
    pub(crate) fn new(memory: Arc<dyn Memory>) -> Self {
        Self(memory)
    }

    /// Returns the span of a range.
    ///
    /// # Safety
    ///
    /// - **mapped**: the registering program keeps the range mapped until the registration ends, and it may be read and
    ///   written at any time.
    pub(crate) unsafe fn span(&self, at: u64, bytes: u64) -> Result<Span, MemoryFailed> {
        Ok(Span { at, bytes, place: self.0.place(at, bytes)? })
    }

    /// Fills `to` from the start of the span, which is at least as long.
    #[inline]
    pub(crate) fn read(&self, span: Span, to: &mut [u8]) -> Result<(), MemoryFailed> {
        assert!(to.len() as u64 <= span.bytes);
        match span.place {
            Place::Host => {
                // SAFETY: **mapped** by the span's own clause.
                unsafe { host::copy_out(to, span.at) };
                Ok(())
            }
            // SAFETY: **mapped** by the span's own clause.
            Place::Own => unsafe { self.0.read(to, span.at) },
        }
    }

    /// Writes `from` to the start of the span, which is at least as long.
    #[inline]
    pub(crate) fn write(&self, span: Span, from: &[u8]) -> Result<(), MemoryFailed> {
        assert!(from.len() as u64 <= span.bytes);
        match span.place {
            Place::Host => {
                // SAFETY: **mapped** by the span's own clause.
                unsafe { host::copy_in(span.at, from) };
                Ok(())
            }
            // SAFETY: **mapped** by the span's own clause.
            Place::Own => unsafe { self.0.write(span.at, from) },
        }
    }

    /// Loads the 8 bytes at the start of the span, which is aligned to 8.
    #[inline]
    pub(crate) fn load(&self, span: Span) -> Result<u64, MemoryFailed> {
        assert!(span.bytes >= 8 && span.at.is_multiple_of(8));
        match span.place {
            // SAFETY: **mapped** by the span's own clause, and aligned by the caller.
            Place::Host => Ok(unsafe { host::load(span.at) }),
            // SAFETY: **mapped** by the span's own clause, and aligned by the caller.
            Place::Own => unsafe { self.0.load(span.at) },
        }
    }

    /// Stores 4 bytes at the start of the span, after all earlier writes.
    pub(crate) fn store_last(&self, span: Span, word: u32) -> Result<(), MemoryFailed> {
        assert!(span.bytes >= 4 && span.at.is_multiple_of(4));
        match span.place {
            Place::Host => {
                // SAFETY: **mapped** by the span's own clause, and aligned by the caller.
                unsafe { host::store_last(span.at, word) };
                Ok(())
            }
            // SAFETY: **mapped** by the span's own clause, and aligned by the caller.
            Place::Own => unsafe { self.0.store_last(span.at, word) },
        }
    }

    /// Changes the span's word of 4 or 8 bytes, and returns its former value.
    pub(crate) fn update(&self, span: Span, change: &mut dyn FnMut(u64) -> Option<u64>) -> Result<u64, MemoryFailed> {
        assert!(matches!(span.bytes, 4 | 8) && span.at.is_multiple_of(span.bytes));
        match span.place {
            // SAFETY: **mapped** by the span's own clause, and aligned by the caller.
            Place::Host => Ok(unsafe { host::update(span.at, span.bytes as usize, change) }),
            // SAFETY: **mapped** by the span's own clause, and aligned by the caller.
            Place::Own => unsafe { self.0.update(span.at, span.bytes as usize, change) },
        }
    }
}
