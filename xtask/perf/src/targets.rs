//! Checks the results against the targets.

use serde::Serialize;

use super::contest::{Cell, Measured};
use super::goals::{TARGETS, Target};
use super::plan::On;
use super::results::Results;

/// The distance of rows from a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Reached {
    pub target: f64,
    /// The least ratio; 0 is a row that ours failed.
    pub worst: f64,
    /// The row with the least ratio.
    pub row: String,
    /// The number of rows that reach the target.
    pub reach: usize,
    /// The number of rows that have both figures or that ours failed.
    pub of: usize,
}

impl Reached {
    /// Returns whether every row reaches the target.
    pub(crate) fn all(&self) -> bool {
        self.reach == self.of
    }

    fn of(target: f64, ratios: &[(f64, String)]) -> Option<Self> {
        let (worst, row) = ratios.iter().min_by(|(a, _), (b, _)| a.total_cmp(b))?.clone();
        let reach = ratios.iter().filter(|(ratio, _)| *ratio >= target).count();
        Some(Self { target, worst, row, reach, of: ratios.len() })
    }
}

/// A target and its result. `None` if there is no target or no figure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    pub what: &'static str,
    pub target_to_limit: Option<f64>,
    pub to_limit: Option<Reached>,
    pub target_to_nvshmem: Option<f64>,
    pub to_nvshmem: Option<Reached>,
}

impl Check {
    /// Returns `pass`, `miss`, or `-` if nothing was missed but a figure that the target needs was not measured.
    pub(crate) fn verdict(&self) -> &'static str {
        let asked = [(self.target_to_limit, &self.to_limit), (self.target_to_nvshmem, &self.to_nvshmem)];
        let asked = || asked.iter().filter(|(target, _)| target.is_some()).map(|(_, reached)| reached.as_ref());
        match asked().flatten().all(Reached::all) {
            false => "miss",
            true if asked().any(|reached| reached.is_none()) => "-",
            true => "pass",
        }
    }
}

/// Returns every target with its result on the measured rows. Host PEs have none.
pub(crate) fn check(results: &Results) -> Vec<Check> {
    if results.on == On::Host {
        return Vec::new();
    }
    TARGETS.iter().map(|target| check_one(target, results)).collect()
}

fn check_one(target: &Target, results: &Results) -> Check {
    let rows: Vec<&Measured> = results.measured.iter().filter(|one| (target.rows)(&one.row)).collect();
    let to_limit = target.to_limit.and_then(|least| Reached::of(least, &against_limit(target, &rows, results)?));
    let to_nvshmem = target.to_nvshmem.and_then(|least| {
        let ratios = match target.best {
            true => best_against_best(&rows, results),
            false => against_nvshmem(target, &rows, results),
        };
        Reached::of(least, &ratios)
    });
    Check {
        what: target.what,
        target_to_limit: target.to_limit,
        to_limit,
        target_to_nvshmem: target.to_nvshmem,
        to_nvshmem,
    }
}

/// Returns the ratio of each row to the limit's, if the limit was measured.
fn against_limit(target: &Target, rows: &[&Measured], results: &Results) -> Option<Vec<(f64, String)>> {
    let limit = results.limit()?;
    let ratio = |one: &&Measured| {
        let like = if target.aligned_limit { results.without_skew(&one.row)? } else { one };
        ratio(like.cells.get(limit)?.median(), results.median(one, 0), failed(one), || has_row(like, limit))
            .map(|ratio| (ratio, one.row.to_string()))
    };
    Some(rows.iter().filter_map(ratio).collect())
}

/// Returns the ratio of each row to the better of NVSHMEM's modes.
fn against_nvshmem(target: &Target, rows: &[&Measured], results: &Results) -> Vec<(f64, String)> {
    let ratio = |one: &&Measured| {
        let (ours, failed) = match target.either {
            true => (results.best_of_ours(one), results.ours().any(|index| has_failed(one, index))),
            false => (results.median(one, 0), failed(one)),
        };
        let theirs = results.best_nvshmem(one).and_then(|index| results.median(one, index));
        ratio(theirs, ours, failed, || results.nvshmem().any(|index| has_row(one, index)))
            .map(|ratio| (ratio, one.row.to_string()))
    };
    rows.iter().filter_map(ratio).collect()
}

/// Returns their time divided by ours. A row that ours failed counts as infinitely slow if the other `has` it.
fn ratio(theirs: Option<f64>, ours: Option<f64>, failed: bool, has: impl FnOnce() -> bool) -> Option<f64> {
    match failed {
        true => has().then_some(0.0),
        false => Some(theirs? / ours?),
    }
}

/// Returns whether ours failed the row.
fn failed(one: &Measured) -> bool {
    has_failed(one, 0)
}

fn has_failed(one: &Measured, peer: usize) -> bool {
    matches!(one.cells.get(peer), Some(Cell::Failed(_)))
}

/// Returns whether the peer was asked for the row and has the test.
fn has_row(one: &Measured, peer: usize) -> bool {
    matches!(one.cells.get(peer), Some(Cell::Times(_) | Cell::Failed(_)))
}

/// Returns the ratio of the least times of both, with the rows that have them, and the rows that ours failed.
fn best_against_best(rows: &[&Measured], results: &Results) -> Vec<(f64, String)> {
    let least = |times: Vec<(f64, String)>| times.into_iter().min_by(|(a, _), (b, _)| a.total_cmp(b));
    let ours = rows.iter().filter_map(|one| Some((results.median(one, 0)?, one.row.to_string())));
    let theirs = rows.iter().filter_map(|one| {
        let index = results.best_nvshmem(one)?;
        Some((results.median(one, index)?, one.row.to_string()))
    });
    let mut ratios: Vec<(f64, String)> = rows
        .iter()
        .filter(|one| failed(one) && results.nvshmem().any(|index| has_row(one, index)))
        .map(|one| (0.0, one.row.to_string()))
        .collect();
    if let (Some((ours, our_row)), Some((theirs, their_row))) = (least(ours.collect()), least(theirs.collect())) {
        ratios.push((theirs / ours, format!("ours {our_row}, theirs {their_row}")));
    }
    ratios
}

#[cfg(test)]
mod tests {
    use super::super::goals::misaligned;
    use super::super::plan::{Profile, rows};
    use super::super::results::tests::results;
    use super::super::row::Row;
    use super::*;

    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;

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

    fn fail(results: &mut Results, row: usize, peer: usize) {
        results.measured[row].cells[peer] = Cell::Failed("wrong data".into());
    }

    #[test]
    fn a_row_that_ours_failed_is_a_miss_with_ratio_zero() {
        let put = |ctas| Row::of("shmem_put_bw").by("block", ctas, 1024).bytes(MIB);
        let rows: [(Row, &[f64]); 2] = [(put(1), &[100.0, 100.0, 200.0]), (put(2), &[100.0, 100.0, 200.0])];
        let mut results = results(&["oxshmem", "limit", "nvshmem"], &rows);
        let what = "put block, 1 MiB and up, one way";
        assert_eq!(find(&check(&results), what).verdict(), "pass");
        fail(&mut results, 1, 0);
        let one = find(&check(&results), what);
        for reached in [one.to_limit.clone().unwrap(), one.to_nvshmem.clone().unwrap()] {
            assert_eq!((reached.worst, reached.reach, reached.of), (0.0, 1, 2));
            assert!(reached.row.contains("ctas=2"), "{}", reached.row);
        }
        assert_eq!(one.verdict(), "miss");
    }

    #[test]
    fn a_variant_or_a_mode_of_ours_that_failed_is_not_hidden_by_one_that_did_not() {
        let solver = |variant| Row { solver: Some((64, 64, variant)), ..Row::of("jacobi") };
        let rows: [(Row, &[f64]); 2] = [(solver("p"), &[80.0, 90.0]), (solver("persistent"), &[80.0, 90.0])];
        let mut solved = results(&["oxshmem", "nvshmem"], &rows);
        fail(&mut solved, 0, 0);
        let jacobi = find(&check(&solved), "Jacobi, time of an iteration, best variant each");
        assert_eq!((jacobi.to_nvshmem.clone().unwrap().worst, jacobi.verdict()), (0.0, "miss"));

        let put = Row::of("shmem_put_latency").by("thread", 1, 1).bytes(64 * KIB);
        let rows: [(Row, &[f64]); 1] = [(put, &[9.0, 3.0, 30.0])];
        let mut put = results(&["oxshmem", "oxshmem-lend", "nvshmem"], &rows);
        fail(&mut put, 0, 1);
        assert_eq!(find(&check(&put), "put thread, 64 KiB, better mode of each").verdict(), "miss");
    }

    #[test]
    fn a_target_that_lacks_one_of_its_figures_is_not_passed_but_may_be_missed() {
        let put = |ctas| Row::of("shmem_put_bw").by("block", ctas, 1024).bytes(MIB);
        let what = "put block, 1 MiB and up, one way";
        let verdict = |peers: &[&str], times: &[f64]| find(&check(&results(peers, &[(put(2), times)])), what).verdict();
        assert_eq!(verdict(&["oxshmem", "nvshmem"], &[100.0, 200.0]), "-");
        assert_eq!(verdict(&["oxshmem", "limit"], &[100.0, 100.0]), "-");
        assert_eq!(verdict(&["oxshmem", "limit", "nvshmem"], &[100.0, 0.0, 200.0]), "-");
        assert_eq!(verdict(&["oxshmem", "nvshmem"], &[100.0, 90.0]), "miss");
        assert_eq!(verdict(&["oxshmem", "limit", "nvshmem"], &[100.0, 100.0, 200.0]), "pass");
    }

    #[test]
    fn a_misaligned_copy_is_held_against_the_limit_of_the_aligned_one_of_its_size() {
        let get = |ctas, bytes| Row::of("shmem_get_bw").by("block", ctas, 1024).bytes(bytes);
        let skewed = Row { skew: 4, ..get(1, MIB) };
        let mut rows: Vec<(Row, &[f64])> = vec![
            (Row { both: true, ..get(1, MIB) }, &[1.0, 10.0, 1.0]),
            (get(2, MIB), &[1.0, 20.0, 1.0]),
            (get(1, 4 * MIB), &[1.0, 30.0, 1.0]),
            (Row { test: "shmem_put_bw", ..get(1, MIB) }, &[1.0, 40.0, 1.0]),
            (skewed, &[100.0, 0.0, 400.0]),
        ];
        let what = "put and get, misaligned by 4 B or 1 B, 1 CTA";
        let judged = |rows: &[(Row, &[f64])]| find(&check(&results(&["oxshmem", "limit", "nvshmem"], rows)), what);
        assert_eq!((judged(&rows).to_limit.clone(), judged(&rows).verdict()), (None, "-"));
        rows.push((get(1, MIB), &[80.0, 70.0, 400.0]));
        let reached = judged(&rows).to_limit.unwrap();
        assert_eq!((reached.worst, reached.of), (0.7, 1));
        assert!(reached.row.contains("skew=4"), "{}", reached.row);
    }

    #[test]
    fn every_misaligned_row_of_a_plan_has_its_aligned_one() {
        for profile in [Profile::Quick, Profile::Default, Profile::Full] {
            let rows: Vec<(Row, &[f64])> = rows(profile, On::Gpus).into_iter().map(|row| (row, &[1.0][..])).collect();
            let results = results(&["oxshmem"], &rows);
            let mut skewed = results.measured.iter().filter(|one| misaligned(&one.row)).peekable();
            assert!(skewed.peek().is_some());
            assert!(skewed.all(|one| results.without_skew(&one.row).is_some()), "{profile:?}");
        }
    }
}
