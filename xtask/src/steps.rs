//! Steps, run one after the other, some of them in the background, and the honest count of their tests.

mod count;

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

pub(crate) use self::count::{Count, Prints, count_in, judge, skipped_in};

/// A step. If its program has tests of its own, those are counted, otherwise the step counts as one.
pub(crate) struct Step<'a> {
    /// A short description.
    pub name: String,
    work: Work<'a>,
}

/// The work of a step.
enum Work<'a> {
    /// Runs in its turn.
    InTurn(Box<dyn FnOnce() -> Result<Done> + 'a>),
    /// Runs in the background.
    Background(Box<dyn FnOnce() -> Result<Done> + Send + 'a>),
}

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// The counts of the program's own tests, and the lines about those that failed.
    Counted(Count, Vec<String>),
    /// The step passed.
    Passed,
    /// The step failed, for this reason.
    Failed(String),
    /// The step can't run here, for this reason.
    Skipped(String),
}

impl<'a> Step<'a> {
    pub(crate) fn new(name: impl Into<String>, run: impl FnOnce() -> Result<Done> + 'a) -> Self {
        Self { name: name.into(), work: Work::InTurn(Box::new(run)) }
    }

    /// Makes a step that compiles and assembles, and needs nothing of other steps. It runs beside the other steps, on
    /// processors that those leave idle.
    pub(crate) fn in_background(name: impl Into<String>, run: impl FnOnce() -> Result<Done> + Send + 'a) -> Self {
        Self { name: name.into(), work: Work::Background(Box::new(run)) }
    }

    /// Makes a step that this machine or this folder can't run.
    pub(crate) fn skipped(name: impl Into<String>, why: impl Into<String>) -> Self {
        let why = why.into();
        Self::new(name, move || Ok(Done::Skipped(why)))
    }
}

/// Runs a step, and returns its counts and the line about it.
fn perform(name: &str, run: impl FnOnce() -> Result<Done>) -> (Count, String) {
    let (start, processor) = (Instant::now(), processor_time());
    let done = run().unwrap_or_else(|error| Done::Failed(format!("{error:#}")));
    summarise(name, &done, start.elapsed(), processor_time().saturating_sub(processor))
}

/// Runs all steps, also after a failure, prints the outcome of each, those of the background last, and closes with the
/// sum alone on a line. Returns 0 if nothing failed and something passed.
pub(crate) fn run_all(steps: Vec<Step<'_>>) -> i32 {
    let total = steps.len();
    let (mut in_turn, mut background) = (Vec::new(), Vec::new());
    for Step { name, work } in steps {
        match work {
            Work::InTurn(run) => in_turn.push((name, run)),
            Work::Background(run) => background.push((name, run)),
        }
    }
    let mut done = Vec::new();
    let begin = |index: usize, name: &str| println!("\n== {index} of {total}: {name}");
    thread::scope(|scope| {
        let (sender, finished) = mpsc::channel();
        if !background.is_empty() {
            println!("{} steps run in the background; their outcomes are printed last", background.len());
            scope.spawn(move || {
                while_processors_are_idle();
                for (name, run) in background {
                    let outcome = perform(&name, run);
                    // There is no receiver if another step panicked, which the scope reports.
                    let _ = sender.send((name, outcome));
                }
            });
        } else {
            drop(sender);
        }
        for (name, run) in in_turn {
            begin(done.len() + 1, &name);
            let outcome = perform(&name, run);
            println!("{}", outcome.1);
            done.push(outcome);
        }
        for (name, outcome) in finished {
            begin(done.len() + 1, &name);
            println!("{}", outcome.1);
            done.push(outcome);
        }
    });
    close(&done)
}

/// Lets the calling thread, its children and their children run only where no other thread is ready. With the least
/// priority of the usual policy they would get several milliseconds each time a thread that polls yields: worlds of host
/// PEs took three times as long.
pub(crate) fn while_processors_are_idle() {
    // SAFETY: the structure is plain numbers.
    let mut param: libc::sched_param = unsafe { std::mem::zeroed() };
    param.sched_priority = 0;
    // SAFETY: the call reads the structure. On Linux, process 0 is the calling thread. If it fails, the work competes
    // with the other steps.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &param) };
}

/// The most lines about a step that failed among the last lines of all.
const MOST_LINES: usize = 12;

/// Prints all outcomes once more, and the sum. Returns the exit code.
fn close(done: &[(Count, String)]) -> i32 {
    let mut sum = Count::default();
    println!("\nAll steps:");
    for (count, line) in done {
        sum.add(*count);
        // Long output above is often cut; a reader needs the names of the tests that failed, if no more.
        let lines = if count.failed > 0 { MOST_LINES } else { 1 };
        line.lines().take(lines).for_each(|line| println!("  {line}"));
    }
    println!("{sum}");
    i32::from(sum.failed > 0 || sum.passed == 0)
}

/// Returns the processor time of this process and of its children that have ended, also of those in the background.
fn processor_time() -> Duration {
    [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN].into_iter().map(usage).sum()
}

fn usage(of: i32) -> Duration {
    // SAFETY: the structure is plain numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes the structure.
    if unsafe { libc::getrusage(of, &mut usage) } != 0 {
        return Duration::ZERO;
    }
    let time = |of: libc::timeval| Duration::from_secs(of.tv_sec as u64) + Duration::from_micros(of.tv_usec as u64);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Returns the step's counts and the line about it, with wall time and processor time.
fn summarise(name: &str, done: &Done, took: Duration, processor: Duration) -> (Count, String) {
    let took = format!("{:.1} s, processor {:.1} s", took.as_secs_f64(), processor.as_secs_f64());
    match done {
        Done::Counted(count, failed) => {
            let failed: String = failed.iter().map(|one| format!("\n  FAILED {one}")).collect();
            (*count, format!("{name}: {count} ({took}){failed}"))
        }
        Done::Passed => (Count { passed: 1, ..Count::default() }, format!("{name}: passed ({took})")),
        Done::Failed(why) => (Count { failed: 1, ..Count::default() }, format!("{name}: FAILED ({took}): {why}")),
        Done::Skipped(why) => (Count { skipped: 1, ..Count::default() }, format!("{name}: skipped: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_step_does_not_stop_the_others_and_fails_the_whole() {
        let mut ran = 0;
        let last = std::cell::RefCell::new(&mut ran);
        let code = run_all(vec![
            Step::new("one", || anyhow::bail!("broken")),
            Step::new("two", || {
                **last.borrow_mut() += 1;
                Ok(Done::Passed)
            }),
        ]);
        assert_eq!((code, ran), (1, 1));
    }

    #[test]
    fn a_step_of_the_background_runs_beside_the_others_and_counts_like_them() {
        let (sender, waits) = mpsc::channel();
        let code = run_all(vec![
            Step::in_background("one", move || {
                sender.send(()).unwrap();
                anyhow::bail!("broken")
            }),
            Step::new("two", move || {
                waits.recv().unwrap();
                Ok(Done::Passed)
            }),
        ]);
        assert_eq!(code, 1);
        assert_eq!(run_all(vec![Step::in_background("alone", || Ok(Done::Passed))]), 0);
    }

    #[test]
    fn a_thread_for_idle_processors_and_its_children_have_that_policy_and_no_others() {
        // Field 41 of a process's line is its scheduling policy.
        let policy = || {
            let said = std::process::Command::new("cat").arg("/proc/self/stat").output().unwrap().stdout;
            String::from_utf8(said).unwrap().split_whitespace().nth(40).unwrap().to_string()
        };
        let before = policy();
        let within = thread::spawn(move || {
            while_processors_are_idle();
            policy()
        });
        assert_eq!(within.join().unwrap(), libc::SCHED_IDLE.to_string());
        assert_eq!(policy(), before);
    }

    #[test]
    fn a_run_in_which_everything_was_skipped_is_no_success() {
        assert_eq!(run_all(vec![Step::skipped("GPUs", "there are none")]), 1);
    }
}
