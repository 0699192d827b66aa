//! What can be said about which NICs are used.

use oxshmem_core::host::Result;

use super::hcas::{HcaList, HcaMapping};
use super::within;

/// The most NICs that a PE uses.
pub const MAX_NICS: u32 = 16;

/// Which NICs a PE uses. [`check`](NicParams::check) says whether it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NicParams {
    /// Which may be used.
    pub hcas: HcaList,
    /// How many of them this PE uses.
    pub count: NicCount,
    /// NICs are dealt out to the PEs of a host in turn, however far they are.
    pub round_robin: bool,
    /// Which PE of a host uses which NIC; empty: it is chosen. It goes before all else that chooses.
    pub mapping: HcaMapping,
    /// The PEs of this host; `None`: nobody knows, and PEs take turns by their numbers.
    pub neighbours: Option<Neighbours>,
    /// What the name of a NIC begins with; `None`: anything.
    pub prefix: Option<String>,
}

/// How many NICs a PE uses. Rows of queues take turns among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NicCount {
    /// One; or its part of those that are equally near to its GPU, where there are more of them than PEs.
    #[default]
    Auto,
    /// All that are equally near.
    Nearest,
    /// So many, 1 to [`MAX_NICS`], the nearest first, or it is an error.
    Count(u32),
}

/// The PEs of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// How many of them come before this one.
    pub place: u32,
    /// How many they are, with this one.
    pub count: u32,
}

impl NicParams {
    /// Every value is in its range.
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
