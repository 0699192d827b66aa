//! The rows of `perf --collectives`.

use super::super::plan::{KIB, MIB, On, Profile};
use super::super::row::Row;

/// The collectives.
pub(super) const COLLECTIVES: [&str; 5] = ["reduce", "reducescatter", "fcollect", "alltoall", "broadcast"];

/// The tests: in a graph, on a stream, and in a kernel.
pub(super) const IN_GRAPH: &str = "coll_in_graph";
pub(super) const ON_STREAM: &str = "coll_on_stream";
pub(super) const IN_KERNEL: &str = "coll_latency";

/// Returns the rows: in graphs of 200, on a stream, and in kernels by one group of each PE.
pub(crate) fn rows(profile: Profile, on: On) -> Vec<Row> {
    let (iters, most) = match on {
        On::Gpus => (200, u64::MAX),
        On::Host => (3, MIB),
    };
    let few = [8, 64 * KIB, 4 * MIB];
    let many = [8, KIB, 8 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 64 * MIB];
    let (sizes, in_kernels): (&[u64], &[u64]) = match profile {
        Profile::Quick => (&few, &[8, 64 * KIB]),
        _ => (&many, &[8, KIB, 8 * KIB, 64 * KIB]),
    };
    let mut rows = Vec::new();
    for op in COLLECTIVES {
        let row = |test, bytes: u64| {
            Row::of(test).op(op).bytes(bytes).iters(if bytes > 4 * MIB { iters / 10 } else { iters }.max(1))
        };
        rows.extend(sizes.iter().map(|bytes| row(IN_GRAPH, *bytes)));
        let large = sizes.iter().filter(|bytes| **bytes >= 4 * MIB);
        rows.extend(large.map(|bytes| Row { grid: Some((16, 512)), ..row(IN_GRAPH, *bytes) }));
        rows.extend(few.iter().map(|bytes| row(ON_STREAM, *bytes)));
        let groups: &[(&str, u64)] = match on {
            On::Gpus => &[("warp", 32), ("block", 256), ("block", 1024)],
            On::Host => &[("warp", 32), ("block", 64)],
        };
        for (scope, threads) in groups {
            rows.extend(in_kernels.iter().map(|bytes| row(IN_KERNEL, *bytes).by(scope, 1, *threads)));
        }
    }
    rows.retain(|row| row.bytes <= Some(most));
    rows
}
