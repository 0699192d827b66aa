//! Where violations are kept.

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
    /// Which.
    pub rule: Rule,
    /// Name of the NIC.
    pub nic: String,
    /// The queue pair; 0 for what has none yet.
    pub qpn: u32,
    /// Index of the WQE, counted from the queue's start; of the producer where it is about no WQE.
    pub index: u64,
    /// What was seen, and what should have been.
    pub what: String,
    /// The WQE, decoded as far as it can be; empty where it is about none.
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
    /// What breaks these is no violation.
    on_purpose: Vec<Rule>,
    /// Where they are written down for whoever started this process.
    file: Option<PathBuf>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    all: Vec<Violation>,
    printed: HashSet<(Rule, u32)>,
}

/// More than these say nothing new.
const MOST: usize = 10_000;

impl Violations {
    pub(crate) fn new(abort: bool, on_purpose: Vec<Rule>, wire: Option<&Path>) -> Self {
        Self { abort, on_purpose, file: wire.map(|folder| folder.join("violations")), kept: Mutex::default() }
    }

    /// Keeps one; prints the first of its rule and queue pair.
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
                // It has been printed; who looks here finds less.
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
