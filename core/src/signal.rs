//! Signal operators.

/// How a signal changes the signal word, a `u64` in the symmetric heap of the target.
///
/// Source: OpenSHMEM 1.5, section 9.8 "Signaling Operations".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalOp {
    /// The word becomes the signal.
    Set,
    /// The signal is added to the word, wrapping.
    Add,
}
