//! One PE of the measurements of `cargo xtask perf`: requests on standard input, answers on standard output.

use std::process::ExitCode;

use clap::Parser;
use oxshmem_bench::peer::exit_code;
use oxshmem_bench::perf::{Options, run};

#[derive(Parser)]
#[command(version, about = "Measures oxshmem on the rows that it is told; `cargo xtask perf` starts it.")]
struct Command {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    exit_code("oxshmem-perf", run(&Command::parse().options, std::io::stdin().lock(), std::io::stdout()))
}
