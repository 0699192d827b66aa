//! Signals.

use crate::SymPtr;

/// The effect of a signal on the signal word, a `u64` in the symmetric heap of the target.
///
/// Source: OpenSHMEM 1.5, section 9.8 "Signaling Operations".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalOp {
    /// Replaces the word with the signal.
    Set,
    /// Adds the signal to the word, wrapping.
    Add,
}

/// A signal: what happens to which word of the target, a `u64` in the symmetric heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The word.
    pub word: SymPtr<u64>,
    /// The value that replaces the word, or is added to it.
    pub value: u64,
    /// What happens to the word.
    pub op: SignalOp,
}

impl Signal {
    /// Returns a signal that replaces `word` with `value`.
    #[inline(always)]
    pub const fn set(word: SymPtr<u64>, value: u64) -> Self {
        Self { word, value, op: SignalOp::Set }
    }

    /// Returns a signal that adds `value` to `word`, wrapping.
    #[inline(always)]
    pub const fn add(word: SymPtr<u64>, value: u64) -> Self {
        Self { word, value, op: SignalOp::Add }
    }
}
