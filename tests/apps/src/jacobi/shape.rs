//! Shapes of a solver's launches: blocks and grids, and the search for the fastest of a few.

use oxshmem_core::Result;
use oxshmem_hal::{KernelCall, Launch, World};
use oxshmem_test_kernels::jacobi::{QUAD, STRIP, jacobi_persistent, jacobi_persistent_last};

/// A block and a grid for a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Threads of a block, across and down.
    pub block: [u32; 2],
    /// Blocks of the grid, across and down.
    pub grid: [u32; 2],
    /// Blocks of the grid of the last step, whose residual needs a word for each thread.
    pub last_grid: [u32; 2],
}

/// The extent that shapes are made for: that of the PE with most rows, since all PEs have the same shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Interior columns.
    pub nx: usize,
    /// Interior rows of a PE.
    pub rows: usize,
}

/// Candidates for blocks, as threads across and down: whole warps, of 128 or 256 threads, the bound of the kernels.
const BLOCKS: [[u32; 2]; 7] = [[32, 4], [32, 8], [64, 2], [64, 4], [128, 1], [128, 2], [256, 1]];

/// The block on host threads: small, so that small fields have many tiles.
const ON_HOST: [u32; 2] = [16, 4];

/// The block on GPUs if no candidates are tried.
const UNTRIED: [u32; 2] = [128, 2];

/// The largest extent of a grid in a direction whose blocks come back for more tiles.
const STRIDING: u32 = 64;

/// The largest extent of a grid downwards: CUDA's limit.
const MOST_DOWN: u32 = 65535;

/// The points of a PE from which on a search for the shape pays.
const WORTH_TRYING: usize = 1 << 18;

impl Shape {
    /// Returns the launch of a grid of blocks of this shape.
    pub(super) fn launch(self, [across, down]: [u32; 2]) -> Launch {
        Launch::shaped([across, down, 1], [self.block[0], self.block[1], 1])
    }

    /// Returns the number of threads of the last step's grid.
    pub(super) fn last_threads(self) -> u64 {
        self.block.iter().chain(&self.last_grid).map(|&n| u64::from(n)).product()
    }
}

impl Extent {
    /// Returns the number of tiles across and down for blocks of that shape.
    pub(super) fn tiles(self, [across, down]: [u32; 2]) -> [u32; 2] {
        [self.nx.div_ceil(across as usize * QUAD) as u32, self.rows.div_ceil(down as usize * STRIP) as u32]
    }

    fn capped(self, block: [u32; 2], most: u32) -> [u32; 2] {
        self.tiles(block).map(|tiles| tiles.min(most))
    }

    /// Returns, among the grids of at most `fit` blocks, the one whose busiest block has the fewest tiles.
    fn resident(self, block: [u32; 2], fit: u64) -> [u32; 2] {
        let [columns, rows] = self.tiles(block);
        let fit = u32::try_from(fit).unwrap_or(u32::MAX).max(1);
        let of_width = |width: u32| [width, rows.min(fit / width).max(1)];
        let busiest = |[width, height]: [u32; 2]| u64::from(columns.div_ceil(width)) * u64::from(rows.div_ceil(height));
        // Among equals the wider one: more blocks share the edges.
        let grids = (1..=columns.min(fit)).rev().map(of_width);
        grids.min_by_key(|&grid| busiest(grid)).unwrap_or([1, 1])
    }
}

/// Returns the candidates for kernels of one step, or the only shape.
pub(super) fn of_steps(world: &World, extent: Extent) -> Vec<Shape> {
    let shape = |block, most_across, most_down| {
        let [across, down] = extent.tiles(block);
        let grid = [across.min(most_across), down.min(most_down)];
        Shape { block, grid, last_grid: extent.capped(block, STRIDING) }
    };
    if world.on_host() {
        return vec![shape(ON_HOST, 2, 2)];
    }
    if !worth_trying(extent) {
        return vec![shape(UNTRIED, STRIDING, STRIDING)];
    }
    BLOCKS.iter().flat_map(|&block| [shape(block, STRIDING, STRIDING), shape(block, u32::MAX, MOST_DOWN)]).collect()
}

/// Returns the candidates for the persistent kernels, whose grids must be resident as a whole.
///
/// # Errors
///
/// The driver can't compute the number of blocks that fit.
pub(super) fn of_residents(world: &World, extent: Extent) -> Result<Vec<Shape>> {
    let blocks = match (world.on_host(), worth_trying(extent)) {
        (true, _) => vec![ON_HOST],
        (false, false) => vec![UNTRIED],
        (false, true) => BLOCKS.to_vec(),
    };
    let shape = |block| {
        let grid = |fit: u64| extent.resident(block, if world.on_host() { fit.min(4) } else { fit });
        let fit = [fit::<jacobi_persistent>(world, block)?, fit::<jacobi_persistent_last>(world, block)?];
        let [grid, last_grid] = fit.map(grid);
        Ok(Shape { block, grid, last_grid })
    };
    blocks.into_iter().map(shape).collect()
}

/// Returns the blocks of a kernel that fit on this PE's share of its GPU at a time.
fn fit<K: KernelCall>(world: &World, [across, down]: [u32; 2]) -> Result<u64> {
    let fit = world.own_stream().most_resident_blocks::<K>(Launch::shaped([1, 1, 1], [across, down, 1]))?;
    // Kernels of PEs that share a GPU wait for each other, so all of them must fit.
    let sharing = if world.config().gpu_share && !world.on_host() { u64::from(world.n_pes()) } else { 1 };
    Ok(fit / sharing)
}

fn worth_trying(extent: Extent) -> bool {
    extent.rows * extent.nx >= WORTH_TRYING
}
