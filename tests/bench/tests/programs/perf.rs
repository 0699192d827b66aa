//! `oxshmem-perf` as the processes of a world, with requests and answers as `tests/peers/PROTOCOL.md` defines.

use std::io::Write;
use std::process::{Command, Stdio};

use oxshmem_core::Pe;
use oxshmem_hal::launcher::Launcher;

const PERF: &str = env!("CARGO_BIN_EXE_oxshmem-perf");
const PROTOCOL: &str = include_str!("../../../peers/PROTOCOL.md");

/// A request for each test of the protocol's table, in each of its forms.
const ROWS: &[&str] = &[
    "test=shmem_put_bw scope=block ctas=2 threads=64 bytes=8192 skew=1",
    "test=shmem_put_bw scope=warp ctas=2 threads=64 bytes=8192 both=1",
    "test=shmem_put_bw scope=thread ctas=2 threads=64 bytes=8192 skew=8",
    "test=shmem_get_bw scope=block ctas=2 threads=64 bytes=8192 both=1",
    "test=shmem_get_bw scope=warp ctas=2 threads=64 bytes=8192 skew=4",
    "test=shmem_get_bw scope=thread ctas=2 threads=64 bytes=8192",
    "test=shmem_p_bw ctas=2 threads=64 bytes=2048",
    "test=shmem_p_bw ctas=2 threads=64 bytes=2048 line=1 both=1",
    "test=shmem_g_bw ctas=2 threads=64 bytes=2048",
    "test=shmem_g_bw ctas=2 threads=64 bytes=2048 line=1 both=1",
    "test=shmem_st_bw ctas=2 threads=64 bytes=2048 line=1",
    "test=shmem_atomic_bw op=add ctas=2 threads=64 bytes=2048",
    "test=shmem_atomic_bw op=inc ctas=2 threads=64 bytes=2048 line=1",
    "test=shmem_atomic_bw op=fetch_add ctas=2 threads=64 bytes=2048 both=1",
    "test=shmem_atomic_bw op=compare_swap ctas=2 threads=64 bytes=2048",
    "test=shmem_atomic_bw op=swap ctas=2 threads=64 bytes=2048",
    "test=shmem_atomic_bw op=set ctas=2 threads=64 bytes=2048",
    "test=shmem_atomic_bw op=fetch ctas=2 threads=64 bytes=2048",
    "test=shmem_put_latency scope=block threads=64 bytes=1000",
    "test=shmem_get_latency scope=warp bytes=1000",
    "test=shmem_p_latency",
    "test=shmem_g_latency",
    "test=shmem_atomic_latency op=add",
    "test=shmem_atomic_latency op=inc",
    "test=shmem_atomic_latency op=fetch_add",
    "test=shmem_atomic_latency op=compare_swap",
    "test=shmem_atomic_latency op=swap",
    "test=shmem_atomic_latency op=fetch",
    "test=shmem_p_ping_pong_latency",
    "test=shmem_put_ping_pong_latency scope=block threads=64 bytes=1000",
    "test=shmem_put_signal_ping_pong_latency scope=warp bytes=1000",
    "test=shmem_signal_ping_pong_latency",
    "test=shmem_atomic_ping_pong_latency",
    "test=shmem_put_atomic_ping_pong_latency scope=thread bytes=1000",
    "test=shmem_put_nbi_rate scope=warp ctas=2 threads=64 bytes=64",
    "test=barrier_latency scope=thread",
    "test=barrier_latency scope=block threads=64",
    "test=sync_latency scope=warp",
    "test=barrier_on_stream",
    "test=sync_on_stream",
    "test=coll_in_graph op=reduce bytes=4096",
    "test=coll_in_graph op=alltoall bytes=4096 variant=direct",
    "test=coll_on_stream op=reducescatter bytes=4096 variant=packets",
    "test=coll_on_stream op=broadcast bytes=8",
    "test=coll_latency op=fcollect scope=block threads=64 bytes=1000",
    "test=coll_latency op=reduce scope=warp bytes=1000",
    "test=bw op=put bytes=4096",
    "test=bw op=get bytes=4096",
    "test=latency op=put bytes=4096",
    "test=latency op=get bytes=4096",
    "test=stream_latency op=put bytes=4096",
    "test=stream_latency op=get bytes=4096",
    "test=malloc bytes=4096",
    "test=host_barrier stat=p50",
    "test=host_malloc_free bytes=4096 stat=p90",
    "test=host_p bytes=8 stat=p99",
    "test=host_meet bound=1 stat=max",
    "test=wire_bw op=write scope=warp ctas=2 bytes=4096",
    "test=wire_bw op=read scope=block ctas=2 threads=64 bytes=4096",
    "test=wire_bw op=send scope=block threads=64 bytes=8",
    "test=wire_bw op=fetch_add scope=thread ctas=2 threads=32",
    "test=wire_bw op=compare_swap scope=thread threads=32",
    "test=wire_lat op=write scope=warp bytes=8",
    "test=wire_lat op=write scope=block threads=64 bytes=4096",
    "test=wire_lat op=read scope=warp bytes=4096",
    "test=wire_lat op=send scope=block threads=64 bytes=4096",
    "test=wire_lat op=fetch_add scope=thread",
    "test=wire_lat op=compare_swap scope=thread",
    "test=wire_host_bw op=write bytes=4096",
    "test=wire_host_bw op=read bytes=4096",
    "test=wire_host_bw op=send bytes=4096",
    "test=wire_host_bw op=fetch_add",
    "test=wire_host_lat op=write bytes=4096",
    "test=wire_host_lat op=read bytes=4096",
    "test=wire_host_lat op=send bytes=4096",
    "test=wire_host_lat op=compare_swap",
    "test=jacobi nx=64 ny=64 variant=p",
    "test=jacobi nx=64 ny=64 variant=put_nbi",
    "test=jacobi nx=64 ny=64 variant=persistent",
    "test=jacobi nx=64 ny=64 variant=p-graph",
    "test=jacobi nx=64 ny=64 variant=put_nbi-graph",
];

/// Returns each PE's answers to the requests, by PE, and checks that it exits with success.
fn ask(n_pes: u32, args: &[&str], requests: &[String]) -> Vec<Vec<String>> {
    let launcher = Launcher::new(n_pes).unwrap();
    let mut running: Vec<_> = (0..n_pes)
        .map(|pe| {
            let mut command = Command::new(PERF);
            command.args(args).env("OXSHMEM_DEVICE", "host").env("OXSHMEM_WAIT_LIMIT", "30s");
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            launcher.prepare(Pe::new(pe), &mut command);
            command.spawn().unwrap()
        })
        .collect();
    drop(launcher);
    for process in &mut running {
        let mut input = process.stdin.take().unwrap();
        // A process that has ended reads nothing; its answers and its status say why.
        let _ = requests.iter().try_for_each(|request| writeln!(input, "{request}"));
        let _ = writeln!(input, "quit");
    }
    let outputs: Vec<_> = running.into_iter().map(|process| process.wait_with_output().unwrap()).collect();
    let said = outputs.iter().map(|output| {
        let said: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}\n{}", said.join("\n"));
        assert!(said[0].starts_with("ready {\"peer\":"), "{}", said[0]);
        assert_eq!(said.len(), 1 + requests.len(), "a line for each request: {said:#?}\n{stderr}");
        said[1..].to_vec()
    });
    said.collect()
}

fn run(row: &str, more: &str) -> String {
    format!("run {row} iters=4 repeat=3 {more}")
}

/// Returns the numbers of `times`, without notes; none if the PE only serves.
fn times(answer: &str) -> Option<Vec<f64>> {
    let numbers = answer.strip_prefix("times ")?;
    let numbers = numbers.split(' ').filter(|word| !word.contains('=') && *word != "-");
    numbers.map(|number| number.parse().ok()).collect()
}

#[test]
fn the_requests_here_ask_for_every_test_of_the_protocols_table() {
    let table = PROTOCOL.split("| test | one iteration |").nth(1).unwrap();
    let cells =
        table.lines().skip(2).take_while(|line| line.starts_with('|')).map(|line| line.split('|').nth(1).unwrap());
    let tests: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(tests.len() > 20, "{tests:?}");
    for test in tests {
        let asked = ROWS.iter().any(|row| row.split(' ').next() == Some(&format!("test={test}")));
        assert!(asked, "nobody asks for {test}");
    }
}

#[test]
fn every_test_gives_a_time_for_each_repetition_and_what_arrives_is_what_was_sent() {
    let requests: Vec<String> = ROWS.iter().map(|row| run(row, "")).collect();
    let said = ask(2, &[], &requests);
    for (row, answers) in ROWS.iter().zip(said[0].iter().zip(&said[1])) {
        let (first, second) = (times(answers.0), times(answers.1));
        let (Some(first), Some(second)) = (first, second) else { panic!("{row}: {answers:?}") };
        assert!(first.len() == 3 && first.iter().all(|&ns| ns > 0.0), "{row}: {answers:?}");
        let both = row.contains("both=1")
            || ["barrier", "sync", "coll_", "malloc", "meet", "jacobi"].iter().any(|all| row.contains(all));
        assert_eq!(second.len(), if both { 3 } else { 0 }, "{row}: {answers:?}");
    }
}

#[test]
fn what_is_spoilt_on_its_way_is_reported_with_how_much_and_where() {
    let spoilt: Vec<&&str> = ROWS
        .iter()
        .filter(|row| !["barrier", "sync", "malloc", "meet"].iter().any(|nothing| row.contains(nothing)))
        .collect();
    let requests: Vec<String> = spoilt.iter().map(|row| run(row, "corrupt=1")).collect();
    let said = ask(2, &[], &requests);
    for (row, answers) in spoilt.iter().zip(said[0].iter().zip(&said[1])) {
        let wrong = [answers.0, answers.1].into_iter().find(|answer| answer.starts_with("wrong "));
        let wrong = wrong.unwrap_or_else(|| panic!("{row}: {answers:?}"));
        assert!(wrong.contains(" of "), "{row}: {wrong}");
    }
    assert_eq!(
        said[1][0],
        format!("wrong 1 of 8192 bytes, first number 4096: {}", said[1][0].rsplit(": ").next().unwrap())
    );
}

#[test]
fn a_collective_on_a_stream_says_how_many_blocks_it_had() {
    let rows = [
        "test=coll_on_stream op=reduce bytes=8",
        "test=coll_in_graph op=reduce bytes=65536 ctas=2 threads=512",
        "test=coll_latency op=reduce scope=warp bytes=8",
    ];
    let said = ask(2, &[], &rows.map(|row| run(row, "")));
    let notes: Vec<Option<&str>> =
        said[1].iter().map(|answer| answer.split(' ').find(|word| word.contains('='))).collect();
    assert_eq!(notes, [Some("ctas=1"), Some("ctas=2"), None], "{said:#?}");
}

#[test]
fn groups_that_lend_shared_memory_copy_the_same_and_others_are_skipped() {
    let rows = [
        "test=shmem_put_bw scope=block ctas=2 threads=64 bytes=524288",
        "test=shmem_get_bw scope=warp ctas=2 threads=64 bytes=524288 both=1",
        "test=shmem_put_latency scope=thread bytes=65536",
        "test=shmem_get_latency scope=block threads=64 bytes=131072 skew=16",
        "test=shmem_put_signal_ping_pong_latency scope=warp bytes=65536",
        "test=shmem_p_bw ctas=2 threads=64 bytes=2048",
        "test=malloc",
    ];
    let said = ask(2, &["--lend", "40000"], &rows.map(|row| run(row, "")));
    let counts: Vec<_> = said[0].iter().map(|answer| times(answer).map(|times| times.len())).collect();
    assert_eq!(counts, [Some(3), Some(3), Some(3), Some(3), Some(3), None, None], "{said:#?}");
    assert!(said[1].iter().all(|answer| times(answer).is_some() || answer.starts_with("skip ")), "{said:#?}");
}

#[test]
fn of_four_pes_two_play_and_all_meet() {
    let rows = [
        "test=shmem_put_bw threads=64 bytes=4096 both=1",
        "test=shmem_p_ping_pong_latency",
        "test=barrier_latency scope=warp",
    ];
    let said = ask(4, &[], &rows.map(|row| run(row, "")));
    for (pe, answers) in said.iter().enumerate() {
        let counts: Vec<usize> = answers.iter().map(|answer| times(answer).unwrap().len()).collect();
        let expected = [if pe < 2 { 3 } else { 0 }, if pe == 0 { 3 } else { 0 }, 3];
        assert_eq!(counts, expected, "PE {pe}: {answers:?}");
    }
}

#[test]
fn what_there_is_not_is_skipped_and_nonsense_is_an_error_after_which_it_goes_on() {
    let requests = [
        "run test=no_such_test",
        "run test=shmem_atomic_latency op=set",
        "run test=shmem_put_bw ctas=2 bytes=1",
        "run test=jacobi variant=guess",
        "run test=jacobi variant=persistent-graph",
        "run test=shmem_put_bw ctas=many",
        "walk",
        "run",
        "run test=shmem_put_bw threads=64 bytes=64 iters=2 repeat=1 a_key_of_tomorrow=7",
    ];
    let said = ask(2, &[], &requests.map(str::to_owned));
    assert_eq!(
        said[0].iter().map(|a| a.split(' ').next().unwrap()).collect::<Vec<_>>(),
        ["skip", "skip", "skip", "skip", "skip", "error", "error", "error", "times"]
    );
    assert_eq!(said[0][5], "error ctas=many: it is a number from 1 to 65535");
}

#[test]
fn alone_a_pe_has_barriers_and_nobody_to_put_to() {
    let said = ask(1, &[], &["test=shmem_put_bw", "test=barrier_latency scope=thread"].map(|row| run(row, "")));
    assert!(said[0][0].starts_with("skip ") && said[0][1].starts_with("times "), "{said:?}");
}

#[test]
fn without_a_gpu_there_is_no_limit_to_measure() {
    let said = ask(2, &["--limit"], &["test=shmem_put_bw", "test=jacobi"].map(|row| run(row, "")));
    assert_eq!(said[0], ["skip no GPU", "skip no GPU"]);
}
