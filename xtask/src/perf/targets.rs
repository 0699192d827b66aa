//! What is to be reached, as data, and whether it is.

use serde::Serialize;

use super::contest::Measured;
use super::plan::On;
use super::results::Results;
use super::row::{INIT, Row};

const MIB: u64 = 1 << 20;
const KIB: u64 = 1 << 10;

/// What some rows are to reach, as ratios of times (limit or NVSHMEM to ours).
pub(crate) struct Target {
    pub what: &'static str,
    rows: fn(&Row) -> bool,
    /// To what the hardware gives.
    to_limit: Option<f64>,
    /// To the better of NVSHMEM's modes.
    to_nvshmem: Option<f64>,
    /// Each peer's best row against the other's best, in place of row against row.
    best: bool,
    /// The better of our modes, since NVSHMEM's better one may have been lent memory.
    either: bool,
}

const fn target(what: &'static str, rows: fn(&Row) -> bool, to_limit: Option<f64>, to_nvshmem: Option<f64>) -> Target {
    Target { what, rows, to_limit, to_nvshmem, best: false, either: false }
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

/// Beginning 4 bytes or 1 byte behind what the other side is aligned to.
fn misaligned(row: &Row) -> bool {
    matches!(row.test, "shmem_put_bw" | "shmem_get_bw") && row.ctas() == 1 && matches!(row.skew, 1 | 4)
}

/// One warp or one thread alone: with more of them the link is the bound, and all are alike.
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
    target("put and get, misaligned by 4 B or 1 B, 1 CTA", misaligned, Some(0.85), Some(3.0)),
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

/// How far rows are from a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Reached {
    pub target: f64,
    /// The least ratio.
    pub worst: f64,
    /// Where it is.
    pub row: String,
    /// Rows that reach the target.
    pub reach: usize,
    /// Rows that have both figures.
    pub of: usize,
}

impl Reached {
    /// Whether every row does.
    pub(crate) fn all(&self) -> bool {
        self.reach == self.of
    }

    fn of(target: f64, ratios: &[(f64, String)]) -> Option<Self> {
        let (worst, row) = ratios.iter().min_by(|(a, _), (b, _)| a.total_cmp(b))?.clone();
        let reach = ratios.iter().filter(|(ratio, _)| *ratio >= target).count();
        Some(Self { target, worst, row, reach, of: ratios.len() })
    }
}

/// A target and what came of it. `None` where there is no target or no figure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    pub what: &'static str,
    pub target_to_limit: Option<f64>,
    pub to_limit: Option<Reached>,
    pub target_to_nvshmem: Option<f64>,
    pub to_nvshmem: Option<Reached>,
}

impl Check {
    /// `pass`, `miss`, or `-` where nothing was compared.
    pub(crate) fn verdict(&self) -> &'static str {
        let reached: Vec<&Reached> = self.to_limit.iter().chain(&self.to_nvshmem).collect();
        match reached.iter().all(|one| one.all()) {
            _ if reached.is_empty() => "-",
            true => "pass",
            false => "miss",
        }
    }
}

/// Every target, on the rows that were measured. Host PEs have none.
pub(crate) fn check(results: &Results) -> Vec<Check> {
    if results.on == On::Host {
        return Vec::new();
    }
    TARGETS.iter().map(|target| check_one(target, results)).collect()
}

fn check_one(target: &Target, results: &Results) -> Check {
    let rows: Vec<&Measured> = results.measured.iter().filter(|one| (target.rows)(&one.row)).collect();
    let to_limit = target.to_limit.and_then(|least| {
        let limit = results.limit()?;
        let ratio = |one: &&Measured| Some((results.ratio(one, limit)?, one.row.to_string()));
        Reached::of(least, &rows.iter().filter_map(ratio).collect::<Vec<_>>())
    });
    let to_nvshmem = target.to_nvshmem.and_then(|least| match target.best {
        true => Reached::of(least, &best_against_best(&rows, results)?),
        false => {
            let ratio = |one: &&Measured| {
                let ours = if target.either { results.best_of_ours(one)? } else { results.median(one, 0)? };
                Some((results.median(one, results.best_nvshmem(one)?)? / ours, one.row.to_string()))
            };
            Reached::of(least, &rows.iter().filter_map(ratio).collect::<Vec<_>>())
        }
    });
    Check {
        what: target.what,
        target_to_limit: target.to_limit,
        to_limit,
        target_to_nvshmem: target.to_nvshmem,
        to_nvshmem,
    }
}

/// The ratio of the least time of each, and the rows where they have it.
fn best_against_best(rows: &[&Measured], results: &Results) -> Option<Vec<(f64, String)>> {
    let ours = rows.iter().filter_map(|one| Some((results.median(one, 0)?, one.row.to_string())));
    let theirs = rows.iter().filter_map(|one| {
        let index = results.best_nvshmem(one)?;
        Some((results.median(one, index)?, one.row.to_string()))
    });
    let (ours, our_row) = ours.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let (theirs, their_row) = theirs.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(vec![(theirs / ours, format!("ours {our_row}, theirs {their_row}"))])
}

#[cfg(test)]
mod tests {
    use super::super::plan::{Profile, rows};
    use super::super::results::tests::results;
    use super::*;

    fn find(checks: &[Check], what: &str) -> Check {
        checks.iter().find(|check| check.what == what).unwrap_or_else(|| panic!("no target `{what}`")).clone()
    }

    #[test]
    fn every_target_has_rows_in_the_plan_on_gpus() {
        let rows = rows(Profile::Default, On::Gpus);
        for target in &TARGETS {
            assert!(rows.iter().any(target.rows), "{}", target.what);
        }
    }

    #[test]
    fn the_worst_row_is_shown_with_how_many_reach_the_target() {
        let put = |ctas| Row::of("shmem_put_bw").by("block", ctas, 1024).bytes(MIB);
        let rows: [(Row, &[f64]); 3] =
            [(put(1), &[100.0, 99.0, 110.0]), (put(2), &[100.0, 90.0, 130.0]), (put(4), &[100.0, 0.0, 0.0])];
        let checks = check(&results(&["oxshmem", "limit", "nvshmem"], &rows));
        let all = find(&checks, "put block, 1 MiB and up, one way");
        let limit = all.to_limit.clone().unwrap();
        assert_eq!((limit.worst, limit.reach, limit.of), (0.9, 1, 2));
        assert!(limit.row.contains("ctas=2"), "{}", limit.row);
        assert!(all.to_nvshmem.as_ref().unwrap().all());
        assert_eq!(all.verdict(), "miss");
        let one = find(&checks, "put block, 1 CTA, 1 MiB and up");
        assert_eq!((one.to_limit.clone(), one.to_nvshmem.clone().unwrap().reach), (None, 0));
    }

    #[test]
    fn a_target_without_figures_is_neither_passed_nor_missed() {
        let rows: [(Row, &[f64]); 1] = [(Row::of("barrier_on_stream"), &[100.0])];
        let checks = check(&results(&["oxshmem"], &rows));
        assert!(checks.iter().all(|check| check.verdict() == "-"));
    }

    #[test]
    fn host_pes_are_not_judged() {
        let rows: [(Row, &[f64]); 1] = [(Row::of("barrier_on_stream"), &[100.0, 90.0])];
        let mut results = results(&["oxshmem", "nvshmem"], &rows);
        assert!(check(&results).iter().any(|check| check.verdict() == "miss"));
        results.on = On::Host;
        assert!(check(&results).is_empty());
    }

    #[test]
    fn where_a_warp_or_a_thread_puts_the_better_mode_of_each_is_judged() {
        let put = Row::of("shmem_put_latency").by("thread", 1, 1).bytes(64 * KIB);
        let rows: [(Row, &[f64]); 1] = [(put, &[90.0, 3.0, 300.0, 6.0])];
        let checks = check(&results(&["oxshmem", "oxshmem-lend", "nvshmem", "nvshmem-tma"], &rows));
        assert_eq!(find(&checks, "put thread, 64 KiB, better mode of each").to_nvshmem.unwrap().worst, 2.0);
    }

    #[test]
    fn the_solver_is_judged_by_the_best_variant_of_each() {
        let solver = |variant| Row { solver: Some((64, 64, variant)), ..Row::of("jacobi") };
        let rows: [(Row, &[f64]); 2] = [(solver("p"), &[100.0, 90.0]), (solver("persistent"), &[80.0, 0.0])];
        let checks = check(&results(&["oxshmem", "nvshmem"], &rows));
        let jacobi = find(&checks, "Jacobi, time of an iteration, best variant each").to_nvshmem.unwrap();
        assert_eq!(jacobi.worst, 90.0 / 80.0);
        assert!(jacobi.row.contains("ours jacobi nx=64 ny=64 variant=persistent"), "{}", jacobi.row);
    }
}
