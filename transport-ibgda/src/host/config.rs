//! Settings of queues, NICs and packets.

use std::time::Duration;

use oxshmem_core::host::Result;
use oxshmem_rdma::wire::{NicParams, WireParams, out_of_range, within};

/// The settings of the transport. [`check`](IbgdaConfig::check) checks their ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbgdaConfig {
    /// Rows of default queue pairs: queue pairs to each PE. 1 to 4096.
    pub rows: u32,
    /// Rows that `qp_create` can add. Up to 65536.
    pub spare_rows: u32,
    /// The number of basic blocks of 64 bytes of a send queue: a power of two from 128 to 32768.
    pub depth: u32,
    /// Which NICs are used.
    pub nics: NicParams,
    /// How queue pairs are connected.
    pub wire: WireParams,
    /// The memory of the queues.
    pub buffers: Buffers,
    /// Whether the GPU or the host rings the NIC.
    pub doorbell: DoorbellBy,
    /// Whether GPU memory may be registered by dma-buf.
    pub dmabuf: bool,
    /// Whether writes to the heap may arrive in any order.
    pub relaxed_ordering: bool,
    /// Whether a dump follows each read before its data is trusted; `None`: as the GPU needs it.
    pub dump: Option<bool>,
    /// Whether queue pairs are made by verbs, in host memory, in place of DEVX.
    pub verbs_qp: bool,
    /// The longest wait of the host for its own operations; `None`: without limit.
    pub wait_limit: Option<Duration>,
}

impl Default for IbgdaConfig {
    fn default() -> Self {
        Self {
            rows: 2,
            spare_rows: 64,
            depth: 1024,
            nics: NicParams::default(),
            wire: WireParams::default(),
            buffers: Buffers::Auto,
            doorbell: DoorbellBy::Auto,
            dmabuf: true,
            relaxed_ordering: false,
            dump: None,
            verbs_qp: false,
            wait_limit: Some(Duration::from_secs(60)),
        }
    }
}

/// The memory of send queues, completion queues and doorbell records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Buffers {
    /// GPU memory if the NIC reaches it, else host memory.
    #[default]
    Auto,
    /// GPU memory, or opening fails.
    Gpu,
    /// Pinned host memory.
    Host,
}

/// The thread that writes the NIC's doorbell register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoorbellBy {
    /// A thread of the GPU if it can map the register, else one of the host.
    #[default]
    Auto,
    /// A thread of the GPU; otherwise making queue pairs fails.
    Gpu,
    /// A thread of the host.
    Cpu,
}

impl IbgdaConfig {
    /// The least and the greatest depth of a send queue.
    pub const DEPTHS: (u32, u32) = (128, 32768);

    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// `OutOfRange`, naming the variable and the range.
    pub fn check(&self) -> Result<()> {
        within("OXSHMEM_IBGDA_NUM_RC_PER_PE", self.rows, 1, 4096)?;
        within("OXSHMEM_SPARE_QPS", self.spare_rows, 0, 1 << 16)?;
        let (least, most) = Self::DEPTHS;
        if !self.depth.is_power_of_two() || !(least..=most).contains(&self.depth) {
            let range = format!("it takes a power of two from {least} to {most}");
            return Err(out_of_range("OXSHMEM_QP_DEPTH", self.depth).hint(range));
        }
        self.nics.check()?;
        self.wire.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_core::host::ErrorKind;
    use oxshmem_rdma::wire::NicCount;

    #[test]
    fn the_defaults_hold_and_a_value_out_of_range_is_named_with_its_range() {
        IbgdaConfig::default().check().unwrap();
        let refused = |change: fn(&mut IbgdaConfig)| {
            let mut config = IbgdaConfig::default();
            change(&mut config);
            let error = config.check().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfRange);
            error.to_string()
        };
        for (text, part) in [
            (
                refused(|c| c.depth = 1000),
                "QP_DEPTH = 1000: it is out of range; it takes a power of two from 128 to 32768",
            ),
            (refused(|c| c.depth = 64), "power of two from 128"),
            (refused(|c| c.depth = 65536), "to 32768"),
            (refused(|c| c.rows = 0), "IBGDA_NUM_RC_PER_PE = 0: it is out of range; it takes 1 to 4096"),
            (refused(|c| c.spare_rows = 65537), "SPARE_QPS"),
            (refused(|c| c.nics.count = NicCount::Count(0)), "NICS_PER_PE = 0: it is out of range; it takes 1 to 16"),
            (refused(|c| c.nics.count = NicCount::Count(17)), "NICS_PER_PE = 17"),
            (refused(|c| c.wire.retry_count = 8), "IB_RETRY_CNT"),
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
