//! The results as tables and plots.

use comfy_table::Table;

use super::super::chart::Chart;
use super::super::contest::{Cell, Measured};
use super::super::plot::over_sizes;
use super::super::results::Results;
use super::super::row::{Row, in_words};
use super::super::table::{Columns, compare, figure};
use super::rows::{COLLECTIVES, IN_GRAPH, IN_KERNEL, ON_STREAM};

pub(super) const LEGEND: &str = "Microseconds: medians of all turns, min..max over all of them; the slowest PE's time. In parentheses: the number of \
     CTAs that the library chose, where it is known; a row with a number of CTAs asks for so many. A ratio above 1 is \
     ours being faster. Elements are floats, reductions are sums. Sizes are for each pair of PEs: of the result of a \
     reduction, of the data of each PE, or for each PE. Graphs and streams have 200 calls in a row, 20 above 4 MiB.";

/// The threads of the blocks of plots of collectives in kernels.
const PLOTTED_BLOCK: u64 = 256;

/// The rows of one table.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    test: &'static str,
    /// The scope and the threads of a group.
    group: Option<(&'static str, u64)>,
}

impl Kind {
    fn of(row: &Row) -> Self {
        let threads = row.grid.map_or(0, |(_, threads)| threads);
        Self { test: row.test, group: row.scope.map(|scope| (scope, threads)) }
    }

    fn title(self) -> String {
        match (self.test, self.group) {
            (IN_GRAPH, _) => "In a graph".to_string(),
            (ON_STREAM, _) => "On a stream".to_string(),
            (_, Some(("warp", _))) => "In a kernel, by a warp of each PE".to_string(),
            (_, Some((_, threads))) => format!("In a kernel, by a block of {threads} threads of each PE"),
            (test, None) => test.to_string(),
        }
    }
}

/// Returns the name of a collective in the titles of tables and plots.
fn in_full(op: &str) -> &str {
    match op {
        "reduce" => "all-reduce",
        "reducescatter" => "reduce-scatter",
        "fcollect" => "all-gather",
        "alltoall" => "all-to-all",
        op => op,
    }
}

/// Returns a table for each kind of rows: those in graphs, on a stream, and in kernels by each group.
pub(super) fn tables(results: &Results) -> Vec<(String, Table)> {
    let mut kinds = Vec::new();
    for one in &results.measured {
        let kind = Kind::of(&one.row);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_by_key(|kind| [IN_GRAPH, ON_STREAM, IN_KERNEL].iter().position(|test| *test == kind.test));
    kinds.into_iter().map(|kind| (kind.title(), table(results, kind))).collect()
}

fn table(results: &Results, kind: Kind) -> Table {
    let rows: Vec<&Measured> = results.measured.iter().filter(|one| Kind::of(&one.row) == kind).collect();
    let columns = Columns {
        first: &["collective"],
        words: &|one| vec![label(&one.row)],
        figure: with_ctas,
        last: &[],
        more: &|_| Vec::new(),
    };
    compare(results, &rows, &columns)
}

/// Returns the collective and its size, and the number of blocks that a row without a scope asks for.
fn label(row: &Row) -> String {
    let op = in_full(row.op.unwrap_or_default());
    let size = in_words(row.bytes.unwrap_or(0));
    match (row.scope, row.grid) {
        (None, Some((ctas, _))) => format!("{op}, {size}, {ctas} CTAs"),
        _ => format!("{op}, {size}"),
    }
}

/// Returns a peer's figure and its number of blocks.
fn with_ctas(one: &Measured, peer: usize) -> String {
    let text = figure(&one.row, &one.cells[peer]);
    match (&one.cells[peer], one.ctas.get(peer).copied().flatten()) {
        (Cell::Times(_), Some(ctas)) => format!("{text} ({ctas})"),
        _ => text,
    }
}

/// Returns two plots over size for each collective: in a graph, and in a kernel by a block.
pub(super) fn charts(results: &Results) -> Vec<Chart> {
    let mut charts = Vec::new();
    for op in COLLECTIVES {
        let name = in_full(op);
        let of_op = |row: &Row| row.op == Some(op);
        let in_graph = |row: &Row| of_op(row) && row.test == IN_GRAPH && row.grid.is_none();
        let by_block = Kind { test: IN_KERNEL, group: Some(("block", PLOTTED_BLOCK)) };
        let in_kernel = |row: &Row| of_op(row) && Kind::of(row) == by_block;
        let title = format!("{name} in a kernel, by a block of {PLOTTED_BLOCK} threads of each PE");
        charts.extend(over_sizes(results, &format!("{name}-in-graph"), format!("{name} in a graph"), &in_graph));
        charts.extend(over_sizes(results, &format!("{name}-in-kernel"), title, &in_kernel));
    }
    charts
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::{KIB, MIB, On, Profile};
    use super::super::super::results::tests::results;
    use super::super::SUITE;
    use super::super::rows::rows;
    use super::*;

    fn some() -> Results {
        let graph = |bytes| Row::of(IN_GRAPH).op("reduce").bytes(bytes).iters(200);
        let by_16 = Row { grid: Some((16, 512)), ..graph(4 * MIB) };
        let kernel = |bytes| Row::of(IN_KERNEL).op("alltoall").bytes(bytes).by("block", 1, 256);
        let rows: [(Row, &[f64]); 5] = [
            (graph(8), &[2000.0, 6200.0, 13400.0]),
            (kernel(8), &[1500.0, 5000.0, 0.0]),
            (graph(4 * MIB), &[17000.0, 32700.0, 41000.0]),
            (by_16, &[19000.0, 0.0, 44000.0]),
            (kernel(KIB), &[1600.0, 5100.0, 0.0]),
        ];
        let mut results = results(&["oxshmem", "nvshmem", "nccl"], &rows);
        results.measured[0].ctas = vec![Some(1), None, Some(4)];
        results.measured[3].ctas = vec![Some(16), None, None];
        results
    }

    #[test]
    fn each_kind_has_a_table_of_the_peers_that_have_its_rows_with_their_blocks() {
        let page = SUITE.markdown(&some(), &[]).unwrap();
        let lines: Vec<Vec<&str>> =
            page.lines().map(|line| line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect();
        let has = |cells: &[&str]| assert!(lines.iter().any(|line| line == cells), "{cells:?} in {page}");
        has(&["## In a graph"]);
        has(&["collective", "oxshmem", "min..max", "nvshmem", "ratio", "nccl", "ratio"]);
        has(&["all-reduce, 8 B", "2.00 (1)", "2.00..2.00", "6.20", "3.10", "13.4 (4)", "6.70"]);
        has(&["all-reduce, 4 MiB, 16 CTAs", "19.0 (16)", "19.0..19.0", "44.0", "2.32"]);
        has(&["## In a kernel, by a block of 256 threads of each PE"]);
        has(&["collective", "oxshmem", "min..max", "nvshmem", "ratio"]);
        has(&["all-to-all, 1 KiB", "1.60", "1.60..1.60", "5.10", "3.19"]);
        has(&["all-reduce in a graph, 8 B", "<= 2.3 us", "2.00 us", "pass", "coll_in_graph op=reduce bytes=8B"]);
    }

    #[test]
    fn a_peer_that_failed_a_row_keeps_its_column() {
        let mut results = some();
        results.measured[4].cells[2] = Cell::Failed("wrong data".into());
        let page = SUITE.markdown(&results, &[]).unwrap();
        let (_, kernels) = page.split_once("## In a kernel").unwrap();
        assert!(kernels.contains("nccl") && kernels.contains("FAILED"), "{kernels}");
    }

    #[test]
    fn every_collective_has_its_plots_with_a_line_for_each_peer_that_has_the_rows() {
        let rows: Vec<(Row, Vec<f64>)> = rows(Profile::Default, On::Gpus)
            .into_iter()
            .map(|row| (row.clone(), vec![1000.0, 2000.0, if row.test == IN_GRAPH { 3000.0 } else { 0.0 }]))
            .collect();
        let rows: Vec<(Row, &[f64])> = rows.iter().map(|(row, times)| (row.clone(), times.as_slice())).collect();
        let charts = charts(&results(&["oxshmem", "nvshmem", "nccl"], &rows));
        assert_eq!(charts.len(), 2 * COLLECTIVES.len());
        let lines = |file: &str| {
            let chart = charts.iter().find(|chart| chart.file == file).unwrap_or_else(|| panic!("no {file}"));
            chart.lines.iter().map(|line| (line.name.as_str(), line.points.len())).collect::<Vec<_>>()
        };
        assert_eq!(lines("all-reduce-in-graph"), [("oxshmem", 8), ("nvshmem", 8), ("nccl", 8)]);
        assert_eq!(lines("broadcast-in-kernel"), [("oxshmem", 4), ("nvshmem", 4)]);
    }
}
