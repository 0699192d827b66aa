//! `xtask perf` as a user runs it, beside peers that measure nothing and misbehave on one row.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use oxshmem_raw::os::private::Scratch;
use serde_json::Value;

/// A folder of one test's own, with the fake peer under every name that the test needs.
struct Scene {
    folder: Scratch,
}

impl Scene {
    fn new(name: &str) -> Self {
        Self { folder: Scratch::new(&format!("perf-test-{name}")).unwrap() }
    }

    /// Returns the program that behaves as `mode` names.
    fn fake(&self, mode: &str) -> PathBuf {
        let link = self.folder.join(mode);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake-peer.sh");
        let _ = std::os::unix::fs::symlink(script, &link);
        link
    }

    /// Measures p and g latency and put bandwidth, with a good peer as ours and these beside it.
    fn perf(&self, peers: &[&str], more: &[&str]) -> Ran {
        let output = self.command(peers, more).output().unwrap();
        let json = std::fs::read_to_string(self.folder.join("out/perf.json")).unwrap_or_default();
        Ran { json: serde_json::from_str(&json).unwrap_or(Value::Null), output }
    }

    fn command(&self, peers: &[&str], more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask-perf"));
        command.args(["--quick", "--device", "host", "--turns", "2", "--repeat", "3"]);
        command.arg("--ours").arg(self.fake("good")).arg("--out").arg(self.folder.join("out"));
        for peer in peers {
            command.arg("--peer").arg(format!("{peer}={}", self.fake(peer).display()));
        }
        command.args(["--only", "p_latency", "--only", "shmem_g_latency"]);
        command.args(more);
        command
    }

    fn page(&self) -> String {
        std::fs::read_to_string(self.folder.join("out/perf.md")).unwrap()
    }
}

struct Ran {
    output: Output,
    json: Value,
}

impl Ran {
    fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn said(&self) -> String {
        format!("{}{}", String::from_utf8_lossy(&self.output.stdout), String::from_utf8_lossy(&self.output.stderr))
    }

    /// Returns a peer's result for the row of this test.
    fn cell(&self, test: &str, peer: &str) -> &Value {
        let rows = self.json["rows"].as_array().unwrap_or_else(|| panic!("no rows: {}", self.said()));
        let row = rows.iter().find(|row| row["test"] == test).unwrap_or_else(|| panic!("no {test}: {}", self.said()));
        &row["peers"][peer]
    }
}

/// Runs with a peer that misbehaves on one row: the run prints `what` and fails, and all other rows are measured.
fn a_row_fails_and_the_rest_goes_on(mode: &str, what: &str, more: &[&str]) {
    let scene = Scene::new(mode);
    let ran = scene.perf(&[mode, "slow"], more);
    assert_eq!(ran.code(), Some(1), "{}", ran.said());
    let failed = ran.cell("shmem_p_latency", mode)["failed"].as_str().unwrap_or_default();
    assert!(failed.contains(what), "`{what}` in `{failed}`: {}", ran.said());
    let line = format!("FAILED {mode}: shmem_p_latency");
    assert!(ran.said().contains(&line), "`{line}` in {}", ran.said());
    assert_eq!(ran.cell("shmem_p_latency", "oxshmem")["figure"], 1.5, "the others are measured on that row");
    assert_eq!(ran.cell("shmem_p_latency", "slow")["figure"], 3.0);
    assert_eq!(ran.cell("shmem_g_latency", mode)["figure"], 1.5, "the peer is measured on the next row");
    assert_eq!(ran.json["failures"].as_array().map(Vec::len), Some(1), "{}", ran.said());
    assert!(scene.page().contains(what), "the page names it");
}

/// Measures the wire with a fake peer as ours.
fn wire(mode: &str, more: &[&str]) -> (Option<i32>, String) {
    let scene = Scene::new(&format!("wire-{mode}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask-perf"));
    command.args(["--wire", "--quick", "--device", "host", "--ours"]).arg(scene.fake(mode)).args(more);
    let output = command.output().unwrap();
    (
        output.status.code(),
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
    )
}

#[test]
fn the_wire_is_printed_in_perftests_rows() {
    let (code, said) = wire("good", &[]);
    assert_eq!(code, Some(0), "{said}");
    for line in [
        "oxshmem 1.2, PE 0 to PE 1",
        "  device      : host PE: these times say nothing of a GPU or a NIC",
        "write bandwidth, by kernels",
        "4096         20           2604.17          2604.17             0.666667",
        "send latency, by the host",
        "8            20           1.50         1.50         1.50            1.50         0.00          1.50         1.50",
        "perftest's rows are not shown: the two PEs use no verbs device",
    ] {
        assert!(said.lines().any(|one| one == line), "{line} in {said}");
    }
    let is_row = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    assert_eq!(said.lines().filter(is_row).count(), 32, "{said}");
}

#[test]
fn a_wrong_byte_of_the_wire_fails_the_run_and_the_rest_goes_on() {
    let (code, said) = wire("misreading", &["--from", "gpu", "--sizes", "8"]);
    assert_eq!(code, Some(1), "{said}");
    let failed = "FAILED wire_lat op=read scope=warp ctas=1 threads=32 bytes=8B: PE 0 has wrong data: 1 of 8 bytes, \
                  first number 0";
    assert!(said.contains(failed), "{said}");
    assert!(said.contains("compare_swap latency, by kernels"), "{said}");
    let is_row = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    assert_eq!(said.lines().filter(is_row).count(), 9, "{said}");
}

#[test]
fn a_peer_that_dies_is_told_with_its_exit_code_and_its_last_words() {
    a_row_fails_and_the_rest_goes_on("dying", "PE 1 ended with exit code 7; its last words: out of luck", &[]);
}

#[test]
fn a_peer_that_is_killed_is_told_with_its_signal() {
    a_row_fails_and_the_rest_goes_on("killed", "PE 1 was killed by signal 11", &[]);
}

#[test]
fn a_silent_peer_is_given_up_at_the_limit() {
    a_row_fails_and_the_rest_goes_on("silent", "PE 1 said nothing within 1 s", &["--row-seconds", "1"]);
}

#[test]
fn a_garbage_answer_is_shown() {
    a_row_fails_and_the_rest_goes_on("garbage", "PE 1 said `Hello, world` where `times`", &[]);
}

#[test]
fn a_wrong_answer_is_told_with_how_much_was_wrong() {
    a_row_fails_and_the_rest_goes_on("wrong", "PE 1 has wrong data: 3 of 4 bytes, first at 1", &[]);
}

#[test]
fn an_error_of_one_pe_is_told_though_the_others_never_answer() {
    a_row_fails_and_the_rest_goes_on("failing", "PE 0 failed: launch: 700", &[]);
}

#[test]
fn fewer_times_than_asked_are_an_error() {
    a_row_fails_and_the_rest_goes_on("fewer", "PE 0 said 1 times of 3", &[]);
}

#[test]
fn a_line_that_nobody_asked_for_is_an_error() {
    a_row_fails_and_the_rest_goes_on("talking", "PE 1 said `one thing more` without being asked", &[]);
}

#[test]
fn a_second_line_is_an_error_before_the_others_have_answered_too() {
    a_row_fails_and_the_rest_goes_on("hasty", "PE 1 said `one thing more` without being asked", &[]);
}

#[test]
fn a_skipped_row_is_an_empty_cell_with_its_reason_and_no_failure() {
    let scene = Scene::new("skipping");
    let ran = scene.perf(&["skipping"], &[]);
    assert_eq!(ran.code(), Some(0), "{}", ran.said());
    assert_eq!(ran.cell("shmem_p_latency", "skipping")["skipped"], "no p here");
}

#[test]
fn a_peer_that_cannot_start_fails_its_rows_and_says_why() {
    for (mode, what) in [
        // The message also names the PE that is seen to end first, which can be either.
        ("stillborn", "ended with exit code 5; its last words: no such library"),
        ("chatty", "said `welcome to the library` where `ready` was due"),
    ] {
        let scene = Scene::new(mode);
        let ran = scene.perf(&[mode], &[]);
        assert_eq!(ran.code(), Some(1), "{}", ran.said());
        let failed = ran.cell("shmem_p_latency", mode)["failed"].as_str().unwrap_or_default();
        assert!(failed.contains(what), "`{what}` in `{failed}`");
        assert_eq!(ran.cell("shmem_g_latency", "oxshmem")["figure"], 1.5);
    }
}

#[test]
fn a_peer_that_never_comes_up_is_not_started_for_every_row() {
    let scene = Scene::new("never");
    let ran = scene.perf(&["stillborn"], &["--only", "latency"]);
    let starts = ran.said().matches("[stillborn 0] no such library").count();
    assert_eq!(starts, 2, "{}", ran.said());
    let last = ran.cell("sync_latency", "stillborn")["failed"].as_str().unwrap_or_default();
    assert!(last.contains("not asked: it did not come up"), "{last}");
}

#[test]
fn every_peer_is_measured_in_turn_and_compared_by_the_largest_time_of_its_pes() {
    let scene = Scene::new("well");
    let ran = scene.perf(&["slow", "good"], &[]);
    assert_eq!(ran.code(), Some(0), "{}", ran.said());
    let ours = ran.cell("shmem_p_latency", "oxshmem");
    assert_eq!(ours["samples_ns"], serde_json::json!([[1500.0, 1500.0, 1500.0], [1500.0, 1500.0, 1500.0]]));
    assert_eq!(ran.cell("shmem_p_latency", "slow")["time_to_ours"], 2.0);
    assert_eq!(ran.json["about"]["peers"]["slow"]["version"], "1.2");
    let said = ran.said();
    assert!(said.contains("perf: 2 rows measured, 0 failures, 0 rows left out"), "{said}");
    assert!(said.contains("HOST PEs") && scene.page().contains("HOST PEs") && ran.json["host_pes"] == true);
}

#[test]
fn the_blocks_that_a_library_chose_are_kept_and_other_notes_are_ignored() {
    let scene = Scene::new("choosing");
    let ran = scene.perf(&["choosing"], &[]);
    assert_eq!(ran.code(), Some(0), "{}", ran.said());
    let cell = ran.cell("shmem_p_latency", "choosing");
    assert_eq!((&cell["figure"], &cell["ctas"]), (&Value::from(1.0), &Value::from(16)), "the largest of the PEs");
    assert_eq!(ran.cell("shmem_p_latency", "oxshmem")["ctas"], Value::Null);
}

#[test]
fn init_is_the_largest_time_of_a_fresh_start_and_comes_last() {
    let scene = Scene::new("init");
    let ran = scene.perf(&["slow"], &["--only", "init"]);
    assert_eq!(ran.code(), Some(0), "{}", ran.said());
    assert_eq!(ran.json["rows"].as_array().unwrap().last().unwrap()["test"], "init");
    let ours = ran.cell("init", "oxshmem");
    assert_eq!((&ours["figure"], ours["samples_ns"].as_array().unwrap().len()), (&Value::from(1001.0), 3));
}

#[test]
fn a_run_that_is_out_of_time_says_which_rows_it_left_out_and_writes_the_others() {
    let scene = Scene::new("late");
    let ran = scene.perf(&["silent"], &["--row-seconds", "50", "--limit-seconds", "2", "--only", "put_latency"]);
    assert_eq!(ran.code(), Some(0), "{}", ran.said());
    assert_eq!(ran.cell("shmem_put_latency", "silent")["figure"], 1.5, "what was measured before is written");
    let left: Vec<&str> = ran.json["left_out"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(left.iter().any(|row| row.starts_with("shmem_p_latency")), "{left:?}");
    assert!(ran.said().contains("the limit of 2 s was reached"), "{}", ran.said());
}

#[test]
fn a_signal_ends_the_run_and_its_peers_and_leaves_what_was_measured() {
    let scene = Scene::new("signal");
    let mut command = scene.command(&["silent"], &["--only", "put_latency"]);
    let mut task = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // The silent PE announces this on standard error, which the task passes on.
    let said = BufReader::new(task.stderr.take().unwrap());
    let mut lines = said.lines().map(Result::unwrap);
    let pid = lines.find_map(|line| line.strip_prefix("[silent 1] asleep as ").map(str::to_string)).unwrap();
    let asked = Instant::now();
    // SAFETY: `kill` takes no pointer, and the process is a child that has not been waited for.
    unsafe { libc::kill(task.id() as i32, libc::SIGTERM) };
    lines.for_each(drop);
    assert_eq!(task.wait().unwrap().code(), Some(128 + libc::SIGTERM));
    assert!(asked.elapsed() < Duration::from_secs(20), "the peer sleeps for 60 s, and is not waited for");
    assert!(!PathBuf::from(format!("/proc/{pid}")).exists(), "the peer {pid} is gone");
    assert!(scene.page().contains("signal 15 asked to stop"));
}

#[test]
fn bad_options_are_errors_that_say_what_to_do() {
    let scene = Scene::new("bad");
    for (args, part) in [
        (&["--against", "mpi=/x"][..], "--against knows `nvshmem`, `nccl` and `torch`, not `mpi`"),
        (&["--against", "torch=/x"], "torch runs on GPUs alone"),
        (&["--against", "nvshmem=/x"], "leave --against out"),
        (&["--against", "nvshmem"], "NAME=PATH"),
        (&["--peer", "x=/nowhere/x"], "/nowhere/x is not a program"),
        (&["--full"], "cannot be used with '--full'"),
        (&["-n", "1"], "1 is not in 2.."),
    ] {
        let ran = scene.perf(&[], args);
        assert_ne!(ran.code(), Some(0), "{args:?}");
        assert!(ran.said().contains(part), "{args:?}: `{part}` in {}", ran.said());
    }
    let output = Command::new(env!("CARGO_BIN_EXE_xtask-perf")).args(["--list", "--only", "nothing"]).output();
    let said = String::from_utf8_lossy(&output.unwrap().stderr).into_owned();
    assert!(said.contains("no row fits `nothing`"), "{said}");
}
