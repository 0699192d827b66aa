//! Large fields made as small as a picture, by area average.

/// A field at the size of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// Columns.
    pub nx: usize,
    /// Rows.
    pub ny: usize,
    /// The means, indexed by row, then column.
    pub values: Vec<f64>,
}

/// Returns the shares of each of `from` source cells in at most `to` target cells: the first target cell, the share
/// there, and the share in the next one. The shares of one target cell add up to 1.
fn shares(from: usize, to: usize) -> Vec<(usize, f64, f64)> {
    let scale = to as f64 / from as f64;
    (0..from)
        .map(|cell| {
            // In whole numbers, so that a cell that ends on a border has no share beyond it.
            let (first, last) = (cell * to / from, ((cell + 1) * to - 1) / from);
            if first == last {
                return (first, scale, 0.0);
            }
            let before = last as f64 - cell as f64 * scale;
            (first, before, scale - before)
        })
        .collect()
}

/// Returns the field of `nx` columns and `ny` rows, or a smaller one of at most `most` columns and rows, in which each
/// value is the mean over its area.
///
/// The mean over the whole field is preserved. A field that fits is returned unchanged.
///
/// # Panics
///
/// If `values` are not `nx * ny`.
pub fn area_average(values: &[f32], nx: usize, ny: usize, most: (usize, usize)) -> Reduced {
    assert_eq!(values.len(), nx * ny, "the field is {nx} x {ny}");
    let (columns, rows) = (nx.min(most.0.max(1)), ny.min(most.1.max(1)));
    let (across, down) = (shares(nx, columns), shares(ny, rows));
    // One more cell in each direction, so that the last cell's share in the next one, which is zero, has a place.
    let mut sums = vec![0.0; (rows + 1) * columns];
    let mut narrow = vec![0.0; columns + 1];
    for (line, &(row, here, below)) in values.chunks_exact(nx.max(1)).zip(&down) {
        narrow.fill(0.0);
        for (&value, &(column, left, right)) in line.iter().zip(&across) {
            let value = f64::from(value);
            narrow[column] += value * left;
            if right > 0.0 {
                narrow[column + 1] += value * right;
            }
        }
        let (upper, lower) = sums[row * columns..(row + 2) * columns].split_at_mut(columns);
        for (sum, value) in upper.iter_mut().zip(&narrow) {
            *sum += value * here;
        }
        if below > 0.0 {
            for (sum, value) in lower.iter_mut().zip(&narrow) {
                *sum += value * below;
            }
        }
    }
    sums.truncate(rows * columns);
    Reduced { nx: columns, ny: rows, values: sums }
}
