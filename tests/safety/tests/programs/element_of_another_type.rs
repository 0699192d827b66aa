//! A reference would be made of bytes.
use oxshmem_core::{Element, Width};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Reference(Option<&'static u64>);

impl Element for Reference {
    const NAME: &'static str = "u64";
    const WIDTH: Width = Width::B8;
    fn to_bits64(self) -> u64 {
        0
    }
    fn from_bits64(_: u64) -> Self {
        Self(None)
    }
}

fn main() {}
