//! The runner of checks: a printed line for each check, and the closing counts.

use std::error::Error;
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) type Fine<T> = Result<T, Box<dyn Error>>;
pub(crate) type Outcome = Fine<Verdict>;

/// The end of a check that did not fail.
pub(crate) enum Verdict {
    /// With a note, which may be empty.
    Passed(String),
    /// With the reason.
    Skipped(String),
}

/// Passes without a note.
pub(crate) fn passed() -> Outcome {
    noted("")
}

/// Passes with a note for the reader.
pub(crate) fn noted(text: impl Into<String>) -> Outcome {
    Ok(Verdict::Passed(text.into()))
}

pub(crate) fn skipped(why: impl Into<String>) -> Outcome {
    Ok(Verdict::Skipped(why.into()))
}

/// Fails unless `holds`.
pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Fine<()> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

/// Returns the failure of a wrong value. `at` names the value and its place, `todo` is advice.
pub(crate) fn wrong(at: impl Display, expected: impl Display, found: impl Display, todo: &str) -> Box<dyn Error> {
    format!("{at}: expected {expected}, found {found}; {todo}").into()
}

/// Returns the error of a call that must fail.
pub(crate) fn refusal<T>(result: oxshmem_core::Result<T>) -> Fine<oxshmem_core::Error> {
    result.err().ok_or_else(|| "it should have been refused".into())
}

/// The outcomes of all checks, in their order. The name of a check begins with its subject: `SUBJECT: CHECK`.
#[derive(Clone, Debug)]
pub struct Report {
    /// The checks that passed, some with a note: `NAME` or `NAME (note)`.
    pub passed: Vec<String>,
    /// The checks that failed, each with its error: `NAME: error`.
    pub failed: Vec<String>,
    /// The checks that the machine or a device can't run, each with the reason: `NAME: reason`.
    pub skipped: Vec<String>,
    print: fn(&str),
}

impl Default for Report {
    fn default() -> Self {
        Self::new(|line| println!("{line}"))
    }
}

impl Report {
    /// Returns the report without checks. `print` prints a line.
    pub(crate) fn new(print: fn(&str)) -> Self {
        Self { passed: Vec::new(), failed: Vec::new(), skipped: Vec::new(), print }
    }

    /// Adds the outcomes of more checks.
    pub(crate) fn extend(&mut self, more: Self) {
        self.passed.extend(more.passed);
        self.failed.extend(more.failed);
        self.skipped.extend(more.skipped);
    }

    /// Runs a check of `subject`, prints its line and records its outcome. Returns whether the check did not fail. A
    /// panic is a failure.
    pub(crate) fn check(&mut self, subject: &str, what: &str, check: impl FnOnce() -> Outcome) -> bool {
        let outcome = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|payload| {
            let said = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
            Err(format!("the check panicked: {}", said.unwrap_or_default()).into())
        });
        let name = if subject.is_empty() { what.to_string() } else { format!("{subject}: {what}") };
        let (mark, list, text) = match outcome {
            Ok(Verdict::Passed(note)) if note.is_empty() => ("ok", &mut self.passed, name),
            Ok(Verdict::Passed(note)) => ("ok", &mut self.passed, format!("{name} ({note})")),
            Ok(Verdict::Skipped(why)) => ("skipped", &mut self.skipped, format!("{name}: {why}")),
            Err(error) => ("FAILED", &mut self.failed, format!("{name}: {error}")),
        };
        list.push(text.replace('\n', " | "));
        (self.print)(&format!("{mark} {}", list[list.len() - 1]));
        mark != "FAILED"
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [passed, failed, skipped] = [&self.passed, &self.failed, &self.skipped].map(Vec::len);
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}
