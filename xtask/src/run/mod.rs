//! `run`: starts the PEs of a world as processes of this machine.

mod launcher;
pub mod nic;
mod output;
mod signals;
mod supervise;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};

pub use launcher::World;
pub use nic::SoftNic;
pub(crate) use output::Output;
pub use signals::Signals;
pub use supervise::die_with_the_launcher;
pub(crate) use supervise::{Outcome, supervise};

use crate::called;
use crate::place::Place;
use crate::programs::{self, Profile};

/// The options of `run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Number of PEs, one process each.
    #[arg(short, long = "pes", value_name = "PES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub n: u32,
    /// The device on which kernels run.
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    pub device: Device,
    /// Seconds after which the PEs are stopped (default: no limit).
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    #[command(flatten)]
    pub nic: nic::Options,
    /// Prefixes each line with `[pe]`.
    #[arg(long)]
    pub tag: bool,
    /// Builds a program of ours in release mode.
    #[arg(long)]
    pub release: bool,
    /// Program, by path or (one of ours) by name, and its arguments.
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM [ARGS]")]
    pub command: Vec<OsString>,
}

/// The device of a world's kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// GPUs if there are any, else host PEs.
    #[default]
    Auto,
    /// GPUs, or an error.
    Gpu,
    /// Threads of the host.
    Host,
}

impl Device {
    /// Returns the value of the variable that a PE reads.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Gpu => "gpu",
            Self::Host => "host",
        }
    }
}

/// A world to launch.
#[derive(Clone)]
pub(crate) struct Launch {
    /// The number of processes.
    pub n: u32,
    /// The device of the PEs; `None` for processes that are no PEs.
    pub world: Option<Device>,
    /// The time limit.
    pub limit: Option<Duration>,
    /// The destination of their output.
    pub output: Output,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables in addition to this program's own.
    pub env: Vec<(String, String)>,
    /// Their current folder, if it is not this program's.
    pub folder: Option<PathBuf>,
    /// The NIC that connects them, if any.
    pub nic: Option<SoftNic>,
}

impl Launch {
    /// Returns the launch of one process that is no PE, with this program's environment and output.
    pub(crate) fn of(program: impl Into<PathBuf>) -> Self {
        Self {
            n: 1,
            world: None,
            limit: None,
            output: Output::Inherited,
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            folder: None,
            nic: None,
        }
    }
}

/// Runs the task: launches the PEs, waits, and returns the exit code of the first failure.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let (name, args) = options.command.split_first().expect("clap wants at least one");
    let profile = if options.release { Profile::Release } else { Profile::Dev };
    let launch = Launch {
        n: options.n,
        world: Some(options.device),
        limit: options.limit.map(Duration::from_secs),
        output: if options.tag { Output::Tagged } else { Output::Inherited },
        args: args.to_vec(),
        env: place.environment(),
        nic: SoftNic::prepare(place, &options.nic)?,
        ..Launch::of(programs::resolve(place, name, profile)?)
    };
    finish(&start(&launch)?)
}

/// Launches the world and waits until all of its processes have ended.
pub(crate) fn start(launch: &Launch) -> Result<Outcome> {
    let Some(nic) = &launch.nic else { return supervise(launch, &[]) };
    let wire = nic.wire()?;
    let mut outcome = supervise(launch, wire.environment())?;
    outcome.broken_rules = wire.violations();
    Ok(outcome)
}

/// Launches as [`start`] does, for a task with several steps: a signal that stops this world ends the whole task.
pub(crate) fn start_one_of_many(launch: &Launch) -> Result<Outcome> {
    let outcome = start(launch)?;
    if outcome.was_stopped() {
        std::process::exit(finish(&outcome)?);
    }
    Ok(outcome)
}

/// Prints the reason of a failure, and returns the exit code.
pub(crate) fn finish(outcome: &Outcome) -> Result<i32> {
    if let Some(text) = outcome.failure() {
        eprintln!("{} run: {text}", called());
    }
    Ok(outcome.code())
}
