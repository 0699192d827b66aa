//! A NIC would write memory that was freed, or that has a reference.
use oxshmem_hal::{Result, World};

fn register(world: &World) -> Result<()> {
    world.user_memory().register_buffer(0x1000, 4096)
}

fn main() {}
