//! Runs steps in two lanes beside each other, each step in a process of its own whose output is printed when it ends.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};

use crate::steps::{Count, Lane, Step, Tally, finish, run_all, run_one};

/// This program and its arguments, from which a step's process is started.
#[derive(Debug)]
pub(crate) struct SelfCommand {
    program: PathBuf,
    args: Vec<OsString>,
}

impl SelfCommand {
    /// Returns the command of this process.
    ///
    /// # Errors
    /// The system does not tell this program's path.
    pub(crate) fn this() -> Result<Self> {
        let program = std::env::current_exe().context("cannot find the path of this program")?;
        Ok(Self { program, args: std::env::args_os().skip(1).collect() })
    }

    fn of_step(&self, name: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).args(["--step", name]).stdin(Stdio::null());
        command
    }
}

/// Runs the steps of both lanes beside each other and then the others alone, also after a failure, and closes as
/// [`run_all`] does.
pub(crate) fn run_in_lanes(steps: Vec<Step<'_>>, this: &SelfCommand) -> i32 {
    let total = steps.len();
    let named: Vec<(usize, String, Lane)> =
        steps.iter().enumerate().map(|(index, step)| (index, step.name.clone(), step.lane)).collect();
    let tally = Mutex::new(Tally::default());
    let run_lane = |lane: Lane| {
        for (index, name, _) in named.iter().filter(|(.., of)| *of == lane) {
            let (output, count, line) = run_in_process(this.of_step(name), name);
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            println!("\n== {} of {total}: {name}\n{output}{line}", index + 1);
            tally.add(*index, count, line);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| run_lane(Lane::Second));
        run_lane(Lane::First);
    });
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (index, step) in steps.into_iter().enumerate().filter(|(_, step)| step.lane == Lane::Alone) {
        run_one(&mut tally, index, total, step);
    }
    finish(tally)
}

/// Runs a step's process, and returns its output, its counts and the line about it.
fn run_in_process(command: Command, name: &str) -> (String, Count, String) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("oxshmem-step-{}-{number}", std::process::id()));
    let ran = output_in(command, &file);
    let said = fs::read(&file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    // The system removes it otherwise.
    let _ = fs::remove_file(&file);
    let failed = |why: String| (Count { failed: 1, ..Count::default() }, format!("{name}: FAILED: {why}"));
    match (ran, reported(&said)) {
        (Ok(_), Some((output, count, line))) => (output, count, line),
        (ran, _) => {
            let why =
                ran.map_or_else(|error| format!("{error:#}"), |status| format!("its process ended with {status}"));
            let (count, line) = failed(why);
            (said, count, line)
        }
    }
}

fn output_in(mut command: Command, file: &PathBuf) -> Result<std::process::ExitStatus> {
    let output = File::create(file).with_context(|| format!("cannot make {}", file.display()))?;
    let errors = output.try_clone().context("cannot duplicate a descriptor")?;
    command.stdout(output).stderr(errors).status().context("cannot start the process of a step")
}

/// The beginning of the line by which a step's process reports its counts.
const REPORT: &str = "step report: ";

/// Runs one step in its own process: the counts, then the line, close its output.
pub(crate) fn report(step: Step<'_>) -> i32 {
    let (count, line) = step.perform();
    println!("{REPORT}{} {} {}\n{line}", count.passed, count.failed, count.skipped);
    0
}

/// Splits the output of a step's process into the step's own output, its counts and the line about it.
fn reported(said: &str) -> Option<(String, Count, String)> {
    let at = said.rfind(REPORT)?;
    let (numbers, line) = said[at + REPORT.len()..].split_once('\n')?;
    let mut numbers = numbers.split(' ').map(str::parse);
    let mut next = || numbers.next()?.ok();
    let count = Count { passed: next()?, failed: next()?, skipped: next()? };
    Some((said[..at].to_string(), count, line.trim_end().to_string()))
}

/// Runs the steps one after the other if this machine has one core, else in lanes.
pub(crate) fn run(steps: Vec<Step<'_>>, this: &SelfCommand) -> i32 {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let lanes = steps.iter().filter(|step| step.lane == Lane::Second).count();
    if cores == 1 || lanes == 0 || lanes == steps.len() { run_all(steps) } else { run_in_lanes(steps, this) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (String, Count, String) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run_in_process(command, "a step")
    }

    #[test]
    fn a_step_in_a_process_has_its_output_counts_and_line() {
        let (output, count, line) = shell("echo one; echo two >&2; echo 'step report: 4 1 2'; echo 'a step: 4 passed'");
        assert_eq!((output.as_str(), line.as_str()), ("one\ntwo\n", "a step: 4 passed"));
        assert_eq!(count, Count { passed: 4, failed: 1, skipped: 2 });
    }

    #[test]
    fn a_step_whose_process_dies_before_its_report_has_failed() {
        let (output, count, line) = shell("echo one; kill -9 $$");
        assert_eq!((output.as_str(), count), ("one\n", Count { failed: 1, ..Count::default() }));
        assert!(line.contains("a step: FAILED") && line.contains("signal: 9"), "{line}");
    }
}
