//! `cargo xtask TASK` in a checkout, `bin/xtask TASK` in a packed folder.

fn main() {
    xtask::main("cargo xtask", std::env::args_os(), xtask::place::Place::find)
}
