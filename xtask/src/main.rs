//! `cargo xtask TASK` in a checkout, `bin/xtask TASK` in a packed folder.

fn main() {
    let place = xtask::place::Place::find();
    let name = if matches!(place, Ok(xtask::place::Place::Packed(_))) { "bin/xtask" } else { "cargo xtask" };
    xtask::main(name, std::env::args_os(), || place)
}
