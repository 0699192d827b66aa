//! The outcomes of checks: one printed line for each, and the closing counts.

use std::error::Error;
use std::fmt;
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

/// The outcomes of all checks, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Names of the checks that passed.
    pub passed: Vec<String>,
    /// Names of the checks that failed, each with its error: `NAME: error`.
    pub failed: Vec<String>,
    /// Names of the checks that the provider's capabilities rule out, each with the reason: `NAME: reason`.
    pub skipped: Vec<String>,
}

impl Report {
    /// Adds the outcomes of more checks.
    pub(crate) fn extend(&mut self, more: Self) {
        self.passed.extend(more.passed);
        self.failed.extend(more.failed);
        self.skipped.extend(more.skipped);
    }

    /// Runs a check, prints its line and records its outcome. A panic is a failure.
    pub(crate) fn check(&mut self, name: &str, check: impl FnOnce() -> Outcome) {
        let outcome = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|_| Err("it panicked".into()));
        let with = |text: String| format!("{name}: {text}").replace('\n', " | ");
        match outcome {
            Ok(Verdict::Passed(note)) => {
                let note = if note.is_empty() { note } else { format!(" ({})", note.replace('\n', " | ")) };
                println!("ok {name}{note}");
                self.passed.push(name.into());
            }
            Ok(Verdict::Skipped(why)) => {
                self.skipped.push(with(why));
                println!("skipped {}", last(&self.skipped));
            }
            Err(error) => {
                self.failed.push(with(error.to_string()));
                println!("FAIL {}", last(&self.failed));
            }
        }
    }
}

fn last(lines: &[String]) -> &str {
    lines.last().map_or("", String::as_str)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [passed, failed, skipped] = [&self.passed, &self.failed, &self.skipped].map(Vec::len);
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}
