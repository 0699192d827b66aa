//! The tables of a run and the rows of each.

use super::super::plan::On;
use super::super::row::Row;
use super::figures;
use super::options::{From, Options, Sizes};

/// Passes of a bandwidth, the fastest of which is the peak.
const PASSES: u32 = 5;
/// Bytes after which a bandwidth has fewer iterations than the default.
const ENOUGH_BYTES: u64 = 16 << 30;
/// The largest size that one warp of a GPU moves; a block moves more.
const OF_WARP: u64 = 4096;
/// Threads of a block.
const THREADS: u64 = 512;
/// Threads of a queue pair that perform atomics.
const ATOMIC_THREADS: u64 = 32;
/// Operations of a quick run.
const QUICK: u32 = 20;

/// A measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bandwidth,
    Latency,
}

impl Kind {
    /// Returns the titles of its columns.
    pub(super) fn titles(self) -> &'static [&'static str] {
        match self {
            Self::Bandwidth => &figures::BANDWIDTH,
            Self::Latency => &figures::LATENCY,
        }
    }
}

/// A row to ask for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub row: Row,
    /// Passes of a bandwidth, operations of a latency.
    pub repeat: u32,
    /// Operations of all passes and all queue pairs.
    pub operations: u64,
}

/// The rows of one operation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    /// The program's name of the operation.
    pub op: &'static str,
    pub from: From,
    pub kind: Kind,
    /// Operations of each row, on each queue pair.
    pub iterations: u32,
    pub rows: Vec<Asked>,
}

impl Table {
    /// Returns the line above the table.
    pub(super) fn title(&self) -> String {
        let kind = if self.kind == Kind::Bandwidth { "bandwidth" } else { "latency" };
        let by = if self.is_by_kernels() { "kernels" } else { "the host" };
        format!("{} {kind}, by {by}", self.op)
    }

    /// Reports whether kernels issue the operations.
    pub(super) fn is_by_kernels(&self) -> bool {
        self.from == From::Gpu
    }

    /// Returns the cells of a row with these times.
    pub(super) fn cells(&self, operations: u64, bytes: u64, ns: &[f64]) -> Vec<String> {
        match self.kind {
            Kind::Bandwidth => figures::bandwidth(bytes, operations, ns),
            Kind::Latency => figures::latency(bytes, ns),
        }
    }
}

/// Returns the tables that the options ask for.
pub(super) fn of(options: &Options, on: On) -> Vec<Table> {
    let mut tables = Vec::new();
    for &from in &options.from {
        for name in options.ops.iter().flat_map(|op| op.names()) {
            for kind in [Kind::Bandwidth, Kind::Latency] {
                tables.push(table(options, on, (name, from, kind)));
            }
        }
    }
    tables
}

fn table(options: &Options, on: On, (op, from, kind): (&'static str, From, Kind)) -> Table {
    let is_atomic = matches!(op, "fetch_add" | "compare_swap");
    let sizes = match (is_atomic, &options.sizes) {
        (true, _) => vec![8],
        (false, Some(Sizes(sizes))) => sizes.clone(),
        (false, None) if options.quick => vec![8, 4096],
        (false, None) => {
            let powers = if on == On::Host { 3..=16 } else { 3..=23 };
            powers.map(|power| 1 << power).collect()
        }
    };
    let iterations = match (options.iterations, on, kind) {
        (Some(iterations), ..) => iterations,
        _ if options.quick => QUICK,
        (None, On::Host, _) => 100,
        (None, On::Gpus, Kind::Bandwidth) => 5000,
        (None, On::Gpus, Kind::Latency) => 1000,
    };
    let rows = sizes.into_iter().map(|bytes| {
        let scope = match (is_atomic, bytes <= OF_WARP || on == On::Host) {
            (true, _) => ("thread", ATOMIC_THREADS),
            (false, true) => ("warp", 32),
            (false, false) => ("block", THREADS),
        };
        let row = match (from, kind) {
            (From::Gpu, Kind::Bandwidth) => Row::of("wire_bw").by(scope.0, u64::from(options.qps), scope.1),
            (From::Gpu, Kind::Latency) => Row::of("wire_lat").by(scope.0, 1, scope.1),
            (From::Host, Kind::Bandwidth) => Row::of("wire_host_bw"),
            (From::Host, Kind::Latency) => Row::of("wire_host_lat"),
        };
        let row = row.op(op).bytes(bytes);
        if kind == Kind::Latency {
            let warm_up = (iterations / 10).clamp(1, 100);
            return Asked { row: row.iters(warm_up.into()), repeat: iterations, operations: iterations.into() };
        }
        // Kernels perform as many operations on each queue pair at a time as it has callers.
        let callers = if is_atomic && from == From::Gpu { ATOMIC_THREADS } else { 1 };
        let enough = if options.iterations.is_some() { u64::MAX } else { (ENOUGH_BYTES / bytes).max(50) };
        let wanted = u64::from(iterations).min(enough);
        let passes = u64::from(PASSES).min(wanted.div_ceil(callers));
        let iters = wanted.div_ceil(passes * callers);
        let operations = iters * passes * callers * row.ctas().max(1);
        Asked { row: row.iters(iters), repeat: passes as u32, operations }
    });
    Table { op, from, kind, iterations, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn asked(words: &[&str], on: On) -> Vec<String> {
        let options = Options::parse_from(["perf", "--wire"].iter().chain(words));
        let rows = of(&options, on).into_iter().flat_map(|table| table.rows);
        rows.map(|asked| format!("{} = {}", asked.row.request(asked.repeat), asked.operations)).collect()
    }

    #[test]
    fn rows_are_by_warps_or_blocks_on_each_queue_pair_and_by_threads_if_atomic() {
        let words =
            ["--sizes", "4K,8K", "--qps", "4", "--iterations", "1000", "--from", "gpu", "--ops", "write,atomic"];
        assert_eq!(
            asked(&words, On::Gpus)[..5],
            [
                "run test=wire_bw op=write scope=warp ctas=4 threads=32 bytes=4096 iters=200 repeat=5 = 4000",
                "run test=wire_bw op=write scope=block ctas=4 threads=512 bytes=8192 iters=200 repeat=5 = 4000",
                "run test=wire_lat op=write scope=warp ctas=1 threads=32 bytes=4096 iters=100 repeat=1000 = 1000",
                "run test=wire_lat op=write scope=block ctas=1 threads=512 bytes=8192 iters=100 repeat=1000 = 1000",
                "run test=wire_bw op=fetch_add scope=thread ctas=4 threads=32 bytes=8 iters=7 repeat=5 = 4480",
            ]
        );
    }

    #[test]
    fn a_quick_run_has_two_sizes_of_each_operation_from_both_sides() {
        let asked = asked(&["--quick"], On::Host);
        // Three operations of two sizes and two atomics, bandwidth and latency, from two sides.
        assert_eq!(asked.len(), (3 * 2 + 2) * 2 * 2);
        assert_eq!(asked[0], "run test=wire_bw op=write scope=warp ctas=1 threads=32 bytes=8 iters=4 repeat=5 = 20");
        let last = asked.last().map(String::as_str);
        assert_eq!(last, Some("run test=wire_host_lat op=compare_swap bytes=8 iters=2 repeat=20 = 20"));
    }

    #[test]
    fn a_large_size_has_fewer_iterations_unless_they_are_asked_for() {
        let of =
            |words: &[&str]| asked(&[&["--sizes", "8M", "--from", "gpu", "--ops", "read"], words].concat(), On::Gpus);
        assert!(of(&[])[0].ends_with("iters=410 repeat=5 = 2050"), "{:?}", of(&[]));
        assert!(of(&["--iterations", "5000"])[0].ends_with("iters=1000 repeat=5 = 5000"));
    }
}
