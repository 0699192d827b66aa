//! The conformance suite as a program: one PE of a launcher's world, or a world of threads.

use clap::Parser;
use oxshmem_conformance::{Options, prepare, run};

fn main() {
    // SAFETY: **alone**: `main` has started no thread yet.
    unsafe { prepare() }
    let code = run(&Options::parse()).unwrap_or_else(|error| {
        eprintln!("oxshmem-conformance: {error}");
        1
    });
    std::process::exit(code);
}
