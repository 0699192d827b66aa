//! Options of a rig's PEs.

use oxshmem_rdma::wire::{HcaList, Neighbours, NicCount, NicParams};
use oxshmem_softnic::Options;
use oxshmem_transport_ibgda::host::IbgdaConfig;

/// Options of a rig.
pub(crate) struct Made {
    pub(crate) n_pes: u32,
    pub(crate) config: IbgdaConfig,
    pub(crate) nic: Options,
    /// Number of each PE's own NICs; if empty, `config` and `nic` decide.
    pub(crate) nics: Vec<u32>,
    /// The only PE to whose heap writes may arrive in any order.
    pub(crate) relaxed: Option<u32>,
    /// Whether a kernel executes the queues.
    pub(crate) resident: bool,
}

impl Made {
    /// Returns the options of PEs with these numbers of NICs, which they do not share. The first ones, from `mlx5_0`
    /// on, are those of PE 0, and so on.
    pub(crate) fn with_nics(nics: &[u32]) -> Self {
        let made = Self::default();
        let nic = Options { nics: nics.iter().sum(), ..made.nic };
        Self { n_pes: nics.len() as u32, nic, nics: nics.to_vec(), ..made }
    }

    /// Returns the settings of a PE.
    pub(crate) fn config(&self, me: u32) -> IbgdaConfig {
        let mut config = self.config.clone();
        config.relaxed_ordering |= self.relaxed == Some(me);
        let Some(count) = self.nics.get(me as usize) else { return config };
        let first: u32 = self.nics[..me as usize].iter().sum();
        let entries = (first..first + count).map(|nic| (format!("mlx5_{nic}"), None)).collect();
        let hcas = HcaList { excludes: false, entries };
        let neighbours = Some(Neighbours { place: 0, count: 1 });
        let nics = NicParams { hcas, count: NicCount::Nearest, neighbours, ..NicParams::default() };
        IbgdaConfig { nics, ..config }
    }
}

impl Default for Made {
    /// Returns the options of two PEs, with one row of default queues of 128 blocks and a calm NIC.
    fn default() -> Self {
        let config = IbgdaConfig { rows: 1, depth: 128, spare_rows: 8, ..IbgdaConfig::default() };
        Self { n_pes: 2, config, nic: Options::default(), nics: Vec::new(), relaxed: None, resident: false }
    }
}
