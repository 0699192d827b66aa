//! What can be said about proxies, their queues and the wire.

use std::fmt;
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::state::WorldState;

/// What is to be known before a device is opened. [`check`](IbrcConfig::check) says whether it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbrcConfig {
    /// Proxy threads of this PE. 1 to 64; 0: as many as fit the cores that it may use.
    pub proxies: u32,
    /// Whether they stay on the cores near the NIC, as far as the process may use them.
    pub pin: bool,
    /// Requests of a ring: a power of two from 64 to 65536.
    pub ring_depth: u32,
    /// Rows of default queues: queue pairs to each PE. 1 to 4096.
    pub rows: u32,
    /// Rows that `qp_create` can make beside them. Up to 65536.
    pub spare_rows: u32,
    /// Work requests of a queue pair: 16 to 32768.
    pub depth: u32,
    /// What chooses among the default queues: [`WorldState::BY_CTA`] and its likes.
    pub map_by: u32,
    /// The device; `None`: the first whose port is up.
    pub device: Option<String>,
    /// The entry of the GID table; `None`: the last of RoCE v2, or of InfiniBand.
    pub gid_index: Option<u32>,
    /// Traffic class; its upper six bits are the DSCP on RoCE.
    pub traffic_class: u8,
    /// Service level, the priority on RoCE. 0 to 15.
    pub service_level: u8,
    /// Entry of the partition table.
    pub pkey_index: u16,
    /// Local ACK timeout: 4.096 us * 2^this. 0 (none) to 31.
    pub ack_timeout: u8,
    /// Retries when no ACK comes. 0 to 7.
    pub retry_count: u8,
    /// Retries when the peer is not ready. 0 to 7; 7: for ever.
    pub rnr_retry: u8,
    /// How long the host waits for its own operations; `None`: for ever.
    pub wait_limit: Option<Duration>,
}

impl Default for IbrcConfig {
    fn default() -> Self {
        Self {
            proxies: 0,
            pin: true,
            ring_depth: 4096,
            rows: 2,
            spare_rows: 64,
            depth: 1024,
            map_by: WorldState::BY_CTA,
            device: None,
            gid_index: None,
            traffic_class: 0,
            service_level: 0,
            pkey_index: 0,
            ack_timeout: 20,
            retry_count: 7,
            rnr_retry: 7,
            wait_limit: Some(Duration::from_secs(60)),
        }
    }
}

impl IbrcConfig {
    /// Every value is in its range.
    ///
    /// # Errors
    /// `OutOfRange`, naming the setting and the range.
    pub fn check(&self) -> Result<()> {
        let within = |name: &str, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(out_of_range(name, value).hint(format!("it takes {least} to {most}")))
        };
        within("proxy threads", self.proxies, 0, 64)?;
        if !self.ring_depth.is_power_of_two() || !(64..=65536).contains(&self.ring_depth) {
            let range = "it takes a power of two from 64 to 65536";
            return Err(out_of_range("requests of a ring", self.ring_depth).hint(range));
        }
        within("rows of queue pairs", self.rows, 1, 4096)?;
        within("spare rows", self.spare_rows, 0, 1 << 16)?;
        within("work requests of a queue pair", self.depth, 16, 32768)?;
        within("service level", self.service_level.into(), 0, 15)?;
        within("ACK timeout", self.ack_timeout.into(), 0, 31)?;
        within("retries", self.retry_count.into(), 0, 7)?;
        within("RNR retries", self.rnr_retry.into(), 0, 7)
    }
}

fn out_of_range(name: &str, value: impl fmt::Display) -> Error {
    Error::new(ErrorKind::OutOfRange, format!("use {value} as {name}")).because("it is out of range")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_hold_and_a_value_out_of_range_is_named_with_its_range() {
        IbrcConfig::default().check().unwrap();
        for (change, part) in [
            (
                (|c| c.proxies = 65) as fn(&mut IbrcConfig),
                "use 65 as proxy threads: it is out of range; it takes 0 to 64",
            ),
            (|c| c.ring_depth = 100, "power of two from 64"),
            (|c| c.depth = 8, "takes 16 to 32768"),
            (|c| c.retry_count = 8, "takes 0 to 7"),
        ] {
            let mut config = IbrcConfig::default();
            change(&mut config);
            let error = config.check().unwrap_err();
            assert!(error.kind() == ErrorKind::OutOfRange && error.to_string().contains(part), "{error}");
        }
    }
}
