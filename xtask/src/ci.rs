//! `ci`: checks that must pass before a change is accepted.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use crate::place::Place;
use crate::ptx::LEAST;
use crate::shell;
use crate::steps::{Done, Step};
use crate::test;

/// Clippy builds everything once, on a small machine.
const LINT_LIMIT: Duration = Duration::from_secs(30 * 60);

/// The crates for programs in Rust.
const LIBRARY: [&str; 10] = [
    "oxshmem-core",
    "oxshmem-raw",
    "oxshmem-rdma",
    "oxshmem-transport-nvlink",
    "oxshmem-transport-ibgda",
    "oxshmem-transport-ibrc",
    "oxshmem-device-api",
    "oxshmem-device",
    "oxshmem-collectives",
    "oxshmem-hal",
];

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
        Step::new("the oldest Rust", || oldest_rust(root)),
    ];
    if !options.lint {
        steps.extend(test::steps(place, options.chosen.full)?);
    }
    test::run_chosen(steps, &options.chosen)
}

/// Builds the documentation, which must have no warnings: of the workspace, and of each crate of the library as docs.rs
/// does, alone and with all features.
fn document(root: &Path) -> Result<Done> {
    let whole: &[&str] = &["--workspace"];
    let alone = LIBRARY.map(|package| ["-p", package, "--all-features"]);
    for of in std::iter::once(whole).chain(alone.iter().map(|of| of.as_slice())) {
        let mut cargo = shell::cargo();
        cargo.args(["doc", "--no-deps", "--quiet"]).args(of).env("RUSTDOCFLAGS", "-D warnings");
        let done = test::succeeds(&mut cargo, root, LINT_LIMIT)?;
        if done != Done::Passed {
            return Ok(done);
        }
    }
    Ok(Done::Passed)
}

/// Compiles the library's crates with the Rust that the manifests name as the oldest. If that is the one in use, the
/// lints have compiled everything with it.
fn oldest_rust(root: &Path) -> Result<Done> {
    let in_use = shell::capture(Command::new("rustc").arg("--version"))?;
    let is_oldest = |version: &str| version.starts_with(&format!("rustc {LEAST}."));
    if is_oldest(&in_use) {
        return Ok(Done::Passed);
    }
    let toolchain = format!("+{LEAST}");
    let found = shell::capture(Command::new("rustc").args([&toolchain, "--version"])).unwrap_or_default();
    if !is_oldest(&found) {
        let in_use = in_use.trim();
        return Ok(Done::Skipped(format!("there is no Rust {LEAST}, only {in_use}: rustup toolchain install {LEAST}")));
    }
    let mut cargo = Command::new("cargo");
    cargo.args([&toolchain, "check", "-p", "oxshmem-hal", "-p", "oxshmem-device", "-p", "oxshmem-capi"]);
    test::succeeds(cargo.args(["--target-dir", "target/oldest"]), root, LINT_LIMIT)
}

fn lint(root: &Path, args: &[&str]) -> Result<Done> {
    test::succeeds(shell::cargo().args(args), root, LINT_LIMIT)
}
