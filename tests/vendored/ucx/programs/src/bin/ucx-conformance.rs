//! The conformance suite with UCX linked; `OXSHMEM_REMOTE_TRANSPORT=ucx` chooses it.

use clap::Parser;
use oxshmem_conformance::{Options, run};
use oxshmem_ucx as _;

fn main() {
    let code = run(&Options::parse()).unwrap_or_else(|error| {
        eprintln!("ucx-conformance: {error}");
        1
    });
    std::process::exit(code);
}
