//! Counts the tests of a program by its output.

use std::fmt;

use super::Done;

/// Tests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Count {
    pub(crate) fn add(&mut self, other: Self) {
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

/// Judges a program by its exit code and by its output. A program that fails without counting a failure counts as one
/// failure; a program that counted nothing has not tested anything.
pub(crate) fn judge(said: &str, failure: Option<String>) -> Done {
    match (count_in(said), failure) {
        (Some(count), None) if count.passed + count.failed > 0 => Done::Counted(count, failed_in(said)),
        (Some(count), None) if count.skipped > 0 => Done::Counted(count, Vec::new()),
        (_, None) => Done::Failed("it ended well and ran no test".to_string()),
        (Some(count), Some(_)) if count.failed > 0 => Done::Counted(count, failed_in(said)),
        (Some(count), Some(why)) => {
            println!("{why}");
            Done::Counted(Count { failed: 1, ..count }, vec![why])
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

/// Returns the tests that failed: of `cargo test`, by name; of a program of our own, with the reasons.
fn failed_in(said: &str) -> Vec<String> {
    let of_cargo = |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_string);
    let of_ours = |line: &str| ["FAILED ", "FAIL "].iter().find_map(|mark| line.strip_prefix(mark)).map(str::to_string);
    // Tests of `cargo test` may print anything.
    match said.contains("test result: ") {
        true => said.lines().filter_map(of_cargo).collect(),
        false => said.lines().filter_map(of_ours).collect(),
    }
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
        let judged = judge("4 passed, 0 failed, 0 skipped\n", Some("killed by signal 11".into()));
        assert_eq!(
            judged,
            Done::Counted(Count { passed: 4, failed: 1, skipped: 0 }, vec!["killed by signal 11".into()])
        );
    }

    #[test]
    fn tests_that_failed_are_named() {
        let said = "test a::b ... FAILED\ntest c ... ok\nFAILED of a print\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n";
        let Done::Counted(count, failed) = judge(said, Some("exit code 101".into())) else { panic!() };
        assert_eq!((count.failed, failed), (1, vec!["a::b".to_string()]));
        let said = "ok x\nFAILED put: PE 1: 3 of 4 words\n1 passed, 1 failed\n";
        let Done::Counted(_, failed) = judge(said, Some("exit code 1".into())) else { panic!() };
        assert_eq!(failed, ["put: PE 1: 3 of 4 words"]);
    }

    #[test]
    fn a_program_that_ran_no_test_has_failed() {
        assert!(matches!(judge("", None), Done::Failed(_)));
        assert!(matches!(judge("0 passed, 0 failed, 0 skipped\n", None), Done::Failed(_)));
    }
}
