//! The solver on the PEs of a world, in its variants.

use std::time::{Duration, Instant};

use clap::ValueEnum;
use oxshmem_core::{Error, ErrorKind, Pe, Result};
use oxshmem_hal::{Kernel, Launch, SymPtr, World};
use oxshmem_test_kernels::jacobi::{STRIP, Slab, Steps};

use super::serial::{Grid, slab};
use crate::apps::start::largest;

/// How the halos are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// One step a kernel; `p` by each thread, and a barrier on the stream.
    P,
    /// One step a kernel; `put_nbi` by each block, and a barrier on the stream.
    Put,
    /// Many steps a kernel; `put_signal` and wait by each block.
    Persistent,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::P, Self::Put, Self::Persistent];

    /// The variant in words, for tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::P => "p per thread",
            Self::Put => "put_nbi per block",
            Self::Persistent => "persistent, put_signal",
        }
    }

    fn kernel(self) -> &'static str {
        match self {
            Self::P => "jacobi_p",
            Self::Put => "jacobi_put",
            Self::Persistent => "jacobi_persistent",
        }
    }
}

/// What a run gave; the same on every PE but for the residuals, which PE 0 alone has.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// From the first step to the end of the last, on the PE that took longest.
    pub elapsed: Duration,
    /// Steps taken and the residual of the last of them, a number of times during the run; on PE 0.
    pub residuals: Vec<(u64, f64)>,
}

impl Outcome {
    /// The one of the two that took less time.
    pub fn fastest(self, other: Self) -> Self {
        if other.elapsed < self.elapsed { other } else { self }
    }
}

/// The solver: a PE's slab in symmetric memory, and the kernels.
pub struct Solver<'a> {
    world: &'a World,
    slab: Slab,
    ny: usize,
    slots: usize,
    /// This PE's slab before the first step.
    initial: Vec<f32>,
    kernels: [(Kernel, Launch); 3],
}

impl<'a> Solver<'a> {
    /// Lays a field of `nx` by `ny` interior points out over the PEs. Collective, with the same sizes.
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
        let (block, mut grid) = if world.on_host() { ([32, 2, 1], [2, 2, 1]) } else { ([128, 2, 1], [64, 64, 1]) };
        let (first, rows) = slab(me, n_pes, ny);
        // The PE with most rows decides: symmetric memory is alike everywhere, and so is the grid.
        let (_, most_rows) = slab(0, n_pes, ny);
        let tiles = |rows: usize| rows.div_ceil(block[1] as usize * STRIP) as u32;
        let tile_columns = nx.div_ceil(block[0] as usize) as u32;
        grid = [grid[0].min(tile_columns), grid[1].min(tiles(most_rows)), 1];
        let stride = Slab::stride_of(nx);

        let module = world.load("oxshmem-test-kernels")?;
        let launch = Launch::shaped(grid, block);
        let kernels = Variant::ALL.map(|variant| module.kernel(variant.kernel()));
        let [p, put, persistent] = kernels;
        let (p, put, persistent) = (p?, put?, persistent?);
        let mut fit = world.most_resident_blocks(&persistent, launch)?;
        if world.config().gpu_share && !world.on_host() {
            // The kernels of PEs that share a GPU wait for each other, so all of them must fit.
            fit /= u64::from(world.n_pes());
        }
        let resident = largest_grid(grid, fit);
        let collective = Launch::shaped(resident, block).collective();

        let slots = 1 + Self::MOST_REPORTS;
        let threads = block.iter().chain(&grid).map(|&n| n as usize).product::<usize>();
        let elements = (most_rows + 2) * stride;
        let slab = Slab {
            even: world.align(128, elements)?,
            odd: world.align(128, elements)?,
            scratch: world.malloc(threads)?,
            residuals: world.calloc(slots)?,
            from_above: world.calloc(tile_columns as usize)?,
            from_below: world.calloc(tile_columns as usize)?,
            nx: nx as u32,
            rows: rows as u32,
            rows_above: if me > 0 { slab(me - 1, n_pes, ny).1 as u32 } else { 0 },
            stride: stride as u32,
            tile_columns,
            tile_rows: tiles(rows),
        };
        let mut initial = vec![0.0; (rows + 2) * stride];
        for line in 0..rows + 2 {
            let value = super::serial::boundary(first + line, ny + 2);
            (initial[slab.index(line, 0)], initial[slab.index(line, nx + 1)]) = (value, value);
        }
        Ok(Self { world, slab, ny, slots, initial, kernels: [(p, launch), (put, launch), (persistent, collective)] })
    }

    /// How often a run reports at most.
    pub const MOST_REPORTS: usize = 64;

    /// Takes `iterations` steps from the zero field; without `exchange` each PE keeps to itself, and the field is
    /// wrong. Calls `report` with the steps taken and, on PE 0, the residual, about `reports` times. Collective.
    ///
    /// # Errors
    ///
    /// A kernel reported a fault, or a PE did not come or died.
    pub fn run(
        &self,
        variant: Variant,
        iterations: u64,
        exchange: bool,
        reports: u64,
        mut report: impl FnMut(u64, f64),
    ) -> Result<Outcome> {
        self.reset()?;
        let chunk = iterations.div_ceil(reports.clamp(1, Self::MOST_REPORTS as u64)).clamp(1, u32::MAX.into());
        let mut residuals = Vec::new();
        let (mut taken, mut slot) = (0, 0);
        self.world.barrier_all()?;
        let started = Instant::now();
        while taken < iterations {
            let count = chunk.min(iterations - taken);
            self.launch(variant, taken, count, exchange, slot)?;
            taken += count;
            self.world.synchronize()?;
            if exchange && self.world.my_pe() == Pe::new(0) && variant != Variant::Persistent {
                // Behind the barrier of the last step, every PE's part is in it.
                let mut residual = [0.0];
                self.world.read(self.slab.residuals.add(slot as usize), &mut residual)?;
                report(taken, residual[0]);
            } else {
                report(taken, f64::NAN);
            }
            slot += 1;
        }
        let mine = started.elapsed();
        let elapsed = Duration::from_nanos(largest(self.world, "the time of a run", mine.as_nanos() as u64)?);
        self.world.barrier_all()?;
        if self.world.my_pe() == Pe::new(0) {
            let mut all = vec![0.0; slot as usize];
            self.world.read(self.slab.residuals, &mut all)?;
            let steps = (1..).map(|n| (n * chunk).min(iterations));
            residuals.extend(steps.zip(all));
        }
        Ok(Outcome { elapsed, residuals })
    }

    /// Puts `count` steps on the stream; the residual of the last goes to `slot`.
    fn launch(&self, variant: Variant, taken: u64, count: u64, exchange: bool, slot: u32) -> Result<()> {
        let (kernel, launch) = &self.kernels[variant as usize];
        let mut steps = Steps { taken, count: count as u32, exchange: exchange.into(), slot };
        if variant == Variant::Persistent {
            return self.world.launch(kernel, *launch, (self.slab, steps));
        }
        for step in 0..count {
            steps.taken = taken + step;
            steps.slot = if step + 1 == count { slot } else { Steps::NO_SLOT };
            self.world.launch(kernel, *launch, (self.slab, steps))?;
            if exchange {
                self.world.barrier_all_on_stream()?;
            }
        }
        Ok(())
    }

    /// The state before the first step, on every PE.
    fn reset(&self) -> Result<()> {
        self.world.barrier_all()?;
        self.world.write(self.slab.even, &self.initial)?;
        self.world.write(self.slab.odd, &self.initial)?;
        let tiles = self.slab.tile_columns as usize;
        self.world.write(self.slab.from_above, &vec![0; tiles])?;
        self.world.write(self.slab.from_below, &vec![0; tiles])?;
        self.world.write(self.slab.residuals, &vec![0.0; self.slots])?;
        self.world.barrier_all()
    }

    /// The whole field after `iterations` steps, on PE 0; `None` on the others. Collective.
    ///
    /// # Errors
    ///
    /// A PE's memory can't be read, there is no memory for the field, or a PE did not come or died.
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

    /// Gives the memory back. Collective.
    ///
    /// # Errors
    ///
    /// A kernel reported a fault, or a PE did not come or died.
    pub fn free(self) -> Result<()> {
        let Slab { even, odd, scratch, residuals, from_above, from_below, .. } = self.slab;
        let fields = [even, odd].into_iter().try_for_each(|field: SymPtr<f32>| self.world.free(field));
        fields.and_then(|()| [scratch, residuals].into_iter().try_for_each(|words| self.world.free(words)))?;
        [from_above, from_below].into_iter().try_for_each(|words| self.world.free(words))
    }
}

/// The grid, cut down to at most `most` blocks: first its height, then its width.
fn largest_grid([columns, rows, depth]: [u32; 3], most: u64) -> [u32; 3] {
    let most = u32::try_from(most).unwrap_or(u32::MAX).max(1);
    let columns = columns.min(most);
    [columns, rows.min(most / columns).max(1), depth]
}
