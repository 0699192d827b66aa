//! The conformance suite as a program: one PE of a launcher's world, or a world of threads.

use clap::Parser;
use oxshmem_tests::conformance::{Options, run};

fn main() {
    // SAFETY: nothing else runs in this process yet.
    unsafe { oxshmem_tests::soft_nic::prepare() }
    let code = run(&Options::parse()).unwrap_or_else(|error| {
        eprintln!("oxshmem-conformance: {error}");
        1
    });
    std::process::exit(code);
}
