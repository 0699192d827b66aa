//! `mpi`: runs a program by Open MPI's `mpirun`, on this host or on several that are network namespaces.

mod hosts;
mod openmpi;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use crate::place::Place;
use crate::programs::{self, Profile};
use crate::run::{self, Launch, Outcome, Output, SoftNic};

pub(crate) use hosts::Hosts;
pub(crate) use openmpi::OpenMpi;

/// The options of `mpi`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Number of PEs.
    #[arg(short, long = "pes", value_name = "PES", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub n: u32,
    /// Makes this many hosts (network namespaces of this machine, on a switch), and distributes the PEs over them in
    /// equal numbers. Without it, the PEs are on this host.
    #[arg(long, value_name = "HOSTS", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub hosts: Option<u32>,
    /// Hides libpmix from the PEs, so that they use environment variables alone.
    #[arg(long)]
    pub without_pmix: bool,
    #[command(flatten)]
    pub nic: run::nic::Options,
    /// Sets a variable for the PEs.
    #[arg(long = "env", value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// Stops the program after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub limit: Option<u64>,
    /// Builds it with optimizations.
    #[arg(long)]
    pub release: bool,
    /// Program, by path or (one of ours) by name, and its arguments. Without one, prints the path of Open MPI.
    #[arg(trailing_var_arg = true, value_name = "PROGRAM [ARGS]")]
    pub command: Vec<OsString>,
}

/// Runs the task.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    if options.command.is_empty() {
        let mpi = OpenMpi::find(place.checkout("mpi")?)?;
        println!("# Debian's packages, unpacked; mpirun is {}", mpi.mpirun().display());
        for (name, value) in mpi.environment() {
            println!("export {name}='{}'", value.to_string_lossy());
        }
        return Ok(0);
    }
    run::finish(&run(place, options, Output::Inherited)?)
}

/// Runs a program and waits for its end.
pub(crate) fn run(place: &Place, options: &Options, output: Output) -> Result<Outcome> {
    let mpi = OpenMpi::find(place.checkout("mpi")?)?;
    let (name, args) = options.command.split_first().context("there is no program to run")?;
    let profile = if options.release { Profile::Release } else { Profile::Dev };
    let program = programs::resolve(place, name, profile)?;
    let hosts = options.hosts.map(Hosts::make).transpose().context("cannot make hosts of network namespaces")?;
    let each = options.n.div_ceil(options.hosts.unwrap_or(1));
    let mut nic = options.nic.clone();
    if options.hosts.is_some() && nic.nic.is_some() {
        // The hosts decide which PEs reach each other by loads and stores.
        nic.nic_near = nic.nic_near.or(Some(each));
    }
    let nic = SoftNic::prepare(place, &nic)?;
    let wire = nic.as_ref().map(SoftNic::wire).transpose()?;

    let mut words = hosts.as_ref().map(Hosts::on_the_first).unwrap_or_default().into_iter().map(OsString::from);
    let mpirun: OsString = mpi.mpirun().into();
    let first = words.next();
    let outer = first.as_ref().map_or_else(|| PathBuf::from(&mpirun), PathBuf::from);
    let mut line: Vec<OsString> = words.collect();
    line.extend(first.is_some().then_some(mpirun));
    line.extend(["-n".into(), options.n.to_string().into(), "--bind-to".into(), "none".into()]);
    line.push("--oversubscribe".into());
    if hosts::is_root() || hosts.is_some() {
        line.push("--allow-run-as-root".into());
    }
    if let Some(hosts) = &hosts {
        line.extend(["--host".into(), hosts.slots(each)]);
        line.extend(["--mca".into(), "plm_rsh_agent".into(), hosts.agent().into()]);
        // Temporary files are removed with the hosts, even if the program is killed.
        line.extend(["--mca".into(), "orte_tmpdir_base".into(), hosts.folder().into()]);
    }
    let environment = wire.iter().flat_map(|wire| wire.environment().to_vec());
    for (name, value) in told(place, options, &mpi, environment.collect())? {
        let mut told = OsString::from(name);
        told.push("=");
        told.push(value);
        line.extend(["-x".into(), told]);
    }
    line.push(program.into());
    line.extend_from_slice(args);

    let text = |word: OsString| word.into_string().ok().context("a path here is not UTF-8, which mpirun is not given");
    let mut outcome = run::start(&Launch {
        limit: options.limit.map(Duration::from_secs),
        output,
        args: line,
        env: mpi.environment().into_iter().map(|(name, value)| Ok((name, text(value)?))).collect::<Result<_>>()?,
        ..Launch::of(outer)
    })?;
    outcome.broken_rules = wire.iter().flat_map(|wire| wire.violations()).collect();
    Ok(outcome)
}

/// Returns the environment variables of the PEs.
fn told(
    place: &Place,
    options: &Options,
    mpi: &OpenMpi,
    nic: Vec<(String, OsString)>,
) -> Result<Vec<(String, OsString)>> {
    let mut told: Vec<(String, OsString)> =
        place.environment().into_iter().map(|(name, value)| (name, value.into())).collect();
    let (libraries, nic): (Vec<_>, Vec<_>) = nic.into_iter().partition(|(name, _)| name == "LD_LIBRARY_PATH");
    told.extend(nic);
    let libraries = libraries.into_iter().next().map(|(_, value)| value).or(std::env::var_os("LD_LIBRARY_PATH"));
    let path = if options.without_pmix { libraries.unwrap_or_default() } else { mpi.library_path(libraries) };
    told.push(("LD_LIBRARY_PATH".into(), path));
    for setting in &options.env {
        let (name, value) = setting.split_once('=').with_context(|| format!("`{setting}` is not NAME=VALUE"))?;
        told.retain(|(known, _)| known != name);
        told.push((name.into(), value.into()));
    }
    Ok(told)
}
