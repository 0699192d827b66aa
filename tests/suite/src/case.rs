//! What a case is, and how it ends.

use oxshmem_hal::{Error, World};

use super::Ctx;

/// A sentence about the semantics, and what shows it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The subject and the sentence.
    pub name: &'static str,
    /// The fewest PEs with which the case says something.
    pub min_pes: u32,
    /// What every PE of the world does.
    pub run: fn(&World, &Ctx<'_>) -> Result<(), Failure>,
}

/// Why a case did not go through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// What is wrong.
    Wrong(String),
    /// The case says nothing about this world, and why. Every PE says so alike.
    Skip(String),
}

impl Failure {
    /// A failure in words.
    pub fn wrong(why: impl Into<String>) -> Self {
        Self::Wrong(why.into())
    }

    /// The case says nothing here.
    pub fn skip(why: impl Into<String>) -> Self {
        Self::Skip(why.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Wrong(error.to_string())
    }
}

/// Lists cases: the name is the module's and the function's, the number the fewest PEs.
macro_rules! cases {
    ($subject:literal: $($name:ident $min_pes:literal),+ $(,)?) => {
        pub(super) const CASES: &[$crate::Case] = &[$(
            $crate::Case { name: concat!($subject, "::", stringify!($name)), min_pes: $min_pes, run: $name },
        )+];
    };
}
pub(super) use cases;
