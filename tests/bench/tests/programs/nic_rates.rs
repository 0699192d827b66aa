//! `oxshmem-nic-rates` on host threads: the engine's completions and findings, and the threads' posts.

use std::io::Write;
use std::process::{Command, Stdio};

/// Returns the program's answers to these requests.
fn ask(requests: &[String]) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_oxshmem-nic-rates"))
        .args(["--device", "host"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    for request in requests {
        writeln!(input, "run {request}").unwrap();
    }
    writeln!(input, "quit").unwrap();
    let output = program.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(str::to_string);
    let ready = lines.next().unwrap_or_default();
    assert!(ready.starts_with("ready {\"peer\":\"oxshmem\""), "{ready}");
    let answers: Vec<String> = lines.collect();
    assert_eq!(answers.len(), requests.len(), "{answers:?}");
    answers
}

#[test]
fn the_engine_completes_what_is_posted_across_the_wraps_of_the_wires_counter() {
    let starts = [0, 65_530, (1 << 32) - 16, (1u64 << 40) + 3];
    let requests: Vec<String> = starts
        .iter()
        .flat_map(|start| {
            ["qps=1 depth=64 batch=1", "qps=3 depth=128 batch=7", "qps=40 depth=64"]
                .map(|shape| format!("test=nic_engine {shape} start={start} iters=200 repeat=2"))
        })
        .collect();
    for (request, answer) in requests.iter().zip(ask(&requests)) {
        assert!(answer.starts_with("times "), "{request}: {answer}");
    }
}

#[test]
fn each_rule_that_an_entry_or_its_doorbell_breaks_is_named_with_its_place() {
    let rules = [
        (2, "a doorbell names its own queue pair"),
        (3, "the doorbell record is stored before the doorbell"),
        (4, "an entry carries its index"),
        (5, "an entry names its own queue pair"),
        (6, "an entry is an RDMA write, or nothing"),
        (7, "an entry is as long as its data needs"),
        (8, "the data is inline, in elements of 8 bytes"),
        (9, "the last entry before the doorbell's index asks for a completion"),
    ];
    // A batch of more than half of the queue: the next doorbell waits until the first was seen.
    let ask_for = |rule| format!("test=nic_engine depth=64 batch=33 start=77 iters=10 repeat=1 corrupt={rule}");
    let requests: Vec<String> = rules.iter().map(|(rule, _)| ask_for(rule)).collect();
    for ((rule, text), answer) in rules.iter().zip(ask(&requests)) {
        let index = if *rule == 9 { 77 + 32 } else { 77 };
        let due = format!("wrong 1 rules broken, first on queue 0 at index {index}: {text}; found ");
        assert!(answer.starts_with(&due), "{rule}: {answer}");
    }
}

#[test]
fn what_many_threads_post_is_what_the_engine_sees_and_every_counter_agrees() {
    let mut requests: Vec<String> = Vec::new();
    for start in [0, 65_530, (1u64 << 32) - 16] {
        for shape in ["qps=1 depth=64", "qps=3 depth=128 map=warp line=1", "qps=2 depth=128 map=sm"] {
            requests.push(format!("test=nic_p_rate ctas=3 threads=64 {shape} start={start} iters=20 repeat=2"));
        }
    }
    for (start, shape) in
        [(0u64, "qps=1 depth=64"), (65_530, "qps=3 depth=128 line=1"), ((1 << 32) - 16, "qps=2 depth=64")]
    {
        let ctas = &shape[4..5];
        requests.push(format!("test=nic_p_own_rate ctas={ctas} threads=64 {shape} start={start} iters=20 repeat=2"));
    }
    requests.push("test=nic_p_own_call_latency iters=50 repeat=2".into());
    requests.push("test=nic_p_own_quiet_latency iters=50 repeat=2 start=65530".into());
    requests.push("test=nic_p_call_latency iters=50 repeat=2".into());
    requests.push("test=nic_p_quiet_latency iters=50 repeat=2 start=65530".into());
    for (request, answer) in requests.iter().zip(ask(&requests)) {
        assert!(answer.starts_with("times "), "{request}: {answer}");
    }
}

#[test]
fn an_element_that_is_missing_is_found() {
    let answers = ask(&["test=nic_p_rate ctas=2 threads=32 iters=5 repeat=1 corrupt=1".into()]);
    assert!(answers[0].starts_with("wrong elements: "), "{answers:?}");
}

#[test]
fn a_request_that_makes_no_sense_is_an_error_that_says_what_may_be_asked() {
    let answers = ask(&[
        "test=nic_p_rate depth=100".into(),
        "test=nic_p_rate qps=1000".into(),
        "test=nic_p_rate map=gpu".into(),
        "test=nic_q".into(),
    ]);
    let texts = [
        "error depth=100: it is a power of two",
        "error qps=1000: it is a number from 1 to 256",
        "error map=gpu: it is one of cta, sm, warp",
        "skip no test nic_q",
    ];
    assert_eq!(answers, texts);
}
