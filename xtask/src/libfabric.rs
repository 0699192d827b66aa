//! Finds libfabric on the system, or unpacks Debian's package into `target/libfabric` without root.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};

use crate::fetch::debian::{self, LIBFABRIC};

/// Returns the variables by which a program finds libfabric: none if the system has it. Debian's package is fetched and
/// unpacked first if needed.
pub(crate) fn environment(root: &Path) -> Result<Vec<(&'static str, OsString)>> {
    if debian::system_folders(Path::new("/")).iter().any(|folder| folder.join("libfabric.so.1").is_file()) {
        return Ok(Vec::new());
    }
    let unpacked = LIBFABRIC.find(root).context("this system has no libfabric; install libfabric1")?;
    Ok(vec![("LD_LIBRARY_PATH", unpacked.library_path(std::env::var_os("LD_LIBRARY_PATH")))])
}
