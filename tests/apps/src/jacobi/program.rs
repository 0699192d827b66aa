//! The program `oxshmem-jacobi`: runs the variants, compares with the serial solution, draws and prints.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use oxshmem_core::{Pe, Result};
use oxshmem_hal::World;

use super::method::{Method, Variant, graph_size};
use super::parallel::{Outcome, Solver};
use super::serial::{self, Grid, borders, compare};
use crate::picture::{Field, Limits, field_png};
use crate::progress::Progress;
use crate::start::{largest, place, warn_of_times};
use crate::table::{Row, table, time};

/// The largest difference from the serial solution that passes. The arithmetic is the same, so 0 is expected.
const TOLERANCE: f64 = 1e-6;
/// The smaller field's points in a direction, and its steps.
const SMALL: (usize, u64) = (512, 200);
/// The least part of the largest value that a picture shows.
const SEEN: f32 = 0.004;
/// Largest relative difference of a residual: sums of doubles in another order.
const RESIDUAL_TOLERANCE: f64 = 1e-9;

/// Options of the program.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Interior columns (default: 512 on host threads, 4096 on GPUs).
    #[arg(long, value_name = "POINTS")]
    pub nx: Option<usize>,
    /// Interior rows, split over the PEs (default: as --nx's).
    #[arg(long, value_name = "POINTS")]
    pub ny: Option<usize>,
    /// Steps (default: 500 on host threads, 1000 on GPUs).
    #[arg(short, long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub iterations: Option<u64>,
    /// The exchange of halos; `all` runs the variants one after the other.
    #[arg(long, value_enum, default_value_t = Choice::All)]
    pub variant: Choice,
    /// Take the steps of a variant of one step a kernel in CUDA graphs, at most STEPS in each (2 if not given). A graph
    /// ends at each report of the residual, 20 times a run. `all` records the whole run in one graph, with one report.
    #[arg(long, value_name = "STEPS", num_args = 0..=1, default_missing_value = "2", value_parser = graph_size)]
    pub graph: Option<NonZeroU32>,
    /// Compare the field with the serial solution (the default).
    #[arg(long, overrides_with = "no_check")]
    pub check: bool,
    /// Skip the comparison.
    #[arg(long, overrides_with = "check")]
    pub no_check: bool,
    /// Time that the serial solution may take; if it would take longer, a smaller field is compared.
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    pub check_limit: f64,
    /// File of the picture.
    #[arg(long, value_name = "PATH", default_value = "jacobi.png")]
    pub picture: PathBuf,
    /// Draw no picture.
    #[arg(long)]
    pub no_picture: bool,
    /// Steps that each variant takes before it is timed (default: 10 on host threads, 100 on GPUs).
    #[arg(long, value_name = "STEPS")]
    pub warmup: Option<u64>,
    /// Times that each variant is timed; the fastest counts.
    #[arg(long, value_name = "TIMES", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// PEs on host threads, when started without a launcher (default: 4).
    #[arg(short, long, value_name = "PES", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub pes: Option<u32>,
}

/// The variants to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// One step a kernel; `p` by each thread.
    P,
    /// One step a kernel; `put_nbi` by each block.
    Put,
    /// Many steps a kernel; `put_signal` and wait by each block.
    Persistent,
    /// All three, and the first two in graphs: of two steps (or of --graph), and of the whole run if it has at most
    /// 20,000 steps.
    All,
}

impl Options {
    fn methods(&self, iterations: u64) -> Vec<Method> {
        let of = |variant| vec![Method { variant, graph: self.graph }];
        match self.variant {
            Choice::P => of(Variant::P),
            Choice::Put => of(Variant::Put),
            Choice::Persistent => of(Variant::Persistent),
            Choice::All => {
                let steps = self.graph.unwrap_or(Method::PAIR);
                let whole = steps != Method::WHOLE && iterations <= Method::MOST_RECORDED;
                let sizes = [Some(steps), whole.then_some(Method::WHOLE)].into_iter().flatten();
                let in_graphs = sizes.flat_map(|size| Variant::RECORDABLE.map(|variant| variant.in_graphs(size)));
                Variant::ALL.map(Method::from).into_iter().chain(in_graphs).collect()
            }
        }
    }
}

/// The sizes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    nx: usize,
    ny: usize,
    iterations: u64,
}

/// Runs one PE's part of the program. Returns, on every PE alike, whether the field is right. Collective.
///
/// # Errors
///
/// The sizes fit no world or this one's memory, a kernel reported a fault, a PE died, or the picture can't be written.
pub fn run(world: &World, options: &Options) -> Result<bool> {
    let leads = world.my_pe() == Pe::new(0);
    let (points, iterations, warmup) = if world.on_host() { (512, 500, 10) } else { (4096, 1000, 100) };
    let nx = options.nx.unwrap_or(points);
    let size = Size { nx, ny: options.ny.unwrap_or(nx), iterations: options.iterations.unwrap_or(iterations) };
    let methods = options.methods(size.iterations);
    if leads {
        println!("Jacobi solver: {} x {} points, {} iterations, {}", size.nx, size.ny, size.iterations, place(world));
    }
    let solver = Solver::new(world, size.nx, size.ny)?;
    let reference = if leads && !options.no_check {
        Reference::of(size, world.n_pes(), options.check_limit)?
    } else {
        Reference::None
    };
    // Every PE must know whether there is a smaller field to solve, since solving is collective.
    let smaller = largest(world, "what is compared", u64::from(matches!(reference, Reference::Smaller(_))))? == 1;

    let (mut rows, mut drawn) = (Vec::new(), None);
    for &method in &methods {
        solver.run(method, options.warmup.unwrap_or(warmup).max(1), true, 1, |_, _| ())?;
        let (mut full, field) = (timed(&solver, method, size, true, leads)?, solver.gather(size.iterations)?);
        let mut alone = timed(&solver, method, size, false, leads)?;
        // The runs take turns, so that other load of the machine affects both alike.
        for _ in 1..options.repeat {
            full = full.fastest(timed(&solver, method, size, true, leads)?);
            alone = alone.fastest(timed(&solver, method, size, false, leads)?);
        }
        if let Some(field) = field {
            let max_error = reference.compare(&field, &full)?;
            rows.push(Row {
                variant: method.title(),
                iterations: size.iterations,
                elapsed: full.elapsed,
                communication: full.elapsed.checked_sub(alone.elapsed).filter(|_| world.n_pes() > 1),
                residual: full.residuals.last().map_or(f64::NAN, |last| last.1),
                max_error,
            });
            drawn = Some(field);
        }
    }
    solver.free()?;
    if smaller {
        compare_smaller(world, &methods, &reference, &mut rows)?;
    }
    let mut right = true;
    if let Some(field) = drawn {
        print_results(&rows, &reference, options.check_limit);
        warn_of_times(world);
        right = rows.iter().all(|row| row.max_error.is_none_or(|error| error <= TOLERANCE));
        if !options.no_picture {
            draw(&options.picture, &field, world, size)?;
        }
    }
    Ok(largest(world, "whether the field is right", u64::from(!right))? == 0)
}

/// Runs once, and shows its progress if `show` is set.
fn timed(solver: &Solver<'_>, method: Method, size: Size, exchange: bool, show: bool) -> Result<Outcome> {
    let title = if exchange { method.title() } else { "computation alone".into() };
    let mut progress = Progress::new(show, &title, size.iterations);
    solver.run(method, size.iterations, exchange, 20, |taken, residual| {
        progress.at(taken, || if residual.is_nan() { String::new() } else { format!("residual {residual:.3e}") });
    })
}

/// The reference of a field.
enum Reference {
    /// Nothing.
    None,
    /// The serial solution of the same field.
    Whole(Solved),
    /// The serial solution of a smaller field, because that of the same field would take too long.
    Smaller(Solved),
}

/// A serial solution.
struct Solved {
    size: Size,
    grid: Grid,
    /// The residual of the last step.
    residual: f64,
    took: Duration,
}

impl Reference {
    /// Returns the serial solution, of a smaller field if the whole one would take too long.
    fn of(size: Size, n_pes: u32, limit: f64) -> Result<Self> {
        // The first step touches its memory for the first time, so the second gives the time of a step.
        let mut trial = serial::Solver::new(size.nx, size.ny)?;
        trial.step();
        let started = Instant::now();
        trial.step();
        let expected = started.elapsed().as_secs_f64() * size.iterations as f64;
        drop(trial);
        if expected <= limit {
            return Ok(Self::Whole(Solved::new(size)?));
        }
        let size = Size {
            nx: size.nx.min(SMALL.0),
            ny: size.ny.min(SMALL.0.max(n_pes as usize)),
            iterations: size.iterations.min(SMALL.1),
        };
        Ok(Self::Smaller(Solved::new(size)?))
    }

    fn compare(&self, field: &Grid, outcome: &Outcome) -> Result<Option<f64>> {
        match self {
            Self::Whole(solved) => solved.compare(field, outcome).map(Some),
            Self::None | Self::Smaller(_) => Ok(None),
        }
    }
}

impl Solved {
    fn new(size: Size) -> Result<Self> {
        let started = Instant::now();
        let mut progress = Progress::new(true, "serial solution", size.iterations);
        let mut solver = serial::Solver::new(size.nx, size.ny)?;
        let mut residual = 0.0;
        for taken in 1..=size.iterations {
            residual = solver.step();
            if taken % 16 == 0 {
                progress.at(taken, || format!("residual {residual:.3e}"));
            }
        }
        Ok(Self { size, grid: solver.into_grid(), residual, took: started.elapsed() })
    }

    /// Returns the largest difference of the field; infinite if the residual is not that of the serial solution.
    fn compare(&self, field: &Grid, outcome: &Outcome) -> Result<f64> {
        let found = outcome.residuals.last().map_or(f64::NAN, |last| last.1);
        let difference = (found - self.residual).abs() / self.residual.max(f64::MIN_POSITIVE);
        if difference.is_nan() || difference > RESIDUAL_TOLERANCE {
            eprintln!("the residual is {found:e}, and that of the serial solution {:e}", self.residual);
            return Ok(f64::INFINITY);
        }
        let worst = compare(&field.values, &self.grid.values, field.columns())?;
        if worst.max_abs > TOLERANCE {
            eprintln!(
                "row {}, column {} of the field is {:e}, and {:e} in the serial solution",
                worst.row, worst.column, worst.found, worst.expected
            );
        }
        Ok(worst.max_abs)
    }
}

/// Solves the smaller field with each method, and compares it. Collective.
fn compare_smaller(world: &World, methods: &[Method], reference: &Reference, rows: &mut [Row]) -> Result<()> {
    let solved = if let Reference::Smaller(solved) = reference { Some(solved) } else { None };
    let size = solved.map(|solved| solved.size);
    // PE 0 alone has the reference, and every PE needs its size.
    let share = |what, of: fn(Size) -> u64| largest(world, what, size.map_or(0, of));
    let (nx, ny) = (share("columns", |size| size.nx as u64)? as usize, share("rows", |size| size.ny as u64)? as usize);
    let iterations = share("iterations", |size| size.iterations)?;
    let solver = Solver::new(world, nx, ny)?;
    for (at, &method) in methods.iter().enumerate() {
        let outcome = solver.run(method, iterations, true, 1, |_, _| ())?;
        if let (Some(field), Some(solved)) = (solver.gather(iterations)?, solved) {
            rows[at].max_error = Some(solved.compare(&field, &outcome)?);
        }
    }
    solver.free()
}

fn print_results(rows: &[Row], reference: &Reference, limit: f64) {
    println!("{}", table(rows));
    println!("Communication: the time of the run less that of the same kernels without halo exchange and barriers.");
    if rows.iter().any(|row| row.communication.is_none()) {
        println!("Where it is \"-\", there was none, or less than runs differ by; --repeat N takes the fastest of N.");
    }
    let serial = |solved: &Solved| {
        let each = solved.took.as_secs_f64() / solved.size.iterations as f64;
        format!("{} an iteration on one core", time(each))
    };
    match reference {
        Reference::None => println!("Not compared with the serial solution."),
        Reference::Whole(solved) => println!("Serial solution: {}.", serial(solved)),
        Reference::Smaller(solved) => println!(
            "Compared with the serial solution on {} x {} points and {} iterations, of the same kernels: of the whole \
             field it would take more than {}.",
            solved.size.nx,
            solved.size.ny,
            solved.size.iterations,
            time(limit)
        ),
    }
}

/// Returns the field's left columns and their number: those that heat from the boundary has reached. The right ones are
/// their mirror image, and between them nothing can be seen. Returns all columns if they are most of the field.
fn near_the_boundary(grid: &Grid) -> (Vec<f32>, usize) {
    let all = grid.columns();
    let largest = grid.values.iter().fold(0.0f32, |most, value| most.max(value.abs()));
    let is_seen = |column: &usize| grid.values.iter().skip(*column).step_by(all).any(|v| v.abs() > SEEN * largest);
    let columns = (0..all / 2).rev().find(is_seen).map_or(all, |last| last + 1);
    if columns > all / 3 {
        return (grid.values.clone(), all);
    }
    (grid.values.chunks_exact(all).flat_map(|row| &row[..columns]).copied().collect(), columns)
}

fn draw(path: &Path, grid: &Grid, world: &World, size: Size) -> Result<()> {
    let (values, columns) = near_the_boundary(grid);
    let mut title = format!("{} x {} points after {} iterations, {}", size.nx, size.ny, size.iterations, place(world));
    if columns < grid.columns() {
        title += &format!("; the left {columns} columns");
    }
    let field = Field {
        values: &values,
        nx: columns,
        ny: grid.rows(),
        title: &title,
        caption: "value",
        borders: &borders(world.n_pes() as usize, size.ny),
        labels: &[],
    };
    field_png(path, &field, Limits::Data)?;
    println!("The field is in {}.", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_of_the_columns_that_the_boundary_has_reached() -> Result<()> {
        let mut grid = Grid::new(98, 4)?;
        let columns = grid.columns();
        for row in grid.values.chunks_exact_mut(columns) {
            row.fill(0.0);
            (row[0], row[7], row[8], row[columns - 8]) = (-1.0, 0.01, 0.001, 0.01);
        }
        let (values, shown) = near_the_boundary(&grid);
        assert_eq!((shown, values.len(), values[shown + 7]), (8, 8 * grid.rows(), 0.01));
        grid.values[40] = 0.5;
        assert_eq!(near_the_boundary(&grid), (grid.values.clone(), columns), "most of the field can be seen");
        Ok(())
    }
}
