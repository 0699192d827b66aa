use std::f64::consts::TAU;

use oxshmem_apps::jacobi::serial::{Grid, borders, boundary, compare, slab, solve, solve_with};
use oxshmem_core::ErrorKind;
use oxshmem_test_kernels::math::five_point;

/// Returns the solution of the five-point equations with these boundaries, in closed form.
fn exact(row: usize, column: usize, nx: usize, ny: usize) -> f64 {
    let wave = TAU / (ny + 1) as f64;
    let rate = (2.0 - wave.cos()).acosh();
    let middle = (nx + 1) as f64 / 2.0;
    (wave * row as f64).sin() * (rate * (column as f64 - middle)).cosh() / (rate * middle).cosh()
}

#[test]
fn the_solver_arrives_at_the_exact_solution() {
    let (nx, ny) = (40, 30);
    let error_after = |iterations| {
        let grid = solve(nx, ny, iterations).unwrap().grid;
        let errors = (0..grid.rows()).flat_map(|row| (0..grid.columns()).map(move |column| (row, column)));
        errors
            .map(|(row, column)| {
                (f64::from(grid.values[row * grid.columns() + column]) - exact(row, column, nx, ny)).abs()
            })
            .fold(0.0, f64::max)
    };
    let errors = [0, 30, 300, 5000].map(error_after);
    assert!(errors.is_sorted_by(|a, b| a > b), "{errors:?}");
    assert!(errors[3] < 2e-5, "{errors:?}");
}

#[test]
fn the_residual_falls_at_every_step_and_progress_hears_each_one() {
    let mut heard = Vec::new();
    let solution = solve_with(24, 37, 400, |taken, residual| heard.push((taken, residual))).unwrap();
    assert!(solution.residuals.is_sorted_by(|a, b| a > b), "{:?}", solution.residuals);
    assert_eq!(heard, (1..).zip(solution.residuals).collect::<Vec<_>>());
}

#[test]
fn one_step_moves_the_boundary_by_one_column_and_leaves_it_as_it_was() {
    let (nx, ny) = (5, 6);
    let before = Grid::new(nx, ny).unwrap();
    let after = solve(nx, ny, 1).unwrap();
    let columns = nx + 2;
    let mut sum = 0.0;
    for row in 0..ny + 2 {
        for column in 0..columns {
            let at = row * columns + column;
            let inner = (1..=ny).contains(&row) && (1..=nx).contains(&column);
            let expected = if inner {
                let v = &before.values;
                five_point(v[at - 1], v[at + 1], v[at - columns], v[at + columns])
            } else {
                before.values[at]
            };
            assert_eq!(after.grid.values[at].to_bits(), expected.to_bits(), "row {row}, column {column}");
            sum += (f64::from(expected) - f64::from(before.values[at])).powi(2);
        }
    }
    assert!((after.residuals[0] - sum).abs() <= 1e-12 * sum);
    assert!(sum > 0.0);
}

#[test]
fn the_five_points_are_added_in_the_order_that_is_written() {
    // Added from left to right in any other pairing, the small ones are lost or the large ones cancel too late.
    assert_eq!(five_point(1.0e8, -1.0e8, 1.0, 1.0), 0.5);
    assert_eq!(five_point(1.0e8, 1.0, -1.0e8, 1.0), 0.0);
}

#[test]
fn the_side_boundary_is_one_sine_period_and_the_corners_are_zero() {
    let values: Vec<_> = (0..9).map(|row| boundary(row, 9)).collect();
    assert_eq!((values[0], values[8]), (0.0, 0.0));
    assert_eq!((values[2], values[6]), (1.0, -1.0));
    assert!((values[1] - 0.5f32.sqrt()).abs() < 1e-7);
}

#[test]
fn slabs_cover_every_row_once_in_order_and_differ_by_at_most_one_row() {
    for (n_pes, ny) in [(1, 1), (1, 17), (3, 17), (4, 16), (7, 1000), (8, 5), (64, 17408)] {
        let slabs: Vec<_> = (0..n_pes).map(|pe| slab(pe, n_pes, ny)).collect();
        let mut next = 0;
        for (first, rows) in &slabs {
            assert_eq!(*first, next, "{n_pes} PEs, {ny} rows: {slabs:?}");
            next += rows;
        }
        assert_eq!(next, ny);
        assert!(slabs.is_sorted_by(|a, b| a.1 >= b.1) && slabs[0].1 - slabs[n_pes - 1].1 <= 1, "{slabs:?}");
    }
    assert_eq!(borders(3, 17), [7, 13], "the top boundary's row is counted");
}

#[test]
fn the_largest_difference_is_found_with_its_place_and_both_values() {
    let expected = vec![1.0f32; 12];
    let mut found = expected.clone();
    (found[5], found[10]) = (1.25, 0.5);
    let worst = compare(&found, &expected, 4).unwrap();
    assert_eq!((worst.max_abs, worst.row, worst.column), (0.5, 2, 2));
    assert_eq!((worst.found, worst.expected), (0.5, 1.0));
    assert_eq!(compare(&expected, &expected, 4).unwrap().max_abs, 0.0);
    found[7] = f32::NAN;
    assert_eq!(compare(&found, &expected, 4).unwrap().max_abs, f64::INFINITY, "a NaN is never close");
    assert_eq!(compare(&found[1..], &expected, 4).unwrap_err().kind(), ErrorKind::Mismatch);
    assert_eq!(compare(&found, &expected, 5).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_field_without_an_interior_or_beyond_memory_is_refused() {
    assert_eq!(Grid::new(0, 4).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(Grid::new(usize::MAX - 1, 4).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert_eq!(Grid::new(usize::MAX / 16, 2).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert_eq!(Grid::new(1 << 40, 1 << 15).unwrap_err().kind(), ErrorKind::Exhausted);
}
