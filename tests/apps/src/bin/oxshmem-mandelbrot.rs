//! A Mandelbrot image whose tiles the PEs of a world claim from a counter on PE 0.
//! `cargo xtask run -n 4 -- oxshmem-mandelbrot` runs it; alone, it runs on host threads.

use std::process::ExitCode;

use clap::Parser;
use oxshmem_apps::mandelbrot::program::{Options, run};
use oxshmem_apps::start;

#[derive(Parser)]
#[command(version, about = "Computes a Mandelbrot image, each PE taking the next tile when it is done with one.")]
struct Command {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let options = Command::parse().options;
    let outcome = start::on_each_pe(options.pes, |world| run(world, &options));
    start::exit_code("oxshmem-mandelbrot", outcome)
}
