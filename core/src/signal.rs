//! Signal operators.

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
