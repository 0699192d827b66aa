//! The rows of the suite.

use super::super::plan::{On, Profile};
use super::super::row::Row;

/// The engine's rate, by queues.
const ENGINE: &str = "nic_engine";
/// The rate of elements that a grid posts.
const RATE: &str = "nic_p_rate";
/// The time of a single element until its doorbell is seen.
const DOORBELL: &str = "nic_p_doorbell_latency";
/// The least time of its doorbell: the same stores, handwritten.
const BY_HAND: &str = "nic_doorbell_by_hand_latency";
/// The observer's part of these times: from the store of a doorbell until another warp sees it.
const SEEN: &str = "nic_doorbell_seen_latency";
/// The time of a single element until the call returns, and until a quiet after it returns.
const CALLS: [&str; 2] = ["nic_p_call_latency", "nic_p_quiet_latency"];
/// The time of a single element until its doorbell is seen, on a queue that the block has exclusively.
const OWN_DOORBELL: &str = "nic_p_own_doorbell_latency";
/// The same until call and quiet return.
const OWN: [&str; 2] = ["nic_p_own_call_latency", "nic_p_own_quiet_latency"];
/// The rate of elements that a grid posts in which each block has an exclusive queue.
const OWN_RATE: &str = "nic_p_own_rate";

/// Threads of a block on a GPU.
const THREADS: u64 = 256;
/// Basic blocks of a queue in rows that do not vary its depth.
const DEPTH: u64 = 1024;
/// Iterations of all rows but rates.
const ITERS: u64 = 2000;

/// Returns the rows, in the order of their measurement.
pub(crate) fn rows(profile: Profile, on: On) -> Vec<Row> {
    match on {
        On::Gpus => on_gpu(profile),
        On::Host => on_host(),
    }
}

fn on_gpu(profile: Profile) -> Vec<Row> {
    let (ctas, qps): (&[u64], &[u64]) = match profile {
        Profile::Quick => (&[1, 8], &[8]),
        Profile::Default => (&[1, 8, 32, 132], &[1, 8, 64]),
        Profile::Full => (&[1, 8, 32, 132], &[1, 2, 4, 8, 16, 32, 64]),
    };
    let mut rows: Vec<Row> = latencies(ITERS).into();
    rows.extend(qps.iter().map(|&qps| Row::of(ENGINE).queues(qps, DEPTH).iters(ITERS)));
    for &ctas in ctas {
        rows.extend(qps.iter().map(|&qps| rate(ctas, qps, DEPTH, true)));
    }
    rows.extend(ctas.iter().map(|&ctas| Row { test: OWN_RATE, ..rate(ctas, ctas, DEPTH, true) }));
    if profile != Profile::Quick {
        rows.extend([1, 8, 132].map(|ctas| rate(ctas, 8, DEPTH, false)));
        rows.push(Row { test: OWN_RATE, ..rate(8, 8, DEPTH, false) });
        rows.extend([256, 8192].map(|depth| rate(8, 8, depth, true)));
    }
    rows
}

/// Returns a few rows with few threads, which show that everything works.
fn on_host() -> Vec<Row> {
    let mut rows: Vec<Row> = latencies(50).into();
    rows.push(Row::of(ENGINE).queues(2, 256).iters(100));
    rows.extend([true, false].map(|line| Row { grid: Some((2, 4)), iters: 100, ..rate(1, 2, 256, line) }));
    rows.push(Row { test: OWN_RATE, grid: Some((2, 4)), iters: 100, ..rate(1, 2, 256, true) });
    rows
}

fn latencies(iters: u64) -> [Row; 8] {
    [SEEN, BY_HAND, DOORBELL, CALLS[0], CALLS[1], OWN_DOORBELL, OWN[0], OWN[1]].map(|test| Row::of(test).iters(iters))
}

/// Returns a row in which every thread posts one element an iteration, with enough iterations that a launch is a small
/// part of the time.
fn rate(ctas: u64, qps: u64, depth: u64, line: bool) -> Row {
    // Few queues are slow.
    let elements = if qps <= 2 { 400_000 } else { 2_000_000 };
    let iters = (elements / (ctas * THREADS)).max(8);
    Row { line, grid: Some((ctas, THREADS)), ..Row::of(RATE) }.queues(qps, depth).iters(iters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(rows: &[Row], test: &str) -> usize {
        rows.iter().filter(|row| row.test == test).count()
    }

    #[test]
    fn every_grid_meets_every_number_of_queues() {
        let rows = rows(Profile::Default, On::Gpus);
        for ctas in [1, 8, 32, 132] {
            for qps in [1, 8, 64] {
                let fits =
                    |row: &&Row| row.test == RATE && row.ctas() == ctas && row.queues == Some((qps, DEPTH)) && row.line;
                assert_eq!(rows.iter().filter(fits).count(), 1, "{ctas} CTAs, {qps} queues");
            }
        }
        assert_eq!(rows.iter().filter(|row| row.test == RATE && !row.line).count(), 3);
        let depths: Vec<u64> =
            rows.iter().filter_map(|row| Some(row.queues?.1)).filter(|depth| *depth != DEPTH).collect();
        assert_eq!(depths, [256, 8192]);
        assert_eq!((count(&rows, RATE), count(&rows, OWN_RATE), count(&rows, ENGINE), rows.len()), (17, 5, 3, 33));
    }

    #[test]
    fn a_request_says_the_queues_the_grid_and_how_many_iterations() {
        let rows = rows(Profile::Default, On::Gpus);
        let asked: Vec<String> = rows.iter().map(|row| row.request(5)).collect();
        for line in [
            "run test=nic_p_doorbell_latency iters=2000 repeat=5",
            "run test=nic_engine qps=64 depth=1024 iters=2000 repeat=5",
            "run test=nic_p_rate ctas=8 threads=256 qps=1 depth=1024 line=1 iters=195 repeat=5",
            "run test=nic_p_rate ctas=132 threads=256 qps=8 depth=1024 iters=59 repeat=5",
        ] {
            assert!(asked.iter().any(|one| one == line), "{line} in {asked:#?}");
        }
    }

    #[test]
    fn every_profile_has_the_engines_row_for_each_number_of_queues_and_no_row_twice() {
        for (profile, on) in [Profile::Quick, Profile::Default, Profile::Full]
            .into_iter()
            .flat_map(|profile| [On::Gpus, On::Host].map(|on| (profile, on)))
        {
            let rows = rows(profile, on);
            for rate in rows.iter().filter(|row| row.test == RATE) {
                let (qps, _) = rate.queues.unwrap();
                let engine = |row: &Row| row.test == ENGINE && row.queues.is_some_and(|(of, _)| of == qps);
                assert!(rows.iter().any(engine), "{profile:?}: {rate}");
            }
            let names: std::collections::BTreeSet<String> = rows.iter().map(Row::to_string).collect();
            assert_eq!(names.len(), rows.len(), "{profile:?}");
        }
    }
}
