//! Resources that are opened once: settings, memory and NICs.

pub(in crate::host) mod nic;
pub(in crate::host) mod provider;

use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, QpHandle};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::queue::rows;
use oxshmem_rdma::hca::Provider;
use oxshmem_rdma::wire::Choices;

use super::config::IbgdaConfig;
use nic::Nic;

/// The parts of the transport that every other part reads and none changes.
#[derive(Debug)]
pub(in crate::host) struct Setup {
    pub(in crate::host) config: IbgdaConfig,
    pub(in crate::host) me: Pe,
    /// By PE, whether this transport reaches it.
    pub(in crate::host) remote: Vec<bool>,
    pub(in crate::host) memory: Memory,
    /// Row `r` is on NIC `r` modulo their number.
    pub(in crate::host) nics: Vec<Arc<Nic>>,
    /// NICs that are not used, each with the reason.
    pub(in crate::host) left_out: Vec<String>,
    /// Lines for the user: NICs that are not used although they were requested, settings without effect.
    pub(in crate::host) warnings: Vec<String>,
}

impl Setup {
    /// Opens the NICs of `provider` that PE `me` uses. `remote` lists, by PE, whether this transport reaches it.
    ///
    /// # Errors
    /// A setting is out of range, fewer NICs can be used than were requested, or a NIC lacks a capability. The error
    /// names the cause and the attempts.
    pub(in crate::host) fn open(
        config: &IbgdaConfig,
        provider: &dyn Provider,
        memory: Memory,
        me: Pe,
        n_pes: u32,
        remote: &[bool],
    ) -> Result<Self> {
        config.check()?;
        if remote.len() != n_pes as usize || remote.get(me.index()).copied().unwrap_or(true) {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("open the NICs of {me}")).because(format!(
                "the list of remote PEs must have {n_pes} entries, and {me} is not remote to itself"
            )));
        }
        let Choices { ports, left_out, missed: mut warnings } = provider::choose(config, provider, &memory, me)?;
        let nics = ports.into_iter().map(|choice| Nic::new(config, choice)).collect::<Result<Vec<_>>>()?;
        let mut config = config.clone();
        if let (true, Some(nic)) = (config.relaxed_ordering, nics.iter().find(|nic| !nic.caps.relaxed_ordering())) {
            warnings.push(format!("relaxed ordering: asked for, and not supported by {}", nic.name()));
            config.relaxed_ordering = false;
        }
        if nics.len() > config.rows as usize {
            warnings.push(format!(
                "{} rows of default queue pairs (OXSHMEM_IBGDA_NUM_RC_PER_PE) use {0} of {} NICs",
                config.rows,
                nics.len()
            ));
        }
        Ok(Self { config, me, remote: remote.to_vec(), memory, nics, left_out, warnings })
    }

    /// Returns the number of PEs.
    pub(in crate::host) fn n_pes(&self) -> u32 {
        self.remote.len() as u32
    }

    /// Returns the handle of a row.
    pub(in crate::host) fn handle_of(&self, row: u32) -> QpHandle {
        rows::handle_of(row, self.config.rows, self.n_pes())
    }

    /// Returns whether this transport reaches `pe`.
    pub(in crate::host) fn is_remote(&self, pe: Pe) -> bool {
        self.remote.get(pe.index()).copied().unwrap_or(false)
    }

    /// Returns the PEs that this transport reaches.
    pub(in crate::host) fn remote_pes(&self) -> impl Iterator<Item = Pe> {
        (0..).map(Pe::new).zip(&self.remote).filter_map(|(pe, is_remote)| is_remote.then_some(pe))
    }

    /// Returns the number of a row's NIC.
    pub(in crate::host) fn nic_of_row(&self, row: u32) -> usize {
        row as usize % self.nics.len()
    }
}
