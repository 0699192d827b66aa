//! The conformance suite with libfabric linked; `OXSHMEM_REMOTE_TRANSPORT=libfabric` chooses it.

use clap::Parser;
use oxshmem_conformance::{Options, run};
use oxshmem_libfabric as _;

fn main() {
    let code = run(&Options::parse()).unwrap_or_else(|error| {
        eprintln!("conformance: {error}");
        1
    });
    std::process::exit(code);
}
