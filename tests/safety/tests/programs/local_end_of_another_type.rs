//! A copy on a stream would be from or to any address.
use oxshmem_hal::{LocalEnd, Result, World};

#[derive(Clone, Copy)]
struct Anywhere;

impl LocalEnd<u64> for Anywhere {
    fn address(self, _: &World, _: &str, _: usize) -> Result<u64> {
        Ok(8)
    }
}

fn main() {}
