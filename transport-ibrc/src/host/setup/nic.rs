//! An opened device, and what the transport decided about it.

use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{AmoOp, AmoType};
use oxshmem_raw::fabric::{Capabilities, FabricDevice};

use crate::host::config::IbrcConfig;

/// A device.
#[derive(Debug)]
pub(in crate::host) struct Nic {
    pub(in crate::host) device: Arc<dyn FabricDevice>,
    pub(in crate::host) caps: Capabilities,
    /// Whether its fetches may end without their data, as it says or as it was told.
    pub(in crate::host) empty_fetches: bool,
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
        Ok(Arc::new(Self { device, caps, empty_fetches }))
    }

    /// Endpoints to a peer for each queue that a program chooses.
    pub(in crate::host) fn endpoints_each(&self) -> u32 {
        1 + u32::from(self.empty_fetches)
    }

    /// As `mlx5_0 port 1`.
    pub(in crate::host) fn name(&self) -> &str {
        self.device.name()
    }

    /// What it is, in lines for people.
    pub(in crate::host) fn describe(&self) -> String {
        let mut text = self.device.describe();
        if self.empty_fetches {
            text.push_str(&format!("\n{} has reads and atomics apart from writes", self.name()));
        }
        text
    }
}
