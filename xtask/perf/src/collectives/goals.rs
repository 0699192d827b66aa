//! The targets of collectives on two H200s, and their verdicts.

use super::super::alone::Goal;
use super::super::contest::{Cell, Measured};
use super::super::plan::{KIB, MIB, On};
use super::super::results::Results;
use super::super::row::Row;
use super::rows::{IN_GRAPH, IN_KERNEL};

/// The most time of an all-reduce in a graph between two PEs, by size: us.
const ALL_REDUCE: [(&str, u64, f64); 7] = [
    ("all-reduce in a graph, 8 B", 8, 2.3),
    ("all-reduce in a graph, 8 KiB", 8 * KIB, 2.6),
    ("all-reduce in a graph, 64 KiB", 64 * KIB, 3.2),
    ("all-reduce in a graph, 256 KiB", 256 * KIB, 4.4),
    ("all-reduce in a graph, 1 MiB", MIB, 9.6),
    ("all-reduce in a graph, 4 MiB", 4 * MIB, 17.0),
    ("all-reduce in a graph, 64 MiB", 64 * MIB, 200.0),
];
/// The ratio to NVSHMEM in kernels, and the largest size that it is for.
const TO_NVSHMEM: (f64, u64) = (2.0, 64 * KIB);
/// The ratio of the rate by 16 blocks to that by as many as the library chooses, and its size.
const BY_SIXTEEN: (f64, u64) = (0.9, 4 * MIB);
/// The ratio of the other collectives to the limit.
const TO_LIMIT: f64 = 0.9;

/// Returns every target. Host PEs have none; the times are those of two PEs.
pub(super) fn judge(results: &Results) -> Vec<Goal> {
    if results.on == On::Host {
        return Vec::new();
    }
    let mut goals = Vec::new();
    if results.n == 2 {
        goals.extend(ALL_REDUCE.iter().map(|(what, bytes, most)| at_most(results, what, *bytes, *most)));
    }
    goals.push(worst(results, "in a kernel, to 64 KiB: to NVSHMEM", TO_NVSHMEM.0, |one| {
        let is_asked = one.row.test == IN_KERNEL && one.row.bytes <= Some(TO_NVSHMEM.1);
        is_asked.then(|| results.best_nvshmem(one))?.and_then(|nvshmem| results.median(one, nvshmem))
    }));
    goals.push(worst(results, "in a graph by 16 CTAs, 4 MiB: of the full rate", BY_SIXTEEN.0, |one| {
        let is_asked = one.row.test == IN_GRAPH && one.row.ctas() == 16 && one.row.bytes == Some(BY_SIXTEEN.1);
        let full = |other: &&Measured| other.row == Row { grid: None, ..one.row.clone() };
        is_asked.then(|| results.measured.iter().find(full))?.and_then(|full| results.median(full, 0))
    }));
    goals.push(worst(results, "other collectives: to the limit", TO_LIMIT, |one| {
        is_other(&one.row).then(|| results.limit())?.and_then(|limit| results.median(one, limit))
    }));
    goals
}

fn is_other(row: &Row) -> bool {
    row.op != Some("reduce")
}

fn failed(one: &Measured) -> bool {
    matches!(one.cells.first(), Some(Cell::Failed(_)))
}

fn at_most(results: &Results, what: &'static str, bytes: u64, most_us: f64) -> Goal {
    let row = Row { iters: 0, ..Row::of(IN_GRAPH).op("reduce").bytes(bytes) };
    let one = results.measured.iter().find(|one| Row { iters: 0, ..one.row.clone() } == row);
    let timed = one.and_then(|one| Some((one, results.median(one, 0)? / 1e3)));
    let found = timed.map(|(one, us)| (format!("{us:.2} us"), us <= most_us, &one.row));
    Goal::new(what, format!("<= {most_us} us"), found, one.filter(|one| failed(one)).map(|one| &one.row))
}

/// Judges the least ratio of `to` a row, a time in ns, to our time. A row that has such a time and that ours failed
/// is a miss.
fn worst(results: &Results, what: &'static str, least: f64, to: impl Fn(&Measured) -> Option<f64>) -> Goal {
    let asked: Vec<(&Measured, f64)> = results.measured.iter().filter_map(|one| Some((one, to(one)?))).collect();
    let target = format!(">= {least}");
    if let Some((one, _)) = asked.iter().find(|(one, _)| failed(one)) {
        return Goal::new(what, target, None, Some(&one.row));
    }
    let ratios: Vec<(&Measured, f64)> =
        asked.into_iter().filter_map(|(one, ns)| Some((one, ns / results.median(one, 0)?))).collect();
    let reach = ratios.iter().filter(|(_, ratio)| *ratio >= least).count();
    let worst = ratios.iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
    let found = worst.map(|(one, ratio)| {
        (format!("{ratio:.2} ({reach} of {} rows)", ratios.len()), reach == ratios.len(), &one.row)
    });
    Goal::new(what, target, found, None)
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::Profile;
    use super::super::super::results::tests::results;
    use super::super::rows::rows;
    use super::*;

    const PEERS: [&str; 3] = ["oxshmem", "limit", "nvshmem"];

    fn reduce(bytes: u64) -> Row {
        Row::of(IN_GRAPH).op("reduce").bytes(bytes).iters(200)
    }

    fn verdicts(results: &Results) -> Vec<&'static str> {
        judge(results).iter().map(|goal| goal.verdict).collect()
    }

    #[test]
    fn every_target_has_rows_in_the_default_profile() {
        let rows: Vec<(Row, &[f64])> =
            rows(Profile::Default, On::Gpus).into_iter().map(|row| (row, &[1000.0, 900.0, 2000.0][..])).collect();
        let goals = judge(&results(&PEERS, &rows));
        assert_eq!(goals.len(), 10);
        assert!(goals.iter().all(|goal| goal.verdict == "pass" && !goal.row.is_empty()), "{goals:?}");
    }

    #[test]
    fn an_all_reduce_is_judged_at_its_edge_by_the_row_without_a_grid() {
        let by_16 = Row { grid: Some((16, 512)), ..reduce(4 * MIB) };
        let rows: [(Row, &[f64]); 4] =
            [(reduce(8), &[2300.0]), (reduce(8 * KIB), &[2601.0]), (by_16, &[1.0]), (reduce(4 * MIB), &[17_000.0])];
        let mut results = results(&PEERS[..1], &rows);
        let verdicts = verdicts(&results);
        assert_eq!((verdicts[0], verdicts[1], verdicts[2], verdicts[5]), ("pass", "miss", "-", "pass"));
        assert_eq!(judge(&results)[1].reached, "2.60 us");
        results.measured[0].cells[0] = Cell::Failed("wrong data".into());
        assert_eq!((judge(&results)[0].verdict, judge(&results)[0].reached.as_str()), ("miss", "FAILED"));
        results.n = 4;
        assert_eq!(judge(&results).len(), 3, "the times are those of two PEs");
        results.on = On::Host;
        assert!(judge(&results).is_empty());
    }

    #[test]
    fn the_worst_row_in_a_kernel_is_judged_and_one_that_ours_failed_is_a_miss() {
        let kernel = |bytes| Row::of(IN_KERNEL).op("reduce").bytes(bytes).by("block", 1, 256);
        let rows: [(Row, &[f64]); 3] = [
            (kernel(8), &[100.0, 0.0, 200.0]),
            (kernel(64 * KIB), &[100.0, 0.0, 199.0]),
            (kernel(MIB), &[100.0, 0.0, 1.0]),
        ];
        let mut results = results(&PEERS, &rows);
        let goal = judge(&results).remove(7);
        assert_eq!((goal.verdict, goal.reached.as_str()), ("miss", "1.99 (1 of 2 rows)"));
        assert!(goal.row.contains("64KiB"), "{}", goal.row);
        results.measured.remove(1);
        assert_eq!(judge(&results)[7].verdict, "pass");
        results.measured[0].cells[0] = Cell::Failed("wrong data".into());
        assert_eq!(judge(&results)[7].verdict, "miss");
    }

    #[test]
    fn sixteen_blocks_are_judged_by_the_time_of_the_same_collective_by_as_many_as_it_chooses() {
        let gather = |bytes| Row { op: Some("fcollect"), ..reduce(bytes) };
        let by_16 = |row: Row| Row { grid: Some((16, 512)), ..row };
        let rows: [(Row, &[f64]); 4] = [
            (reduce(4 * MIB), &[90.0]),
            (by_16(reduce(4 * MIB)), &[100.0]),
            (gather(4 * MIB), &[80.0]),
            (by_16(gather(4 * MIB)), &[100.0]),
        ];
        let goal = |rows: &[(Row, &[f64])]| judge(&results(&PEERS[..1], rows)).remove(8);
        assert_eq!((goal(&rows).verdict, goal(&rows[..2]).verdict), ("miss", "pass"));
        assert_eq!(goal(&rows).reached, "0.80 (1 of 2 rows)");
        assert_eq!(goal(&rows[..1]).verdict, "-");
    }

    #[test]
    fn other_collectives_than_the_reduction_are_held_against_the_limit() {
        let gather = Row { op: Some("fcollect"), ..reduce(8) };
        let rows: [(Row, &[f64]); 2] = [(reduce(8), &[100.0, 1.0, 0.0]), (gather, &[100.0, 90.0, 0.0])];
        assert_eq!(judge(&results(&PEERS, &rows)).remove(9).verdict, "pass");
        assert_eq!(judge(&results(&PEERS, &rows[..1])).remove(9).verdict, "-");
    }
}
