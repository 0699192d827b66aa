//! Memory of the calling PE.

/// The address of local memory that somebody vouched for.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct LocalAddr(*mut u8);

impl LocalAddr {
    /// Vouches for memory at `at`.
    ///
    /// # Safety
    ///
    /// - **owned**: as many bytes from `at` on as the calls that get this value are told to use stay
    ///   mapped, readable and (where they write) writable, and nobody else holds a reference to them.
    #[inline(always)]
    pub const unsafe fn new(at: *mut u8) -> Self {
        Self(at)
    }

    /// The address.
    #[inline(always)]
    pub const fn ptr(self) -> *mut u8 {
        self.0
    }
}
