//! The Jacobi solver with libfabric linked; `OXSHMEM_REMOTE_TRANSPORT=libfabric` chooses it.

use std::process::ExitCode;

use clap::Parser;
use oxshmem_apps::jacobi::program::{Options, run};
use oxshmem_apps::start;
use oxshmem_libfabric as _;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let options = Command::parse().options;
    let outcome = start::on_each_pe(options.pes, |world| run(world, &options));
    start::exit_code("jacobi", outcome)
}
