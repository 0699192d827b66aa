//! The 2-D Jacobi solver, with the halo exchange inside the kernel, in three variants.
//!
//! Each PE has a slab of rows with a halo row above and below, in two copies: a step reads one and writes the other.
//! The blocks of a grid stride over tiles, so that any grid size works. The tiles along the two edges that neighbours
//! wait for come first.

mod fields;
mod step;

use oxshmem_device::prelude::*;
use oxshmem_device::{KernelArg, launch_bounds};

use fields::Fields;
use step::{Step, each_edge_tile};

use crate::reduce::block_sum;

/// Rows of a strip, which one thread computes at a time, so that it uses most loaded elements twice.
pub const STRIP: usize = 4;

/// Columns of a strip: 16 bytes, moved by one load or store.
pub const QUAD: usize = 4;

/// Elements of a line before the first interior column, which then starts at a multiple of 128 bytes. The last of them
/// is the left boundary.
const LEAD: usize = 32;

/// One PE's part of the field. Lines are indexed from 0 (the halo above) to `rows + 1` (the halo below), and
/// columns from 0 (the left boundary) to `nx + 1`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Slab {
    /// The field after an even number of steps.
    pub even: SymPtr<f32>,
    /// The field after an odd number of steps.
    pub odd: SymPtr<f32>,
    /// A word for each thread of the grid.
    pub scratch: SymPtr<f64>,
    /// Each PE's part of the residuals, by slot; those on PE 0 count.
    pub residuals: SymPtr<f64>,
    /// The last step whose edge the PE above has sent, by column of tiles.
    pub from_above: SymPtr<u64>,
    /// The last step whose edge the PE below has sent, by column of tiles.
    pub from_below: SymPtr<u64>,
    /// Interior columns.
    pub nx: u32,
    /// Interior rows of this PE.
    pub rows: u32,
    /// Interior rows of the PE above.
    pub rows_above: u32,
    /// Elements from one line to the next.
    pub stride: u32,
    /// Columns of tiles, each [`QUAD`] times as wide as a block.
    pub tile_columns: u32,
    /// Rows of tiles, each [`STRIP`] times as high as a block.
    pub tile_rows: u32,
}

// SAFETY: **plain**: offsets and numbers, `repr(C)`.
unsafe impl KernelArg for Slab {
    const NAME: (&'static str, &'static str) = ("jacobi::Slab", "");
}

impl Slab {
    /// Returns the number of elements from one line to the next, for `nx` interior columns.
    pub const fn stride_of(nx: usize) -> usize {
        (LEAD + nx + 1).next_multiple_of(LEAD)
    }

    /// Returns the index of an element in a copy of the field.
    #[inline(always)]
    pub const fn index(&self, line: usize, column: usize) -> usize {
        line * self.stride as usize + LEAD - 1 + column
    }
}

/// The work of a launch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Steps {
    /// Steps taken before.
    pub taken: u64,
    /// Steps to take; kernels of a single step ignore it.
    pub count: u32,
    /// Whether halos are exchanged: 0 leaves them unchanged, to measure the time of the rest.
    pub exchange: u32,
    /// The word to which this PE's part of the residual is added, and to which no other PE adds. The kernels named
    /// `_last` compute it.
    pub slot: u32,
}

// SAFETY: **plain**: numbers, `repr(C)`.
unsafe impl KernelArg for Steps {
    const NAME: (&'static str, &'static str) = ("jacobi::Steps", "");
}

kernel! {
    /// Takes one step; each thread that computes edge points writes them into the neighbour's halo by `p`. A barrier
    /// must follow.
    pub fn jacobi_p(shmem: Shmem, slab: Slab, steps: Steps) -> Result<(), Fault> {
        p_step::<false>(&shmem, &slab, &steps)
    }

    /// Performs [`jacobi_p`](fn@jacobi_p) with the residual.
    pub fn jacobi_p_last(shmem: Shmem, slab: Slab, steps: Steps) -> Result<(), Fault> {
        p_step::<true>(&shmem, &slab, &steps)
    }

    /// Takes one step; each block puts its piece of an edge into the neighbour's halo by `put_nbi`. A barrier must
    /// follow.
    pub fn jacobi_put(shmem: Shmem, slab: Slab, steps: Steps) -> Result<(), Fault> {
        put_step::<false>(&shmem, &slab, &steps)
    }

    /// Performs [`jacobi_put`](fn@jacobi_put) with the residual.
    pub fn jacobi_put_last(shmem: Shmem, slab: Slab, steps: Steps) -> Result<(), Fault> {
        put_step::<true>(&shmem, &slab, &steps)
    }

    /// Takes many steps, launched collectively. Each block puts its piece of an edge with a signal, and waits for the
    /// signal of the piece that it needs. A PE waits for its neighbours only, and only for those pieces.
    pub fn jacobi_persistent(shmem: Shmem, slab: Slab, steps: Steps) -> Result<(), Fault> {
        let (mut taken, last) = (steps.taken, steps.taken + steps.count as u64);
        while taken < last {
            signal_step::<false>(&shmem, &slab, &steps, taken)?;
            taken += 1;
            if taken < last {
                // The rows beside a tile belong to other blocks' tiles.
                shmem.sync_grid()?;
            }
        }
        Ok(())
    }

    /// Takes one step of [`jacobi_persistent`](fn@jacobi_persistent), with the residual.
    pub fn jacobi_persistent_last(shmem: Shmem, slab: Slab, steps: Steps) -> Result<(), Fault> {
        signal_step::<true>(&shmem, &slab, &steps, steps.taken)
    }
}

// Kernels with the residual are separate, so that the others have registers for more threads.
launch_bounds!(jacobi_p, threads = 256, blocks = 4);
launch_bounds!(jacobi_put, threads = 256, blocks = 4);
launch_bounds!(jacobi_persistent, threads = 256, blocks = 3);
launch_bounds!(jacobi_p_last, threads = 256, blocks = 3);
launch_bounds!(jacobi_put_last, threads = 256, blocks = 3);
launch_bounds!(jacobi_persistent_last, threads = 256, blocks = 2);

#[inline(always)]
fn p_step<const LAST: bool>(shmem: &Shmem, slab: &Slab, steps: &Steps) -> Result<(), Fault> {
    let step = Step::new(shmem, slab, steps.taken, Fields::of(shmem, slab, steps.taken)?);
    let mut sum = 0.0;
    each_edge_tile(slab, |tile| {
        let strip = step.strip(tile);
        sum += step.compute::<LAST>(strip);
        if steps.exchange != 0 { step.send_points(strip) } else { Ok(()) }
    })?;
    finish::<LAST>(&step, shmem, slab, steps.slot, sum)
}

#[inline(always)]
fn put_step<const LAST: bool>(shmem: &Shmem, slab: &Slab, steps: &Steps) -> Result<(), Fault> {
    let step = Step::new(shmem, slab, steps.taken, Fields::of(shmem, slab, steps.taken)?);
    let sum = step.compute_edges::<LAST>();
    if steps.exchange != 0 {
        Block.sync();
        each_edge_tile(slab, |tile| step.put_pieces(tile))?;
    }
    finish::<LAST>(&step, shmem, slab, steps.slot, sum)
}

#[inline(always)]
fn signal_step<const LAST: bool>(shmem: &Shmem, slab: &Slab, steps: &Steps, taken: u64) -> Result<(), Fault> {
    let step = Step::new(shmem, slab, taken, Fields::of(shmem, slab, taken)?);
    if steps.exchange != 0 {
        step.await_pieces()?;
    }
    let sum = step.compute_edges::<LAST>();
    if steps.exchange != 0 {
        Block.sync();
        each_edge_tile(slab, |tile| step.signal_pieces(tile))?;
    }
    // The edges are in flight while the rest is computed.
    finish::<LAST>(&step, shmem, slab, steps.slot, sum)
}

/// Takes the step for the tiles that are not at an edge; `sum` is that of the edge tiles. In the last step all squared
/// changes are added to the residual.
#[inline(always)]
fn finish<const LAST: bool>(step: &Step<'_>, shmem: &Shmem, slab: &Slab, slot: u32, sum: f64) -> Result<(), Fault> {
    if LAST {
        return add_residual(shmem, slab, slot, sum + step.square_inner());
    }
    step.compute_inner();
    Ok(())
}

/// Adds the sum of this grid's threads to word `slot` of PE 0's residuals. A barrier must follow.
#[inline(always)]
fn add_residual(shmem: &Shmem, slab: &Slab, slot: u32, sum: f64) -> Result<(), Fault> {
    let sum = block_sum(shmem, slab.scratch, sum);
    if Block.leads() {
        shmem.atomic_add(slab.residuals.add(slot as usize), sum, Pe::new(0))?;
    }
    Ok(())
}
