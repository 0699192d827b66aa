//! `xtask run` as a user runs it: as a process that receives signals.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(20);

/// Starts `xtask run -n N -- sh -c SCRIPT` and gives it with the first `n` lines that its PEs print.
fn launch(n: usize, script: &str) -> (Child, Vec<String>) {
    let mut launcher = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["run", "-n", &n.to_string(), "--", "sh", "-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(launcher.stdout.take().unwrap());
    let lines = out.lines().take(n).map(Result::unwrap).collect();
    (launcher, lines)
}

fn signal(pid: u32, signal: i32) {
    // SAFETY: `kill` takes no pointer, and the process is a child that has not been waited for.
    unsafe { libc::kill(pid as i32, signal) };
}

/// Reports whether a process is alive. One that is dead and not yet collected by its parent counts as dead.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !matches!(stat.rsplit(") ").next().and_then(|rest| rest.chars().next()), None | Some('Z' | 'X'))
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + LIMIT;
    while !done() {
        assert!(Instant::now() < until, "{what} took longer than {LIMIT:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn no_pe_outlives_a_killed_launcher() {
    let (mut launcher, pids) = launch(3, "echo $$; exec sleep 60");
    assert!(pids.iter().all(|pid| is_alive(pid)));
    signal(launcher.id(), libc::SIGKILL);
    launcher.wait().unwrap();
    wait_until("the PEs' end", || !pids.iter().any(|pid| is_alive(pid)));
}

#[test]
fn a_signal_to_the_launcher_reaches_every_pe_and_is_its_exit_code() {
    // A PE that the signal does not reach would make the launcher wait, and be killed.
    let (mut launcher, pids) = launch(2, "trap 'exit 0' TERM; echo $$; while :; do sleep 0.05; done");
    signal(launcher.id(), libc::SIGTERM);
    let mut code = None;
    wait_until("the launcher's end", || {
        code = launcher.try_wait().unwrap();
        code.is_some()
    });
    assert_eq!(code.unwrap().code(), Some(128 + libc::SIGTERM));
    assert!(!pids.iter().any(|pid| is_alive(pid)));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut launcher.stderr.take().unwrap(), &mut said).unwrap();
    assert!(said.contains("SIGTERM") && !said.contains("killed PE"), "{said}");
}

/// Runs the task to its end, and returns whether it succeeded and everything that it printed.
fn said(args: &[&std::ffi::OsStr]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(args).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.success(), text)
}

#[test]
fn a_wrong_option_is_refused_before_anything_is_built() {
    let of = |line: &str| said(&line.split(' ').map(std::ffi::OsStr::new).collect::<Vec<_>>());
    for line in ["run -n 0 -- 01-put", "demo -n 0"] {
        let (succeeded, text) = of(line);
        assert!(!succeeded && text.contains("invalid value '0' for '--pes <PES>'"), "{line}: {text}");
    }
    for line in ["run --bogus -- true", "mpi --bogus", "rxe --bogus true"] {
        let (succeeded, text) = of(line);
        assert!(!succeeded && text.contains("unexpected argument '--bogus'"), "{line}: {text}");
    }
    let (succeeded, text) = of("run -n 1 echo --bogus -n 0");
    assert!(succeeded && text.trim() == "--bogus -n 0", "options after the program are its own: {text}");
}

#[test]
fn arguments_of_a_program_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let check = "[ \"$(printf %s \"$1\" | od -An -tx1)\" = ' 61 ff' ]";
    let mut args = ["run", "-n", "1", "--", "sh", "-c", check, "sh"].map(std::ffi::OsStr::new).to_vec();
    args.push(std::ffi::OsStr::from_bytes(b"a\xff"));
    let (succeeded, text) = said(&args);
    assert!(succeeded, "{text}");
}
