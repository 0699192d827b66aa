//! What the suite is asked.

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
    /// Makes a world of so many PEs, as threads of this process.
    #[arg(long, alias = "threads", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub pes: Option<u32>,
    /// Runs on this device, whatever OXSHMEM_DEVICE says.
    #[arg(long, value_enum)]
    pub device: Option<Device>,
    /// Runs every case so many times, each time with other numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: u32,
    /// Draws sizes, alignments and interleavings from this number; without it, from a fixed one.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Runs so many times the usual rounds of what is repeated (0.1: a tenth).
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub rounds: f64,
    /// Ends any wait after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub limit: u64,
    /// Connects the PEs by a software NIC within this process (OXSHMEM_SOFTNIC_* say what it is like), in place of loads
    /// and stores.
    #[arg(long)]
    pub soft_nic: bool,
    /// Connects the PEs, which are threads of this process, by proxies over verbs in software, in place of loads and
    /// stores.
    #[arg(long, requires = "pes")]
    pub soft_verbs: bool,
    /// The PEs' NICs change words by loads and stores of the processor (Soft-RoCE does), which are not atomic with its
    /// atomics: cases in which a PE changes its own words, too, are left out.
    #[arg(long)]
    pub nic_atomics_apart: bool,
    /// Puts so many PEs on each of several nodes, next to each other: only those of one node reach each other by loads and
    /// stores. PEs that are processes behave as on different hosts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pes_per_node: Option<u32>,
    /// These PEs leave posting to proxies, and the others do it themselves where both ends can: PEs that are threads need
    /// --soft-nic and --soft-verbs.
    #[arg(long, value_name = "PE", value_delimiter = ',')]
    pub proxied: Vec<u32>,
    /// Makes a software NIC (or with --soft-verbs its devices) and a world for each seed of this range (A..B, without B),
    /// and stops at the first that does not go well.
    #[arg(long, value_name = "A..B", value_parser = seeds, requires = "pes")]
    pub nic_seeds: Option<Range<u64>>,
    /// Runs over each of these NICs one in so many of the cases, over the next NIC the next ones.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "nic_seeds", value_parser = clap::value_parser!(u32).range(1..))]
    pub nic_share: u32,
    /// NICs that each PE uses: so many, or with A,B,.. PE 0 so many as A says, PE 1 as B, and so on in turn (processes).
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=16))]
    pub nics: Vec<u32>,
    /// Fails if a PE that load and store don't reach is reached by another transport than this one, or if none is.
    #[arg(long, value_name = "NAME")]
    pub expect_transport: Option<String>,
    /// Tells how long each case took.
    #[arg(long)]
    pub times: bool,
}

/// A device by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// GPUs if there are enough, else host threads.
    Auto,
    /// Host threads.
    Host,
    /// GPUs.
    #[value(alias = "cuda")]
    Gpu,
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let (from, to) = text.split_once("..").ok_or("a range is written A..B")?;
    let number = |text: &str| text.parse::<u64>().map_err(|e| format!("{text:?} is no seed: {e}"));
    let range = number(from)?..number(to)?;
    if range.is_empty() { Err("there is no seed in it".into()) } else { Ok(range) }
}

impl Options {
    /// Whether a case of this name runs.
    pub(super) fn chooses(&self, name: &str) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|part| name.contains(part.as_str()))
    }

    /// The configuration of the worlds, from file, environment and options.
    ///
    /// # Errors
    /// A variable is wrong.
    pub(super) fn config(&self) -> Result<Config, Error> {
        let mut config = Config::from_env()?
            .with_seed(self.seed)
            .with_heap_bytes(16 << 20)
            .with_wait_limit(Duration::from_secs(self.limit));
        match (self.device, self.pes) {
            // PEs as threads are host PEs.
            (None, Some(_)) | (Some(Device::Host), _) => config = config.with_device(DeviceChoice::Host),
            (Some(Device::Auto), _) => config = config.with_device(DeviceChoice::Auto),
            // They share the GPUs that there are.
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

    /// The configuration as the PE of this number has it.
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

    /// How many NICs a machine has whose PEs are threads of this process, each with NICs of its own; `None`: as the
    /// variables say.
    ///
    /// # Errors
    /// PEs that are threads can't differ.
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
