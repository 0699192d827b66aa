//! The tree in which the PEs of a world pass calls on: a pure function of the number of PEs and the fan-out.
//!
//! Each subtree is a range of PEs and its first PE is the subtree's top, so the blobs of a subtree are in PE order, and
//! PEs with neighbouring numbers, which launchers place on one host, are near each other in the tree.

pub(in crate::bootstrap) mod collective;
pub(in crate::bootstrap) mod hub;
pub(in crate::bootstrap) mod joining;
pub(in crate::bootstrap) mod member;
mod ready;
pub(in crate::bootstrap) mod relay;

use std::ops::Range;

/// The number of PEs for which one PE passes calls on, unless PE 0 chooses another.
///
/// A PE sends the result of a call to each of these PEs, so a small number lets the busiest PE send less; a large one
/// makes the way shorter. With 16, worlds of up to 17 PEs are a star around PE 0, 256 PEs are two steps from PE 0 and
/// 4,000 three.
pub const FAN_OUT: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bootstrap) struct Tree {
    pub n_pes: u32,
    /// At least 1.
    pub fan_out: u32,
}

impl Tree {
    /// Returns the subtrees directly below the top of `range`, at most as many as the fan-out.
    fn below(self, range: &Range<u32>) -> impl Iterator<Item = Range<u32>> + use<> {
        let (first, rest) = (range.start + 1, range.len() as u32 - 1);
        let parts = rest.min(self.fan_out);
        let at = move |part: u32| first + (u64::from(rest) * u64::from(part) / u64::from(parts)) as u32;
        (0..parts).map(move |part| at(part)..at(part + 1))
    }

    /// Returns the subtree of which `pe` is the top, and the PEs between `pe` and the root, nearest first.
    fn find(self, pe: u32) -> (Range<u32>, Vec<u32>) {
        let (mut range, mut way) = (0..self.n_pes, Vec::new());
        while range.start != pe {
            way.insert(0, range.start);
            let Some(part) = self.below(&range).find(|part| part.contains(&pe)) else { break };
            range = part;
        }
        (range, way)
    }

    /// Returns the PEs through which the calls of `pe` go, nearest first and PE 0 last; for PE 0 none.
    pub(in crate::bootstrap) fn way(self, pe: u32) -> Vec<u32> {
        self.find(pe).1
    }

    /// Returns the PE that passes the calls of `pe` on; for PE 0 none.
    pub(in crate::bootstrap) fn parent(self, pe: u32) -> Option<u32> {
        self.way(pe).first().copied()
    }

    /// Returns `pe` and the PEs whose calls go through it.
    pub(in crate::bootstrap) fn subtree(self, pe: u32) -> Range<u32> {
        self.find(pe).0
    }

    /// Returns the subtrees of the PEs that connect to `pe`.
    pub(in crate::bootstrap) fn children(self, pe: u32) -> Vec<Range<u32>> {
        self.below(&self.subtree(pe)).collect()
    }
}

#[cfg(test)]
#[path = "tests/tree.rs"]
mod tests;
