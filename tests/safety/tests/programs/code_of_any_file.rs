//! A GPU would execute any code.
use oxshmem_hal::{Result, World};

fn load(world: &World) -> Result<()> {
    world.modules().load_image("k", b"...")?;
    world.modules().load_file("k.ptx")?;
    Ok(())
}

fn main() {}
