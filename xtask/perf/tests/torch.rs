//! torch's comparator as the task starts it, with a torch that has one PE of two and reduces lists.

use std::io::Write;
use std::process::{Command, Stdio};

/// Returns the comparator's lines after the first, `None` without an interpreter. `fake` is a defect of its torch.
fn answers(algorithm: &str, fake: &str, rows: &[&str]) -> Option<Vec<String>> {
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    let mut command = Command::new("python3");
    command.arg("-B").arg(format!("{tests}/../../../tests/peers/torch/collectives.py")).arg(algorithm);
    command.env("PYTHONPATH", format!("{tests}/fake-torch")).env("FAKE", fake);
    command.env("PERF_PE", "0").env("PERF_N_PES", "2").env("PERF_MEET", env!("CARGO_TARGET_TMPDIR"));
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = started else {
        println!("skipped: there is no python3");
        return None;
    };
    let requests: String = rows.iter().map(|row| format!("run {row}\n")).collect();
    writeln!(child.stdin.take().unwrap(), "{requests}quit").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let mut lines = said.lines().map(str::to_string);
    let first = lines.next().unwrap();
    assert!(first.starts_with("ready {") && first.contains(&format!("torch-{algorithm}")), "{first}");
    Some(lines.collect())
}

const ALGORITHMS: [&str; 2] = ["one-shot", "two-shot"];

#[test]
fn all_reduces_are_timed_in_a_graph_and_on_a_stream_and_their_data_is_compared() {
    let rows = [
        "test=coll_in_graph op=reduce bytes=256 iters=20 repeat=2",
        "test=coll_on_stream op=reduce bytes=65536 iters=3 repeat=3",
        "test=coll_in_graph op=reduce bytes=8 iters=200 repeat=1",
        "test=coll_in_graph op=reduce bytes=256 iters=20 repeat=2 corrupt=1",
    ];
    for algorithm in ALGORITHMS {
        let Some(answers) = answers(algorithm, "", &rows) else { return };
        // A call of the fake takes a microsecond.
        let times = ["times 1000.000 1000.000", "times 1000.000 1000.000 1000.000", "times 1000.000"];
        assert_eq!(answers[..3], times, "{algorithm}");
        assert!(answers[3].starts_with("wrong 64 of 64 elements, first 0: "), "{algorithm}: {}", answers[3]);
    }
}

#[test]
fn an_element_that_is_not_reduced_and_one_after_the_end_that_is_written_are_found() {
    for algorithm in ALGORITHMS {
        for test in ["coll_in_graph", "coll_on_stream"] {
            let row = format!("test={test} op=reduce bytes=4096 iters=200 repeat=2");
            for (fake, what) in
                [("short", "wrong 1 of 1024 elements, first 1023"), ("long", "wrong bytes before or after")]
            {
                let Some(answers) = answers(algorithm, fake, &[&row]) else { return };
                assert!(answers[0].starts_with(what), "{algorithm} {fake}: {}", answers[0]);
            }
        }
    }
}

#[test]
fn rows_that_torch_lacks_are_skipped() {
    let rows = [
        "test=coll_latency op=reduce",
        "test=coll_in_graph op=alltoall",
        "test=coll_in_graph op=reduce ctas=16 threads=512",
        "test=coll_in_graph op=reduce bytes=8",
    ];
    for algorithm in ALGORITHMS {
        let Some(answers) = answers(algorithm, "old", &rows) else { return };
        assert!(answers.len() == rows.len() && answers.iter().all(|line| line.starts_with("skip ")), "{answers:?}");
        assert!(answers[3].contains("torch 2.11.0+fake has no symm_mem."), "{}", answers[3]);
    }
}
