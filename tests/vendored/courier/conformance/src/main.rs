//! The conformance suite with the courier linked; `OXSHMEM_REMOTE_TRANSPORT=courier` chooses it.

use clap::Parser;
use courier as _;
use oxshmem_conformance::{Options, run};
use {oxshmem_collectives as _, oxshmem_conformance_kernels as _};

fn main() {
    let code = run(&Options::parse()).unwrap_or_else(|error| {
        eprintln!("conformance: {error}");
        1
    });
    std::process::exit(code);
}
