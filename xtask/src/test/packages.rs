//! Packages of the library's crates, as a registry would get them.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use toml::Value;

use super::{CARGO_LIMIT, succeeds};
use crate::files::copy_folder;
use crate::place::target_dir;
use crate::steps::{Done, Step};

/// The folders with the library's crates.
const FOLDERS: [&str; 6] = ["core", "transport-nvlink", "transport-ibgda", "transport-ibrc", "device", "hal"];
/// The crates for programs in Rust, and the kernels of `hal`'s examples.
const CRATES: [&str; 11] = [
    "core",
    "hal/raw",
    "hal/rdma",
    "transport-nvlink",
    "transport-ibgda",
    "transport-ibrc",
    "device/api",
    "device",
    "device/collectives",
    "hal",
    "hal/examples/kernels",
];

pub(super) fn step(root: &Path) -> Step<'_> {
    Step::new("packages: each crate of the library builds from its own", || build(root))
}

/// Packages each crate, and builds it from its package with those before it. Cargo packages together only what may be
/// published, so the copy may be.
fn build(root: &Path) -> Result<Done> {
    let copy = target_dir(root).join("packages");
    let _ = std::fs::remove_dir_all(&copy);
    for folder in FOLDERS {
        copy_folder(&root.join(folder), &copy.join(folder))?;
    }
    std::fs::copy(root.join("Cargo.lock"), copy.join("Cargo.lock")).context("cannot copy Cargo.lock")?;
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).context("cannot read Cargo.toml")?;
    std::fs::write(copy.join("Cargo.toml"), publishable(&manifest)?).context("cannot write Cargo.toml")?;
    let mut cargo = Command::new("cargo");
    cargo.args(["package", "--workspace", "--exclude", "oxshmem-example-kernels", "--all-features", "--allow-dirty"]);
    succeeds(&mut cargo, &copy, CARGO_LIMIT)
}

/// Returns the workspace's manifest with the library's crates alone, which may be published.
fn publishable(manifest: &str) -> Result<String> {
    let mut manifest: toml::Table = manifest.parse().context("Cargo.toml is not TOML")?;
    let workspace = manifest.get_mut("workspace").and_then(Value::as_table_mut).context("there is no [workspace]")?;
    workspace.insert("members".into(), CRATES.map(Value::from).to_vec().into());
    workspace.remove("default-members");
    workspace.remove("exclude");
    let package = workspace.get_mut("package").and_then(Value::as_table_mut).context("there is no package")?;
    package.insert("publish".into(), true.into());
    Ok(toml::to_string(&manifest)?)
}
