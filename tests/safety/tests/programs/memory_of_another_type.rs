//! The local end of a put would be at any address.
use oxshmem_device_api::{Fault, Issue, Memory};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::state::WorldState;

#[derive(Clone, Copy)]
struct Anywhere;

impl Memory<u64> for Anywhere {
    fn fits<I: Issue + ?Sized>(self, _: &I, _: usize) -> bool {
        true
    }
    fn misfit<I: Issue + ?Sized>(self, _: &I, _: usize) -> Option<Fault> {
        None
    }
    fn address(self, _: &WorldState) -> LocalAddr {
        loop {}
    }
}

fn main() {}
