//! `cargo oxshmem TASK` in the folder of a program that depends on oxshmem.

use xtask::cargo_oxshmem::{arguments, find};

fn main() {
    xtask::main("cargo oxshmem", arguments(std::env::args_os()), find)
}
