//! The local end of a put would be at any address.
use oxshmem_device_api::{Fault, Memory};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::state::WorldState;

#[derive(Clone, Copy)]
struct Anywhere;

impl Memory<u64> for Anywhere {
    fn resolve(self, _: &WorldState, _: usize) -> Result<LocalAddr, Fault> {
        loop {}
    }
}

fn main() {}
