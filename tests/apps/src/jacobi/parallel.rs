//! The solver on the PEs of a world, in its variants.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use oxshmem_core::{Error, ErrorKind, Pe, Result};
use oxshmem_hal::{Launch, SymPtr, World};
use oxshmem_test_kernels::jacobi::{
    Slab, Steps, jacobi_p, jacobi_p_last, jacobi_persistent, jacobi_persistent_last, jacobi_put, jacobi_put_last,
};

use super::graphs::Graphs;
use super::method::{Method, Variant};
use super::serial::{Grid, slab};
use super::shape::{Extent, Shape, of_residents, of_steps};
use crate::start::largest;

/// The result of a run; the same on every PE except for the residuals, which PE 0 alone has.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// From the first step to the end of the last, on the PE that took longest.
    pub elapsed: Duration,
    /// Steps taken and the residual of the last of them, several times during the run; on PE 0.
    pub residuals: Vec<(u64, f64)>,
}

impl Outcome {
    /// Returns the faster of the two runs.
    pub fn fastest(self, other: Self) -> Self {
        if other.elapsed < self.elapsed { other } else { self }
    }
}

/// The solver: a PE's slab in symmetric memory, and the shapes of the launches.
pub struct Solver<'a> {
    pub(super) world: &'a World,
    slab: Slab,
    ny: usize,
    slots: usize,
    /// This PE's slab before the first step.
    initial: Vec<f32>,
    extent: Extent,
    shapes: [Shapes; 3],
    pub(super) graphs: Graphs<'a>,
}

/// The shapes of a variant's launches.
struct Shapes {
    /// Candidates for the fastest shape.
    tried: Vec<Shape>,
    /// The fastest shape, once it is known.
    fastest: OnceCell<Shape>,
}

impl<'a> Solver<'a> {
    /// Distributes a field of `nx` by `ny` interior points over the PEs. Collective, with the same sizes on every PE.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if a PE would have no row, [`ErrorKind::OutOfRange`] if a size does not fit the
    /// kernels; or there is not enough memory.
    pub fn new(world: &'a World, nx: usize, ny: usize) -> Result<Self> {
        let action = || format!("solve a field of {nx} x {ny} points on {} PEs", world.n_pes());
        let (n_pes, me) = (world.n_pes() as usize, world.my_pe().index());
        if ny < n_pes || nx == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("each PE needs a row, and each row a point")
                .amount(n_pes as u64, ny as u64, "rows")
                .hint("give a higher field, or start fewer PEs"));
        }
        if nx > 1 << 24 || ny > 1 << 30 {
            let (asked, limit) = if nx > 1 << 24 { (nx, 1 << 24) } else { (ny, 1 << 30) };
            return Err(Error::new(ErrorKind::OutOfRange, action()).amount(
                asked as u64,
                limit,
                "points in a direction",
            ));
        }
        let (first, rows) = slab(me, n_pes, ny);
        // The PE with the most rows decides, because symmetric memory and shapes are the same on all PEs.
        let extent = Extent { nx, rows: slab(0, n_pes, ny).1 };
        let neighbours = [me.checked_sub(1), Some(me + 1).filter(|next| *next < n_pes)];
        let neighbours: Vec<_> = neighbours.into_iter().flatten().map(|pe| Pe::new(pe as u32)).collect();
        let modules = world.modules();
        modules.load_of_for::<jacobi_p>(&neighbours)?;
        modules.load_of_for::<jacobi_put>(&neighbours)?;
        modules.load_of_for::<jacobi_persistent>(&neighbours)?;
        // The last step also adds to a word of PE 0.
        modules.load_of::<jacobi_p_last>()?;
        modules.load_of::<jacobi_put_last>()?;
        modules.load_of::<jacobi_persistent_last>()?;
        let of_variant = |variant| {
            let tried = match variant {
                Variant::Persistent => of_residents(world, extent)?,
                Variant::P | Variant::Put => of_steps(world, extent),
            };
            Ok::<_, Error>(Shapes { tried, fastest: OnceCell::new() })
        };
        let [p, put, persistent] = Variant::ALL.map(of_variant);
        let shapes = [p?, put?, persistent?];
        let most = |of: &dyn Fn(&Shape) -> u64| shapes.iter().flat_map(|one| &one.tried).map(of).max().unwrap_or(1);
        let threads = largest(world, "threads of a grid", most(&|shape| shape.last_threads()))? as usize;
        let tile_columns = most(&|shape| extent.tiles(shape.block)[0].into()) as usize;

        let stride = Slab::stride_of(nx);
        // Each PE has a word of its own, because a processor's atomics and those of remote PEs' NICs are not atomic
        // with each other.
        let slots = (1 + Self::MOST_REPORTS) * n_pes;
        let elements = (extent.rows + 2) * stride;
        let slab = Slab {
            even: world.align(128, elements)?,
            odd: world.align(128, elements)?,
            scratch: world.malloc(threads)?,
            residuals: world.calloc(slots)?,
            from_above: world.calloc(tile_columns)?,
            from_below: world.calloc(tile_columns)?,
            nx: nx as u32,
            rows: rows as u32,
            rows_above: if me > 0 { slab(me - 1, n_pes, ny).1 as u32 } else { 0 },
            stride: stride as u32,
            tile_columns: tile_columns as u32,
            tile_rows: 1,
        };
        let mut initial = vec![0.0; (rows + 2) * stride];
        for line in 0..rows + 2 {
            let value = super::serial::boundary(first + line, ny + 2);
            (initial[slab.index(line, 0)], initial[slab.index(line, nx + 1)]) = (value, value);
        }
        Ok(Self { world, slab, ny, slots, initial, extent, shapes, graphs: Graphs::default() })
    }

    /// The largest number of reports of a run.
    pub const MOST_REPORTS: usize = 64;

    /// Takes `iterations` steps from the zero field. Without `exchange` each PE computes alone, and the field is wrong.
    /// Calls `report` with the steps taken and, on PE 0, the residual, about `reports` times; once for
    /// [`Method::WHOLE`]. Graphs that no earlier run recorded are recorded before the time begins. Collective.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for graphs of a variant that takes many steps a kernel; a kernel reported a
    /// fault, or a PE did not make the call or died.
    pub fn run(
        &self,
        method: impl Into<Method>,
        iterations: u64,
        exchange: bool,
        reports: u64,
        mut report: impl FnMut(u64, f64),
    ) -> Result<Outcome> {
        let method = method.into();
        if method.variant == Variant::Persistent && method.graph.is_some() {
            return Err(Error::new(ErrorKind::InvalidArgument, "take the steps of the persistent solver in graphs")
                .because("one kernel takes many steps")
                .hint("choose p or put"));
        }
        let shape = self.fastest(method.variant)?;
        self.reset()?;
        let reports = method.reports(reports).clamp(1, Self::MOST_REPORTS as u64);
        let chunk = iterations.div_ceil(reports).clamp(1, u32::MAX.into());
        let of_chunk = |number| Steps {
            taken: number * chunk,
            count: chunk.min(iterations - number * chunk) as u32,
            exchange: exchange.into(),
            slot: number as u32 * self.world.n_pes() + self.world.my_pe().number(),
        };
        let chunks: Vec<Steps> = (0..iterations.div_ceil(chunk)).map(of_chunk).collect();
        let after = |steps: &Steps| steps.taken + u64::from(steps.count);
        for &steps in &chunks {
            self.record(method, shape, steps)?;
        }
        // No PE synchronizes a GPU while another one records.
        self.world.sync_all()?;
        self.world.barrier_all()?;
        let started = Instant::now();
        for (slot, &steps) in (0..).zip(&chunks) {
            self.launch(method, shape, steps)?;
            self.world.own_stream().synchronize()?;
            let taken = after(&steps);
            if exchange && self.world.my_pe() == Pe::new(0) && method.variant != Variant::Persistent {
                // After the barrier of the last step, every PE's part is in it.
                report(taken, self.residuals(slot, 1)?[0]);
            } else {
                report(taken, f64::NAN);
            }
        }
        let mine = started.elapsed();
        let elapsed = Duration::from_nanos(largest(self.world, "the time of a run", mine.as_nanos() as u64)?);
        self.world.barrier_all()?;
        let mut residuals = Vec::new();
        if self.world.my_pe() == Pe::new(0) {
            residuals.extend(chunks.iter().map(after).zip(self.residuals(0, chunks.len() as u32)?));
        }
        Ok(Outcome { elapsed, residuals })
    }

    /// Returns the residuals of `count` slots, each the sum of all PEs' parts; on PE 0.
    fn residuals(&self, first: u32, count: u32) -> Result<Vec<f64>> {
        let n_pes = self.world.n_pes() as usize;
        let mut parts = vec![0.0; count as usize * n_pes];
        self.world.read(self.slab.residuals.add(first as usize * n_pes), &mut parts)?;
        Ok(parts.chunks_exact(n_pes).map(|of_slot| of_slot.iter().sum()).collect())
    }

    /// Enqueues steps on the stream, or takes them in recorded graphs. The residual of the last one is added to the
    /// word `slot`, which is this PE's.
    fn launch(&self, method: Method, shape: Shape, steps: Steps) -> Result<()> {
        match method.graph {
            Some(_) => self.launch_recorded(method, shape, steps),
            None => self.enqueue(method.variant, shape, steps, true),
        }
    }

    /// Enqueues steps on the stream. With `residual` the last one adds its own to the word `slot`.
    pub(super) fn enqueue(&self, variant: Variant, shape: Shape, all: Steps, residual: bool) -> Result<()> {
        let (grid, last_grid) = (shape.launch(shape.grid), shape.launch(shape.last_grid));
        let before = all.count - u32::from(residual);
        if variant == Variant::Persistent {
            if before > 0 {
                self.launch_kernel(variant, false, grid.collective(), shape, Steps { count: before, ..all })?;
            }
            return self.launch_kernel(variant, true, last_grid.collective(), shape, last_of(all));
        }
        for step in 0..all.count {
            let one = Steps { taken: all.taken + u64::from(step), count: 1, ..all };
            let (last, grid) = if step < before { (false, grid) } else { (true, last_grid) };
            self.launch_kernel(variant, last, grid, shape, one)?;
            if all.exchange != 0 {
                self.world.own_stream().barrier_all()?;
            }
        }
        Ok(())
    }

    /// Launches a variant's kernel: the one that takes steps, or the one that takes the last step with its residual.
    fn launch_kernel(&self, variant: Variant, last: bool, grid: Launch, shape: Shape, steps: Steps) -> Result<()> {
        let (stream, slab) = (self.world.own_stream(), self.slab_in(shape));
        match (variant, last) {
            (Variant::P, false) => stream.launch(grid, jacobi_p { slab, steps }),
            (Variant::P, true) => stream.launch(grid, jacobi_p_last { slab, steps }),
            (Variant::Put, false) => stream.launch(grid, jacobi_put { slab, steps }),
            (Variant::Put, true) => stream.launch(grid, jacobi_put_last { slab, steps }),
            (Variant::Persistent, false) => stream.launch(grid, jacobi_persistent { slab, steps }),
            (Variant::Persistent, true) => stream.launch(grid, jacobi_persistent_last { slab, steps }),
        }
    }

    /// Returns the slab with the tiles of a shape.
    pub(super) fn slab_in(&self, shape: Shape) -> Slab {
        let [tile_columns, _] = self.extent.tiles(shape.block);
        let [_, tile_rows] = Extent { rows: self.slab.rows as usize, ..self.extent }.tiles(shape.block);
        Slab { tile_columns, tile_rows, ..self.slab }
    }

    /// Returns the variant's fastest shape on the slowest PE; the same on every PE. Collective.
    fn fastest(&self, variant: Variant) -> Result<Shape> {
        let Shapes { tried, fastest } = &self.shapes[variant as usize];
        if let Some(shape) = fastest.get() {
            return Ok(*shape);
        }
        let mut best = (u64::MAX, tried[0]);
        if tried.len() > 1 {
            self.reset()?;
            for &shape in tried {
                let took = self.trial(variant, shape)?;
                if took < best.0 {
                    best = (took, shape);
                }
            }
            if self.world.my_pe() == Pe::new(0) {
                let Shape { block: [x, y], grid: [columns, rows], .. } = best.1;
                eprintln!("jacobi, {}: blocks of {x} x {y}, a grid of {columns} x {rows}", variant.title());
            }
        }
        Ok(*fastest.get_or_init(|| best.1))
    }

    /// Returns the time of a few steps of a shape on the slowest PE, in nanoseconds. Collective.
    fn trial(&self, variant: Variant, shape: Shape) -> Result<u64> {
        let mut took = 0;
        // The first trial loads the kernels.
        for count in [3, 16] {
            self.reset_signals()?;
            self.world.barrier_all()?;
            let started = Instant::now();
            let slot = self.world.my_pe().number();
            self.enqueue(variant, shape, Steps { taken: 0, count, exchange: 1, slot }, true)?;
            self.world.own_stream().synchronize()?;
            took = started.elapsed().as_nanos() as u64;
            self.world.barrier_all()?;
        }
        largest(self.world, "the time of a shape", took)
    }

    /// Restores the state before the first step, on every PE.
    fn reset(&self) -> Result<()> {
        self.world.barrier_all()?;
        self.world.write(self.slab.even, &self.initial)?;
        self.world.write(self.slab.odd, &self.initial)?;
        self.reset_signals()?;
        self.world.write(self.slab.residuals, &vec![0.0; self.slots])?;
        self.world.barrier_all()
    }

    /// Sets the counts of edges to zero: no PE has sent one yet.
    fn reset_signals(&self) -> Result<()> {
        let tiles = self.slab.tile_columns as usize;
        self.world.write(self.slab.from_above, &vec![0; tiles])?;
        self.world.write(self.slab.from_below, &vec![0; tiles])
    }

    /// Returns the whole field after `iterations` steps on PE 0, and `None` on the others. Collective.
    ///
    /// # Errors
    ///
    /// A PE's memory can't be read, there is no memory for the field, or a PE did not make the call or died.
    pub fn gather(&self, iterations: u64) -> Result<Option<Grid>> {
        self.world.barrier_all()?;
        let field = if self.world.my_pe() == Pe::new(0) { Some(self.collect(iterations)?) } else { None };
        self.world.barrier_all()?;
        Ok(field)
    }

    fn collect(&self, iterations: u64) -> Result<Grid> {
        let from = if iterations.is_multiple_of(2) { self.slab.even } else { self.slab.odd };
        let (nx, n_pes, stride) = (self.slab.nx as usize, self.world.n_pes() as usize, self.slab.stride as usize);
        let mut grid = Grid::new(nx, self.ny)?;
        let columns = grid.columns();
        for (index, pe) in self.world.pes().enumerate() {
            let (first, rows) = slab(index, n_pes, self.ny);
            let mut lines = vec![0.0f32; rows * stride];
            self.world.get(&mut lines, from.add(stride), pe)?;
            for (row, line) in lines.chunks_exact(stride).enumerate() {
                let left = self.slab.index(0, 0);
                let to = (first + 1 + row) * columns;
                grid.values[to..to + columns].copy_from_slice(&line[left..left + columns]);
            }
        }
        Ok(grid)
    }

    /// Frees the memory. Collective.
    ///
    /// # Errors
    ///
    /// A kernel reported a fault, or a PE did not make the call or died.
    pub fn free(self) -> Result<()> {
        let Slab { even, odd, scratch, residuals, from_above, from_below, .. } = self.slab;
        let fields = [even, odd].into_iter().try_for_each(|field: SymPtr<f32>| self.world.free(field));
        fields.and_then(|()| [scratch, residuals].into_iter().try_for_each(|words| self.world.free(words)))?;
        [from_above, from_below].into_iter().try_for_each(|words| self.world.free(words))
    }
}

/// Returns the last of these steps alone.
pub(super) fn last_of(all: Steps) -> Steps {
    Steps { taken: all.taken + u64::from(all.count - 1), count: 1, ..all }
}
