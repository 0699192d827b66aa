//! Processing elements.

use core::fmt;

/// One processing element: a number from 0 to `n_pes - 1`, the same on every PE of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Pe(u32);

impl Pe {
    /// The PE with this number. Whether it exists is a world's to say.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number, as an index into anything that is indexed by PE.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number.
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Pe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PE {}", self.0)
    }
}

/// Which targets a fence or a quiet speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeSet {
    /// Operations to this PE.
    One(Pe),
    /// Operations to every PE.
    All,
}
