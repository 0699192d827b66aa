//! Options of the suite.

use std::ops::Range;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use oxshmem_hal::config::{NicCount, RemoteChoice};
use oxshmem_hal::{Config, DeviceChoice, Error, ErrorKind};

use super::fakes;

/// The conformance suite of oxshmem.
///
/// Under a launcher it runs in the world that the launcher made, on the device that OXSHMEM_DEVICE names; with
/// --pes it makes a world of that many threads of its own.
#[derive(Clone, Debug, Parser)]
#[command(name = "oxshmem-conformance")]
pub struct Options {
    /// Runs the cases whose name contains one of these.
    pub filter: Vec<String>,
    /// Lists the cases that would run, and runs none.
    #[arg(long)]
    pub list: bool,
    /// Runs one in N of the chosen cases: the Kth and every Nth after it, so that N runs have each case once.
    #[arg(long, value_name = "K/N", value_parser = part)]
    pub part: Option<Part>,
    /// Makes a world of this number of PEs, as threads of this process.
    #[arg(long, alias = "threads", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub pes: Option<u32>,
    /// Runs on this device, in place of OXSHMEM_DEVICE's.
    #[arg(long, value_enum)]
    pub device: Option<Device>,
    /// Runs every case N times, each time with other random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: u32,
    /// Seed of sizes, alignments and interleavings.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Multiplies the rounds of repeated operations by this factor (0.1: a tenth).
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub rounds: f64,
    /// Runs every type and shape of the longest cases, also with less than a fifth of the rounds.
    #[arg(long)]
    pub every_shape: bool,
    /// Ends any wait after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub limit: u64,
    /// Connects the PEs by a software NIC within this process (OXSHMEM_SOFTNIC_* configure it) instead of loads and
    /// stores.
    #[arg(long)]
    pub soft_nic: bool,
    /// Connects the PEs, which are threads of this process, by proxies over verbs in software instead of loads and
    /// stores.
    #[arg(long, requires = "pes")]
    pub soft_verbs: bool,
    /// Skips the cases in which a PE also changes its own words: the PEs' NICs (Soft-RoCE is one) do atomics by loads
    /// and stores of the processor, which are not atomic with the processor's atomics.
    #[arg(long)]
    pub nic_atomics_apart: bool,
    /// Puts N consecutive PEs on each of several nodes. Only PEs of one node reach each other by loads and stores.
    /// PEs that are processes behave as on different hosts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pes_per_node: Option<u32>,
    /// PEs that use proxies. The other PEs post themselves where both ends can. PEs that are threads need --soft-nic
    /// and --soft-verbs.
    #[arg(long, value_name = "PE", value_delimiter = ',')]
    pub proxied: Vec<u32>,
    /// Makes a software NIC (with --soft-verbs: devices of verbs in software) and a world for each seed from A to
    /// B-1, and stops at the first failure.
    #[arg(long, value_name = "A..B", value_parser = seeds, requires = "pes")]
    pub nic_seeds: Option<Range<u64>>,
    /// Runs one in N of the cases over each of these NICs; consecutive NICs take the cases in turn.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "nic_seeds", value_parser = clap::value_parser!(u32).range(1..))]
    pub nic_share: u32,
    /// NICs that each PE uses. A list A,B,.. gives PE 0 A NICs, PE 1 B NICs, and so on in turn (processes only).
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=16))]
    pub nics: Vec<u32>,
    /// Fails if a remote PE is reached by another transport, or if no PE is remote.
    #[arg(long, value_name = "NAME")]
    pub expect_transport: Option<String>,
    /// Prints the time of each case.
    #[arg(long)]
    pub times: bool,
}

/// One of several equal parts of the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number, from 1 to `of`.
    pub number: u32,
    /// The number of parts.
    pub of: u32,
}

impl Part {
    /// Returns whether the part has the case at this place.
    pub(super) fn has(self, place: usize) -> bool {
        place % self.of as usize == (self.number - 1) as usize
    }
}

/// Devices by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// GPUs if there are enough of them, otherwise host threads.
    Auto,
    /// Host threads.
    Host,
    /// GPUs.
    #[value(alias = "cuda")]
    Gpu,
}

fn part(text: &str) -> Result<Part, String> {
    let (number, of) = text.split_once('/').ok_or("a part is written K/N")?;
    let parse = |text: &str| text.parse::<u32>().map_err(|e| format!("{text:?} is no number: {e}"));
    let (number, of) = (parse(number)?, parse(of)?);
    if (1..=of).contains(&number) { Ok(Part { number, of }) } else { Err(format!("there are parts 1 to {of}")) }
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let (from, to) = text.split_once("..").ok_or("a range is written A..B")?;
    let number = |text: &str| text.parse::<u64>().map_err(|e| format!("{text:?} is no seed: {e}"));
    let range = number(from)?..number(to)?;
    if range.is_empty() { Err("there is no seed in it".into()) } else { Ok(range) }
}

impl Options {
    /// Returns whether a case of this name runs.
    pub(super) fn chooses(&self, name: &str) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|part| name.contains(part.as_str()))
    }

    /// Returns the configuration of the worlds, from the configuration file, the environment and the options.
    ///
    /// # Errors
    /// A variable or a combination of options is wrong.
    pub(super) fn config(&self) -> Result<Config, Error> {
        let mut config = Config::from_env()?
            .with_seed(self.seed)
            .with_heap_bytes(16 << 20)
            .with_wait_limit(Duration::from_secs(self.limit));
        match (self.device, self.pes) {
            // PEs as threads are host PEs.
            (None, Some(_)) | (Some(Device::Host), _) => config = config.with_device(DeviceChoice::Host),
            (Some(Device::Auto), _) => config = config.with_device(DeviceChoice::Auto),
            // PEs as threads share the GPUs of the machine.
            (Some(Device::Gpu), Some(_)) => config = config.with_device(DeviceChoice::Gpu).with_gpu_share(true),
            (Some(Device::Gpu), None) => config = config.with_device(DeviceChoice::Gpu),
            (None, None) => {}
        }
        if let Some(pes) = self.pes_per_node {
            config = config.with_disable_p2p(false).with_max_p2p_gpus(pes);
        }
        let config = fakes::connect(self, config)?;
        self.nics_of_threads()?;
        Ok(self.of_pe(config, 0))
    }

    /// Returns the configuration for one PE.
    pub(super) fn of_pe(&self, mut config: Config, pe: u32) -> Config {
        if !self.nics.is_empty() {
            config.nic.nics.count = NicCount::Count(self.nics[pe as usize % self.nics.len()]);
        }
        if !self.proxied.is_empty() {
            let name = if self.proxied.contains(&pe) { "ibrc" } else { "ibgda" };
            config.remote = RemoteChoice::Named(name.into());
        }
        config
    }

    /// Returns the number of NICs of a machine whose PEs are threads of this process, each with NICs of its own.
    /// `None`: the variables decide.
    ///
    /// # Errors
    /// Threads were asked to have different numbers of NICs.
    pub(super) fn nics_of_threads(&self) -> Result<Option<u32>, Error> {
        match (self.pes, &self.nics[..]) {
            (Some(pes), [count]) => Ok(Some(pes * count)),
            (Some(_), [_, _, ..]) => Err(Error::new(ErrorKind::InvalidArgument, "give PEs different numbers of NICs")
                .because("they are threads of one process, whose settings are the same")
                .hint("start processes, without --pes")),
            _ => Ok(None),
        }
    }
}
