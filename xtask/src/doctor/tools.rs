//! The tools that build kernels. Running kernels needs none of them.

use super::Check;
use crate::called;
use crate::place::Place;
use crate::ptx::{Ptxas, Toolchain};

pub(super) fn check(place: &Place) -> Vec<Check> {
    match place {
        Place::Checkout(root) => vec![
            Check::of(
                "PTX toolchain",
                Toolchain::at_hand(root),
                format!("{} ptx; or first: rustup component add rust-src", called()),
            ),
            Check::of("ptxas", Ptxas::at_hand(root), format!("{} ptx --assemble; needs python3 with pip", called())),
        ],
        Place::Packed(root) => {
            let entries = std::fs::read_dir(root.join("ptx")).into_iter().flatten().flatten();
            let mut files: Vec<String> =
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            files.sort();
            vec![match files.is_empty() {
                true => Check::cannot(
                    "kernels",
                    format!("{} has none", root.join("ptx").display()),
                    "make the folder anew with `cargo xtask dist`",
                ),
                false => Check::can("kernels", files.join(", ")),
            }]
        }
    }
}
