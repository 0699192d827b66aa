//! Settings of the transport.

use std::time::Duration;

use oxshmem_core::host::Result;
use oxshmem_raw::transport::Connect;
use oxshmem_rdma::wire::{NicParams, WireParams, out_of_range, within};

/// Settings of proxies, queues and the wire. [`check`](IbrcConfig::check) checks their ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbrcConfig {
    /// Proxy threads of this PE, 1 to 64; `None`: chosen. Each serves one NIC, so there are at least as many as NICs.
    pub proxies: Option<u32>,
    /// Whether proxy threads stay on the cores near their NIC that the process may use.
    pub pin: bool,
    /// Requests that a ring has room for: a power of two from 64 to 65536.
    pub ring_depth: u32,
    /// Rows of default queues: queue pairs to each PE. 1 to 4096.
    pub rows: u32,
    /// Rows that `qp_create` can add. Up to 65536.
    pub spare_rows: u32,
    /// Work requests of a queue pair: 16 to 32768.
    pub depth: u32,
    /// When queue pairs are connected.
    pub connect: Connect,
    /// Which NICs are used.
    pub nics: NicParams,
    /// How queue pairs are connected.
    pub wire: WireParams,
    /// Whether GPU memory is registered by dma-bufs if possible.
    pub dmabuf: bool,
    /// Whether reads and atomics use endpoints of their own, never at the same time as writes, and are checked for
    /// their data. `None`: if the device says so
    /// ([`empty_fetches`](oxshmem_rdma::fabric::Capabilities::empty_fetches)).
    pub guard_fetches: Option<bool>,
    /// How long the host waits for its own operations; `None`: without limit.
    pub wait_limit: Option<Duration>,
}

impl Default for IbrcConfig {
    fn default() -> Self {
        Self {
            proxies: None,
            pin: true,
            ring_depth: 4096,
            rows: 2,
            spare_rows: 64,
            depth: 1024,
            connect: Connect::Bulk,
            nics: NicParams::default(),
            wire: WireParams::default(),
            dmabuf: true,
            guard_fetches: None,
            wait_limit: Some(Duration::from_secs(60)),
        }
    }
}

impl IbrcConfig {
    /// Range of the number of proxy threads.
    pub const PROXIES: (u32, u32) = (1, 64);
    /// Range of the depth of a ring.
    pub const RING_DEPTHS: (u32, u32) = (64, 65536);
    /// Range of the depth of a queue pair.
    pub const DEPTHS: (u32, u32) = (16, 32768);

    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// `OutOfRange`, naming the variable and the range.
    pub fn check(&self) -> Result<()> {
        if let Some(proxies) = self.proxies {
            within("OXSHMEM_PROXY_THREADS", proxies, Self::PROXIES.0, Self::PROXIES.1)?;
        }
        let (least, most) = Self::RING_DEPTHS;
        if !self.ring_depth.is_power_of_two() || !(least..=most).contains(&self.ring_depth) {
            let range = format!("it takes a power of two from {least} to {most}");
            return Err(out_of_range("OXSHMEM_PROXY_RING_DEPTH", self.ring_depth).hint(range));
        }
        within("OXSHMEM_IBGDA_NUM_RC_PER_PE", self.rows, 1, 4096)?;
        within("OXSHMEM_SPARE_QPS", self.spare_rows, 0, 1 << 16)?;
        within("OXSHMEM_QP_DEPTH", self.depth, Self::DEPTHS.0, Self::DEPTHS.1)?;
        self.nics.check()?;
        self.wire.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_core::host::ErrorKind;

    #[test]
    fn the_defaults_hold_and_a_value_out_of_range_is_named_with_its_range() {
        IbrcConfig::default().check().unwrap();
        for (change, part) in [
            (
                (|c| c.proxies = Some(0)) as fn(&mut IbrcConfig),
                "use OXSHMEM_PROXY_THREADS = 0: it is out of range; it takes 1 to 64",
            ),
            (|c| c.proxies = Some(65), "PROXY_THREADS = 65"),
            (
                |c| c.ring_depth = 100,
                "PROXY_RING_DEPTH = 100: it is out of range; it takes a power of two from 64 to 65536",
            ),
            (|c| c.ring_depth = 32, "from 64"),
            (|c| c.ring_depth = 1 << 17, "to 65536"),
            (|c| c.rows = 0, "IBGDA_NUM_RC_PER_PE = 0: it is out of range; it takes 1 to 4096"),
            (|c| c.rows = 4097, "NUM_RC_PER_PE = 4097"),
            (|c| c.spare_rows = 65537, "SPARE_QPS"),
            (|c| c.depth = 8, "QP_DEPTH = 8: it is out of range; it takes 16 to 32768"),
            (|c| c.wire.retry_count = 8, "takes 0 to 7"),
            (|c| c.nics.count = oxshmem_rdma::wire::NicCount::Count(17), "NICS_PER_PE = 17"),
        ] {
            let mut config = IbrcConfig::default();
            change(&mut config);
            let error = config.check().unwrap_err();
            assert!(error.kind() == ErrorKind::OutOfRange && error.to_string().contains(part), "{error}");
        }
    }
}
