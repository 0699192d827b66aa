//! The Mandelbrot image, whose tiles the blocks of all PEs claim from one counter.
//!
//! The cost of tiles differs by orders of magnitude. Shares are therefore not assigned beforehand: a block that is done
//! takes the next tile.

use oxshmem_device::KernelArg;
use oxshmem_device::prelude::*;

use crate::math::{escape, pixel};

/// The image and its tiles.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct View {
    /// The real part of the first pixel's centre.
    pub origin_re: f64,
    /// The imaginary part of the first pixel's centre.
    pub origin_im: f64,
    /// The distance between neighbouring pixels.
    pub step: f64,
    /// Columns of the image.
    pub width: u32,
    /// Rows of the image.
    pub height: u32,
    /// Columns and rows of a tile.
    pub tile: u32,
    /// Tiles side by side.
    pub tile_columns: u32,
    /// All tiles, counted along rows.
    pub tiles: u32,
    /// Iterations after which a point counts as inside.
    pub limit: u32,
}

// SAFETY: **plain**: numbers, `repr(C)`.
unsafe impl KernelArg for View {
    const NAME: (&'static str, &'static str) = ("mandelbrot::View", "");
}

/// The shared counter and image, and each block's working memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Board {
    /// The next unclaimed tile; that of PE 0 counts.
    pub counter: SymPtr<u32>,
    /// Iterations of each pixel, by row, then column; that of PE 0 is written.
    pub image: SymPtr<u32>,
    /// The PE that computed each tile, plus 1; 0 for none. That of PE 0 is written.
    pub owners: SymPtr<u32>,
    /// A tile's pixels for each block of this PE.
    pub scratch: SymPtr<u32>,
}

// SAFETY: **plain**: offsets, `repr(C)`.
unsafe impl KernelArg for Board {
    const NAME: (&'static str, &'static str) = ("mandelbrot::Board", "");
}

/// The PE with the counter and the image.
const ROOT: Pe = Pe::new(0);

/// The claim of a block that has no more work.
const NOTHING: u32 = u32::MAX;

kernel! {
    /// Computes tiles until none is left: each block claims one by `atomic_fetch_inc`, and puts it into the image.
    /// Blocks do not wait for each other. A barrier must follow.
    pub fn mandelbrot(shmem: Shmem, view: View, board: Board) -> Result<(), Fault> {
        let block = thread_in_grid() / Block.size().max(1) as usize;
        let at = board.scratch.add(block * (view.tile * view.tile) as usize);
        loop {
            let tile = Block.broadcast(if Block.leads() { claim(&shmem, &view, &board) } else { NOTHING });
            if tile == NOTHING {
                break;
            }
            compute(&shmem, &view, at, tile);
            Block.sync();
            let delivered = deliver(&shmem, &view, &board, at, tile);
            // All threads go on, or none does: a block without its leader would wait for a claim that never arrives.
            if Block.any(delivered.is_err()) {
                return delivered;
            }
        }
        shmem.quiet()
    }
}

/// Claims a tile. A failure is reported, and claims nothing.
///
/// If some PEs are remote from the root, their claims and those of the root's own threads are not atomic with each
/// other (see [`Atomics`]): a tile may then be claimed twice, but each is claimed.
#[inline(always)]
fn claim(shmem: &Shmem, view: &View, board: &Board) -> u32 {
    match shmem.atomic_fetch_inc(board.counter, ROOT) {
        Ok(tile) if tile < view.tiles => tile,
        Ok(_) | Err(_) => NOTHING,
    }
}

/// Returns a tile's first column and row in the image, and its columns and rows.
#[inline(always)]
fn place(view: &View, tile: u32) -> (u32, u32, u32, u32) {
    let across = view.tile_columns.max(1);
    let (left, top) = (tile % across * view.tile, tile / across * view.tile);
    let (width, height) = (view.width - left, view.height - top);
    (left, top, width.min(view.tile), height.min(view.tile))
}

/// Computes the calling thread's pixels of a tile.
#[inline(always)]
fn compute(shmem: &Shmem, view: &View, at: SymPtr<u32>, tile: u32) {
    let (left, top, width, height) = place(view, tile);
    let pixels = shmem.local(at, (view.tile * view.tile) as usize);
    let ([x, y, _], [columns, rows, _]) = (thread_idx(), block_dim());
    for row in stride(y, height, rows) {
        let c_im = pixel(view.origin_im, view.step, top + row);
        for column in stride(x, width, columns) {
            let c_re = pixel(view.origin_re, view.step, left + column);
            pixels.write((row * view.tile + column) as usize, escape(c_re, c_im, view.limit));
        }
    }
}

/// Puts a tile into the image, one row for each warp, and records its owner.
#[inline(always)]
fn deliver(shmem: &Shmem, view: &View, board: &Board, at: SymPtr<u32>, tile: u32) -> Result<(), Fault> {
    const WARP: u32 = 32;
    let (left, top, width, height) = place(view, tile);
    let (rank, warps) = (Block.rank() / WARP, Block.size().div_ceil(WARP));
    for row in stride(rank, height, warps) {
        let to = (top + row) as usize * view.width as usize + left as usize;
        let from = at.add((row * view.tile) as usize);
        shmem.put_nbi(Warp, board.image.add(to), from, width as usize, ROOT)?;
    }
    if Block.leads() {
        shmem.p(board.owners.add(tile as usize), shmem.my_pe().number() + 1, ROOT)?;
    }
    Ok(())
}
