//! The lists of an all-to-all with a count for each pair of members.

use crate::SymPtr;

/// Counts and offsets of an all-to-all with a count for each pair of members: arrays with one entry for each member, in
/// elements.
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    /// By receiver, the number of elements that this member sends.
    pub counts: SymPtr<u64>,
    /// By receiver, the first element in the source.
    pub source_starts: SymPtr<u64>,
    /// By sender, the first element in this member's destination.
    pub dest_starts: SymPtr<u64>,
}
