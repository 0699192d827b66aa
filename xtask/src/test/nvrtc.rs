//! The step that compiles the C interface's headers by NVRTC, CUDA's compiler as a library.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::succeeds;
use crate::capi::Nvcc;
use crate::fetch::wheels::NVRTC;
use crate::steps::Done;

/// The script that calls it.
const SCRIPT: &str = "tests/capi/by_nvrtc.py";
const LIMIT: Duration = Duration::from_secs(5 * 60);

/// Compiles kernels that call the device library, with CUDA's headers beside nvcc.
pub(super) fn headers(root: &Path, nvcc: &Nvcc) -> Result<Done> {
    let mut command = Command::new("python3");
    command.arg(root.join(SCRIPT)).arg(library(root)?).arg(root.join("include"));
    succeeds(command.args(nvcc.includes()), root, LIMIT)
}

/// Returns the library, whose package is fetched if needed.
pub(super) fn library(root: &Path) -> Result<PathBuf> {
    let lib = NVRTC.find(root)?;
    let files = std::fs::read_dir(&lib).with_context(|| format!("cannot read {}", lib.display()))?;
    let is_it =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnvrtc.so."));
    let found = files.flatten().map(|entry| entry.path()).find(is_it);
    found.with_context(|| format!("the package has no libnvrtc.so in {}", lib.display()))
}
