//! Settings that choose NICs.

use oxshmem_core::host::Result;

use super::hcas::{HcaList, HcaMapping};
use super::within;

/// The most NICs that a PE can use.
pub const MAX_NICS: u32 = 16;

/// Settings that choose NICs. [`check`](NicParams::check) checks their ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NicParams {
    /// The NICs that may be used.
    pub hcas: HcaList,
    /// The number of them that this PE uses.
    pub count: NicCount,
    /// Whether the PEs of a host take turns among all NICs, at any distance.
    pub round_robin: bool,
    /// The NIC of each PE of a host, with precedence over all other settings; empty: chosen automatically.
    pub mapping: HcaMapping,
    /// The PEs of this host; `None`: unknown, and PEs take turns by their numbers.
    pub neighbours: Option<Neighbours>,
    /// The beginning of the names of NICs that may be used; `None`: any.
    pub prefix: Option<String>,
}

/// The number of NICs that a PE uses. Rows of queue pairs take turns among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NicCount {
    /// One; or an equal share of the NICs that are equally near to its GPU, if there are more of them than PEs.
    #[default]
    Auto,
    /// All NICs that are equally near.
    Nearest,
    /// This number, 1 to [`MAX_NICS`], the nearest first; fewer are an error.
    Count(u32),
}

/// The place of a PE among the PEs of its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// The number of PEs before this one.
    pub place: u32,
    /// The number of all PEs of the host, with this one.
    pub count: u32,
}

impl NicParams {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// `OutOfRange`, naming the variable and the range.
    pub fn check(&self) -> Result<()> {
        match self.count {
            NicCount::Count(count) => within("OXSHMEM_NICS_PER_PE", count, 1, MAX_NICS),
            NicCount::Auto | NicCount::Nearest => Ok(()),
        }
    }
}
