//! `demo`: the Jacobi solver over several PEs, on the best hardware of this machine.

use std::ffi::OsString;

use anyhow::Result;
use clap::Args;

use crate::gpu;
use crate::place::Place;
use crate::programs::{self, Profile};
use crate::ptx;
use crate::run::{self, Device, Launch, SoftNic};

/// The program.
const JACOBI: &str = "oxshmem-jacobi";

/// Options of `demo`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Number of PEs (default: one for each GPU if there are two or more, else 4).
    #[arg(short, long = "pes", value_name = "PES", value_parser = clap::value_parser!(u32).range(1..))]
    pub n: Option<u32>,
    /// The device of the kernels.
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    pub device: Device,
    #[command(flatten)]
    pub nic: run::nic::Options,
    /// Options of the solver; `-- --help` lists them.
    #[arg(last = true, value_name = "SOLVER OPTIONS")]
    pub args: Vec<OsString>,
}

/// Builds the missing parts, and runs the solver.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let gpus = match options.device {
        Device::Host => 0,
        _ => gpu::count().unwrap_or(0),
    };
    if let Place::Checkout(root) = place
        && gpus > 0
    {
        ptx::build_all(root, &ptx::Options::plain())?;
    }
    let asks_for_help = options.args.iter().any(|arg| arg == "-h" || arg == "--help");
    let n = match options.n {
        _ if asks_for_help => 1,
        Some(n) => n,
        None if gpus >= 2 => gpus,
        None if gpus == 1 => 1,
        None => 4,
    };
    // On GPUs the kernels are PTX, and the table's rates need a fast host program. On host PEs the dev profile builds
    // in half the time, and the program runs a few seconds longer.
    let profile = if gpus > 0 { Profile::Release } else { Profile::Dev };
    let launch = Launch {
        n,
        world: Some(options.device),
        args: options.args.clone(),
        env: place.environment(),
        nic: SoftNic::prepare(place, &options.nic)?,
        ..Launch::of(programs::resolve(place, JACOBI, profile)?)
    };
    run::finish(&run::start(&launch)?)
}
