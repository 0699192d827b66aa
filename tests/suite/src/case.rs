//! Cases and their outcomes.

use oxshmem_hal::{Error, ErrorKind, World};

use super::Ctx;

/// A sentence about the semantics, and the function that checks it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The subject and the sentence.
    pub name: &'static str,
    /// The fewest PEs with which the case checks anything.
    pub min_pes: u32,
    /// The function that every PE of the world runs.
    pub run: fn(&World, &Ctx) -> Outcome,
}

/// The outcome of a case on one PE.
pub type Outcome = Result<(), Failure>;

/// The reason why a case did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The error.
    Wrong(String),
    /// The error of a call that ended because another PE died. It counts as wrong where no PE is expected to die.
    Died(String),
    /// The reason why the case does not apply to this world. All PEs return the same one.
    Skip(String),
}

impl Failure {
    /// Makes a failure from its text.
    pub fn wrong(why: impl Into<String>) -> Self {
        Self::Wrong(why.into())
    }

    /// Makes a skip from its reason.
    pub fn skip(why: impl Into<String>) -> Self {
        Self::Skip(why.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::PeerDied => Self::Died(error.to_string()),
            _ => Self::Wrong(error.to_string()),
        }
    }
}

/// Lists cases: their names are the module's and the function's, the number is the fewest PEs. A case `= call(..)` is a
/// call with the world, the context and these arguments, and has no function of its own.
macro_rules! cases {
    ($subject:literal: $($name:ident $min_pes:literal $(= $run:ident($($arg:expr),+))?),+ $(,)?) => {
        pub(super) const CASES: &[$crate::Case] = &[$(
            $crate::Case {
                name: concat!($subject, "::", stringify!($name)),
                min_pes: $min_pes,
                run: cases!(@run $name $(= $run($($arg),+))?),
            },
        )+];
    };
    (@run $name:ident) => { $name };
    (@run $name:ident = $run:ident($($arg:expr),+)) => { |world, ctx| $run(world, ctx, $($arg),+) };
}
pub(super) use cases;
