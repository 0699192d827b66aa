//! Measures the rate at which GPU threads post to a NIC's queues: requests on standard input, answers on standard
//! output.

use std::process::ExitCode;

use clap::Parser;
use oxshmem_bench::nic_rates::{Options, run};
use oxshmem_bench::peer::exit_code;

#[derive(Parser)]
#[command(version, about = "Measures posting to a NIC's queues, against an engine on the GPU that only completes.")]
struct Command {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    exit_code("oxshmem-nic-rates", run(&Command::parse().options, std::io::stdin().lock(), std::io::stdout()))
}
