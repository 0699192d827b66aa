//! Work of a stream would access memory of a world that has ended.

use oxshmem_hal::{Result, World};

fn main() -> Result<()> {
    let world = World::init()?;
    let stream = world.stream()?;
    world.finalize()?;
    stream.synchronize()
}
