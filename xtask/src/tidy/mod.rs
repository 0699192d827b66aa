//! `tidy`: checks rules that the compiler can't check, and reports each finding with file and line.

mod arrows;
mod budget;
mod circles;
mod flow;
pub(crate) mod golden;
mod names;
mod outside;
mod prose;
mod rules;
mod snippets;
mod source;
mod tree;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::files::read_toml;
use crate::place::Place;
use crate::ptx::{self, Built, Ptxas};

/// The options of `tidy`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Checks only this part (default: both).
    #[arg(long, value_enum)]
    pub only: Option<Part>,
}

/// A part of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Dependencies, features, formatting, sizes.
    Source,
    /// The PTX of the kernel crates.
    Ptx,
}

/// A violation of a rule, or (a warning) of a recommendation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    file: PathBuf,
    line: usize,
    text: String,
    warning: bool,
}

impl Finding {
    pub(crate) fn error(file: impl Into<PathBuf>, line: usize, text: impl Into<String>) -> Self {
        Self { file: file.into(), line, text: text.into(), warning: false }
    }

    pub(crate) fn warning(file: impl Into<PathBuf>, line: usize, text: impl Into<String>) -> Self {
        Self { warning: true, ..Self::error(file, line, text) }
    }

    /// Returns whether the finding fails the check.
    pub(crate) fn is_error(&self) -> bool {
        !self.warning
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.warning { "warning" } else { "error" };
        write!(f, "{}:{}: {kind}: {}", self.file.display(), self.line, self.text)
    }
}

/// Runs the task: prints every finding, and returns 1 if one of them is an error.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let root = place.checkout("tidy")?;
    let mut findings = Vec::new();
    if options.only != Some(Part::Ptx) {
        findings.extend(check_source(root)?);
    }
    if options.only != Some(Part::Source) {
        findings.extend(check_kernels(root, true)?);
    }
    Ok(report(root, &findings))
}

/// Prints the findings with paths relative to the root, and returns 1 if one of them is an error.
pub(crate) fn report(root: &Path, findings: &[Finding]) -> i32 {
    for finding in findings {
        let file = finding.file.strip_prefix(root).unwrap_or(&finding.file).to_path_buf();
        println!("{}", Finding { file, ..finding.clone() });
    }
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    println!("tidy: {errors} errors, {} warnings", findings.len() - errors);
    i32::from(errors > 0)
}

/// Checks the sources.
pub(crate) fn check_source(root: &Path) -> Result<Vec<Finding>> {
    let mut findings = arrows::check(root)?;
    findings.extend(circles::check(root)?);
    findings.extend(names::check(root)?);
    findings.extend(outside::check(root)?);
    findings.extend(snippets::check(root)?);
    findings.extend(source::check(root)?);
    findings.extend(source::check_format(root)?);
    findings.extend(tree::check(root)?);
    Ok(findings)
}

/// The kernel crates whose kernels with checked arguments have every kind of call.
const CHECKED_SAMPLE: [&str; 2] = ["oxshmem-test-kernels", "oxshmem-example-kernels"];

/// Builds the kernel crates, plain and checked, and the tests' kernels for proxies, and checks all of their PTX. Of
/// checked kernels, those of a few crates, or all.
pub(crate) fn check_kernels(root: &Path, all_checked: bool) -> Result<Vec<Finding>> {
    let ptxas = Ptxas::find(root, None)?;
    let sample = if all_checked { Vec::new() } else { CHECKED_SAMPLE.map(str::to_string).into() };
    let checked = ptx::Options { packages: sample, ..ptx::checked(root) };
    let sets = [ptx::Options::plain(), checked, ptx::proxied(root)];
    let built = ptx::build_sets_and_assemble(root, &ptxas, &sets)?;
    let mut findings = check_ptx(root, &ptxas, &built[0], &built[2])?;
    for one in &built[1] {
        findings.extend(rules::check(&one.file, &std::fs::read_to_string(&one.file)?));
    }
    let warnings =
        built.iter().flatten().flat_map(|one| one.warnings.iter().map(|text| Finding::error(&one.file, 1, text)));
    findings.extend(warnings);
    Ok(findings)
}

/// Checks the rules on the text, then the assembler's numbers for each entry against the budgets. Of kernels for
/// proxies, only the called functions have requirements: budgets and the requirements of entries are for kernels that
/// call nothing.
pub(crate) fn check_ptx(root: &Path, ptxas: &Ptxas, built: &[Built], proxied: &[Built]) -> Result<Vec<Finding>> {
    let budgets = read_toml::<budget::Budgets>(&root.join("xtask/budgets.toml"))?;
    let promises = root.join("xtask/golden.toml");
    let (golden, mut seen) = (read_toml::<golden::Golden>(&promises)?, Vec::new());
    let mut findings = Vec::new();
    for (one, assembled) in built.iter().zip(ptx::assemble_everywhere(root, ptxas, built)?) {
        let text = std::fs::read_to_string(&one.file)?;
        findings.extend(rules::check(&one.file, &text));
        findings.extend(golden::check(&golden, &one.file, &text, &mut seen));
        for (arch, uses) in assembled {
            findings.extend(budget::check(&budgets, &one.file, &text, arch, &uses));
        }
    }
    let called = golden.iter().filter(|(name, _)| name.starts_with("func:"));
    let called: golden::Golden = called.map(|(name, promise)| (name.clone(), promise.clone())).collect();
    for one in proxied {
        let text = std::fs::read_to_string(&one.file)?;
        findings.extend(rules::check(&one.file, &text));
        findings.extend(golden::check(&called, &one.file, &text, &mut seen));
    }
    for name in golden.keys().filter(|name| !seen.contains(name)) {
        findings.push(Finding::error(&promises, 1, format!("no kernel crate has the golden kernel `{name}`")));
    }
    Ok(findings)
}

/// Returns the line (from 1) of the first occurrence of `needle` in `text`, or 1 if there is none.
pub(crate) fn line_of(text: &str, needle: &str) -> usize {
    text.lines().position(|line| line.contains(needle)).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_can_be_clicked() {
        assert_eq!(Finding::error("core/src/lib.rs", 7, "wrong").to_string(), "core/src/lib.rs:7: error: wrong");
    }

    #[test]
    fn a_warning_alone_does_not_fail_the_check() {
        assert_eq!(report(Path::new("/"), &[Finding::warning("a", 1, "long")]), 0);
        assert_eq!(report(Path::new("/"), &[Finding::error("a", 1, "wrong")]), 1);
    }
}
