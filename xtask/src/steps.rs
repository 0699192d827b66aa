//! Steps, run one after the other, some of them in the background, and the honest count of their tests.

use std::fmt;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

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
    /// The counts of the program's own tests.
    Counted(Count),
    /// The step passed.
    Passed,
    /// The step failed, for this reason.
    Failed(String),
    /// The step can't run here, for this reason.
    Skipped(String),
}

/// Tests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
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

/// Prints all outcomes once more, and the sum. Returns the exit code.
fn close(done: &[(Count, String)]) -> i32 {
    let mut sum = Count::default();
    println!("\nAll steps:");
    for (count, line) in done {
        sum.add(*count);
        // The whole reason is printed above; one line a step is enough here.
        println!("  {}", line.lines().next().unwrap_or_default());
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
        Done::Counted(count) => (*count, format!("{name}: {count} ({took})")),
        Done::Passed => (Count { passed: 1, ..Count::default() }, format!("{name}: passed ({took})")),
        Done::Failed(why) => (Count { failed: 1, ..Count::default() }, format!("{name}: FAILED ({took}): {why}")),
        Done::Skipped(why) => (Count { skipped: 1, ..Count::default() }, format!("{name}: skipped: {why}")),
    }
}

/// Judges a program by its exit code and by its counts. A program that fails without counting a failure counts as one
/// failure; a program that counted nothing has not tested anything.
pub(crate) fn judge(counted: Option<Count>, failure: Option<String>) -> Done {
    match (counted, failure) {
        (Some(count), None) if count.passed + count.failed > 0 => Done::Counted(count),
        (Some(count), None) if count.skipped > 0 => Done::Counted(count),
        (_, None) => Done::Failed("it ended well and ran no test".to_string()),
        (Some(count), Some(_)) if count.failed > 0 => Done::Counted(count),
        (Some(count), Some(why)) => {
            println!("{why}");
            Done::Counted(Count { failed: 1, ..count })
        }
        (None, Some(why)) => Done::Failed(why),
    }
}

/// The reason of an ignored test that is the entry of another test's process.
const ENTRY: &str = "ignored, process entry";
/// The beginning of the line that a test prints when this machine can't run it.
const SKIPS: &str = "skipped: ";

/// Counts the tests of a program by its closing lines: those of `cargo test` if there are any, since its tests may
/// print anything, else lines that are `N passed, N failed, N skipped` and nothing more.
///
/// With `--show-output`, a test of `cargo test` that passed and printed `skipped: REASON` counts as skipped.
pub(crate) fn count_in(said: &str) -> Option<Count> {
    let cargo: Vec<&str> = said.lines().filter_map(|line| Some(line.split_once("test result: ")?.1)).collect();
    if cargo.is_empty() {
        let closing: Vec<&str> = said.lines().filter(|line| is_closing(line)).collect();
        return (!closing.is_empty()).then(|| sum(&closing));
    }
    let mut count = sum(&cargo);
    let entries = said.lines().filter(|line| line.starts_with("test ") && line.ends_with(ENTRY)).count() as u64;
    let skipped = skipped_in(said).len() as u64;
    count.passed -= skipped.min(count.passed);
    count.skipped = count.skipped.saturating_sub(entries) + skipped;
    Some(count)
}

fn sum(closing: &[&str]) -> Count {
    let mut sum = Count::default();
    for part in closing.iter().flat_map(|line| line.split([';', ',', '.'])) {
        let mut words = part.split_whitespace();
        if let (Some(Ok(number)), Some(word)) = (words.next().map(str::parse::<u64>), words.next()) {
            match word {
                "passed" => sum.passed += number,
                "failed" => sum.failed += number,
                "ignored" | "skipped" => sum.skipped += number,
                _ => {}
            }
        }
    }
    sum
}

/// Returns the tests of `cargo test -- --show-output` that passed because they were skipped, each with its reason.
pub(crate) fn skipped_in(said: &str) -> Vec<String> {
    let mut prints = Prints::default();
    let mut skipped: Vec<String> = Vec::new();
    let mut test = None;
    for line in said.lines() {
        let printed = prints.of_a_success(line);
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            test = printed.then_some(name);
        } else if let (Some(name), Some(why)) = (test, line.strip_prefix(SKIPS)) {
            skipped.push(format!("{name}: {why}"));
            // A test is counted as skipped once, even if it prints several reasons.
            test = None;
        }
    }
    skipped
}

/// Follows the output of `cargo test -- --show-output`.
#[derive(Debug, Default)]
pub(crate) struct Prints {
    within: bool,
}

impl Prints {
    /// Reports whether the next line is of the section about tests that passed.
    pub(crate) fn of_a_success(&mut self, line: &str) -> bool {
        match line {
            "successes:" => self.within = true,
            "failures:" => self.within = false,
            line if line.starts_with("test result: ") => self.within = false,
            _ => {}
        }
        self.within
    }
}

fn is_closing(line: &str) -> bool {
    let mut seen = line.trim().split(", ").map(|part| match part.split_once(' ') {
        Some((number, word)) if number.parse::<u64>().is_ok() => word,
        _ => "",
    });
    seen.next() == Some("passed") && seen.next() == Some("failed") && seen.all(|word| word == "skipped")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_lines_of_cargo_test_are_summed_and_ignored_tests_are_skipped() {
        let said = "running 3 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.00s\n\
                    test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s\n";
        assert_eq!(count_in(said), Some(Count { passed: 5, failed: 1, skipped: 1 }));
    }

    #[test]
    fn a_closing_line_of_our_own_is_counted_and_other_lines_are_not() {
        assert_eq!(
            count_in("skipped: rdma: no NIC\n40 passed, 0 failed, 2 skipped\n"),
            Some(Count { passed: 40, failed: 0, skipped: 2 })
        );
        assert_eq!(count_in("PE 3 passed, 7 failed to notice\n"), None);
        assert_eq!(count_in(""), None);
    }

    #[test]
    fn what_a_test_prints_does_not_count_beside_cargos_own_lines() {
        let said = "9 passed, 9 failed\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
        assert_eq!(count_in(said), Some(Count { passed: 1, ..Count::default() }));
    }

    #[test]
    fn a_test_that_printed_that_it_was_skipped_did_not_pass_and_an_entry_is_no_test() {
        let said = "running 4 tests\n\
            test a ... ok\ntest b ... ok\ntest c ... ignored, measures\ntest enter ... ignored, process entry\n\n\
            successes:\n\n---- a stdout ----\nskipped: no NIC\nskipped: no NIC\n\n\
            ---- b stdout ----\na word of b\n\nsuccesses:\n    a\n    b\n\n\
            test result: ok. 2 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(count_in(said), Some(Count { passed: 1, failed: 0, skipped: 2 }));
        assert_eq!(skipped_in(said), ["a: no NIC"]);
    }

    #[test]
    fn a_test_that_failed_is_not_skipped_whatever_it_printed() {
        let said = "test a ... FAILED\n\nsuccesses:\n\nsuccesses:\n\nfailures:\n\n\
            ---- a stdout ----\nskipped: no NIC\n\nfailures:\n    a\n\n\
            test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(count_in(said), Some(Count { failed: 1, ..Count::default() }));
    }

    #[test]
    fn a_program_that_dies_after_its_tests_passed_has_failed() {
        let count = Count { passed: 4, ..Count::default() };
        let Done::Counted(judged) = judge(Some(count), Some("killed by signal 11".into())) else { panic!() };
        assert_eq!((judged.passed, judged.failed), (4, 1));
    }

    #[test]
    fn a_program_that_ran_no_test_has_failed() {
        assert!(matches!(judge(None, None), Done::Failed(_)));
        assert!(matches!(judge(Some(Count::default()), None), Done::Failed(_)));
    }

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
