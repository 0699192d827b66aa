//! Processing elements.

use core::fmt;

/// One processing element: a number from 0 to `n_pes - 1`, the same on every PE of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Pe(u32);

impl Pe {
    /// Returns the PE with this number. Only a world knows whether it exists.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number, as an index into tables indexed by PE.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the number.
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Pe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PE {}", self.0)
    }
}

/// The target PEs of a fence or a quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeSet {
    /// Operations to this PE.
    One(Pe),
    /// Operations to every PE.
    All,
}
