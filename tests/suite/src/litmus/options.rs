//! Options of the litmus tests.

use std::time::Duration;

use clap::Parser;
use oxshmem_hal::{Config, DeviceChoice, Error};

use crate::Device;

/// The litmus tests of oxshmem.
///
/// Under a launcher they run in the launcher's world, on the device that OXSHMEM_DEVICE names; alone, in a world of
/// threads. A round's operations follow from the seed and the round's number.
#[derive(Clone, Debug, Parser)]
#[command(name = "oxshmem-litmus")]
pub struct Options {
    /// Runs only the tests whose name contains this.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Lists the tests that would run, and runs none.
    #[arg(long)]
    pub list: bool,
    /// Rounds of each group in each test [default: as many as suit the device].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub rounds: Option<u64>,
    /// Runs of programs of collectives on streams, eager ones and replays together [default: as --rounds].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub replays: Option<u64>,
    /// Runs each test for this many seconds, with any number of rounds.
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
    /// Seed of sizes, alignments and interleavings.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Makes a world of this many threads if there is no launcher.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub pes: u32,
    /// Runs on this device, in place of OXSHMEM_DEVICE's.
    #[arg(long, value_enum)]
    pub device: Option<Device>,
    /// Ends any wait after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub limit: u64,
}

impl Options {
    /// Returns whether a test of this name runs.
    pub(super) fn chooses(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|part| name.contains(part))
    }

    /// Returns the configuration of the world, from the configuration file, the environment and the options.
    ///
    /// # Errors
    /// A variable is wrong.
    pub(super) fn config(&self) -> Result<Config, Error> {
        let config = Config::from_env()?
            .with_seed(self.seed)
            .with_heap_bytes(96 << 20)
            .with_wait_limit(Duration::from_secs(self.limit));
        Ok(match self.device {
            Some(Device::Host) => config.with_device(DeviceChoice::Host),
            Some(Device::Auto) => config.with_device(DeviceChoice::Auto),
            Some(Device::Gpu) => config.with_device(DeviceChoice::Gpu),
            None => config,
        })
    }
}
