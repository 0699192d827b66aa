//! Memory of the calling PE.

/// The address of local memory whose validity its creator has promised.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct LocalAddr(*mut u8);

impl LocalAddr {
    /// Creates the address of memory at `at`.
    ///
    /// # Safety
    ///
    /// - **owned**: all bytes from `at` on that calls with this value access stay mapped, readable and (where the calls
    ///   write) writable, and no other code holds a reference to them.
    #[inline(always)]
    pub const unsafe fn new(at: *mut u8) -> Self {
        Self(at)
    }

    /// Returns the address.
    #[inline(always)]
    pub const fn ptr(self) -> *mut u8 {
        self.0
    }
}
