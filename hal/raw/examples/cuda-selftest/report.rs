//! One line for each check, and the final counts.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) type Outcome = Result<Verdict, Box<dyn Error>>;

/// The outcome of a check that did not fail, with a note.
pub(crate) enum Verdict {
    Passed(String),
    Skipped(String),
}

/// Passed, without a note.
pub(crate) fn passed() -> Outcome {
    Ok(Verdict::Passed(String::new()))
}

/// Passed, with a note for the reader.
pub(crate) fn noted(text: impl Into<String>) -> Outcome {
    Ok(Verdict::Passed(text.into()))
}

pub(crate) fn skipped(why: impl Into<String>) -> Outcome {
    Ok(Verdict::Skipped(why.into()))
}

/// Returns an error unless `holds`.
pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Box<dyn Error>> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

/// Returns the error of a call that was expected to fail.
pub(crate) fn refusal<T>(result: oxshmem_core::Result<T>) -> Result<oxshmem_core::Error, Box<dyn Error>> {
    result.err().ok_or_else(|| "it should have been refused".into())
}

#[derive(Default)]
pub(crate) struct Report {
    passed: u32,
    failed: u32,
    skipped: u32,
}

impl Report {
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

    /// Prints the counts, and returns whether no check failed.
    pub(crate) fn close(self) -> bool {
        println!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped);
        self.failed == 0
    }
}
