//! The targets on two H200s, as data: each target, and the rows that it is checked on.

use super::row::{INIT, Row};

const MIB: u64 = 1 << 20;
const KIB: u64 = 1 << 10;

/// The ratios that some rows are to reach: time of the limit or of NVSHMEM divided by ours.
pub(crate) struct Target {
    pub what: &'static str,
    pub rows: fn(&Row) -> bool,
    /// The ratio to the hardware's limit.
    pub to_limit: Option<f64>,
    /// The ratio to the better of NVSHMEM's modes.
    pub to_nvshmem: Option<f64>,
    /// Compares each peer's best row with the other's best, and not row by row.
    pub best: bool,
    /// Uses the better of our modes, because NVSHMEM's better mode may have been lent memory.
    pub either: bool,
    /// Uses the limit's row without the skew, because handwritten kernels have no row with one.
    pub aligned_limit: bool,
}

const fn target(what: &'static str, rows: fn(&Row) -> bool, to_limit: Option<f64>, to_nvshmem: Option<f64>) -> Target {
    Target { what, rows, to_limit, to_nvshmem, best: false, either: false, aligned_limit: false }
}

fn large_aligned(row: &Row, test: &str) -> bool {
    row.test == test && row.scope == Some("block") && row.bytes >= Some(MIB) && row.skew == 0
}

fn put(row: &Row) -> bool {
    large_aligned(row, "shmem_put_bw")
}

fn get(row: &Row) -> bool {
    large_aligned(row, "shmem_get_bw")
}

/// Reports whether the row begins 4 bytes or 1 byte after the other side's alignment.
pub(crate) fn misaligned(row: &Row) -> bool {
    matches!(row.test, "shmem_put_bw" | "shmem_get_bw") && row.ctas() == 1 && matches!(row.skew, 1 | 4)
}

/// Reports whether the row is of one warp or one thread. With more of them the link is the bottleneck, and all rows are
/// alike.
fn put_by(row: &Row, scope: &str) -> bool {
    row.test == "shmem_put_latency" && row.scope == Some(scope) && row.bytes == Some(64 * KIB)
}

fn on_all_sms(row: &Row) -> bool {
    row.ctas() == 132
}

/// The targets on two H200s.
pub(crate) const TARGETS: [Target; 22] = [
    target("put block, 1 MiB and up, one way", |row| put(row) && !row.both, Some(0.97), Some(1.0)),
    target("put block, 1 CTA, 1 MiB and up", |row| put(row) && !row.both && row.ctas() == 1, None, Some(1.15)),
    target("put block, 1 MiB and up, both ways", |row| put(row) && row.both, Some(0.97), Some(1.0)),
    target("get block, 1 MiB and up, one way", |row| get(row) && !row.both, Some(0.97), Some(1.0)),
    target("get block, 1 CTA, 1 MiB and up", |row| get(row) && !row.both && row.ctas() == 1, None, Some(3.0)),
    target("get block, 1 MiB and up, both ways", |row| get(row) && row.both, Some(0.97), Some(1.0)),
    Target {
        aligned_limit: true,
        ..target("put and get, misaligned by 4 B or 1 B, 1 CTA", misaligned, Some(0.85), Some(3.0))
    },
    Target {
        either: true,
        ..target("put warp, 64 KiB, better mode of each", |row| put_by(row, "warp"), None, Some(1.2))
    },
    Target {
        either: true,
        ..target("put thread, 64 KiB, better mode of each", |row| put_by(row, "thread"), None, Some(1.2))
    },
    target("p then wait, one way", |row| row.test == "shmem_p_ping_pong_latency", Some(0.95), Some(1.6)),
    target(
        "put_signal block, 8 B to 64 KiB, one way",
        |row| row.test == "shmem_put_signal_ping_pong_latency" && row.bytes <= Some(64 * KIB),
        Some(0.95),
        Some(1.3),
    ),
    target(
        "fetch_add latency",
        |row| row.test == "shmem_atomic_latency" && row.op == Some("fetch_add"),
        Some(0.95),
        Some(1.08),
    ),
    target("g latency", |row| row.test == "shmem_g_latency", Some(0.95), Some(1.08)),
    target(
        "compare_swap latency",
        |row| row.test == "shmem_atomic_latency" && row.op == Some("compare_swap"),
        Some(0.95),
        Some(1.08),
    ),
    target(
        "atomic add rate, all SMs",
        |row| row.test == "shmem_atomic_bw" && row.op == Some("add") && on_all_sms(row),
        Some(0.95),
        Some(1.0),
    ),
    target("p rate, all SMs", |row| row.test == "shmem_p_bw" && on_all_sms(row), Some(0.95), Some(1.0)),
    target("barrier_all by a thread", |row| barrier_by(row, "thread"), Some(0.9), Some(2.0)),
    target("barrier_all by a warp", |row| barrier_by(row, "warp"), Some(0.9), Some(2.0)),
    target("barrier_all by a block", |row| barrier_by(row, "block"), Some(0.9), Some(2.0)),
    target("barrier_all on stream", |row| row.test == "barrier_on_stream", None, Some(1.3)),
    Target {
        best: true,
        ..target("Jacobi, time of an iteration, best variant each", |row| row.test == "jacobi", None, Some(1.0))
    },
    target("init to first kernel", |row| row.test == INIT, None, Some(2.0)),
];

fn barrier_by(row: &Row, scope: &str) -> bool {
    row.test == "barrier_latency" && row.scope == Some(scope)
}
