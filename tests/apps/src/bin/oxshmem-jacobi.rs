//! The 2-D Jacobi solver over the PEs of a world, in three variants of its halo exchange, two of them also in
//! CUDA graphs.
//! `cargo xtask demo` runs it; alone, it runs on host threads.

use std::process::ExitCode;

use clap::Parser;
use oxshmem_apps::jacobi::program::{Options, run};
use oxshmem_apps::start;

#[derive(Parser)]
#[command(
    version,
    about = "Solves the 2-D Laplace equation by Jacobi steps, with the halo exchange inside the kernels."
)]
struct Command {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let options = Command::parse().options;
    let outcome = start::on_each_pe(options.pes, |world| run(world, &options));
    start::exit_code("oxshmem-jacobi", outcome)
}
