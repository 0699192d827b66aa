//! One step of the solver: tiles, strips, and the pieces of edges that neighbours need.

use oxshmem_device::FaultStep;
use oxshmem_device::prelude::*;

use super::fields::Fields;
use super::{QUAD, STRIP, Slab};
use crate::math::{five_point, squared_change};

/// Returns the new points of a quad, from the lines `up` and `down`, the quad itself, and the elements on its two
/// sides.
#[inline(always)]
fn between(up: [f32; QUAD], sides: (f32, f32), here: [f32; QUAD], down: [f32; QUAD]) -> [f32; QUAD] {
    [
        five_point(sides.0, here[1], up[0], down[0]),
        five_point(here[0], here[2], up[1], down[1]),
        five_point(here[1], here[3], up[2], down[2]),
        five_point(here[2], sides.1, up[3], down[3]),
    ]
}

/// The unit of one load or store: elements of a line, from a multiple of 16 bytes on.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Quad([f32; QUAD]);

/// A tile, by its position among the tiles.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    row: u32,
    column: u32,
}

/// Rows of tiles along an edge: the first and the last. Blocks take these first, since neighbours wait for them.
const EDGES: u32 = 2;

/// Calls `body` for the calling block's tiles along the two edges.
#[inline(always)]
pub(super) fn each_edge_tile(slab: &Slab, body: impl FnMut(Tile) -> Result<(), Fault>) -> Result<(), Fault> {
    each_tile(slab, block_idx()[1], if slab.tile_rows < EDGES { slab.tile_rows } else { EDGES }, body)
}

/// Calls `body` for the calling block's tiles of the turns from `turn` to before `end`: turn 0 is the first row of
/// tiles, 1 the last, and the rows between follow.
#[inline(always)]
fn each_tile(
    slab: &Slab,
    mut turn: u32,
    end: u32,
    mut body: impl FnMut(Tile) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let ([first, _, _], [columns, turns, _]) = (block_idx(), grid_dim());
    while turn < end {
        let row = match turn {
            0 => 0,
            1 => slab.tile_rows - 1,
            inner => inner - 1,
        };
        let mut column = first;
        while column < slab.tile_columns {
            body(Tile { row, column })?;
            column += columns;
        }
        turn += turns;
    }
    Ok(())
}

/// Calls `body` for the calling block's tiles that are not along the edges.
#[inline(always)]
fn each_inner_tile(slab: &Slab, mut body: impl FnMut(Tile)) {
    let (mut turn, turns) = (block_idx()[1], grid_dim()[1]);
    while turn < EDGES {
        turn += turns;
    }
    let _ = each_tile(slab, turn, slab.tile_rows, |tile| {
        body(tile);
        Ok(())
    });
}

/// Up to [`QUAD`] columns from `column` on, and the rows from `first` to before `end`; none if `end <= first`.
#[derive(Clone, Copy)]
pub(super) struct Strip {
    column: u32,
    first: u32,
    end: u32,
}

/// One step of this PE: from `now` to `next`.
pub(super) struct Step<'a> {
    shmem: &'a Shmem<'a>,
    slab: &'a Slab,
    /// Steps taken before this one.
    taken: u64,
    fields: Fields,
}

impl<'a> Step<'a> {
    #[inline(always)]
    pub(super) fn new(shmem: &'a Shmem<'a>, slab: &'a Slab, taken: u64, fields: Fields) -> Self {
        Self { shmem, slab, taken, fields }
    }

    #[inline(always)]
    fn above(&self) -> Option<Pe> {
        let me = self.shmem.my_pe().number();
        if me > 0 { Some(Pe::new(me - 1)) } else { None }
    }

    #[inline(always)]
    fn below(&self) -> Option<Pe> {
        let me = self.shmem.my_pe().number();
        if me + 1 < self.shmem.n_pes() { Some(Pe::new(me + 1)) } else { None }
    }

    /// Returns the calling thread's strip of a tile. Adjacent threads of a warp take adjacent memory.
    #[inline(always)]
    pub(super) fn strip(&self, tile: Tile) -> Strip {
        let ([x, y, _], [width, height, _]) = (thread_idx(), block_dim());
        let column = (tile.column * width + x) * QUAD as u32 + 1;
        let first = (tile.row * height + y) * STRIP as u32 + 1;
        let behind = self.slab.rows + 1;
        let end = if first + (STRIP as u32) < behind { first + STRIP as u32 } else { behind };
        Strip { column, first, end: if column <= self.slab.nx { end } else { first } }
    }

    /// Takes the step for a strip of any size. Returns the sum of the squared changes if `SQUARE`, else 0.
    #[inline(always)]
    pub(super) fn compute<const SQUARE: bool>(&self, strip: Strip) -> f64 {
        let is_whole = strip.column + QUAD as u32 <= self.slab.nx + 1 && strip.end == strip.first + STRIP as u32;
        if SQUARE || !is_whole {
            return self.compute_rows::<SQUARE>(strip);
        }
        self.compute_whole(self.slab.index(strip.first as usize, strip.column as usize));
        0.0
    }

    /// Does the same row by row: it needs few registers, so that the code for most points keeps its own.
    #[inline(always)]
    fn compute_rows<const SQUARE: bool>(&self, strip: Strip) -> f64 {
        let mut at = self.slab.index(strip.first as usize, strip.column as usize);
        let behind = self.slab.nx + 1;
        let whole = strip.column + QUAD as u32 <= behind;
        let (mut row, mut sum) = (strip.first, 0.0);
        while row < strip.end {
            let (old, new) = self.row(at);
            // SAFETY: **interior**: a row of the strip.
            let to = unsafe { self.fields.next.add(at) };
            if whole {
                // SAFETY: **interior**: a row of the strip, which is whole quads.
                unsafe { to.cast::<Quad>().write(Quad(new)) };
            }
            let mut c = 0;
            while c < QUAD {
                if strip.column + (c as u32) < behind {
                    if !whole {
                        // SAFETY: **interior**: a row of the strip; the element after its last column is the boundary.
                        unsafe { to.add(c).write(new[c]) };
                    }
                    if SQUARE {
                        sum += squared_change(new[c], old[c]);
                    }
                }
                c += 1;
            }
            (row, at) = (row + 1, at + self.slab.stride as usize);
        }
        sum
    }

    /// Returns the points of the quad at element `at`, before and after the step.
    #[inline(always)]
    fn row(&self, at: usize) -> ([f32; QUAD], [f32; QUAD]) {
        let stride = self.slab.stride as usize;
        let (up, old, down) = (self.quad(at - stride), self.quad(at), self.quad(at + stride));
        (old, between(up, self.beside(at), old, down))
    }

    /// Returns the quad at element `at` of `now`, which is the first of a strip's row or of an adjacent line.
    #[inline(always)]
    fn quad(&self, at: usize) -> [f32; QUAD] {
        // SAFETY: a strip's rows are interior, so that this is in lines 0 to `rows + 1`: in the slab that `own`
        // checked. A line is whole quads, the first of which starts at a multiple of 128 bytes. No thread writes `now`
        // during this step; the neighbour PEs write its halo, and a barrier or a signal orders those writes before.
        unsafe { self.fields.now.add(at).cast::<Quad>().read() }.0
    }

    /// Returns the elements beside the quad at element `at` of `now`, in a row of a strip.
    #[inline(always)]
    fn beside(&self, at: usize) -> (f32, f32) {
        // SAFETY: in the checked slab, as in `quad`. There is an element before the first quad of a line, and the next
        // line follows the last quad of an interior row.
        unsafe { (self.fields.now.add(at).sub(1).read(), self.fields.now.add(at + QUAD).read()) }
    }

    /// Takes the step for a strip of [`QUAD`] columns and [`STRIP`] rows that begins at element `at`.
    #[inline(always)]
    fn compute_whole(&self, at: usize) {
        let stride = self.slab.stride as usize;
        // All loads precede the first store, so that their latencies overlap.
        let above = self.quad(at - stride);
        let (mut here, mut sides) = ([[0.0f32; QUAD]; STRIP], [(0.0f32, 0.0f32); STRIP]);
        let mut k = 0;
        while k < STRIP {
            (here[k], sides[k]) = (self.quad(at + k * stride), self.beside(at + k * stride));
            k += 1;
        }
        let below = self.quad(at + STRIP * stride);
        let mut k = 0;
        while k < STRIP {
            let up = if k == 0 { above } else { here[k - 1] };
            let down = if k + 1 == STRIP { below } else { here[k + 1] };
            let new = Quad(between(up, sides[k], here[k], down));
            // SAFETY: **interior**: one thread writes each point of the interior of `next`, and none reads it.
            unsafe { self.fields.next.add(at + k * stride).cast::<Quad>().write(new) };
            k += 1;
        }
    }

    /// Performs [`compute`](Self::compute) for the calling thread's part of the tiles along the edges.
    #[inline(always)]
    pub(super) fn compute_edges<const SQUARE: bool>(&self) -> f64 {
        let mut sum = 0.0;
        let _ = each_edge_tile(self.slab, |tile| {
            sum += self.compute::<SQUARE>(self.strip(tile));
            Ok(())
        });
        sum
    }

    /// Takes the step for the calling thread's part of all other tiles. Returns the sum of the squared changes.
    #[inline(always)]
    pub(super) fn square_inner(&self) -> f64 {
        let mut sum = 0.0;
        each_inner_tile(self.slab, |tile| sum += self.compute_rows::<true>(self.strip(tile)));
        sum
    }

    /// Takes the step for the calling thread's part of all other tiles.
    #[inline(always)]
    pub(super) fn compute_inner(&self) {
        // The last row of tiles is one of the edges, so that all rows of the other tiles exist.
        let ([x, y, _], [width, height, _]) = (thread_idx(), block_dim());
        let quads = self.slab.nx / QUAD as u32;
        each_inner_tile(self.slab, |tile| {
            let quad = tile.column * width + x;
            let row = (tile.row * height + y) * STRIP as u32 + 1;
            if quad < quads {
                self.compute_whole(self.slab.index(row as usize, quad as usize * QUAD + 1));
            }
        });
        // A column of strips narrower than a quad has a loop of its own.
        if !self.slab.nx.is_multiple_of(QUAD as u32) {
            each_inner_tile(self.slab, |tile| {
                let strip = self.strip(tile);
                if strip.column + QUAD as u32 > self.slab.nx + 1 {
                    self.compute_rows::<false>(strip);
                }
            });
        }
    }

    /// Writes the strip's points of the two edges into the neighbours' halos. One piece of code makes the calls for
    /// both, as in [`sides`](Self::sides).
    #[inline(always)]
    pub(super) fn send_points(&self, strip: Strip) -> Result<(), Fault> {
        let rows = self.slab.rows;
        let (left, end) = (self.slab.nx + 1, strip.column + QUAD as u32);
        let end = if left < end { left } else { end };
        let above = strip.first == 1 && strip.end > 1 && self.above().is_some();
        let below = strip.first <= rows && strip.end == rows + 1 && self.below().is_some();
        let (mut side, sides) = (!above as u32, 1 + below as u32);
        let me = self.shmem.my_pe().number();
        while side < sides {
            let (pe, from, to) =
                if side == 0 { (Pe::new(me - 1), 1, self.slab.rows_above + 1) } else { (Pe::new(me + 1), rows, 0) };
            let mut column = strip.column;
            while column < end {
                // SAFETY: a point of the strip, which this thread has just written.
                let value = unsafe { self.fields.next.add(self.slab.index(from as usize, column as usize)).read() };
                self.shmem.p(self.fields.next_at.add(self.slab.index(to as usize, column as usize)), value, pe)?;
                column += 1;
            }
            side += 1;
        }
        Ok(())
    }

    /// Returns the sides on which a tile borders on a neighbour, as a range: 0 is above, 1 is below. One piece of code
    /// makes the calls for both, in turns of a loop: two pieces would need twice the registers.
    #[inline(always)]
    fn sides(&self, tile: Tile) -> (u32, u32) {
        let above = tile.row == 0 && self.above().is_some();
        let below = tile.row + 1 == self.slab.tile_rows && self.below().is_some();
        (!above as u32, 1 + below as u32)
    }

    /// Returns the tile's piece of the edge on one side.
    #[inline(always)]
    fn piece(&self, tile: Tile, side: u32) -> Piece {
        let (slab, width) = (self.slab, block_dim()[0] as usize * QUAD);
        let first = tile.column as usize * width + 1;
        let left = slab.nx as usize + 1 - first;
        let me = self.shmem.my_pe().number();
        let (pe, from, to, heard, told) = if side == 0 {
            (Pe::new(me - 1), 1, slab.rows_above as usize + 1, slab.from_above, slab.from_below)
        } else {
            (Pe::new(me + 1), slab.rows as usize, 0, slab.from_below, slab.from_above)
        };
        Piece {
            pe,
            from: self.fields.next_at.add(slab.index(from, first)),
            to: self.fields.next_at.add(slab.index(to, first)),
            count: if width < left { width } else { left },
            heard: heard.add(tile.column as usize),
            told: told.add(tile.column as usize),
        }
    }

    /// Puts the tile's pieces of the edges into the neighbours' halos. The block calls after a barrier: a piece is
    /// whole when all threads have written their points.
    #[inline(always)]
    pub(super) fn put_pieces(&self, tile: Tile) -> Result<(), Fault> {
        let (mut side, end) = self.sides(tile);
        while side < end {
            let piece = self.piece(tile, side);
            self.shmem.put_nbi(Block, piece.to, piece.from, piece.count, piece.pe)?;
            side += 1;
        }
        Ok(())
    }

    /// Performs [`put_pieces`](Self::put_pieces), and announces the pieces' step to the neighbours.
    ///
    /// The neighbour read the halo that is written here two steps ago. Its signal of the step between, which
    /// `await_pieces` waited for, followed that read: no data is overwritten that is still needed.
    #[inline(always)]
    pub(super) fn signal_pieces(&self, tile: Tile) -> Result<(), Fault> {
        let (mut side, end) = self.sides(tile);
        while side < end {
            let piece = self.piece(tile, side);
            let (word, step) = (piece.told, self.taken + 1);
            let (to, from, count) = (piece.to, piece.from, piece.count);
            self.shmem.put_signal_nbi(Block, to, from, count, Signal::set(word, step), piece.pe)?;
            side += 1;
        }
        Ok(())
    }

    /// Waits until the halo pieces that the block's tiles need are of the previous step. The block calls.
    #[inline(always)]
    pub(super) fn await_pieces(&self) -> Result<(), Fault> {
        let mut ended = Ok(());
        if Block.leads() {
            ended = each_edge_tile(self.slab, |tile| {
                let (mut side, end) = self.sides(tile);
                while side < end {
                    self.shmem.signal_wait_until(self.piece(tile, side).heard, Cmp::Ge, self.taken)?;
                    side += 1;
                }
                Ok(())
            });
        }
        // After the block's barrier all threads have the leader's result.
        if Block.any(ended.is_err()) { Err(self.shmem.fault(Fault::new(FaultStep::Aborted))) } else { Ok(()) }
    }
}

/// A tile's piece of an edge.
struct Piece {
    /// The neighbour.
    pe: Pe,
    /// The first element, in this PE's edge row.
    from: SymPtr<f32>,
    /// The destination, in the neighbour's halo.
    to: SymPtr<f32>,
    /// Elements.
    count: usize,
    /// The word by which the neighbour announces its own piece.
    heard: SymPtr<u64>,
    /// The word by which this piece is announced to the neighbour.
    told: SymPtr<u64>,
}
