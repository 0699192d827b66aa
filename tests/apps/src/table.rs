//! Tables of results for the terminal.

use std::time::Duration;

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table, TableComponent};

/// The result of one variant of a solver.
#[derive(Clone, Debug)]
pub struct Row {
    /// The variant's name.
    pub variant: String,
    /// Iterations that it ran.
    pub iterations: u64,
    /// The total time of these iterations.
    pub elapsed: Duration,
    /// The part of that time in which it communicated, if it was measured.
    pub communication: Option<Duration>,
    /// The residual of the last iteration.
    pub residual: f64,
    /// The largest difference from the serial solution, if it was compared.
    pub max_error: Option<f64>,
}

/// Formats the rows as an aligned table, one line for each variant, with units in the head; "-" stands for a missing
/// value.
pub fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.remove_style(TableComponent::HorizontalLines).remove_style(TableComponent::MiddleIntersections);
    table.set_header([
        "variant",
        "iterations/s",
        "time/iteration",
        "communication/iteration",
        "residual",
        "max error vs serial",
    ]);
    for row in rows {
        let each = |time: Duration| time.as_secs_f64() / row.iterations.max(1) as f64;
        let missing = || "-".to_owned();
        let share = |part: Duration| part.as_secs_f64() / row.elapsed.as_secs_f64().max(f64::MIN_POSITIVE) * 100.0;
        table.add_row([
            row.variant.clone(),
            if row.elapsed.is_zero() { missing() } else { number(row.iterations as f64 / row.elapsed.as_secs_f64()) },
            time(each(row.elapsed)),
            row.communication.map_or_else(missing, |part| format!("{} ({:.0} %)", time(each(part)), share(part))),
            format!("{:.3e}", row.residual),
            row.max_error.map_or_else(missing, |error| if error == 0.0 { "0".into() } else { format!("{error:.2e}") }),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

/// Formats a time in seconds, with three digits and a suitable unit.
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "us"),
        s => (s * 1e9, "ns"),
    };
    format!("{} {unit}", number(value))
}

/// Formats a number with at least three digits.
fn number(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}
