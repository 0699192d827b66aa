use super::super::plan::{KIB, MIB, Profile};
use super::super::results::tests::results;
use super::super::{collectives, nic, plan, proxy};
use super::*;

const MAIN: [&str; 3] = ["oxshmem", "limit", "nvshmem"];

fn of(suite: &str) -> Goals {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("goals/{suite}.toml"));
    Goals::read(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn judge(suite: &str, results: &Results) -> Vec<Judged> {
    of(suite).judge(results)
}

/// Returns the verdict on the goal whose name has this part.
fn find(suite: &str, results: &Results, what: &str) -> Judged {
    let judged = judge(suite, results).into_iter().find(|goal| goal.what.contains(what));
    judged.unwrap_or_else(|| panic!("no goal `{what}`"))
}

fn verdicts(suite: &str, results: &Results) -> Vec<&'static str> {
    judge(suite, results).iter().map(|goal| goal.verdict.word()).collect()
}

fn fail(results: &mut Results, row: usize, peer: usize) {
    results.measured[row].cells[peer] = Cell::Failed("wrong data".into());
}

fn put(ctas: u64) -> Row {
    Row::of("shmem_put_bw").by("block", ctas, 1024).bytes(MIB)
}

/// One way, 1 MiB and up: a goal with both ratios.
const ONE_WAY: &str = "put block, 1 MiB and up, one way";

#[test]
fn every_goal_has_rows_in_the_default_profile_of_its_devices() {
    for on in [On::Gpus, On::Host] {
        let suites = [
            ("perf", plan::rows(Profile::Default, on)),
            ("nic", nic::rows::rows(Profile::Default, on)),
            ("proxy", proxy::rows::rows(Profile::Default, on)),
            ("proxy", proxy::rows::rows(Profile::Quick, on)),
            ("collectives", collectives::rows::rows(Profile::Default, on)),
        ];
        for (suite, rows) in suites {
            let timed: Vec<(Row, &[f64])> = rows.into_iter().map(|row| (row, &[1000.0, 900.0, 2000.0][..])).collect();
            let results = Results { on, ..results(&MAIN, &timed) };
            for goal in judge(suite, &results) {
                assert!(goal.verdict != Verdict::Unknown && !goal.row.is_empty(), "{suite}: {goal:?}");
            }
            let number = [("perf", 22, 0), ("nic", 5, 0), ("proxy", 7, 5), ("collectives", 10, 0)];
            let (_, gpus, host) = number.into_iter().find(|(name, ..)| *name == suite).unwrap();
            assert_eq!(judge(suite, &results).len(), if on == On::Gpus { gpus } else { host }, "{suite}");
        }
    }
}

#[test]
fn the_worst_row_is_shown_with_how_many_reach_the_goal() {
    let rows: [(Row, &[f64]); 3] =
        [(put(1), &[100.0, 99.0, 110.0]), (put(2), &[100.0, 90.0, 130.0]), (put(4), &[100.0, 0.0, 0.0])];
    let results = results(&MAIN, &rows);
    let all = find("perf", &results, ONE_WAY);
    assert_eq!((all.target.as_str(), all.verdict), (">= 0.97 to the limit; >= 1 to NVSHMEM", Verdict::Miss));
    assert_eq!(all.reached, "0.900 (1 of 2 rows); 1.100 (2 of 2 rows)");
    assert!(all.row.contains("ctas=2") && !all.row.contains("ctas=1 "), "{}", all.row);
    let one = find("perf", &results, "put block, 1 CTA, 1 MiB and up");
    assert_eq!((one.target.as_str(), one.reached.as_str()), (">= 1.15 to NVSHMEM", "1.100 (0 of 1 rows)"));
}

#[test]
fn a_goal_without_figures_is_neither_passed_nor_missed() {
    let rows: [(Row, &[f64]); 1] = [(Row::of("barrier_on_stream"), &[100.0])];
    assert!(verdicts("perf", &results(&["oxshmem"], &rows)).iter().all(|verdict| *verdict == "-"));
}

#[test]
fn host_pes_are_not_judged() {
    let rows: [(Row, &[f64]); 1] = [(Row::of("barrier_on_stream"), &[100.0, 90.0])];
    let mut results = results(&["oxshmem", "nvshmem"], &rows);
    assert!(verdicts("perf", &results).contains(&"miss"));
    results.on = On::Host;
    assert!(judge("perf", &results).is_empty() && judge("collectives", &results).is_empty());
    assert_eq!(of("nic").of_row(&results, &results.measured[0]), Verdict::Unknown);
}

#[test]
fn where_a_warp_or_a_thread_puts_the_better_mode_of_each_is_judged() {
    let put = Row::of("shmem_put_latency").by("thread", 1, 1).bytes(64 * KIB);
    let rows: [(Row, &[f64]); 1] = [(put, &[90.0, 3.0, 300.0, 6.0])];
    let mut results = results(&["oxshmem", "oxshmem-lend", "nvshmem", "nvshmem-tma"], &rows);
    assert_eq!(find("perf", &results, "put thread, 64 KiB").reached, "2.000 (1 of 1 rows)");
    fail(&mut results, 0, 1);
    assert_eq!(find("perf", &results, "put thread, 64 KiB").verdict, Verdict::Miss, "a failed mode is not hidden");
}

#[test]
fn the_solver_is_judged_by_the_best_variant_of_each_and_one_that_failed_is_not_hidden() {
    let solver = |variant| Row { solver: Some((64, 64, variant)), ..Row::of("jacobi") };
    let rows: [(Row, &[f64]); 2] = [(solver("p"), &[100.0, 90.0]), (solver("persistent"), &[80.0, 0.0])];
    let mut results = results(&["oxshmem", "nvshmem"], &rows);
    let jacobi = find("perf", &results, "Jacobi");
    assert_eq!((jacobi.reached.as_str(), jacobi.verdict), ("1.125 (1 of 1 rows)", Verdict::Pass));
    assert!(jacobi.row.contains("ours jacobi nx=64 ny=64 variant=persistent"), "{}", jacobi.row);
    fail(&mut results, 0, 0);
    let jacobi = find("perf", &results, "Jacobi");
    assert_eq!((jacobi.reached.as_str(), jacobi.verdict), ("0.000 (1 of 2 rows)", Verdict::Miss));
}

#[test]
fn a_row_that_ours_failed_is_a_miss_with_ratio_zero() {
    let rows: [(Row, &[f64]); 2] = [(put(1), &[100.0, 100.0, 200.0]), (put(2), &[100.0, 100.0, 200.0])];
    let mut results = results(&MAIN, &rows);
    assert_eq!(find("perf", &results, ONE_WAY).verdict, Verdict::Pass);
    fail(&mut results, 1, 0);
    let one = find("perf", &results, ONE_WAY);
    assert_eq!((one.reached.as_str(), one.verdict), ("0.000 (1 of 2 rows); 0.000 (1 of 2 rows)", Verdict::Miss));
    assert!(one.row.contains("ctas=2"), "{}", one.row);
}

#[test]
fn a_goal_that_lacks_one_of_its_figures_is_not_passed_but_may_be_missed() {
    let verdict =
        |peers: &[&str], times: &[f64]| find("perf", &results(peers, &[(put(2), times)]), ONE_WAY).verdict.word();
    assert_eq!(verdict(&["oxshmem", "nvshmem"], &[100.0, 200.0]), "-");
    assert_eq!(verdict(&["oxshmem", "limit"], &[100.0, 100.0]), "-");
    assert_eq!(verdict(&MAIN, &[100.0, 0.0, 200.0]), "-");
    assert_eq!(verdict(&["oxshmem", "nvshmem"], &[100.0, 90.0]), "miss");
    assert_eq!(verdict(&MAIN, &[100.0, 100.0, 200.0]), "pass");
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
    let judged = |rows: &[(Row, &[f64])]| find("perf", &results(&MAIN, rows), "misaligned");
    assert_eq!((judged(&rows).reached.as_str(), judged(&rows).verdict.word()), ("-; 4.000 (1 of 1 rows)", "-"));
    rows.push((get(1, MIB), &[80.0, 70.0, 400.0]));
    assert_eq!(judged(&rows).reached, "0.700 (0 of 1 rows); 4.000 (1 of 1 rows)");
    assert!(judged(&rows).row.contains("skew=4"), "{}", judged(&rows).row);
}

#[test]
fn every_misaligned_row_of_a_plan_has_its_aligned_one() {
    for profile in [Profile::Quick, Profile::Default, Profile::Full] {
        let rows: Vec<(Row, &[f64])> = plan::rows(profile, On::Gpus).into_iter().map(|row| (row, &[1.0][..])).collect();
        let (results, goals) = (results(&["oxshmem"], &rows), of("perf"));
        let misaligned = goals.goal.iter().find(|goal| goal.what.contains("misaligned")).unwrap();
        let mut skewed = results.measured.iter().filter(|one| misaligned.rows.fits(&one.row)).peekable();
        assert!(skewed.peek().is_some());
        assert!(skewed.all(|one| results.without(&one.row, Key::Skew).is_some()), "{profile:?}");
    }
}

fn reduce(bytes: u64) -> Row {
    Row::of("coll_in_graph").op("reduce").bytes(bytes).iters(200)
}

#[test]
fn an_all_reduce_is_judged_at_its_edge_by_the_row_without_a_grid() {
    let by_16 = Row { grid: Some((16, 512)), ..reduce(4 * MIB) };
    let rows: [(Row, &[f64]); 4] =
        [(reduce(8), &[2300.0]), (reduce(8 * KIB), &[2601.0]), (by_16, &[1.0]), (reduce(4 * MIB), &[17_000.0])];
    let mut results = results(&MAIN[..1], &rows);
    let all = verdicts("collectives", &results);
    assert_eq!((all[0], all[1], all[2], all[5]), ("pass", "miss", "-", "pass"));
    assert_eq!(judge("collectives", &results)[1].reached, "2.60 us");
    fail(&mut results, 0, 0);
    let first = judge("collectives", &results).remove(0);
    assert_eq!((first.verdict, first.reached.as_str()), (Verdict::Miss, "FAILED"));
    results.n = 4;
    assert_eq!(judge("collectives", &results).len(), 3, "the times are those of two PEs");
}

#[test]
fn the_worst_collective_in_a_kernel_is_judged_and_one_that_ours_failed_is_a_miss() {
    let kernel = |bytes| Row::of("coll_latency").op("reduce").bytes(bytes).by("block", 1, 256);
    let rows: [(Row, &[f64]); 3] = [
        (kernel(8), &[100.0, 0.0, 200.0]),
        (kernel(64 * KIB), &[100.0, 0.0, 199.0]),
        (kernel(MIB), &[100.0, 0.0, 1.0]),
    ];
    let mut results = results(&MAIN, &rows);
    let goal = judge("collectives", &results).remove(7);
    assert_eq!((goal.verdict, goal.reached.as_str()), (Verdict::Miss, "1.990 (1 of 2 rows)"));
    assert!(goal.row.contains("64KiB"), "{}", goal.row);
    results.measured.remove(1);
    assert_eq!(verdicts("collectives", &results)[7], "pass");
    fail(&mut results, 0, 0);
    assert_eq!(verdicts("collectives", &results)[7], "miss");
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
    let goal = |rows: &[(Row, &[f64])]| judge("collectives", &results(&MAIN[..1], rows)).remove(8);
    assert_eq!((goal(&rows).verdict, goal(&rows[..2]).verdict), (Verdict::Miss, Verdict::Pass));
    assert_eq!(goal(&rows).reached, "0.800 (1 of 2 rows)");
    assert_eq!(goal(&rows[..1]).verdict, Verdict::Unknown);
}

#[test]
fn other_collectives_than_the_reduction_are_held_against_the_limit() {
    let gather = Row { op: Some("fcollect"), ..reduce(8) };
    let rows: [(Row, &[f64]); 2] = [(reduce(8), &[100.0, 1.0, 0.0]), (gather, &[100.0, 90.0, 0.0])];
    assert_eq!(verdicts("collectives", &results(&MAIN, &rows))[9], "pass");
    assert_eq!(verdicts("collectives", &results(&MAIN, &rows[..1]))[9], "-");
}

const DEPTH: u64 = 1024;

fn rate(ctas: u64, qps: u64, line: bool) -> Row {
    Row { line, grid: Some((ctas, 256)), ..Row::of("nic_p_rate") }.queues(qps, DEPTH)
}

fn engine(qps: u64) -> Row {
    Row::of("nic_engine").queues(qps, DEPTH)
}

/// Takes our figure and NVSHMEM's in M/s or, of a latency, in ns; 0 is a row that was skipped.
fn of_nic(rows: &[(Row, [f64; 2])]) -> Results {
    let ns = |row: &Row, value: f64| match row.queues {
        Some(_) if value > 0.0 => row.figure(1.0) / value,
        _ => value,
    };
    let times: Vec<(Row, [f64; 2])> =
        rows.iter().map(|(row, both)| (row.clone(), both.map(|value| ns(row, value)))).collect();
    let times: Vec<(Row, &[f64])> = times.iter().map(|(row, both)| (row.clone(), &both[..])).collect();
    results(&["oxshmem", "nvshmem"], &times)
}

#[test]
fn eight_blocks_are_judged_by_the_best_number_of_queues() {
    let verdict = |rates: [f64; 2]| {
        let goal = judge("nic", &of_nic(&[(rate(8, 8, true), [rates[0], 1.0]), (rate(8, 64, true), [rates[1], 1.0])]));
        (goal[0].verdict, goal[0].row.clone())
    };
    let (reached, row) = verdict([100.0, 215.1]);
    assert_eq!(reached, Verdict::Pass);
    assert!(row.contains("qps=64"), "{row}");
    assert_eq!(verdict([214.0, 100.0]).0, Verdict::Miss);
    let other = judge("nic", &of_nic(&[(rate(32, 8, true), [300.0, 1.0]), (rate(8, 8, false), [300.0, 1.0])]));
    assert_eq!((other[0].verdict, other[1].verdict), (Verdict::Unknown, Verdict::Pass));
}

#[test]
fn a_lone_put_has_a_thousand_ns_until_its_doorbell() {
    let doorbell = || Row::of("nic_p_doorbell_latency");
    let verdict = |ns| judge("nic", &of_nic(&[(doorbell(), [ns, 0.0])]))[2].verdict;
    assert_eq!((verdict(1000.0), verdict(1001.0)), (Verdict::Pass, Verdict::Miss));
    let rows = [
        (Row::of("nic_doorbell_seen_latency"), [200.0, 0.0]),
        (Row::of("nic_doorbell_by_hand_latency"), [640.0, 0.0]),
        (doorbell(), [1201.0, 0.0]),
        (Row::of("nic_p_own_doorbell_latency"), [1200.0, 0.0]),
    ];
    let goals = judge("nic", &of_nic(&rows));
    assert_eq!(goals[2].reached, "1001 ns (1201 ns until seen; 440 ns by hand)");
    assert_eq!((goals[2].verdict, goals[3].verdict), (Verdict::Miss, Verdict::Pass));
}

#[test]
fn a_row_within_a_tenth_of_the_engine_with_as_many_queues_is_bound_by_it() {
    let results = of_nic(&[
        (engine(8), [150.0, 0.0]),
        (engine(64), [600.0, 0.0]),
        (rate(8, 8, true), [136.0, 130.0]),
        (rate(8, 64, true), [136.0, 130.0]),
        (rate(32, 8, true), [134.0, 130.0]),
        (rate(8, 8, false), [900.0, 890.0]),
    ]);
    let goals = of("nic");
    let verdicts: Vec<&str> = results.measured.iter().map(|one| goals.of_row(&results, one).word()).collect();
    assert_eq!(verdicts, ["-", "-", "engine", "miss", "miss", "miss"]);
    let goal = judge("nic", &results).remove(4);
    assert_eq!((goal.verdict, goal.reached.as_str()), (Verdict::Miss, "1.011 (0 of 4 rows, the engine bounds 1)"));
}

#[test]
fn a_row_that_is_a_fifth_faster_passes_whatever_the_engine_can() {
    let rows = [(engine(8), [150.0, 0.0]), (rate(8, 8, true), [150.0, 125.0])];
    let goal = judge("nic", &of_nic(&rows)).remove(4);
    assert_eq!((goal.verdict, goal.reached.as_str()), (Verdict::Pass, "1.200 (1 of 1 rows)"));
    let goals = judge("nic", &of_nic(&[rows[0].clone(), (rate(8, 8, true), [150.0, 149.0])]));
    assert_eq!((goals[0].verdict, goals[4].verdict), (Verdict::Engine, Verdict::Engine));
}

#[test]
fn a_latency_is_faster_if_it_is_less() {
    let goal = judge("nic", &of_nic(&[(Row::of("nic_p_call_latency"), [500.0, 1000.0])])).remove(4);
    assert_eq!((goal.verdict, goal.reached.as_str()), (Verdict::Pass, "2.000 (1 of 1 rows)"));
}

#[test]
fn a_rate_and_a_doorbell_that_ours_failed_are_misses() {
    let mut results = of_nic(&[(rate(8, 8, true), [300.0, 100.0]), (Row::of("nic_p_doorbell_latency"), [500.0, 0.0])]);
    fail(&mut results, 0, 0);
    fail(&mut results, 1, 0);
    assert_eq!(verdicts("nic", &results), ["miss", "-", "miss", "-", "miss"]);
}

#[test]
fn without_nvshmem_nothing_is_said_about_it() {
    let row = rate(8, 8, true);
    let results = results(&["oxshmem"], &[(row.clone(), &[row.figure(1.0) / 300.0])]);
    assert_eq!((verdicts("nic", &results)[0], verdicts("nic", &results)[4]), ("pass", "-"));
}

#[test]
fn proxies_are_judged_at_their_edges_and_a_row_that_failed_is_a_miss() {
    let row = |proxies| Row { line: true, grid: Some((8, 256)), proxies: Some(proxies), ..Row::of("proxy_p_rate") };
    let ns = |row: &Row, rate: f64| row.figure(1.0) / rate;
    let times = [
        (row(1), vec![ns(&row(1), 10.1)]),
        (row(4), vec![ns(&row(4), 24.9)]),
        (Row::of("proxy_post_latency"), vec![2500.0]),
        (Row::of("proxy_idle"), vec![1.1e7]),
        (Row::of("proxy_wake_latency"), vec![20_000.0]),
        (Row::of("proxy_put_rate"), vec![1000.0]),
        (Row::of("proxy_put_copies").bytes(MIB), vec![8.9e8]),
        (Row::of("proxy_put_bw").bytes(MIB), vec![120_000.0]),
    ];
    let times: Vec<(Row, &[f64])> = times.iter().map(|(row, times)| (row.clone(), &times[..])).collect();
    let mut results = results(&["oxshmem"], &times);
    assert_eq!(verdicts("proxy", &results), ["pass", "miss", "pass", "miss", "pass", "pass", "miss"]);
    assert_eq!(judge("proxy", &results)[6].reached, "89.00 % (8.7 GB/s)");
    fail(&mut results, 5, 0);
    assert_eq!(verdicts("proxy", &results)[5], "miss");
    assert_eq!(verdicts("proxy", &Results { measured: Vec::new(), ..results })[0], "-");
}

#[test]
fn a_misspelt_key_is_an_error() {
    assert!(Goals::read("[[goal]]\nwhat = \"w\"\nrows = \"\"\nlimits = 1.0\n").is_err());
}
