//! `ci`: checks that must pass before a change is accepted.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use crate::place::Place;
use crate::shell;
use crate::steps::{Done, Step};
use crate::test;

/// Clippy builds everything once, on a small machine.
const LINT_LIMIT: Duration = Duration::from_secs(30 * 60);

/// Options of `ci`.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub(crate) struct Options {
    /// Checks only format, lints and documentation; `test` does the rest.
    #[arg(long)]
    pub lint: bool,
    #[command(flatten)]
    chosen: test::Options,
}

/// Runs the format check, the lints, the documentation, then every step of `test`.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let root = place.checkout("ci")?;
    let mut steps = vec![
        Step::new("format", || lint(root, &["fmt", "--all", "--check"])),
        Step::new("clippy", || {
            lint(root, &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
        }),
        Step::new("documentation", || document(root)),
    ];
    if !options.lint {
        steps.extend(test::steps(place, options.chosen.full)?);
    }
    test::run_chosen(steps, &options.chosen)
}

/// Builds the documentation, which must have no warnings.
fn document(root: &Path) -> Result<Done> {
    let mut cargo = shell::cargo();
    cargo.args(["doc", "--no-deps", "--workspace", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings");
    test::succeeds(&mut cargo, root, LINT_LIMIT)
}

fn lint(root: &Path, args: &[&str]) -> Result<Done> {
    test::succeeds(shell::cargo().args(args), root, LINT_LIMIT)
}
