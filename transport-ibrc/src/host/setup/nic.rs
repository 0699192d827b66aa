//! Opened devices, and the transport's decisions about each.

use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{AmoOp, AmoType, Pe};
use oxshmem_raw::memory::{Memory, MemoryAddress};
use oxshmem_rdma::fabric::{
    Capabilities, FabricDevice, FabricProvider, MemoryRegion, MemoryRequest, OpenDevices, OpenRequest,
};
use oxshmem_rdma::registrar::{DMA_BUF_DISABLED, MemoryRegistrar};
use oxshmem_rdma::wire::NicCount;

use crate::host::config::IbrcConfig;

/// A device.
#[derive(Debug)]
pub(in crate::host) struct Nic {
    pub(in crate::host) device: Arc<dyn FabricDevice>,
    pub(in crate::host) caps: Capabilities,
    /// Whether its fetches may end without their data, as the device or the user says.
    pub(in crate::host) empty_fetches: bool,
    registrar: MemoryRegistrar,
}

impl Nic {
    /// Takes a device that was opened.
    ///
    /// # Errors
    /// It lacks the one atomic that all others can be made of, or its queues are shallower than requested.
    pub(in crate::host) fn new(config: &IbrcConfig, device: Arc<dyn FabricDevice>) -> Result<Arc<Self>> {
        let caps = device.capabilities();
        let action = || format!("use {} by proxies", device.name());
        if !caps.atomics.has(AmoOp::CompareSwap, AmoType::B64) {
            return Err(Error::new(ErrorKind::Incompatible, action()).because("it has no compare-and-swap of 8 bytes"));
        }
        if config.depth > caps.max_depth {
            return Err(Error::new(ErrorKind::OutOfRange, action())
                .amount(config.depth.into(), caps.max_depth.into(), "work requests of a queue pair")
                .hint("lower OXSHMEM_QP_DEPTH"));
        }
        let empty_fetches = config.guard_fetches.unwrap_or(caps.empty_fetches);
        let no_dma_buf = match (config.dmabuf, caps.dma_buf) {
            (false, _) => Some(DMA_BUF_DISABLED.into()),
            (_, false) => Some("the device takes none (verbs: its library has no ibv_reg_dmabuf_mr)".into()),
            _ => None,
        };
        let registrar = MemoryRegistrar::new(device.name().into(), no_dma_buf);
        Ok(Arc::new(Self { device, caps, empty_fetches, registrar }))
    }

    /// Registers memory of kernels; `what` names it in messages. `wanted_base`: the address by which work requests
    /// should name its first byte. `remote`: whether peers use it.
    ///
    /// # Errors
    /// No form of the memory was accepted. The error lists each attempt and the system's answer.
    pub(in crate::host) fn register(
        &self,
        memory: &Memory,
        what: &str,
        address: u64,
        bytes: u64,
        wanted_base: u64,
        remote: bool,
    ) -> Result<MemoryRegion> {
        let place = MemoryRegistrar::locate(memory, address)?;
        let of_gpu = matches!(place, MemoryAddress::Device(..));
        self.registrar.register(what, &place, bytes, |region| {
            self.device.register(&MemoryRequest { region, bytes, address, wanted_base, remote, of_gpu })
        })
    }

    /// Returns the number of endpoints for each queue.
    pub(in crate::host) fn endpoints_each(&self) -> u32 {
        1 + u32::from(self.empty_fetches)
    }

    /// Returns the device's name, as `mlx5_0 port 1`.
    pub(in crate::host) fn name(&self) -> &str {
        self.device.name()
    }

    /// Describes the device in lines.
    pub(in crate::host) fn describe(&self) -> String {
        let mut text = self.device.describe();
        if self.empty_fetches {
            text.push_str(&format!("\n{} has reads and atomics apart from writes", self.name()));
        }
        self.registrar.notes().iter().for_each(|note| text.push_str(&format!("\n{note}")));
        text
    }
}

/// NICs that a PE uses.
#[derive(Debug)]
pub(in crate::host) struct OpenNics {
    /// In the order in which rows take turns.
    pub(in crate::host) nics: Vec<Arc<Nic>>,
    /// NICs that are not used, and the reasons.
    pub(in crate::host) left_out: Vec<String>,
    /// Facts that the user may not expect.
    pub(in crate::host) warnings: Vec<String>,
}

/// Opens the NICs of a PE.
///
/// # Errors
/// `InvalidArgument`: more NICs are requested than there may be proxies. Otherwise none can be used.
pub(in crate::host) fn open_nics(
    config: &IbrcConfig,
    provider: &dyn FabricProvider,
    memory: &Memory,
    me: Pe,
) -> Result<OpenNics> {
    let most = config.proxies.unwrap_or(IbrcConfig::PROXIES.1);
    if let NicCount::Count(asked) = config.nics.count
        && asked > most
    {
        return Err(Error::new(ErrorKind::InvalidArgument, format!("use {asked} NICs for {me}"))
            .because("each is served by a proxy of its own")
            .amount(asked.into(), most.into(), "proxies")
            .hint("raise OXSHMEM_PROXY_THREADS, or lower OXSHMEM_NICS_PER_PE"));
    }
    // More NICs than rows or proxies would have no work.
    let request = OpenRequest {
        me,
        memory,
        most,
        useful: config.rows.min(most),
        depth: config.depth,
        nics: &config.nics,
        wire: &config.wire,
    };
    let OpenDevices { devices, left_out, mut warnings } = provider.open(&request)?;
    if devices.is_empty() || devices.len() > most as usize {
        return Err(Error::new(ErrorKind::NotFound, format!("find a device for {me}")).because(format!(
            "{} opened {} devices, and 1 to {most} can be used",
            provider.name(),
            devices.len()
        )));
    }
    let nics = devices.into_iter().map(|device| Nic::new(config, device)).collect::<Result<Vec<_>>>()?;
    if nics.len() > config.rows as usize {
        warnings.push(format!(
            "{} rows of default queue pairs (OXSHMEM_IBGDA_NUM_RC_PER_PE) use {0} of {} NICs",
            config.rows,
            nics.len()
        ));
    }
    Ok(OpenNics { nics, left_out, warnings })
}
