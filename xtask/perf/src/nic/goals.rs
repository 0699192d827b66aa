//! The targets of posting to a NIC's queues, and their verdicts.

use serde::Serialize;

use super::super::contest::{Cell, Measured};
use super::super::plan::On;
use super::super::results::Results;
use super::super::row::Row;
use super::rows::{BY_HAND, DEPTH, DOORBELL, ENGINE, OWN_DOORBELL, RATE, SEEN};

/// M puts/s by 8 CTAs.
const RATE_OF_EIGHT: f64 = 215.0;
/// ns from the call of a single put to its doorbell.
const TO_DOORBELL: f64 = 1000.0;
/// The ratio to NVSHMEM's device code, in every row.
const TO_NVSHMEM: f64 = 1.2;
/// At this share of the engine's rate, ours waits for the engine.
const ENGINE_BOUNDS: f64 = 0.9;

/// The verdict of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// Reached.
    Pass,
    /// Not reached.
    Miss,
    /// Not reached, because the engine permits no higher rate.
    Engine,
    /// A figure is missing, or there is no target.
    Unknown,
}

impl Verdict {
    /// Returns the word for a table.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Miss => "miss",
            Self::Engine => "engine",
            Self::Unknown => "-",
        }
    }
}

/// A target with its figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Goal {
    pub what: &'static str,
    pub target: String,
    /// The figure as text; empty if nothing was measured.
    pub reached: String,
    pub verdict: Verdict,
    /// The row that decided.
    pub row: String,
}

/// Returns every target. Host PEs have none.
pub(super) fn judge(results: &Results) -> Vec<Goal> {
    if results.on == On::Host {
        return Vec::new();
    }
    vec![
        rate_of_eight(results, true, "puts by 8 CTAs, each in a line of its own"),
        rate_of_eight(results, false, "puts by 8 CTAs, neighbours side by side"),
        to_doorbell(results, DOORBELL, "a lone put until it rings"),
        to_doorbell(results, OWN_DOORBELL, "a lone put until it rings, on a block's own queue"),
        to_nvshmem(results),
    ]
}

/// Returns the verdict of a row beside NVSHMEM.
pub(super) fn of_row(results: &Results, one: &Measured) -> Verdict {
    match to_best(results, one) {
        _ if results.on == On::Host => Verdict::Unknown,
        None => Verdict::Unknown,
        Some(ratio) if ratio >= TO_NVSHMEM => Verdict::Pass,
        Some(_) if engine_bounds(results, one) => Verdict::Engine,
        Some(_) => Verdict::Miss,
    }
}

/// Returns our share of the engine's rate with as many queues. The engine's row has one entry a put, so it does not
/// apply where a warp makes one entry of neighbouring elements.
pub(super) fn part_of_engine(results: &Results, one: &Measured) -> Option<f64> {
    let row = &one.row;
    let (qps, _) = row.queues.filter(|_| row.test == RATE && row.line)?;
    let engine = |of: &&Measured| of.row.test == ENGINE && of.row.queues.is_some_and(|(count, _)| count == qps);
    let engine = results.measured.iter().find(engine)?;
    Some(figure(results, one)? / figure(results, engine)?)
}

/// Returns whether ours is as fast as the engine, within a tenth.
pub(super) fn engine_bounds(results: &Results, one: &Measured) -> bool {
    part_of_engine(results, one).is_some_and(|part| part >= ENGINE_BOUNDS)
}

fn figure(results: &Results, one: &Measured) -> Option<f64> {
    results.median(one, 0).map(|ns| one.row.figure(ns))
}

fn failed(one: &Measured) -> bool {
    matches!(one.cells.first(), Some(Cell::Failed(_)))
}

/// Returns NVSHMEM's time divided by ours; 0 if ours failed a row that NVSHMEM has.
fn to_best(results: &Results, one: &Measured) -> Option<f64> {
    let asked = |peer: usize| matches!(one.cells.get(peer), Some(Cell::Times(_) | Cell::Failed(_)));
    match failed(one) {
        true => results.nvshmem().any(asked).then_some(0.0),
        false => results.ratio(one, results.best_nvshmem(one)?),
    }
}

/// Returns the target for the rate of eight blocks. The best number of queues counts.
fn rate_of_eight(results: &Results, line: bool, what: &'static str) -> Goal {
    let fits = |row: &Row| {
        row.test == RATE && row.ctas() == 8 && row.line == line && row.queues.is_some_and(|(_, depth)| depth == DEPTH)
    };
    let goal = |reached, verdict, row| Goal { what, target: format!(">= {RATE_OF_EIGHT} M/s"), reached, verdict, row };
    let rows = || results.measured.iter().filter(|one| fits(&one.row));
    let timed = rows().filter_map(|one| Some((one, figure(results, one)?)));
    match timed.max_by(|(_, a), (_, b)| a.total_cmp(b)) {
        Some((best, rate)) => {
            let verdict = match rate >= RATE_OF_EIGHT {
                true => Verdict::Pass,
                false if engine_bounds(results, best) => Verdict::Engine,
                false => Verdict::Miss,
            };
            goal(format!("{rate:.1} M/s"), verdict, best.row.to_string())
        }
        None => without_figure(rows(), goal),
    }
}

/// Returns the target for the time to the doorbell. Another warp sees the doorbell later than it is stored; a separate
/// row, in which only the doorbell is stored, measures this delay, which is subtracted.
fn to_doorbell(results: &Results, test: &str, what: &'static str) -> Goal {
    let goal = |reached, verdict, row| Goal { what, target: format!("<= {TO_DOORBELL:.0} ns"), reached, verdict, row };
    let rows = || results.measured.iter().filter(|one| one.row.test == test);
    let median_of = |test: &str| {
        let mut rows = results.measured.iter().filter(|one| one.row.test == test);
        rows.find_map(|one| results.median(one, 0))
    };
    let look = median_of(SEEN).unwrap_or(0.0);
    match rows().find_map(|one| Some((one, results.median(one, 0)?))) {
        Some((one, seen)) => {
            let rung = seen - look;
            let verdict = if rung <= TO_DOORBELL { Verdict::Pass } else { Verdict::Miss };
            let least = median_of(BY_HAND).map_or_else(String::new, |ns| format!("; {:.0} ns by hand", ns - look));
            goal(format!("{rung:.0} ns ({seen:.0} ns until seen{least})"), verdict, one.row.to_string())
        }
        None => without_figure(rows(), goal),
    }
}

fn to_nvshmem(results: &Results) -> Goal {
    let judged: Vec<(&Measured, f64)> =
        results.measured.iter().filter_map(|one| Some((one, to_best(results, one)?))).collect();
    let many = |verdict| judged.iter().filter(|(one, _)| of_row(results, one) == verdict).count();
    let (passed, bound, missed) = (many(Verdict::Pass), many(Verdict::Engine), many(Verdict::Miss));
    let verdict = match (missed, bound, passed) {
        (1.., _, _) => Verdict::Miss,
        (0, 1.., _) => Verdict::Engine,
        (0, 0, 1..) => Verdict::Pass,
        (0, 0, 0) => Verdict::Unknown,
    };
    // The decisive row: one that missed the target, if any did.
    let counts = |one: &Measured| missed == 0 || of_row(results, one) == Verdict::Miss;
    let worst = judged.iter().filter(|(one, _)| counts(one)).min_by(|(_, a), (_, b)| a.total_cmp(b));
    let of = judged.len();
    let engine = if bound > 0 { format!(", the engine bounds {bound}") } else { String::new() };
    Goal {
        what: "every row, to NVSHMEM's device code",
        target: format!(">= {TO_NVSHMEM}"),
        reached: worst.map_or_else(String::new, |(_, ratio)| format!("{ratio:.2} ({passed} of {of} rows{engine})")),
        verdict,
        row: worst.map_or_else(String::new, |(one, _)| one.row.to_string()),
    }
}

/// Returns whether nothing was measured, or ours failed every row.
fn without_figure<'a>(
    mut rows: impl Iterator<Item = &'a Measured>,
    goal: impl Fn(String, Verdict, String) -> Goal,
) -> Goal {
    match rows.find(|one| failed(one)) {
        Some(one) => goal("FAILED".into(), Verdict::Miss, one.row.to_string()),
        None => goal(String::new(), Verdict::Unknown, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::Profile;
    use super::super::super::results::tests::results;
    use super::super::rows::rows;
    use super::*;

    fn rate(ctas: u64, qps: u64, line: bool) -> Row {
        Row { line, grid: Some((ctas, 256)), ..Row::of(RATE) }.queues(qps, DEPTH)
    }

    /// Returns the time of an iteration at this many M/s.
    fn ns(row: &Row, rate: f64) -> f64 {
        row.figure(1.0) / rate
    }

    /// Returns our figure and NVSHMEM's in M/s or, of a latency, in ns; 0 is a row that was skipped.
    fn measured(rows: &[(Row, [f64; 2])]) -> Results {
        let of = |row: &Row, value: f64| match row.test {
            RATE | ENGINE if value > 0.0 => ns(row, value),
            _ => value,
        };
        let times: Vec<(Row, [f64; 2])> =
            rows.iter().map(|(row, both)| (row.clone(), both.map(|value| of(row, value)))).collect();
        let times: Vec<(Row, &[f64])> = times.iter().map(|(row, both)| (row.clone(), &both[..])).collect();
        results(&["oxshmem", "nvshmem"], &times)
    }

    fn fail(results: &mut Results, row: usize) {
        results.measured[row].cells[0] = Cell::Failed("wrong data".into());
    }

    #[test]
    fn every_target_has_rows_in_the_default_profile() {
        let rows = rows(Profile::Default, On::Gpus);
        let all: Vec<(Row, [f64; 2])> = rows.into_iter().map(|row| (row, [100.0, 10.0])).collect();
        for goal in judge(&measured(&all)) {
            assert!(goal.verdict != Verdict::Unknown && !goal.row.is_empty(), "{goal:?}");
        }
    }

    #[test]
    fn eight_blocks_are_judged_by_the_best_number_of_queues() {
        let verdict = |rates: [f64; 2]| {
            let rows = [(rate(8, 8, true), [rates[0], 1.0]), (rate(8, 64, true), [rates[1], 1.0])];
            let goal = judge(&measured(&rows)).remove(0);
            (goal.verdict, goal.row)
        };
        let (reached, row) = verdict([100.0, 215.1]);
        assert_eq!(reached, Verdict::Pass);
        assert!(row.contains("qps=64"), "{row}");
        assert_eq!(verdict([214.0, 100.0]).0, Verdict::Miss);
        let other = judge(&measured(&[(rate(32, 8, true), [300.0, 1.0]), (rate(8, 8, false), [300.0, 1.0])]));
        assert_eq!((other[0].verdict, other[1].verdict), (Verdict::Unknown, Verdict::Pass));
    }

    #[test]
    fn a_lone_put_has_a_thousand_ns_until_its_doorbell() {
        let verdict = |ns| judge(&measured(&[(Row::of(DOORBELL), [ns, 0.0])]))[2].verdict;
        assert_eq!((verdict(1000.0), verdict(1001.0)), (Verdict::Pass, Verdict::Miss));
        let rows = [
            (Row::of(SEEN), [200.0, 0.0]),
            (Row::of(BY_HAND), [640.0, 0.0]),
            (Row::of(DOORBELL), [1201.0, 0.0]),
            (Row::of(OWN_DOORBELL), [1200.0, 0.0]),
        ];
        let goals = judge(&measured(&rows));
        assert_eq!(goals[2].reached, "1001 ns (1201 ns until seen; 440 ns by hand)");
        assert_eq!((goals[2].verdict, goals[3].verdict), (Verdict::Miss, Verdict::Pass));
    }

    #[test]
    fn a_row_within_a_tenth_of_the_engine_with_as_many_queues_is_bound_by_it() {
        let engine = |qps| Row::of(ENGINE).queues(qps, DEPTH);
        let results = measured(&[
            (engine(8), [150.0, 0.0]),
            (engine(64), [600.0, 0.0]),
            (rate(8, 8, true), [136.0, 130.0]),
            (rate(8, 64, true), [136.0, 130.0]),
            (rate(32, 8, true), [134.0, 130.0]),
            (rate(8, 8, false), [900.0, 890.0]),
        ]);
        let verdicts: Vec<Verdict> = results.measured.iter().map(|one| of_row(&results, one)).collect();
        use Verdict::{Engine, Miss, Unknown};
        assert_eq!(verdicts, [Unknown, Unknown, Engine, Miss, Miss, Miss]);
        let goal = judge(&results).remove(4);
        assert_eq!((goal.verdict, goal.reached.as_str()), (Miss, "1.01 (0 of 4 rows, the engine bounds 1)"));
    }

    #[test]
    fn a_row_that_is_a_fifth_faster_passes_whatever_the_engine_can() {
        let rows = [(Row::of(ENGINE).queues(8, DEPTH), [150.0, 0.0]), (rate(8, 8, true), [150.0, 125.0])];
        let goal = judge(&measured(&rows)).remove(4);
        assert_eq!((goal.verdict, goal.reached.as_str()), (Verdict::Pass, "1.20 (1 of 1 rows)"));
        let bound = [rows[0].clone(), (rate(8, 8, true), [150.0, 149.0])];
        let goals = judge(&measured(&bound));
        assert_eq!((goals[0].verdict, goals[4].verdict), (Verdict::Engine, Verdict::Engine));
    }

    #[test]
    fn a_latency_is_faster_if_it_is_less() {
        let goal = judge(&measured(&[(Row::of("nic_p_call_latency"), [500.0, 1000.0])])).remove(4);
        assert_eq!((goal.verdict, goal.reached.as_str()), (Verdict::Pass, "2.00 (1 of 1 rows)"));
    }

    #[test]
    fn a_row_that_ours_failed_is_a_miss() {
        let mut results = measured(&[(rate(8, 8, true), [300.0, 100.0]), (Row::of(DOORBELL), [500.0, 0.0])]);
        fail(&mut results, 0);
        fail(&mut results, 1);
        let verdicts: Vec<Verdict> = judge(&results).iter().map(|goal| goal.verdict).collect();
        use Verdict::{Miss, Unknown};
        assert_eq!(verdicts, [Miss, Unknown, Miss, Unknown, Miss]);
    }

    #[test]
    fn without_nvshmem_and_on_host_threads_nothing_is_said_about_it() {
        let row = rate(8, 8, true);
        let mut results = results(&["oxshmem"], &[(row.clone(), &[ns(&row, 300.0)])]);
        assert_eq!((judge(&results)[0].verdict, judge(&results)[4].verdict), (Verdict::Pass, Verdict::Unknown));
        results.on = On::Host;
        assert!(judge(&results).is_empty());
    }
}
