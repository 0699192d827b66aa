//! Measures the rate at which proxies take kernels' requests: requests on standard input, answers on standard output.

use std::process::ExitCode;

use clap::Parser;
use oxshmem_bench::peer::exit_code;
use oxshmem_bench::proxy::{Options, run};

#[derive(Parser)]
#[command(version, about = "Measures proxies, against a device that completes whatever is posted and moves nothing.")]
struct Command {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    exit_code("oxshmem-proxy-rates", run(&Command::parse().options, std::io::stdin().lock(), std::io::stdout()))
}
