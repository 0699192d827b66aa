//! The queue pairs and the memory that the checks of one port and one kind of queue use.

use std::sync::Arc;

use oxshmem_core::host::Result;

use oxshmem_transport_ibgda::host::IbgdaConfig;
use oxshmem_transport_ibgda::host::for_tests::Nic;

use super::checked_memory::CheckedMemory;
use super::pair::{ConnectedPair, QueueKind};
use crate::numbers::Numbers;
use crate::report::Fine;

/// Bytes of each region: several times as many as any check needs.
const BYTES: usize = 2 << 20;

/// A connected pair, memory of its own side, and memory that stands for the peer's.
#[derive(Debug)]
pub(super) struct Bench {
    // Dropped in this order.
    pub(super) pair: ConnectedPair,
    pub(super) own: CheckedMemory,
    pub(super) target: CheckedMemory,
    pub(super) numbers: Numbers,
    pub(super) nic: Arc<Nic>,
    pub(super) config: IbgdaConfig,
    pub(super) kind: QueueKind,
}

impl Bench {
    /// Makes the queue pairs and the memory.
    ///
    /// # Errors
    /// The NIC or the driver refuses.
    pub(super) fn new(nic: &Arc<Nic>, config: &IbgdaConfig, kind: &QueueKind, seed: u64) -> Result<Self> {
        let pair = ConnectedPair::new(nic, config, kind, config.depth)?;
        let own = CheckedMemory::new(nic, kind.memory(), "own memory", BYTES)?;
        let target = CheckedMemory::new(nic, kind.memory(), "target", BYTES)?;
        let (nic, config, kind) = (nic.clone(), config.clone(), kind.clone());
        Ok(Self { pair, own, target, numbers: Numbers(seed), nic, config, kind })
    }

    /// Makes another connected pair of the same kind.
    ///
    /// # Errors
    /// The NIC or the driver refuses.
    pub(super) fn another_pair(&self) -> Result<ConnectedPair> {
        ConnectedPair::new(&self.nic, &self.config, &self.kind, self.config.depth)
    }

    /// Returns a random offset for `bytes` bytes, a multiple of `grain`.
    pub(super) fn place(&mut self, bytes: usize, grain: usize) -> usize {
        self.numbers.below((BYTES - bytes) / grain + 1) * grain
    }

    /// Puts random bytes into this side's memory and returns them.
    pub(super) fn fill_own(&mut self, at: usize, bytes: usize) -> Result<Vec<u8>> {
        let random = self.numbers.bytes(bytes);
        self.own.set(at, &random)?;
        Ok(random)
    }

    /// Poisons both regions.
    ///
    /// # Errors
    /// A GPU's memory can't be written.
    pub(super) fn poison(&mut self) -> Result<()> {
        self.own.poison()?;
        self.target.poison()
    }

    /// Checks every byte of both regions.
    pub(super) fn check_all(&self, what: &str) -> Fine<()> {
        self.target.check_all(what)?;
        self.own.check_all(what)
    }
}
