//! Debian's Rust for browsers (`rustc-web`), which is recent and has the sources of `core`. It is unpacked here
//! without root and without changing the system.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

pub(crate) use crate::apt::library_folders;
use crate::apt::{self, Wanted};
use crate::shell;

/// The compiler, its own library, and the sources of `core`. The shared libraries are dependencies of that library, in
/// any version. It is named itself, since the system may have an older version of it.
const WANTED: Wanted<'static> = Wanted {
    packages: &["rustc-web", "libstd-rust-web-dev", "rust-web-src"],
    stand_ins: &[],
    needs_of: &["libstd-rust-web-dev"],
    least: env!("CARGO_PKG_RUST_VERSION"),
    archive: "Debian's security archive",
};

/// Returns the unpacked rustc and the folders of its libraries, and fetches the packages first if they are missing.
pub(crate) fn unpacked(target: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    let folder = target.join("toolchain/debian");
    let root = apt::unpacked(&folder, WANTED)?;
    let rustc = root.join("usr/bin/rustc");
    if !shell::is_program(&rustc) {
        bail!("{} is missing; remove {} and try again", rustc.display(), folder.display());
    }
    Ok((rustc, library_folders(&root)))
}
