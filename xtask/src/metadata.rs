//! The output of `cargo metadata`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell;

/// The packages of a workspace, and those that it depends on.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Metadata {
    pub packages: Vec<Package>,
    pub workspace_members: Vec<String>,
    pub workspace_root: PathBuf,
    pub target_directory: PathBuf,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    pub manifest_path: PathBuf,
    /// The registry or repository; `None` for a path.
    pub source: Option<String>,
    pub dependencies: Vec<Dependency>,
    pub targets: Vec<Target>,
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub name: String,
    /// The name that the package uses, if it is another: a program with transports of its own composes a device side,
    /// and depends on it under the name of ours.
    pub rename: Option<String>,
    pub kind: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Target {
    pub name: String,
    pub kind: Vec<String>,
}

impl Metadata {
    /// Returns the metadata of the workspace in a folder, with these options of cargo.
    pub(crate) fn of(folder: &Path, options: &[&str]) -> Result<Self> {
        let mut metadata = shell::cargo();
        metadata.args(["metadata", "--format-version", "1"]).args(options).current_dir(folder);
        Self::parse(&shell::capture(&mut metadata)?)
    }

    pub(crate) fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json).context("cannot read the output of `cargo metadata`")
    }
}
