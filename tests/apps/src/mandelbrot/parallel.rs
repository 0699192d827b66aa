//! The image on the PEs of a world.

use std::time::{Duration, Instant};

use oxshmem_core::{Pe, Result};
use oxshmem_hal::{Launch, World};
use oxshmem_test_kernels::mandelbrot::{Board, View, mandelbrot};

use super::serial::Geometry;
use crate::start::largest;

/// The image and its tiles; on PE 0.
#[derive(Clone, Debug)]
pub struct Image {
    /// Iterations of each pixel, by row, then column.
    pub counts: Vec<u32>,
    /// The PE that computed each tile; `None` if no PE did.
    pub owners: Vec<Option<u32>>,
    /// From the first claim to the end of the last tile, on the PE that took longest.
    pub elapsed: Duration,
}

impl Image {
    /// Returns the tiles that each of `n_pes` PEs computed.
    pub fn tiles_of_pes(&self, n_pes: u32) -> Vec<usize> {
        (0..n_pes).map(|pe| self.owners.iter().filter(|owner| **owner == Some(pe)).count()).collect()
    }
}

/// Computes the image; PE 0 gets it, the others `None`. Collective, with the same geometry.
///
/// # Errors
///
/// There is not enough memory, a kernel reported a fault, or a PE did not make the call or died.
pub fn image(world: &World, geometry: &Geometry) -> Result<Option<Image>> {
    let (block, most) = if world.on_host() { ([16, 4, 1], 2) } else { ([32, 8, 1], u64::from(u32::MAX)) };
    let fit = world.own_stream().most_resident_blocks::<mandelbrot>(Launch::shaped([1, 1, 1], block))?;
    // Blocks beyond the number of tiles would have no work. The PEs' machines may differ, but symmetric allocations
    // must not.
    let blocks = fit.min(most).min(u64::from(geometry.n_tiles())).max(1);
    let blocks_here = blocks as u32;
    let most_blocks = largest(world, "blocks of a PE", blocks)? as usize;

    let (tiles, side) = (geometry.n_tiles() as usize, geometry.tile() as usize);
    let board = Board {
        counter: world.calloc(1)?,
        image: world.calloc(geometry.pixels())?,
        owners: world.calloc(tiles)?,
        scratch: world.malloc(most_blocks * side * side)?,
    };
    let (origin_re, origin_im) = geometry.origin();
    let view = View {
        origin_re,
        origin_im,
        step: geometry.step(),
        width: geometry.width(),
        height: geometry.height(),
        tile: geometry.tile(),
        tile_columns: geometry.tile_columns(),
        tiles: geometry.n_tiles(),
        limit: geometry.limit(),
    };
    world.barrier_all()?;
    let started = Instant::now();
    world.own_stream().launch(Launch::shaped([blocks_here, 1, 1], block), mandelbrot { view, board })?;
    world.own_stream().synchronize()?;
    let mine = started.elapsed();
    let elapsed = Duration::from_nanos(largest(world, "the time of the image", mine.as_nanos() as u64)?);
    // The barrier delivers every PE's tiles.
    world.barrier_all()?;

    let mut image = None;
    if world.my_pe() == Pe::new(0) {
        let (mut counts, mut owners) = (vec![0; geometry.pixels()], vec![0; tiles]);
        world.read(board.image, &mut counts)?;
        world.read(board.owners, &mut owners)?;
        let owners = owners.into_iter().map(|owner: u32| owner.checked_sub(1)).collect();
        image = Some(Image { counts, owners, elapsed });
    }
    for words in [board.counter, board.image, board.owners, board.scratch] {
        world.free(words)?;
    }
    Ok(image)
}
