//! The log of violations.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::Rule;

/// A rule that a driver broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Name of the NIC.
    pub nic: String,
    /// The queue pair; 0 if there is none yet.
    pub qpn: u32,
    /// Index of the WQE, counted from the queue's start; the producer index if no WQE is concerned.
    pub index: u64,
    /// Found and expected values.
    pub what: String,
    /// The WQE, decoded as far as possible; empty if none is concerned.
    pub wqe: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: QP {:#x} breaks the rule {} at index {}: {}",
            self.nic, self.qpn, self.rule, self.index, self.what
        )?;
        if !self.wqe.is_empty() {
            write!(f, "\n    {}", self.wqe)?;
        }
        Ok(())
    }
}

/// The violations of a provider's NICs.
#[derive(Debug, Default)]
pub(crate) struct Violations {
    /// Whether the first ends the process.
    abort: bool,
    /// Breaking these is no violation.
    on_purpose: Vec<Rule>,
    /// The file in which violations are reported to the launcher.
    file: Option<PathBuf>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    all: Vec<Violation>,
    printed: HashSet<(Rule, u32)>,
}

/// Further violations carry no new information.
const MOST: usize = 10_000;

impl Violations {
    pub(crate) fn new(abort: bool, on_purpose: Vec<Rule>, wire: Option<&Path>) -> Self {
        Self { abort, on_purpose, file: wire.map(|folder| folder.join("violations")), kept: Mutex::default() }
    }

    /// Records a violation; prints the first of each rule and queue pair.
    pub(crate) fn record(&self, violation: Violation) {
        if self.on_purpose.contains(&violation.rule) {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
        if kept.printed.insert((violation.rule, violation.qpn)) {
            eprintln!("softnic: {violation}");
            if let Some(file) = &self.file {
                let line = format!("{}\n", violation.to_string().replace('\n', " / "));
                let opened = File::options().create(true).append(true).open(file);
                // The violation has been printed; if this fails, the file has one less.
                let _ = opened.and_then(|mut file| file.write_all(line.as_bytes()));
            }
        }
        if self.abort {
            eprintln!("softnic: OXSHMEM_SOFTNIC_STRICT=abort");
            std::process::abort();
        }
        if kept.all.len() < MOST {
            kept.all.push(violation);
        }
    }

    pub(crate) fn all(&self) -> Vec<Violation> {
        self.kept.lock().unwrap_or_else(|e| e.into_inner()).all.clone()
    }
}
