//! The litmus tests as a program: one PE of a launcher's world, or a world of threads.

use clap::Parser;
use oxshmem_conformance::litmus::{Options, run};

fn main() {
    let code = run(&Options::parse()).unwrap_or_else(|error| {
        eprintln!("oxshmem-litmus: {error}");
        1
    });
    std::process::exit(code);
}
