//! One line for each check, and the counts.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxshmem_core::host::Error;

/// The result of a check.
pub(super) type Outcome = Result<CheckEnd, CheckFailure>;

/// The result of a check that did not fail.
#[derive(Debug)]
pub(super) enum CheckEnd {
    /// Passed, with a note.
    Passed(String),
    /// Skipped, with the reason.
    Skipped(String),
}

/// The reason of a failure.
#[derive(Clone, Debug)]
pub(super) enum CheckFailure {
    /// A value is wrong.
    Wrong {
        /// The value and its place.
        at: String,
        expected: String,
        found: String,
        /// Advice.
        todo: String,
    },
    /// A call was refused.
    Refused(String),
}

impl CheckFailure {
    /// Returns the failure of a wrong value. `at` names the value and its place, `todo` is advice.
    pub(super) fn new(
        at: impl Into<String>,
        expected: impl fmt::Display,
        found: impl fmt::Display,
        todo: impl Into<String>,
    ) -> Self {
        Self::Wrong { at: at.into(), expected: expected.to_string(), found: found.to_string(), todo: todo.into() }
    }

    /// Returns the same failure with other advice.
    pub(super) fn advise(mut self, advice: &str) -> Self {
        if let Self::Wrong { todo, .. } = &mut self {
            *todo = advice.to_string();
        }
        self
    }
}

impl From<Error> for CheckFailure {
    fn from(error: Error) -> Self {
        Self::Refused(error.to_string())
    }
}

impl fmt::Display for CheckFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong { at, expected, found, todo } => write!(f, "{at}: expected {expected}, found {found}; {todo}"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

/// Returns the outcome of a passed check, with a note for the reader.
pub(super) fn passed(note: impl Into<String>) -> Outcome {
    Ok(CheckEnd::Passed(note.into()))
}

pub(super) fn skipped(why: impl Into<String>) -> Outcome {
    Ok(CheckEnd::Skipped(why.into()))
}

/// Fails unless both values are the same.
pub(super) fn same<T: PartialEq + fmt::Debug>(at: &str, expected: T, found: T, todo: &str) -> Result<(), CheckFailure> {
    if expected == found {
        return Ok(());
    }
    Err(CheckFailure::new(at, format!("{expected:?}"), format!("{found:?}"), todo))
}

/// The numbers of checks by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that passed.
    pub passed: u32,
    /// Checks that failed.
    pub failed: u32,
    /// Checks that this machine can't run.
    pub skipped: u32,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, skipped } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// Reports each check as it ends.
pub(super) struct Report<'a> {
    say: &'a mut dyn FnMut(&str),
    pub(super) tally: Tally,
}

impl<'a> Report<'a> {
    pub(super) fn new(say: &'a mut dyn FnMut(&str)) -> Self {
        Self { say, tally: Tally::default() }
    }

    /// Runs a check of `subject`, reports the result, and returns whether the check did not fail.
    pub(super) fn check(&mut self, subject: &str, what: &str, check: impl FnOnce() -> Outcome) -> bool {
        let outcome = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|payload| {
            let said = payload.downcast_ref::<String>().cloned();
            let said = said.or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string()));
            Err(CheckFailure::Refused(format!("the check panicked: {}", said.unwrap_or_default())))
        });
        let name = if subject.is_empty() { what.to_string() } else { format!("{subject}: {what}") };
        let (line, well) = match outcome {
            Ok(CheckEnd::Passed(note)) if note.is_empty() => (format!("ok {name}"), true),
            Ok(CheckEnd::Passed(note)) => (format!("ok {name} ({note})"), true),
            Ok(CheckEnd::Skipped(why)) => {
                self.tally.skipped += 1;
                (format!("skipped {name}: {why}"), true)
            }
            Err(failure) => (format!("FAILED {name}: {failure}"), false),
        };
        self.tally.passed += u32::from(line.starts_with("ok "));
        self.tally.failed += u32::from(!well);
        (self.say)(&line.replace('\n', " | "));
        well
    }

    /// Reports a check that can't run.
    pub(super) fn skip(&mut self, subject: &str, what: &str, why: &str) {
        self.check(subject, what, || skipped(why));
    }
}

/// Returns the text of an expected refusal; a failure if there was none.
pub(super) fn refusal<T>(at: &str, result: Result<T, Error>) -> Result<Error, CheckFailure> {
    let todo = "the driver takes what it must refuse: update it";
    result.err().ok_or_else(|| CheckFailure::new(at, "a refusal", "that it was done", todo))
}
