//! `perf`: runs the performance suite, a separate program (`xtask/perf`) that is built on demand.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::place::Place;
use crate::shell;

/// The name of the program and of its package.
pub(crate) const PROGRAM: &str = "xtask-perf";

/// The options of `perf`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Options of the suite; `--help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub args: Vec<String>,
}

/// Runs the task: replaces this process by the suite.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let mut suite = command(place);
    let why = suite.args(&options.args).exec();
    Err(why).with_context(|| format!("cannot start `{}`", shell::typed(&suite)))
}

/// Returns the command that runs the suite, without its options. In a checkout, cargo builds it first.
pub(crate) fn command(place: &Place) -> Command {
    match place {
        Place::Packed(root) => Command::new(root.join("bin").join(PROGRAM)),
        Place::Checkout(root) => {
            let mut cargo = shell::cargo();
            cargo.args(["run", "--quiet", "--profile", "xtask", "--package", PROGRAM]);
            cargo.arg("--manifest-path").arg(root.join("Cargo.toml")).arg("--");
            cargo
        }
    }
}
