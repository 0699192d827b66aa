//! One line for each check, and the closing counts.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) type Outcome = Result<Verdict, Box<dyn Error>>;

/// The end of a check that did not fail.
pub(crate) enum Verdict {
    /// With a note, which may be empty.
    Passed(String),
    /// With the reason.
    Skipped(String),
}

/// Passes without a note.
pub(crate) fn passed() -> Outcome {
    Ok(Verdict::Passed(String::new()))
}

/// Passes with a note for the reader.
pub(crate) fn noted(text: impl Into<String>) -> Outcome {
    Ok(Verdict::Passed(text.into()))
}

pub(crate) fn skipped(why: impl Into<String>) -> Outcome {
    Ok(Verdict::Skipped(why.into()))
}

/// Fails unless `holds`.
pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Box<dyn Error>> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

/// Returns the error of a call that must fail.
pub(crate) fn refusal<T>(result: oxshmem_core::Result<T>) -> Result<oxshmem_core::Error, Box<dyn Error>> {
    result.err().ok_or_else(|| "it should have been refused".into())
}

/// Counts of the checks by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Checks that passed.
    pub passed: u32,
    /// Checks that failed.
    pub failed: u32,
    /// Checks that the provider's capabilities rule out.
    pub skipped: u32,
}

impl Report {
    /// Runs a check, prints its line and counts it. A panic is a failure.
    pub(crate) fn check(&mut self, name: &str, check: impl FnOnce() -> Outcome) {
        let outcome = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|_| Err("it panicked".into()));
        let line = match outcome {
            Ok(Verdict::Passed(note)) if note.is_empty() => {
                self.passed += 1;
                format!("ok {name}")
            }
            Ok(Verdict::Passed(note)) => {
                self.passed += 1;
                format!("ok {name} ({note})")
            }
            Ok(Verdict::Skipped(why)) => {
                self.skipped += 1;
                format!("skipped {name}: {why}")
            }
            Err(error) => {
                self.failed += 1;
                format!("FAIL {name}: {error}")
            }
        };
        println!("{}", line.replace('\n', " | "));
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}
