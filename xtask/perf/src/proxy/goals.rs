//! The targets of proxies, and their verdicts.

use super::super::alone::Goal;
use super::super::contest::{Cell, Measured};
use super::super::plan::On;
use super::super::results::Results;
use super::super::row::Row;
use super::rows::{BLOCKS, COPIES, IDLE, LARGE, POST, RATE, WAKE};

/// The share of copies in the time of large puts.
const OF_TIME: f64 = 90.0;

/// Returns every target.
pub(super) fn judge(results: &Results) -> Vec<Goal> {
    let mut goals = match results.on {
        On::Host => vec![rate(results, "one thread to one proxy, requests", 10.0, 1)],
        On::Gpus => vec![
            rate(results, "puts of 8 bytes by one proxy", 10.0, 1),
            rate(results, "puts of 8 bytes by four proxies", 25.0, 4),
            most(results, "from the call to the post", POST, 2_500.0, "ns"),
        ],
    };
    goals.extend([
        most(results, "an idle proxy", IDLE, 1.0, "% of a core"),
        most(results, "a kernel's first put after a second without any, to its post", WAKE, 20.0, "us"),
        blocks(results),
        large(results),
    ]);
    goals
}

fn rows<'a>(results: &'a Results, test: &'a str) -> impl Iterator<Item = &'a Measured> {
    results.measured.iter().filter(move |one| one.row.test == test)
}

fn figure(results: &Results, one: &Measured) -> Option<f64> {
    results.median(one, 0).map(|ns| one.row.figure(ns))
}

fn failed(one: &Measured) -> bool {
    matches!(one.cells.first(), Some(Cell::Failed(_)))
}

fn goal(what: &'static str, target: String, found: Option<(String, bool, &Row)>, broken: Option<&Measured>) -> Goal {
    Goal::new(what, target, found, broken.map(|one| &one.row))
}

/// Returns the target for a rate. The best grid counts, among those in which every put is a request.
fn rate(results: &Results, what: &'static str, least: f64, proxies: u64) -> Goal {
    let of = || rows(results, RATE).filter(|one| one.row.line && one.row.proxies == Some(proxies));
    let timed = of().filter_map(|one| Some((one, figure(results, one)?)));
    let best = timed.max_by(|(_, a), (_, b)| a.total_cmp(b));
    let found = best.map(|(one, rate)| (format!("{rate:.1} M/s"), rate >= least, &one.row));
    goal(what, format!(">= {least} M/s"), found, of().find(|one| failed(one)))
}

fn most(results: &Results, what: &'static str, test: &'static str, most: f64, unit: &str) -> Goal {
    let timed = rows(results, test).find_map(|one| Some((one, figure(results, one)?)));
    let found = timed.map(|(one, value)| (format!("{value:.2} {unit}"), value <= most, &one.row));
    goal(what, format!("<= {most} {unit}"), found, rows(results, test).find(|one| failed(one)))
}

/// Returns the target for puts by blocks. The program compares the numbers of posts and requests: a row with a time has
/// one request a put.
fn blocks(results: &Results) -> Goal {
    let timed = rows(results, BLOCKS).find_map(|one| Some((one, figure(results, one)?)));
    let found = timed.map(|(one, rate)| (format!("1, {rate:.1} M/s"), true, &one.row));
    let what = "requests of a block's put of 128 elements";
    goal(what, "1".into(), found, rows(results, BLOCKS).find(|one| failed(one)))
}

fn large(results: &Results) -> Goal {
    let of = |test| rows(results, test).find_map(|one| Some((one, figure(results, one)?)));
    let found = of(LARGE)
        .zip(of(COPIES))
        .map(|((_, rate), (one, share))| (format!("{share:.1} % ({rate:.1} GB/s)"), share >= OF_TIME, &one.row));
    let what = "of the time of puts of 1 MiB, the sink's copy";
    goal(what, format!(">= {OF_TIME} %"), found, rows(results, COPIES).find(|one| failed(one)))
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::Profile;
    use super::super::super::results::tests::results;
    use super::super::rows::rows;
    use super::*;

    #[test]
    fn every_target_has_a_row_in_every_profile() {
        for (profile, on) in
            [Profile::Quick, Profile::Default].into_iter().flat_map(|one| [On::Gpus, On::Host].map(|on| (one, on)))
        {
            let rows = rows(profile, on);
            let times: Vec<(Row, &[f64])> = rows.iter().map(|row| (row.clone(), &[100.0][..])).collect();
            let results = Results { on, ..results(&["oxshmem"], &times) };
            for goal in judge(&results) {
                assert!(goal.verdict != "-" && !goal.row.is_empty(), "{goal:?}");
            }
        }
    }

    #[test]
    fn targets_are_judged_at_their_edges_and_a_row_that_failed_is_a_miss() {
        let row = |proxies| Row { line: true, grid: Some((8, 256)), proxies: Some(proxies), ..Row::of(RATE) };
        let ns = |row: &Row, rate: f64| row.figure(1.0) / rate;
        let times = [
            (row(1), vec![ns(&row(1), 10.1)]),
            (row(4), vec![ns(&row(4), 24.9)]),
            (Row::of(POST), vec![2500.0]),
            (Row::of(IDLE), vec![1.1e7]),
            (Row::of(WAKE), vec![20_000.0]),
            (Row::of(BLOCKS), vec![1000.0]),
            (Row::of(COPIES).bytes(1 << 20), vec![8.9e8]),
            (Row::of(LARGE).bytes(1 << 20), vec![120_000.0]),
        ];
        let times: Vec<(Row, &[f64])> = times.iter().map(|(row, times)| (row.clone(), &times[..])).collect();
        let mut results = results(&["oxshmem"], &times);
        let verdicts: Vec<&str> = judge(&results).iter().map(|goal| goal.verdict).collect();
        assert_eq!(verdicts, ["pass", "miss", "pass", "miss", "pass", "pass", "miss"]);
        results.measured[5].cells[0] = Cell::Failed("two requests".into());
        assert_eq!(judge(&results)[5].verdict, "miss");
        assert_eq!(judge(&Results { measured: Vec::new(), ..results })[0].verdict, "-");
    }
}
