//! The reference solution on one core, with the arithmetic of the kernels, and the division of rows among PEs.

use oxshmem_core::{Error, ErrorKind, Result};
use oxshmem_test_kernels::math::{five_point, squared_change};

/// A field with its boundary.
///
/// `values` is indexed by row, then column: `(ny + 2) x (nx + 2)`, where row 0 and row `ny + 1` are the top and
/// bottom boundary, and column 0 and column `nx + 1` the left and right one.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Interior columns.
    pub nx: usize,
    /// Interior rows.
    pub ny: usize,
    /// The values, boundary included.
    pub values: Vec<f32>,
}

impl Grid {
    /// Returns the field before the first step: zero inside, with its boundary set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if there is no interior, [`ErrorKind::OutOfRange`] if its size overflows, and
    /// [`ErrorKind::Exhausted`] if this machine has no memory for it.
    pub fn new(nx: usize, ny: usize) -> Result<Self> {
        let action = || format!("make a Jacobi field of {nx} x {ny} points");
        if nx == 0 || ny == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("it has no interior")
                .hint("give at least 1 column and 1 row"));
        }
        let points = nx
            .checked_add(2)
            .zip(ny.checked_add(2))
            .and_then(|(columns, rows)| columns.checked_mul(rows))
            .filter(|points| points.checked_mul(size_of::<f32>()).is_some_and(|bytes| bytes <= isize::MAX as usize))
            .ok_or_else(|| {
                Error::new(ErrorKind::OutOfRange, action()).because("its size in bytes overflows an address")
            })?;
        let mut values = Vec::new();
        values.try_reserve_exact(points).map_err(|_| {
            Error::new(ErrorKind::Exhausted, action())
                .because(format!("no memory for {} bytes", points * size_of::<f32>()))
                .hint("ask for a smaller field")
        })?;
        values.resize(points, 0.0);
        let (columns, rows) = (nx + 2, ny + 2);
        for (row, line) in values.chunks_exact_mut(columns).enumerate() {
            (line[0], line[columns - 1]) = (boundary(row, rows), boundary(row, rows));
        }
        Ok(Self { nx, ny, values })
    }

    /// Returns the number of columns with the boundary: the stride between rows.
    pub fn columns(&self) -> usize {
        self.nx + 2
    }

    /// Returns the number of rows with the boundary.
    pub fn rows(&self) -> usize {
        self.ny + 2
    }
}

/// Returns the value of the left and right boundary at `row` of `rows` (boundary rows counted): one period of a sine.
///
/// The first and last row, which belong to the top and bottom boundary, are exactly zero.
pub fn boundary(row: usize, rows: usize) -> f32 {
    if row == 0 || row + 1 == rows {
        return 0.0;
    }
    (std::f64::consts::TAU * row as f64 / (rows - 1) as f64).sin() as f32
}

/// The solver: the current field, and the field of the next step.
pub struct Solver {
    now: Grid,
    next: Vec<f32>,
}

impl Solver {
    /// Makes a solver of `nx` by `ny` interior points, before its first step.
    ///
    /// # Errors
    ///
    /// As [`Grid::new`].
    pub fn new(nx: usize, ny: usize) -> Result<Self> {
        let now = Grid::new(nx, ny)?;
        let next = now.values.clone();
        Ok(Self { now, next })
    }

    /// Takes one step and returns its residual: the sum over all interior points of the squared change.
    pub fn step(&mut self) -> f64 {
        let (columns, rows) = (self.now.columns(), self.now.rows());
        let mut residual = 0.0;
        for row in 1..rows - 1 {
            let line = |row: usize| &self.now.values[row * columns..(row + 1) * columns];
            let (above, here, below) = (line(row - 1), line(row), line(row + 1));
            let out = &mut self.next[row * columns + 1..(row + 1) * columns - 1];
            let neighbours = here.windows(3).zip(&above[1..columns - 1]).zip(&below[1..columns - 1]);
            let mut of_row = 0.0;
            for (out, ((here, up), down)) in out.iter_mut().zip(neighbours) {
                *out = five_point(here[0], here[2], *up, *down);
                of_row += squared_change(*out, here[1]);
            }
            residual += of_row;
        }
        std::mem::swap(&mut self.now.values, &mut self.next);
        residual
    }

    /// Returns the field after the steps taken so far.
    pub fn grid(&self) -> &Grid {
        &self.now
    }

    /// Returns the field after the steps taken so far, without the solver.
    pub fn into_grid(self) -> Grid {
        self.now
    }
}

/// The result of [`solve`].
#[derive(Clone, Debug)]
pub struct Solution {
    /// The field after the last step.
    pub grid: Grid,
    /// The residual of each step, in order.
    pub residuals: Vec<f64>,
}

/// Takes `iterations` steps from the zero field.
///
/// # Errors
///
/// As [`Grid::new`].
pub fn solve(nx: usize, ny: usize, iterations: usize) -> Result<Solution> {
    solve_with(nx, ny, iterations, |_, _| {})
}

/// Solves as [`solve`] does, and calls `progress` after each step with the steps taken and the last residual.
///
/// # Errors
///
/// As [`Grid::new`].
pub fn solve_with(nx: usize, ny: usize, iterations: usize, mut progress: impl FnMut(usize, f64)) -> Result<Solution> {
    let mut solver = Solver::new(nx, ny)?;
    let mut residuals = Vec::new();
    for taken in 1..=iterations {
        let residual = solver.step();
        residuals.push(residual);
        progress(taken, residual);
    }
    Ok(Solution { grid: solver.into_grid(), residuals })
}

/// Returns the interior rows of `pe`: the first one (0 is the row below the top boundary) and their number.
///
/// Rows that don't divide evenly go to the first PEs, one each; with more PEs than rows the last PEs have none.
///
/// # Panics
///
/// `pe` is not one of the `n_pes`.
pub fn slab(pe: usize, n_pes: usize, ny: usize) -> (usize, usize) {
    assert!(pe < n_pes, "PE {pe} is not one of {n_pes} PEs");
    let (each, left_over) = (ny / n_pes, ny % n_pes);
    (pe * each + pe.min(left_over), each + usize::from(pe < left_over))
}

/// Returns the rows of a [`Grid`] (its boundary counted) at which one PE's slab ends and the next begins, for
/// pictures.
pub fn borders(n_pes: usize, ny: usize) -> Vec<usize> {
    (1..n_pes).map(|pe| slab(pe, n_pes, ny).0 + 1).collect()
}

/// The largest difference of two fields, and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The largest absolute difference; infinite if one of the two is not a number where the other is.
    pub max_abs: f64,
    /// Its row, boundary rows counted.
    pub row: usize,
    /// Its column, boundary columns counted.
    pub column: usize,
    /// The value found there.
    pub found: f32,
    /// The value expected there.
    pub expected: f32,
}

/// Compares `found` with `expected`, both indexed by row, then column, with `columns` columns.
///
/// The first of several equal differences is given; equal fields differ by 0 at row 0, column 0.
///
/// # Errors
///
/// [`ErrorKind::Mismatch`] if their sizes differ, [`ErrorKind::InvalidArgument`] if they are not whole rows.
pub fn compare(found: &[f32], expected: &[f32], columns: usize) -> Result<Difference> {
    let action = "compare two fields";
    if found.len() != expected.len() {
        return Err(Error::new(ErrorKind::Mismatch, action).because(format!(
            "one has {} values and the other {}",
            found.len(),
            expected.len()
        )));
    }
    if columns == 0 || found.is_empty() || !found.len().is_multiple_of(columns) {
        return Err(Error::new(ErrorKind::InvalidArgument, action)
            .because(format!("{} values are not whole rows of {columns} columns", found.len())));
    }
    let (mut worst, mut place) = (0.0, 0);
    for (at, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let difference = match (found.is_nan(), expected.is_nan()) {
            (true, true) => 0.0,
            (false, false) if found == expected => 0.0,
            (false, false) => (f64::from(found) - f64::from(expected)).abs(),
            _ => f64::INFINITY,
        };
        if difference > worst {
            (worst, place) = (difference, at);
        }
    }
    Ok(Difference {
        max_abs: worst,
        row: place / columns,
        column: place % columns,
        found: found[place],
        expected: expected[place],
    })
}
