//! Debian's Rust for browsers (`rustc-web`): recent, with the sources of `core`, and unpacked here
//! without root and without touching the system.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

pub(crate) use crate::apt::library_folders;
use crate::apt::{self, Wanted};
use crate::shell;

/// The compiler and the sources of `core`; the libraries follow from what the compiler's own library, of whatever
/// version, depends on.
const WANTED: Wanted<'static> = Wanted {
    packages: &["rustc-web", "rust-web-src"],
    stand_ins: &[],
    needs_of: &["libstd-rust-web-dev"],
    least: super::toolchain::LEAST,
    archive: "Debian's security archive",
};

/// The unpacked rustc and the folders of its libraries; fetches the packages first if they are not there.
pub(crate) fn unpacked(target: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    let folder = target.join("toolchain/debian");
    let root = apt::unpacked(&folder, WANTED)?;
    let rustc = root.join("usr/bin/rustc");
    if !shell::is_program(&rustc) {
        bail!("{} is missing; remove {} and try again", rustc.display(), folder.display());
    }
    Ok((rustc, library_folders(&root)))
}
