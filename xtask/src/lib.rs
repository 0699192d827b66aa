//! The tasks of oxshmem: `cargo xtask TASK` in a checkout, `bin/xtask TASK` in a packed folder, and `cargo oxshmem
//! TASK` in the folder of a program that depends on oxshmem.

mod capi;
pub mod cargo_oxshmem;
mod ci;
mod demo;
pub mod dist;
mod doctor;
mod fabrics;
mod fetch;
pub mod files;
pub mod gpu;
pub mod manifest;
mod metadata;
mod mpi;
mod parallel;
mod perf;
pub mod place;
pub mod programs;
pub mod ptx;
pub mod rdma;
pub mod run;
mod rxe;
pub mod shell;
mod soak;
mod steps;
mod test;
mod tidy;

use std::ffi::OsString;
use std::sync::OnceLock;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use place::Place;

/// Builds, runs, tests, checks and packs oxshmem.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Builds kernel crates to PTX, with a toolchain that it finds or sets up itself.
    Ptx(ptx::Options),
    /// Finds or fetches the userspace of InfiniBand, with its headers, and prints where it is.
    Rdma(rdma::Options),
    /// Runs a program as the PEs of a world on this machine.
    Run(run::Options),
    /// Runs a program by Open MPI's mpirun, on this host or on several that are network namespaces.
    Mpi(mpi::Options),
    /// Runs a program over Soft-RoCE, a real verbs stack, in a temporary virtual machine.
    Rxe(rxe::Options),
    /// Runs the Jacobi solver over several PEs, on GPUs if there are any, and draws its field.
    Demo(demo::Options),
    /// Runs every test that this machine can run, and names those that it can't.
    Test(test::Options),
    /// Runs the conformance suite over software NICs with new seeds, until a time limit.
    Soak(soak::Options),
    /// Measures performance, beside the hardware's limits and other libraries.
    #[command(disable_help_flag = true)]
    Perf(perf::Options),
    /// Makes the C interface of the device: headers, and the libraries that CUDA C++ and bitcode compilers link.
    Capi(capi::Options),
    /// Makes the folder that a cluster's nodes need. The nodes then need neither Rust nor a CUDA toolkit.
    Dist(dist::Options),
    /// Lists the capabilities of this machine, with a reason and a remedy for each missing one.
    Doctor(doctor::Options),
    /// Checks format and lints, and runs `test`.
    Ci(ci::Options),
    /// Checks rules that the compiler can't check: dependencies, features, PTX rules, budgets.
    Tidy(tidy::Options),
}

/// Runs the task that the command line `args` names, in the folder that `place` finds, and ends the process with the
/// task's exit code.
///
/// `name` is the name by which the user calls this program.
pub fn main(name: &'static str, args: impl IntoIterator<Item = OsString>, place: impl FnOnce() -> Result<Place>) -> ! {
    let _ = CALLED.set(name);
    let matches = Cli::command().name(name).bin_name(name).get_matches_from(args);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match place().and_then(|place| run_task(&place, cli.task)) {
        Ok(code) => std::process::exit(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::exit(1);
        }
    }
}

static CALLED: OnceLock<&'static str> = OnceLock::new();

/// Returns the name by which the user calls this program, for remedies.
pub(crate) fn called() -> &'static str {
    CALLED.get().copied().unwrap_or("cargo xtask")
}

fn run_task(place: &Place, task: Task) -> Result<i32> {
    match task {
        Task::Ptx(options) => ptx::task(place, &options),
        Task::Rdma(options) => rdma::task(place, &options),
        Task::Run(options) => run::task(place, &options),
        Task::Mpi(options) => mpi::task(place, &options),
        Task::Rxe(options) => rxe::task(place, &options),
        Task::Demo(options) => demo::task(place, &options),
        Task::Test(options) => test::task(place, &options),
        Task::Soak(options) => soak::task(place, &options),
        Task::Perf(options) => perf::task(place, &options),
        Task::Capi(options) => capi::task(place, &options),
        Task::Dist(options) => dist::task(place, &options),
        Task::Doctor(options) => doctor::task(place, &options),
        Task::Ci(options) => ci::task(place, &options),
        Task::Tidy(options) => tidy::task(place, &options),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_options_of_every_task_fit_together() {
        super::Cli::command().debug_assert();
    }
}
