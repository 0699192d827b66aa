//! An opened device: its port and protection domain, and what it can.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::rdma::hca::{Handle, Port};
use oxshmem_raw::rdma::rc::{Atomics, RcCaps, RcDevice, RcProvider};
use oxshmem_raw::rdma::wire::{self, Candidate, Candidates, Choice, Choices, PortInfo, mtu_bytes};

use super::config::IbrcConfig;

/// Reads and atomics that a queue pair has outstanding at most, whatever its device could.
const RD_ATOMIC: u8 = 16;

/// A device, its port and its protection domain.
#[derive(Debug)]
pub(super) struct Nic {
    pub(super) device: Arc<dyn RcDevice>,
    pub(super) caps: RcCaps,
    pub(super) port: Port,
    pub(super) gids: Vec<Candidate>,
    pub(super) pd: Handle,
    /// Whether its fetches may end without their data, as it says or as it was told.
    pub(super) empty_fetches: bool,
    /// Why this one, for people.
    why: String,
}

/// Opens those devices of `provider` that a PE uses, at most `most`.
///
/// # Errors
/// None can be used, or not all that were asked for: what each lacks.
pub(super) fn choose(
    config: &IbrcConfig,
    provider: &dyn RcProvider,
    most: u32,
    memory: &Memory,
    me: Pe,
) -> Result<Choices<dyn RcDevice>> {
    let open = |name: &str| provider.open(name).and_then(|device| able(device, config));
    let market = Candidates { found: provider.list()?, from: provider.describe(), only_mlx5: false, open: &open };
    wire::choose((&config.nics, &config.wire), &market, most, memory, me)
}

/// The device has what is needed.
///
/// # Errors
/// What it lacks.
fn able(device: Arc<dyn RcDevice>, config: &IbrcConfig) -> Result<Arc<dyn RcDevice>> {
    let caps = device.caps()?;
    let action = || format!("use {} by proxies", device.name());
    if caps.atomics == Atomics::None {
        return Err(Error::new(ErrorKind::Incompatible, action())
            .because("it has no atomics (`ibv_devinfo -v`: atomic_cap: ATOMIC_NONE)")
            .hint("choose another one with OXSHMEM_HCA_LIST"));
    }
    if caps.max_rd_atom_requester == 0 || caps.max_rd_atom_responder == 0 {
        return Err(Error::new(ErrorKind::Incompatible, action())
            .because(format!(
                "it lets {} reads and atomics be outstanding and answers {}: each must be at least 1",
                caps.max_rd_atom_requester, caps.max_rd_atom_responder
            ))
            .hint("choose another one with OXSHMEM_HCA_LIST"));
    }
    if config.depth > caps.max_qp_wr {
        return Err(Error::new(ErrorKind::OutOfRange, action())
            .amount(config.depth.into(), caps.max_qp_wr.into(), "work requests of a queue pair")
            .hint("lower OXSHMEM_QP_DEPTH"));
    }
    Ok(device)
}

impl Nic {
    /// Takes a device that was chosen.
    ///
    /// # Errors
    /// It refuses, or has no address that can be used.
    pub(super) fn new(config: &IbrcConfig, choice: Choice<dyn RcDevice>) -> Result<Arc<Self>> {
        let Choice { nic: device, port, why } = choice;
        let caps = device.caps()?;
        config.wire.check_on(device.name(), &port)?;
        let gids = wire::candidates(&config.wire, device.name(), &port, &device.gids(port.number)?)?;
        let pd = device.alloc_pd()?;
        let empty_fetches = config.guard_fetches.unwrap_or(caps.empty_fetches);
        Ok(Arc::new(Self { device, caps, port, gids, pd, empty_fetches, why }))
    }

    /// How its port is called.
    pub(super) fn card(&self) -> PortInfo {
        PortInfo {
            link: self.port.link,
            lid: self.port.lid,
            mtu: self.port.active_mtu,
            rd_atomic: self.caps.max_rd_atom_requester.min(RD_ATOMIC),
            dest_rd_atomic: self.caps.max_rd_atom_responder.min(RD_ATOMIC),
            gids: self.gids.clone(),
        }
    }

    /// Queue pairs to a peer for each that a program chooses.
    pub(super) fn qps_each(&self) -> u32 {
        1 + u32::from(self.empty_fetches)
    }

    /// As `mlx5_0 port 1`.
    pub(super) fn name(&self) -> String {
        format!("{} port {}", self.device.name(), self.port.number)
    }

    /// What it is, in two lines for people.
    pub(super) fn describe(&self, config: &IbrcConfig) -> String {
        let gids: Vec<String> =
            self.gids.iter().map(|gid| format!("GID {} ({})", gid.index, gid.class.text())).collect();
        format!(
            "{} ({:?}, firmware {}), LID {}, MTU {} bytes, {}, {} of 8 bytes{}\n{}",
            self.name(),
            self.port.link,
            self.device.firmware(),
            self.port.lid,
            mtu_bytes(config.wire.mtu.unwrap_or(self.port.active_mtu)),
            if gids.is_empty() { "no GID".into() } else { gids.join(", ") },
            if self.caps.atomics == Atomics::System { "atomics (with CPUs, too)" } else { "atomics" },
            if self.empty_fetches { ", fetches apart from writes" } else { "" },
            self.why,
        )
    }
}

impl Drop for Nic {
    fn drop(&mut self) {
        // What was not given back goes with the device.
        let _ = self.device.dealloc_pd(self.pd);
    }
}
