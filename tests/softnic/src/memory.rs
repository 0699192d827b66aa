//! The way to what queues and keys name: memory of this process, or of something that can be put in its place.

mod host;
mod pages;

use std::fmt;
use std::sync::Arc;

pub use host::HostMemory;
pub(crate) use pages::Pages;

/// An access that the memory refused, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFailed(pub String);

/// Where a range is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the memory of this process: the NIC goes there by itself.
    Host,
    /// Where only the [`Memory`] gets.
    Own,
}

/// Memory that a NIC reads and writes.
///
/// *Implementor:* accesses race with the program's; each naturally aligned piece of up to 8 bytes is read and written
/// whole, and accesses happen in the order of the calls.
///
/// # Safety of the methods
///
/// - **mapped**: the range was registered with the NIC, by someone who promised that it stays what it is.
pub trait Memory: Send + Sync + fmt::Debug {
    /// Where a range is that somebody registers.
    ///
    /// # Errors
    /// It is nowhere: why.
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

    /// Reads 8 bytes, before everything that is read later.
    ///
    /// # Safety
    /// **mapped**, and aligned to 8.
    unsafe fn load(&self, from: u64) -> Result<u64, MemoryFailed>;

    /// Writes 4 bytes, after everything that was written before.
    ///
    /// # Safety
    /// **mapped**, and aligned to 4.
    unsafe fn store_last(&self, to: u64, word: u32) -> Result<(), MemoryFailed>;

    /// Changes a word of 4 or 8 bytes in one go, to what `change` makes of it (`None`: it stays), and says what it was.
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

/// A range that was registered: who has one may access it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    at: u64,
    bytes: u64,
    place: Place,
}

impl Span {
    /// A part of it; `None` if it isn't one.
    pub(crate) fn part(self, offset: u64, bytes: u64) -> Option<Self> {
        if offset > self.bytes || bytes > self.bytes - offset {
            return None;
        }
        Some(Self { at: self.at + offset, bytes, ..self })
    }

    /// Its first address.
    pub(crate) fn at(self) -> u64 {
        self.at
    }

    /// Its length.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes
    }
}

/// Access to spans. What is in the host's memory is reached without an indirect call.
#[derive(Clone, Debug)]
pub(crate) struct Dma(Arc<dyn Memory>);

impl Dma {
    pub(crate) fn new(memory: Arc<dyn Memory>) -> Self {
        Self(memory)
    }

    /// The span of a range.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range is memory that whoever registers it keeps mapped until the registration is given back,
    ///   and that may be read and written at any time.
    pub(crate) unsafe fn span(&self, at: u64, bytes: u64) -> Result<Span, MemoryFailed> {
        Ok(Span { at, bytes, place: self.0.place(at, bytes)? })
    }

    /// Fills `to` from the start of the span, which is at least as long.
    #[inline]
    pub(crate) fn read(&self, span: Span, to: &mut [u8]) -> Result<(), MemoryFailed> {
        assert!(to.len() as u64 <= span.bytes);
        match span.place {
            Place::Host => {
                // SAFETY: **mapped** by the span.
                unsafe { host::copy_out(to, span.at) };
                Ok(())
            }
            // SAFETY: **mapped** by the span.
            Place::Own => unsafe { self.0.read(to, span.at) },
        }
    }

    /// Writes `from` to the start of the span, which is at least as long.
    #[inline]
    pub(crate) fn write(&self, span: Span, from: &[u8]) -> Result<(), MemoryFailed> {
        assert!(from.len() as u64 <= span.bytes);
        match span.place {
            Place::Host => {
                // SAFETY: **mapped** by the span.
                unsafe { host::copy_in(span.at, from) };
                Ok(())
            }
            // SAFETY: **mapped** by the span.
            Place::Own => unsafe { self.0.write(span.at, from) },
        }
    }

    /// The 8 bytes at the start of the span, aligned to 8.
    #[inline]
    pub(crate) fn load(&self, span: Span) -> Result<u64, MemoryFailed> {
        assert!(span.bytes >= 8 && span.at.is_multiple_of(8));
        match span.place {
            // SAFETY: **mapped** by the span, and aligned.
            Place::Host => Ok(unsafe { host::load(span.at) }),
            // SAFETY: **mapped** by the span, and aligned.
            Place::Own => unsafe { self.0.load(span.at) },
        }
    }

    /// Stores 4 bytes at the start of the span, after everything before.
    pub(crate) fn store_last(&self, span: Span, word: u32) -> Result<(), MemoryFailed> {
        assert!(span.bytes >= 4 && span.at.is_multiple_of(4));
        match span.place {
            Place::Host => {
                // SAFETY: **mapped** by the span, and aligned.
                unsafe { host::store_last(span.at, word) };
                Ok(())
            }
            // SAFETY: **mapped** by the span, and aligned.
            Place::Own => unsafe { self.0.store_last(span.at, word) },
        }
    }

    /// Changes the span's word of 4 or 8 bytes, and gives what it was.
    pub(crate) fn update(&self, span: Span, change: &mut dyn FnMut(u64) -> Option<u64>) -> Result<u64, MemoryFailed> {
        assert!(matches!(span.bytes, 4 | 8) && span.at.is_multiple_of(span.bytes));
        match span.place {
            // SAFETY: **mapped** by the span, and aligned.
            Place::Host => Ok(unsafe { host::update(span.at, span.bytes as usize, change) }),
            // SAFETY: **mapped** by the span, and aligned.
            Place::Own => unsafe { self.0.update(span.at, span.bytes as usize, change) },
        }
    }
}
